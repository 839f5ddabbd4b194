/** The members of a bulk action, read for the turn that starts it. */
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import { bulkRequested } from '#streams/action/messages.ts'

/**
 * A resource in a group, one row for each account that has it; the account is null if none has. An empty group has one
 * row without a resource.
 */
export interface Membership {
  group_id: string
  resource_uid: string | null
  tier: number
  place: number
  cloud_account_id: string | null
}

/** By organization and bulk action, in the order in which the groups were named. */
export type BulkNeeds = ReadonlyMap<string, readonly Membership[]>

export const bulkKey = (orgId: string, bulkId: string): string => `${orgId}\0${bulkId}`

const membersSql = `
  select asked.org_id, asked.bulk_id, g.id as group_id, m.resource_uid, m.tier, m.place, r.cloud_account_id
  from unnest($1::text[], $2::text[], $3::text[], $4::int[]) as asked (org_id, bulk_id, group_id, nth)
  join resource_group g on g.org_id = asked.org_id and g.id = asked.group_id
  left join resource_group_member m on m.org_id = g.org_id and m.group_id = g.id
  left join resource r on r.org_id = m.org_id and r.uid = m.resource_uid and r.deleted_at is null
  order by asked.nth, r.cloud_account_id`

export async function bulkNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<BulkNeeds> {
  const asked = waiting
    .filter(({ subject }) => subject.name === bulkRequested.name)
    .flatMap(({ address: { orgId }, data }) => {
      const { bulkId, groupIds } = data as Static<typeof bulkRequested.schema>
      return groupIds.map((groupId, nth) => ({ orgId, bulkId, groupId, nth }))
    })
  if (asked.length === 0) return new Map()
  const rows = await reads.plain<Membership & { org_id: string; bulk_id: string }>(
    membersSql,
    [
      asked.map(({ orgId }) => orgId),
      asked.map(({ bulkId }) => bulkId),
      asked.map(({ groupId }) => groupId),
      asked.map(({ nth }) => nth),
    ],
    { maxAgeMs: 0 },
  )
  return Map.groupBy(rows, ({ org_id, bulk_id }) => bulkKey(org_id, bulk_id))
}
