import { User } from '#http/identity/entity.ts'
import { normalized } from '#http/identity/login.ts'
import { createToken } from '#http/identity/pat.ts'
import { roles } from '#http/identity/role.ts'
import type { Command } from '#config/command/command.ts'
import { required } from '#config/command/command.ts'
import { withInstance } from '#config/instance.ts'

const usage = `tidemark pat create --org ID [--role ${roles.join('|')} | --user EMAIL] [--name NAME]`

export const patCreate: Command = {
  name: 'pat create',
  summary: 'Create a personal access token; its secret is shown this once',
  usage,
  options: {
    org: { type: 'string' },
    role: { type: 'string' },
    user: { type: 'string' },
    name: { type: 'string' },
  },
  about: {
    '--org ID': 'The organization it is bound to',
    '--role ROLE': `What a token of a machine may do, for ever: one of ${roles.join(', ')}; default viewer`,
    '--user EMAIL': 'Whose token it is instead: it may do what that member may do at the moment',
    '--name NAME': 'What it is for; default "command line"',
  },
  run: async ({ values }) => {
    const org = required({ usage }, values['org'], '--org')
    const email = typeof values['user'] === 'string' ? values['user'] : undefined
    if (email !== undefined && values['role'] !== undefined) throw new Error('--role and --user exclude one another')
    const role = roles.find((known) => known === (values['role'] ?? 'viewer'))
    if (role === undefined) throw new Error(`--role must be one of ${roles.join(', ')}`)
    const name = typeof values['name'] === 'string' ? values['name'] : 'command line'
    return withInstance(async ({ connections }) => {
      const em = connections.orm.em.fork()
      const user = email === undefined ? undefined : await em.findOne(User, { email: normalized(email) })
      if (user === null) throw new Error(`There is no user ${email}.`)
      const whose = user ? { role: null, userId: user.id } : { role }
      const { token, secret } = await createToken(em, org, { ...whose, name })
      const data = { id: token.id, orgId: org, role: whose.role, name, token: secret }
      return { data: user ? { ...data, user: user.email } : data, text: secret }
    })
  },
}
