/** Publishes what a lane has committed to its outbox, at least once and in order, and then forgets it. */
import type { Log, OutboxRow, StateStore } from '#engine/ports.ts'
import type { LaneTools } from '#engine/lane/tools.ts'

/** Rows in flight to the broker at once. */
const windowMax = 64
/** Rows held in memory; beyond it the lane waits. */
const heldMax = 20_000

export class Relay {
  private readonly tools: LaneTools
  private readonly lane: number
  private readonly stop: AbortSignal
  private readonly log: Log
  private readonly store: StateStore
  private queue: OutboxRow[] = []
  private running: Promise<void> | undefined

  constructor(tools: LaneTools, lane: number, stop: AbortSignal) {
    this.tools = tools
    this.lane = lane
    this.stop = stop
    this.log = tools.log
    this.store = tools.store
  }

  /** Takes up what an earlier owner committed and may not have published. */
  async recover(): Promise<void> {
    while (!this.stop.aborted) {
      const rows = await this.store.outbox(this.lane, 1000)
      if (rows.length === 0) return
      await this.send(rows)
    }
  }

  /** Hands over rows that are committed. Resolves at once unless too many wait. */
  async push(rows: readonly OutboxRow[]): Promise<void> {
    if (rows.length === 0) return
    this.queue.push(...rows)
    this.running ??= this.drain().finally(() => (this.running = undefined))
    if (this.queue.length > heldMax) await this.running
  }

  /** Resolves once everything handed over has been published, or the lane was told to stop. */
  async settle(): Promise<void> {
    await this.running
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0 && !this.stop.aborted) {
      const rows = this.queue.slice(0, windowMax)
      await this.send(rows)
      this.queue = this.queue.slice(rows.length)
    }
  }

  /** Tries until the broker has acknowledged every row. */
  private async send(rows: readonly OutboxRow[]): Promise<void> {
    let left = rows
    for (let pause = 50; left.length > 0; pause = Math.min(pause * 2, 5000)) {
      if (this.stop.aborted) return
      const sent = await Promise.allSettled(left.map((row) => this.log.publish(row)))
      this.tools.point('relay-published')
      const done = left.filter((_, i) => sent[i]!.status === 'fulfilled').map((row) => row.id)
      left = left.filter((_, i) => sent[i]!.status === 'rejected')
      await this.forget(done)
      if (left.length > 0) {
        this.tools.meter.retries.inc({ store: 'log' })
        await this.tools.clock.sleep(pause, this.stop)
      }
    }
  }

  /**
   * Tries until the rows are gone: one that stayed would be published again by a later owner, perhaps when its receivers
   * no longer know it by its id.
   */
  private async forget(ids: string[]): Promise<void> {
    this.tools.meter.relayed.inc(ids.length)
    for (let pause = 50; ids.length > 0 && !this.stop.aborted; pause = Math.min(pause * 2, 5000)) {
      try {
        return await this.store.sent(ids)
      } catch (error) {
        this.tools.report.warn({ lane: this.lane, err: error }, 'outbox rows could not be deleted')
        await this.tools.clock.sleep(pause, this.stop)
      }
    }
  }
}
