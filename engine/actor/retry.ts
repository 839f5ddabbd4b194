/**
 * How often failed work is tried again, and after which pauses. These policies and those of `streams/retry.ts` are all
 * there are; `docs/retries.md` is generated from them.
 */
import type { Fault } from '#engine/value/fault.ts'

/** Milliseconds before the second attempt, the third, and so on; the last of a list is repeated. */
export type Pauses = readonly number[] | { readonly first: number; readonly doubledTo: number }

export interface RetrySchedule {
  /** Attempts, the first included. Infinity: until it succeeds. */
  readonly tries: number
  readonly pausesMs: Pauses
}

export interface RetryPolicy extends RetrySchedule {
  /** What is retried, and after which failures. */
  readonly name: string
  /** For the page of retries: the caller (`streams/cloud/call/call.ts`) draws each pause between 0 and the one that is due. */
  readonly isRandom?: true
  /** Who gives up after the last attempt, and what is then reported; if there is no last one, what is reported meanwhile. */
  readonly end: string
}

/** Milliseconds before an attempt, which is 2 or higher. Undefined: give up instead. */
export function pauseBefore({ tries, pausesMs }: RetrySchedule, attempt: number): number | undefined {
  if (attempt > tries) return undefined
  if ('first' in pausesMs) return Math.min(pausesMs.first * 2 ** (attempt - 2), pausesMs.doubledTo)
  return pausesMs[Math.min(attempt - 2, pausesMs.length - 1)]
}

/** The longest time that a far side may ask us to wait, milliseconds. */
export const retryAfterMaxMs = 900_000

/** How long the far side asks us to wait, milliseconds: `retryAfterMs` in the fault's detail. */
export function retryAfterOf({ detail }: Fault): number | undefined {
  const asked = detail['retryAfterMs']
  return typeof asked === 'number' && asked >= 0 ? asked : undefined
}

/** Doubled to five seconds, for a store that is unavailable. */
const untilAvailable = (first: number) => ({ tries: Infinity, pausesMs: { first, doubledTo: 5000 } })
const counted = 'It continues until the store answers; each retry counts in `tidemark_store_retries_total`.'
const logged = 'It continues until the store answers; each failure is logged.'

/** Those of the engine itself. */
export const engineRetries = {
  turn: {
    name: 'A message whose turn throws a temporary or unexpected error',
    tries: 5,
    pausesMs: [0],
    end: 'The lane moves the message to the dead letters and continues with the next one.',
  },
  lane: { name: 'Reading messages of a lane', ...untilAvailable(50), end: counted },
  brokenLane: {
    name: 'A lane that ended with an unexpected error',
    tries: Infinity,
    pausesMs: [1000],
    end: 'It is started again, by this process or another one; each failure is logged.',
  },
  facts: { name: 'Writing the facts of a batch to ClickHouse', ...untilAvailable(25), end: counted },
  turnMark: { name: 'Clearing the mark of a suspicious message', ...untilAvailable(25), end: logged },
  relay: { name: 'Publishing messages that turns have emitted', ...untilAvailable(50), end: counted },
  relayed: { name: 'Deleting messages that were published', ...untilAvailable(50), end: logged },
  projection: { name: 'A pass of the projections', ...untilAvailable(200), end: counted },
  ask: {
    name: 'A command to an actor that has not replied, with the same id',
    tries: 3,
    pausesMs: [3000],
    end: 'After ten seconds in all, the caller gets 503 `unavailable`.',
  },
  publish: {
    name: 'Publishing an event on NATS, with the same id',
    tries: 9,
    pausesMs: { first: 100, doubledTo: 12_800 },
    end: 'The caller gets the error. If that is a call to the outside, its own row applies.',
  },
  tell: {
    name: 'Publishing messages that were stored with a change of plain records',
    tries: Infinity,
    pausesMs: { first: 500, doubledTo: 300_000 },
    end: 'It continues until they are published; each failure is logged.',
  },
} satisfies Readonly<Record<string, RetryPolicy>>
