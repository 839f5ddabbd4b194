/** Server-sent events on the wire (HTML standard): a name and one line of JSON. */
import type { SentSignal } from '#engine/actor/turn.ts'
import { costsChanged } from '#streams/live/messages.ts'
import { ofAccounts } from '#streams/live/event-batch.ts'

/** Events of which several are merged into one. */
const mergedEvents: ReadonlySet<string> = new Set([costsChanged.name, ...ofAccounts])

/** Milliseconds that a client should wait before it reconnects. */
const retryMs = 1_000

export const opening = `retry: ${retryMs}\n\n`
/** Keeps intermediaries from closing an idle connection. */
export const heartbeat = ':\n\n'

export const frame = ({ event, data }: Pick<SentSignal, 'event' | 'data'>): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Merges events that are sent together into one for all accounts. */
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

/** The distinct values of each list, sorted. */
function union(all: readonly Lists[]): Lists {
  const names = Object.keys(all[0] ?? {})
  return Object.fromEntries(names.map((name) => [name, [...new Set(all.flatMap((one) => one[name] ?? []))].toSorted()]))
}
