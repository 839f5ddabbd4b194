/**
 * Limits mails to people who have not asked for them: invitations, and requests to confirm an address for
 * notifications. Each counts for a day, for its organization, its recipient and the installation.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { dayMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { OutsideMail } from '#http/identity/organization/record-entity.ts'

/** Maximum mails per day; 0: no limit. */
export interface OutsideMailLimits {
  readonly perOrganization: number
  readonly perRecipient: number
  readonly perInstallation: number
}

/** A hash that stands for a mailbox without revealing it; a suffix after a plus sign belongs to the same mailbox. */
const recipientOf = (email: string): string =>
  createHash('sha256')
    .update(email.toLowerCase().replace(/\+[^@]*@/, '@'))
    .digest('base64url')

const countSql = `
  select count(*) filter (where org_id = ?)::int as organization, count(*) filter (where recipient = ?)::int as recipient,
    count(*)::int as installation
  from outside_mail`

/**
 * Counts a mail that is about to be sent. `em` must see all organizations: run it `asService`.
 * @throws Fault `refused` `too_many_mails` with the limit
 */
export async function countOutsideMail(
  em: EntityManager,
  { orgId, to, limits, now }: { orgId: string; to: string; limits: OutsideMailLimits; now: Date },
): Promise<void> {
  const recipient = recipientOf(to)
  // Serialized: of two at the same time, neither would count the other.
  await em.execute(`select pg_advisory_xact_lock(hashtextextended('outside mail', 0))`)
  await em.nativeDelete(OutsideMail, { sentAt: { $lte: new Date(now.getTime() - dayMs) } })
  const [sent] = await em.execute<{ organization: number; recipient: number; installation: number }[]>(countSql, [
    orgId,
    recipient,
  ])
  check(sent!.recipient, limits.perRecipient, 'This address receives')
  check(sent!.organization, limits.perOrganization, 'An organization sends')
  check(sent!.installation, limits.perInstallation, 'This service sends')
  await em.insert(OutsideMail, { id: randomUUID(), orgId, recipient, sentAt: now })
}

function check(sent: number, limit: number, who: string): void {
  if (limit === 0 || sent < limit) return
  const message = `${who} at most ${limit} invitations and address confirmations per day. Try again tomorrow.`
  throw new Fault('refused', 'too_many_mails', message, { retryAfter: 3600 })
}
