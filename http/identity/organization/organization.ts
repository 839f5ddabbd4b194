import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { blockOf } from '#http/identity/address.ts'
import { Member, Organization, User } from '#http/identity/entity.ts'
import { countFounded, type Founding } from '#http/identity/session/throttle.ts'
import type { IdentityTools, OrganizationLimits } from '#http/identity/tools.ts'
import { checkedName } from '#streams/text.ts'

/** Creates an organization without members, for operators. @throws Fault `invalid` for a wrong name */
export async function createOrganization(
  em: EntityManager,
  name: string,
  { now = () => new Date(), place = async () => {} }: Partial<Pick<IdentityTools, 'now' | 'place'>> = {},
): Promise<Organization> {
  return em.transactional(async (tx) => {
    const organization = tx.create(Organization, { id: randomUUID(), name: checkedName(name), createdAt: now() })
    await tx.persist(organization).flush()
    await place(tx, organization.id)
    return organization
  })
}

/**
 * Whether a person may create one more organization, which is counted. Each organization has its own rate limits and
 * storage quota, so anyone who could create any number would have any amount of both.
 * @throws Fault `forbidden` `email_not_verified`, `refused` `organization_limit`, `invalid` `too_many_organizations`
 */
export async function checkFounding(
  em: EntityManager,
  { owned, perDay }: OrganizationLimits,
  { userId, ip }: { userId: string; ip: string },
  now: Date,
): Promise<void> {
  const { emailVerifiedAt } = await em.findOneOrFail(User, { id: userId })
  if (!emailVerifiedAt) throw Fault.forbidden('email_not_verified', 'Confirm your email address first.')
  // Serialized, so that two requests of one person at once cannot both pass. Always locks the block first.
  const both: readonly Founding[] = [
    { account: '', block: blockOf(ip) },
    { account: userId, block: '' },
  ]
  for (const of of both) {
    const wait = await countFounded(em, of, perDay || Infinity, now)
    if (wait > 0) throw tooMany(of.block === '' ? 'You have' : 'Your network has', perDay, wait)
  }
  const own = await em.count(Member, { userId, roleId: 'owner', status: 'active' })
  if (owned > 0 && own >= owned)
    throw Fault.refused(
      'organization_limit',
      `You own ${own} organizations. The limit for creating another is ${owned}.`,
    )
}

const tooMany = (who: string, perDay: number, retryAfter: number): Fault =>
  Fault.invalid('too_many_organizations', `${who} created ${perDay} organizations today, which is the limit.`, {
    retryAfter,
  })
