/** Deliveries that wait for a channel. */
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { channelProbeDue, channelSwept } from '#streams/notification/messages.ts'

/** Maximum deliveries released or dropped in one turn. */
export const sweepMax = 500

const oldestSql = `
  select id from delivery where org_id = $1 and channel_id = $2 and hold = 'circuit' order by created_at, id limit 1`

const heldSql = `
  select id from delivery where org_id = $1 and channel_id = $2 and hold = 'circuit' and id > $3 order by id limit ${sweepMax}`

const allSql = `
  select id from delivery where org_id = $1 and channel_id = $2 and id > $3 order by id limit ${sweepMax}`

type Needs = ReadonlyMap<string, readonly string[]>

/** By organization, channel and query: a batch may need several queries for one channel. */
const keyOf = (orgId: string, channelId: string, what: keyof typeof sqls, after = ''): string =>
  JSON.stringify([orgId, channelId, what, after])

const sqls = { oldest: oldestSql, release: heldSql, drop: allSql }

export async function healthNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<Needs> {
  const found = new Map<string, readonly string[]>()
  for (const { subject, address, data } of waiting) {
    const { orgId, key } = address
    const read = async (what: keyof typeof sqls, ...after: string[]) => {
      const rows = await reads.rows<{ id: string }>(sqls[what], [orgId, key, ...after])
      found.set(
        keyOf(orgId, key, what, ...after),
        rows.map(({ id }) => id),
      )
    }
    if (subject.name === channelProbeDue.name) await read('oldest')
    if (subject.name !== channelSwept.name) continue
    const { what, after } = data as Static<typeof channelSwept.schema>
    await read(what, after)
  }
  return found
}

const idsOf = ({ needs, address }: Turn, what: keyof typeof sqls, after?: string): readonly string[] =>
  (needs as Needs).get(keyOf(address.orgId, address.key, what, after)) ?? []

/** The delivery that has waited longest for the channel, if any does. */
export const oldestOf = (turn: Turn): string | undefined => idsOf(turn, 'oldest')[0]

/** The next page of deliveries to release or to drop. */
export const pageOf = (turn: Turn, { what, after }: Static<typeof channelSwept.schema>): readonly string[] =>
  idsOf(turn, what, after)
