/**
 * Deletes an organization: an owner requests it, and seven days later everything of it is deleted (`config/tenant/`).
 * Until then it is closed to all but its owners, who can restore it. Every function here sees all organizations: run it
 * `asService`.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { dayMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'

/** Milliseconds for which a deletion can be revoked. */
const graceMs = 7 * dayMs

export interface Closing {
  closedAt: Date
  deletesAt: Date
}

interface Row {
  closed_at: string
  delete_at: string
}

const closingOf = (row: Row): Closing => ({ closedAt: new Date(row.closed_at), deletesAt: new Date(row.delete_at) })

/** Undefined if it is open. */
export async function closingIn(em: EntityManager, orgId: string): Promise<Closing | undefined> {
  const [row] = await em.execute<Row[]>('select closed_at, delete_at from closed_organization where org_id = ?', [
    orgId,
  ])
  return row && closingOf(row)
}

/** Closes an organization from now on; a repeated request changes nothing. `by` is a person's id, or `operator`. */
export async function closeOrganization(
  em: EntityManager,
  { orgId, by }: { orgId: string; by: string },
  now: Date,
): Promise<Closing & { isNew: boolean }> {
  const deletesAt = new Date(now.getTime() + graceMs)
  const made = await em.execute<Row[]>(
    `insert into closed_organization (org_id, closed_by, closed_at, delete_at) values (?, ?, ?, ?)
     on conflict do nothing returning closed_at, delete_at`,
    [orgId, by, now.toISOString(), deletesAt.toISOString()],
  )
  if (made[0]) return { ...closingOf(made[0]), isNew: true }
  return { ...(await closingIn(em, orgId))!, isNew: false }
}

/** @throws Fault `conflict` if no deletion was requested, or it has started */
export async function restoreOrganization(em: EntityManager, orgId: string): Promise<void> {
  const rows = await em.execute<object[]>(
    'delete from closed_organization where org_id = ? and deleting_at is null returning org_id',
    [orgId],
  )
  if (rows.length === 0)
    throw Fault.conflict('invalid_transition', 'This organization has no pending deletion to cancel.')
}

/** @throws Fault `forbidden` `organization_closed` */
export const closedFault = (deletesAt: Date, isOwner = false): Fault =>
  Fault.forbidden(
    'organization_closed',
    isOwner
      ? `The organization is closed and will be deleted on ${deletesAt.toISOString()}. To restore it, use POST /organisations/{orgID}/restore.`
      : 'The organization is closed because an owner has requested its deletion.',
  )
