/** What turns of deliveries read of their channels. */
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { deliveryWanted, personOf } from '#streams/notification/messages.ts'
import type { ChannelOptions } from '#streams/notification/channel.ts'

export interface ChannelFacts {
  /** Whether the channel exists; for a person's built-in mail that is checked when it is sent. */
  exists: boolean
  isMail: boolean
  options: ChannelOptions
  /** Whether failures of it are known. */
  hasFailed: boolean
  brokenSince: Date | null
  nextProbeAt: Date | null
  /** Waiting deliveries, counted up to a maximum. */
  waiting: number
}

/** Maximum waiting deliveries of a channel; further ones fail. */
export const waitingMax = 10_000

const channelsSql = `
  select asked.org_id, asked.channel_id, c.id is not null as exists, c.type = 'email' as is_mail, c.options, h.channel_id is not null as has_failed,
    h.broken_since, h.next_probe_at
  from unnest($1::text[], $2::text[]) as asked (org_id, channel_id)
  left join notification_channel c on c.org_id = asked.org_id and c.id = asked.channel_id
  left join channel_health h on h.org_id = asked.org_id and h.channel_id = asked.channel_id`

interface Row {
  org_id: string
  channel_id: string
  exists: boolean
  is_mail: boolean | null
  options: ChannelOptions | null
  has_failed: boolean
  broken_since: Date | null
  next_probe_at: Date | null
}

const waitingSql = `
  select count(*)::int as n from (
    select from delivery where org_id = $1 and channel_id = $2 limit ${waitingMax}) as waiting`

type Channels = ReadonlyMap<string, ChannelFacts>

const keyOf = (orgId: string, channelId: string): string => `${orgId}\0${channelId}`

export async function deliveryNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<Channels> {
  const [rows, counts] = await Promise.all([
    reads.plain<Row>(channelsSql, columns(channelsIn(waiting)), { maxAgeMs: 0 }),
    countsOf(channelsIn(waiting.filter(({ subject }) => subject.name === deliveryWanted.name)), reads),
  ])
  return new Map(
    rows.map((row) => {
      const key = keyOf(row.org_id, row.channel_id)
      const isPerson = personOf(row.channel_id) !== undefined
      const facts: ChannelFacts = {
        exists: row.exists || isPerson,
        isMail: row.is_mail === true || isPerson,
        options: row.options ?? {},
        hasFailed: row.has_failed,
        brokenSince: row.broken_since,
        nextProbeAt: row.next_probe_at,
        waiting: counts.get(key) ?? 0,
      }
      return [key, facts]
    }),
  )
}

type Pair = readonly [orgId: string, channelId: string]

const channelsIn = (waiting: readonly Waiting[]): Pair[] => [
  ...new Map(waiting.map(({ address: { orgId, place } }) => [keyOf(orgId, place), [orgId, place] as const])).values(),
]

const columns = (pairs: readonly Pair[]): [string[], string[]] => [pairs.map(([org]) => org), pairs.map(([, id]) => id)]

/** May be a second old: the limit keeps a table small, and need not be exact. */
async function countsOf(pairs: readonly Pair[], reads: TurnReads): Promise<Map<string, number>> {
  const counted = pairs.map(async ([orgId, id]): Promise<[string, number]> => {
    const [row] = await reads.plain<{ n: number }>(waitingSql, [orgId, id], { maxAgeMs: 1000 })
    return [keyOf(orgId, id), row!.n]
  })
  return new Map(await Promise.all(counted))
}

/** The channel of this turn. */
export const channelOf = ({ needs, address }: Turn): ChannelFacts =>
  (needs as Channels).get(keyOf(address.orgId, address.place))!
