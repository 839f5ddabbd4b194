/** What is known of the channels of a batch. */
import type { Waiting } from '#engine/actor.ts'
import type { TurnReads } from '#engine/ports.ts'
import type { Turn } from '#engine/turn.ts'
import { personOf } from '#streams/notification.ts'
import type { ChannelOptions } from '#streams/notification/channel.ts'

export interface ChannelFacts {
  /** Whether there is one; of a person's mail that is seen when it is sent. */
  exists: boolean
  options: ChannelOptions
  /** Whether anything is known to be wrong with it. */
  hasFailed: boolean
  brokenSince: Date | null
  nextProbeAt: Date | null
  /** Deliveries that wait, so many at most. */
  waiting: number
}

/** A channel keeps so many waiting; what comes beyond that fails. */
export const waitingMax = 10_000

const channelsSql = `
  select asked.org_id, asked.channel_id, c.id is not null as exists, c.options, h.channel_id is not null as has_failed,
    h.broken_since, h.next_probe_at,
    (select count(*) from (
      select from delivery d where d.org_id = asked.org_id and d.channel_id = asked.channel_id limit ${waitingMax}) w)::int as waiting
  from unnest($1::text[], $2::text[]) as asked (org_id, channel_id)
  left join notification_channel c on c.org_id = asked.org_id and c.id = asked.channel_id
  left join channel_health h on h.org_id = asked.org_id and h.channel_id = asked.channel_id`

interface Row {
  org_id: string
  channel_id: string
  exists: boolean
  options: ChannelOptions | null
  has_failed: boolean
  broken_since: Date | null
  next_probe_at: Date | null
  waiting: number
}

type Channels = ReadonlyMap<string, ChannelFacts>

const keyOf = (orgId: string, channelId: string): string => `${orgId}\0${channelId}`

export async function deliveryNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<Channels> {
  const asked = new Map(waiting.map(({ address: { orgId, place } }) => [keyOf(orgId, place), [orgId, place] as const]))
  const pairs = [...asked.values()]
  const rows = await reads.plain<Row>(channelsSql, [pairs.map(([org]) => org), pairs.map(([, id]) => id)], {
    maxAgeMs: 0,
  })
  return new Map(
    rows.map((row) => [
      keyOf(row.org_id, row.channel_id),
      {
        exists: row.exists || personOf(row.channel_id) !== undefined,
        options: row.options ?? {},
        hasFailed: row.has_failed,
        brokenSince: row.broken_since,
        nextProbeAt: row.next_probe_at,
        waiting: row.waiting,
      },
    ]),
  )
}

/** Of the channel of this turn. */
export const channelOf = ({ needs, address }: Turn): ChannelFacts =>
  (needs as Channels).get(keyOf(address.orgId, address.place))!
