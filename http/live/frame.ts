/** Events as the wire has them (HTML standard, server-sent events): a name and one line of JSON. */
import type { SentSignal } from '#engine/actor/turn.ts'
import { costsChanged } from '#streams/live/messages.ts'
import { ofAccounts } from '#streams/live/event-batch.ts'

/** Sets of them that are told as one. */
const mergedEvents: ReadonlySet<string> = new Set([costsChanged.name, ...ofAccounts])

/** What a client is to wait before it connects again, milliseconds, unless it knows better. */
const retryMs = 1_000

export const opening = `retry: ${retryMs}\n\n`
/** Keeps what stands between from taking the connection for idle. */
export const heartbeat = ':\n\n'

export const frame = ({ event, data }: Pick<SentSignal, 'event' | 'data'>): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** What is told together, one event for all accounts. */
export function together(told: readonly SentSignal[]): SentSignal[] {
  const byEvent = Map.groupBy(
    told.filter(({ event }) => mergedEvents.has(event)),
    ({ event }) => event,
  )
  return [
    ...told.filter(({ event }) => !mergedEvents.has(event)),
    ...Array.from(byEvent, ([event, list]) => ({ event, data: union(list.map(({ data }) => data as Lists)) })),
  ]
}

type Lists = Readonly<Record<string, readonly string[]>>

/** Of each list its different values, sorted. */
function union(all: readonly Lists[]): Lists {
  const names = Object.keys(all[0] ?? {})
  return Object.fromEntries(names.map((name) => [name, [...new Set(all.flatMap((one) => one[name] ?? []))].toSorted()]))
}
