import type { EntityManager } from '@mikro-orm/postgresql'
import { Member, Organization, User } from '#http/identity/entity.ts'
import { normalizeEmail } from '#http/identity/session/login.ts'
import { storeCommand } from '#config/command/line/build.ts'
import { findOrganization, notRunning } from '#config/command/line/engine.ts'
import { optional } from '#config/command/line/flag.ts'
import { operator } from '#config/command/line/operator.ts'
import { consoleLink } from '#config/secrets/sign-in-link.ts'

const goodMs = 15 * 60_000

export const consoleCommand = storeCommand({
  name: 'console',
  summary: 'Print a one-time sign-in link to the console',
  takes: {
    org: optional('ORG', 'Organization to open (name or ID); default: the only one, or the demo'),
    user: optional(
      'EMAIL',
      'User to sign in; default: the only owner of the organization. The link expires after 15 minutes',
    ),
  },
  run: async (instance, { org: organization, user: email }) => {
    const { connections, isRunning, publicUrl, settings } = instance
    if (!isRunning) throw new Error(notRunning)
    if (publicUrl === undefined) throw new Error('The address of the edge is unknown. Set PUBLIC_URL.')
    const org = organization ? (await findOrganization(instance, organization)).id : undefined
    const { keptDemo } = await import('#config/demo/demo.ts')
    const now = new Date(connections.clock.now())
    const { user, orgId, link, expiresAt } = await connections.orm.em.fork().transactional(async (em) => {
      const demo = keptDemo(settings.dataDir)?.orgId
      const whose = email ? await findByEmail(em, email, org) : await ownerOf(em, org ?? (await onlyOne(em, demo)))
      return { ...whose, ...(await consoleLink(em, publicUrl, { ...whose, goodMs }, operator, now)) }
    })
    const data = { console: link, user: user.email, orgId: orgId || null, expiresAt: expiresAt.toISOString() }
    return { data, text: `${link}\n\nSigns in ${user.email} once. Expires in 15 minutes.` }
  },
})

interface SignInUser {
  user: User
  /** Empty: they are in none. */
  orgId: string
}

/** @throws Error saying which organizations there are to be chosen from */
async function onlyOne(em: EntityManager, demo: string | undefined): Promise<string> {
  const found = await em.find(Organization, {}, { orderBy: { createdAt: 'asc' }, limit: 10 })
  const one = found.length === 1 ? found[0] : found.find(({ id }) => id === demo)
  if (one) return one.id
  if (found.length === 0) throw new Error('No organizations exist. Create one with: tidemark org create NAME')
  const listed = found.map(({ id, name }) => `  ${id}  ${name}`)
  throw new Error(`There is more than one organization. Choose one with --org:\n${listed.join('\n')}`)
}

/** @throws Error where there is no owner, or several */
async function ownerOf(em: EntityManager, orgId: string): Promise<SignInUser> {
  const members = await em.find(Member, { orgId, roleId: 'owner', status: 'active' })
  const ids = members.map(({ userId }) => userId)
  const owners = await em.find(User, { id: { $in: ids } }, { orderBy: { email: 'asc' } })
  if (owners.length === 1) return { user: owners[0]!, orgId }
  if (owners.length > 1)
    throw new Error(
      `The organization has several owners. Choose one with --user:\n${owners.map((one) => `  ${one.email}`).join('\n')}`,
    )
  throw new Error(
    `The organization has no owner yet. Create one with: tidemark user create EMAIL --org ${orgId} --role owner`,
  )
}

/** @throws Error where there is no such person, or not in the organization */
async function findByEmail(em: EntityManager, given: string, orgId = ''): Promise<SignInUser> {
  const email = normalizeEmail(given)
  const user = await em.findOne(User, { email })
  if (!user) throw new Error(`User ${email} was not found. Create it with: tidemark user create ${email}`)
  if (!user.emailVerifiedAt)
    throw new Error(`${email} has not confirmed this address. To confirm it, run: tidemark user create ${email}`)
  if (orgId === '') {
    const [first] = await em.find(Member, { userId: user.id, status: 'active' }, { orderBy: { createdAt: 'asc' } })
    return { user, orgId: first?.orgId ?? '' }
  }
  if ((await em.count(Member, { orgId, userId: user.id, status: 'active' })) > 0) return { user, orgId }
  throw new Error(`${email} is not a member of ${orgId}.`)
}
