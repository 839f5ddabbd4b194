/**
 * Joins what lanes insert at the same time: an insert costs the server as much for ten rows as for five hundred. What comes
 * while one is under way, and in the short rest behind a small one, goes together in the next.
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

/** Rows of one insert, unless a single batch has more. */
const rowsMax = 10_000
/** Behind an insert of fewer rows the table rests: more come together meanwhile. */
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
    const batches = taken(queue.waiting)
    await this.send(table, batches)
    if (batches.reduce((sum, { rows }) => sum + rows.length, 0) < rowsMany) await this.clock.sleep(restMs)
    queue.isBusy = false
    void this.flush(table, queue)
  }

  /** Tells each what became of its rows; when the store refuses values, only those whose they are. */
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

/** Takes the first of `waiting` off it, as many as one insert holds. */
function taken(waiting: Waiting[]): Waiting[] {
  let count = 0
  let rows = 0
  while (count < waiting.length && (count === 0 || rows + waiting[count]!.rows.length <= rowsMax))
    rows += waiting[count++]!.rows.length
  return waiting.splice(0, count)
}
