/** Which deliveries wait for a channel. */
import type { Waiting } from '#engine/actor.ts'
import type { TurnReads } from '#engine/ports.ts'
import type { Static } from '#engine/schema.ts'
import type { Turn } from '#engine/turn.ts'
import { channelProbeDue, channelSwept } from '#streams/notification.ts'

/** Deliveries that go on, or are given up, in one turn. */
export const sweepMax = 500

const oldestSql = `
  select id from delivery where org_id = $1 and channel_id = $2 and hold = 'circuit' order by created_at, id limit 1`

const heldSql = `
  select id from delivery where org_id = $1 and channel_id = $2 and hold = 'circuit' and id > $3 order by id limit ${sweepMax}`

const allSql = `
  select id from delivery where org_id = $1 and channel_id = $2 and id > $3 order by id limit ${sweepMax}`

type Needs = ReadonlyMap<string, readonly string[]>

const keyOf = (orgId: string, channelId: string): string => `${orgId}\0${channelId}`

/** A batch seldom has more than one of these for a channel; the last of them is what is read for. */
export async function healthNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<Needs> {
  const found = new Map<string, readonly string[]>()
  for (const { subject, address, data } of waiting) {
    const { orgId, key } = address
    const ids = async (sql: string, ...more: string[]) =>
      (await reads.rows<{ id: string }>(sql, [orgId, key, ...more])).map(({ id }) => id)
    if (subject.name === channelProbeDue.name) found.set(keyOf(orgId, key), await ids(oldestSql))
    if (subject.name !== channelSwept.name) continue
    const { what, after } = data as Static<typeof channelSwept.schema>
    found.set(keyOf(orgId, key), await ids(what === 'release' ? heldSql : allSql, after))
  }
  return found
}

export const waitingFor = ({ needs, address }: Turn): readonly string[] =>
  (needs as Needs).get(keyOf(address.orgId, address.key)) ?? []
