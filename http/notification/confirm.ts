/** Recipients of mail channels must confirm before they get mail, unless they belong to the organization. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { isAgreed } from '#actors/notification/channel/change.ts'
import type { NotificationChannel } from '#actors/notification/entity.ts'
import type { Services } from '#http/edge/services.ts'
import { Organization } from '#http/identity/entity.ts'
import { normalizeEmail } from '#http/identity/session/login.ts'
import { confirmMail, sendMail } from '#http/identity/person/mail.ts'
import { countOutsideMail } from '#http/identity/person/outside-mail.ts'
import { asService } from '#http/store/tenant.ts'
import { addressMark, linkToken } from '#streams/notification/link.ts'

type Tools = Pick<Services, 'identity' | 'linkSecrets' | 'publicUrl'>

const ownSql = `
  select 1 as own from member m join app_user u on u.id = m.user_id
  where m.org_id = ? and m.status = 'active' and lower(u.email) = ?
  union all
  select 1 from saml_domain where org_id = ? and verified_at is not null and domain = ? limit 1`

/** Whether an address is that of an active member, or in a verified domain of the organization. */
async function isOwn(em: EntityManager, orgId: string, email: string): Promise<boolean> {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  return (await em.execute<object[]>(ownSql, [orgId, email, orgId, domain])).length > 0
}

/**
 * Whether the address given to a channel needs no confirmation. Otherwise counts the confirmation mail first.
 * @throws Fault `refused` `too_many_mails`
 */
export function checkRecipient(
  orgId: string,
  email: string | undefined,
  before: NotificationChannel | null,
  { identity }: Tools,
): Promise<boolean> {
  if (email === undefined || (before && isAgreed(before, email))) return Promise.resolve(false)
  return asService(() =>
    identity.em().transactional(async (em) => {
      if (await isOwn(em, orgId, normalizeEmail(email))) return true
      await countOutsideMail(em, { orgId, to: email, limits: identity.outsideMails, now: identity.now() })
      return false
    }),
  )
}

/** Sends the confirmation mail, in the transaction of `em`, if the channel needs one and its address was given. */
export async function askRecipient(
  em: EntityManager,
  { orgId, id: channelId, name, email, confirmNonce: nonce }: NotificationChannel,
  { identity, linkSecrets, publicUrl }: Tools,
): Promise<void> {
  if (!nonce || !email) return
  const createdAt = identity.now().toISOString()
  const claim = { what: 'confirm', orgId, channelId, to: addressMark(email), nonce, createdAt } as const
  const link = `${publicUrl()}/notifications/confirm?token=${linkToken(claim, linkSecrets()[0]!)}`
  const organization = await asService(() => identity.em().findOne(Organization, { id: orgId }))
  await sendMail(em, identity, confirmMail(email, organization?.name ?? '', name, link), orgId)
}
