import type { EntityManager } from '@mikro-orm/postgresql'
import { Member, Organization, User } from '#http/identity/entity.ts'
import { normalized } from '#http/identity/login.ts'
import type { Command } from '#config/command/command.ts'
import { notRunning, ofOrganization } from '#config/command/engine.ts'
import { operator } from '#config/command/operator.ts'
import { withInstance } from '#config/instance.ts'
import { consoleLink } from '#config/sign-in-link.ts'

const usage = 'tidemark console [--org ID] [--user EMAIL]'
const goodMs = 15 * 60_000

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

export const consoleCommand: Command = {
  name: 'console',
  summary: 'Print a link to the console that signs a person in, once',
  usage,
  options: { org: { type: 'string' }, user: { type: 'string' } },
  about: {
    '--org ID': 'The organization it opens; the only one there is, or that of the demo, unless given',
    '--user EMAIL': 'Whom it signs in; the only owner of the organization unless given. It is good for 15 minutes',
  },
  run: async ({ values }) => {
    const [org, email] = [text(values['org']), text(values['user'])]
    return withInstance(async (instance) => {
      const { connections, isRunning, publicUrl, settings } = instance
      if (!isRunning) throw new Error(notRunning)
      if (publicUrl === undefined) throw new Error('Nobody says where the edge is reached: set PUBLIC_URL.')
      if (org !== undefined) await ofOrganization(instance, org)
      const { keptDemo } = await import('#config/demo.ts')
      const now = new Date(connections.clock.now())
      const { user, orgId, link, expiresAt } = await connections.orm.em.fork().transactional(async (em) => {
        const demo = keptDemo(settings.dataDir)?.orgId
        const whose =
          email === undefined ? await ownerOf(em, org ?? (await onlyOne(em, demo))) : await named(em, email, org)
        return { ...whose, ...(await consoleLink(em, publicUrl, { ...whose, goodMs }, operator, now)) }
      })
      const data = { console: link, user: user.email, orgId: orgId || null, expiresAt: expiresAt.toISOString() }
      return { data, text: `${link}\n\nIt signs ${user.email} in, once, within 15 minutes.` }
    })
  },
}

interface Whose {
  user: User
  /** Empty: they are in none. */
  orgId: string
}

/** @throws Error saying which organizations there are to be chosen from */
async function onlyOne(em: EntityManager, demo: string | undefined): Promise<string> {
  const found = await em.find(Organization, {}, { orderBy: { createdAt: 'asc' }, limit: 10 })
  const one = found.length === 1 ? found[0] : found.find(({ id }) => id === demo)
  if (one) return one.id
  if (found.length === 0) throw new Error('There is no organization: tidemark org create NAME makes one.')
  const listed = found.map(({ id, name }) => `  ${id}  ${name}`)
  throw new Error(`There is more than one organization: name one by --org ID.\n${listed.join('\n')}`)
}

/** @throws Error where there is no owner, or several */
async function ownerOf(em: EntityManager, orgId: string): Promise<Whose> {
  const members = await em.find(Member, { orgId, roleId: 'owner', status: 'active' })
  const ids = members.map(({ userId }) => userId)
  const owners = await em.find(User, { id: { $in: ids } }, { orderBy: { email: 'asc' } })
  if (owners.length === 1) return { user: owners[0]!, orgId }
  if (owners.length > 1)
    throw new Error(`It has several owners: name one by --user.\n${owners.map((one) => `  ${one.email}`).join('\n')}`)
  throw new Error(`Nobody owns it yet: tidemark user create EMAIL --org ${orgId} --role owner makes an owner.`)
}

/** @throws Error where there is no such person, or not in the organization */
async function named(em: EntityManager, given: string, orgId = ''): Promise<Whose> {
  const email = normalized(given)
  const user = await em.findOne(User, { email })
  if (!user) throw new Error(`There is no user ${email}: tidemark user create makes one.`)
  if (!user.emailVerifiedAt) throw new Error(`${email} has not confirmed the address: tidemark user create does it.`)
  if (orgId === '') {
    const [first] = await em.find(Member, { userId: user.id, status: 'active' }, { orderBy: { createdAt: 'asc' } })
    return { user, orgId: first?.orgId ?? '' }
  }
  if ((await em.count(Member, { orgId, userId: user.id, status: 'active' })) > 0) return { user, orgId }
  throw new Error(`${email} is no member of ${orgId}.`)
}
