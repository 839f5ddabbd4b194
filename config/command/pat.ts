import { createToken } from '#http/identity/pat.ts'
import { roles, type Role } from '#http/identity/role.ts'
import type { Command } from '#config/command/command.ts'
import { required } from '#config/command/command.ts'
import { withInstance } from '#config/instance.ts'

const usage = `tidemark pat create --org ID [--role ${roles.join('|')}] [--name NAME]`

export const patCreate: Command = {
  name: 'pat create',
  summary: 'Create a personal access token; its secret is shown this once',
  usage,
  options: { org: { type: 'string' }, role: { type: 'string' }, name: { type: 'string' } },
  about: {
    '--org ID': 'The organization it is bound to',
    '--role ROLE': `One of ${roles.join(', ')}; default viewer`,
    '--name NAME': 'What it is for; default "command line"',
  },
  run: async ({ values }) => {
    const org = required({ usage }, values['org'], '--org')
    const role = roles.find((known) => known === (values['role'] ?? 'viewer')) as Role | undefined
    if (role === undefined) throw new Error(`--role must be one of ${roles.join(', ')}`)
    const name = typeof values['name'] === 'string' ? values['name'] : 'command line'
    return withInstance(async ({ connections }) => {
      const { token, secret } = await createToken(connections.orm.em.fork(), org, { role, name })
      return { data: { id: token.id, orgId: org, role, name, token: secret }, text: secret }
    })
  },
}
