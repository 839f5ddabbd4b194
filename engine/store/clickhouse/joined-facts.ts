/**
 * Joins inserts of several lanes, because an insert costs the server the same for ten rows as for five hundred. Rows
 * that arrive during an insert, and during the short rest after a small one, go together in the next one.
 */
import { DataRefused, type Clock, type FactRow, type FactStore } from '#engine/actor/ports.ts'

interface Waiting {
  rows: readonly FactRow[]
  done: () => void
  failed: (error: unknown) => void
}

interface Queue {
  waiting: Waiting[]
  isBusy: boolean
}

/** Maximum rows of one insert, unless a single batch has more. */
const rowsMax = 10_000
/** After an insert of fewer rows the table rests, so that more rows come together. */
const rowsMany = 1000
/** Milliseconds. */
const restMs = 40

export class JoinedFacts implements FactStore {
  private readonly store: FactStore
  private readonly clock: Clock
  private readonly queues = new Map<string, Queue>()

  constructor(store: FactStore, clock: Clock) {
    this.store = store
    this.clock = clock
  }

  insert(table: string, rows: readonly FactRow[]): Promise<void> {
    const queue = this.queues.get(table) ?? { waiting: [], isBusy: false }
    this.queues.set(table, queue)
    return new Promise<void>((done, failed) => {
      queue.waiting.push({ rows, done, failed })
      void this.flush(table, queue)
    })
  }

  private async flush(table: string, queue: Queue): Promise<void> {
    if (queue.isBusy || queue.waiting.length === 0) return
    queue.isBusy = true
    const batches = takeBatches(queue.waiting)
    await this.send(table, batches)
    if (batches.reduce((sum, { rows }) => sum + rows.length, 0) < rowsMany) await this.clock.sleep(restMs)
    queue.isBusy = false
    void this.flush(table, queue)
  }

  /** Resolves or rejects each batch; if the store refuses values, only the batches that contain them are rejected. */
  private async send(table: string, batches: readonly Waiting[]): Promise<void> {
    try {
      await this.store.insert(table, batches.length === 1 ? batches[0]!.rows : batches.flatMap(({ rows }) => rows))
      for (const { done } of batches) done()
    } catch (error) {
      if (batches.length > 1 && error instanceof DataRefused) for (const one of batches) await this.send(table, [one])
      else for (const { failed } of batches) failed(error)
    }
  }
}

/** Removes from `waiting` the first batches that fit one insert. */
function takeBatches(waiting: Waiting[]): Waiting[] {
  let count = 0
  let rows = 0
  while (count < waiting.length && (count === 0 || rows + waiting[count]!.rows.length <= rowsMax))
    rows += waiting[count++]!.rows.length
  return waiting.splice(0, count)
}
