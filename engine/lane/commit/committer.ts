/**
 * The commit of a batch, in a fixed order: facts, then state and cursor in one transaction, then replies and outbox.
 * docs/architecture.md describes what happens after a crash at each step.
 */
import type { Batch } from './draft.ts'
import type { LaneTools } from '#engine/lane/tools.ts'
import { DataRefused, FactsAway, type FactRow, type Lease } from '#engine/actor/ports.ts'
import { engineRetries, pauseBefore } from '#engine/actor/retry.ts'
import type { Relay } from './relay.ts'
import type { Reminders } from './reminder.ts'

/**
 * Why a lane ended. `doubt`: the outcome of a commit is unknown, so the lane must be taken again. `outdated`: it has
 * reached a message of a newer version, whose processes will take the lane.
 */
export type LaneEnd = 'stopped' | 'lost' | 'doubt' | 'outdated'

/** Ends the lane from any call depth. */
export class LaneEndedError extends Error {
  readonly end: LaneEnd

  constructor(end: LaneEnd) {
    super(end)
    this.end = end
  }
}

export class Committer {
  private readonly tools: LaneTools
  private readonly lease: Lease
  private readonly stop: AbortSignal
  private readonly relay: Relay
  private readonly reminders: Reminders

  constructor(tools: LaneTools, lease: Lease, stop: AbortSignal, relay: Relay, reminders: Reminders) {
    this.tools = tools
    this.lease = lease
    this.stop = stop
    this.relay = relay
    this.reminders = reminders
  }

  /**
   * @throws LaneEndedError if the lane cannot continue, DataRefused if a store will never accept the batch's values,
   * FactsAway if messages of some organizations have to wait.
   */
  async commit(batch: Batch): Promise<void> {
    const { tools } = this
    await this.insert(batch)
    tools.point('before-commit')
    const end = tools.meter.commitSeconds.startTimer({ part: 'state' })
    const moved = await tools.store.commit(batch.commit).catch((error: unknown) => {
      if (error instanceof DataRefused) throw error
      tools.report.warn({ lane: this.lease.lane, err: error }, 'the outcome of a commit is unknown')
      throw new LaneEndedError('doubt')
    })
    end()
    if (!moved) throw new LaneEndedError('lost')
    tools.point('after-commit')
    await this.settle(batch)
  }

  /**
   * Facts first: tables with the same order are inserted in parallel. An error of one is thrown once the others have
   * finished.
   */
  private async insert({ facts }: Batch): Promise<void> {
    if (facts.size === 0) return
    const { tools } = this
    const end = tools.meter.commitSeconds.startTimer({ part: 'facts' })
    tools.point('before-facts')
    const steps = Map.groupBy(facts, ([{ order = 0 }]) => order)
    for (const [, tables] of [...steps].toSorted(([a], [b]) => a - b)) {
      const ends = await Promise.allSettled(tables.map(([{ name }, rows]) => this.insertRows(name, rows)))
      const failed = ends.find((one) => one.status === 'rejected')
      if (failed) throw failed.reason
    }
    end()
    tools.point('after-facts')
  }

  /** Inserts the same rows repeatedly until they are durable. */
  private async insertRows(table: string, rows: readonly FactRow[]): Promise<void> {
    const { tools } = this
    for (let attempt = 1; ; attempt++) {
      try {
        await tools.facts.insert(table, rows)
        break
      } catch (error) {
        if (error instanceof DataRefused || error instanceof FactsAway) throw error
        tools.meter.retries.inc({ store: 'facts' })
        if (attempt === 5)
          tools.report.warn({ lane: this.lease.lane, err: error }, 'ClickHouse does not accept rows; retrying')
        await tools.clock.sleep(pauseBefore(engineRetries.facts, attempt + 1)!, this.stop)
        if (this.stop.aborted) throw new LaneEndedError('stopped')
      }
    }
    tools.meter.facts.inc({ table }, rows.length)
  }

  private async settle(batch: Batch): Promise<void> {
    const { tools, lease } = this
    const { commit, counts } = batch
    lease.cursor = commit.to
    lease.clock = commit.clock
    lease.apart = commit.apart
    for (const { inbox, body } of batch.answers) tools.log.answer(inbox, body)
    tools.point('after-answers')
    this.reminders.committed(commit.reminders)
    tools.meter.messages.inc({ lane: lease.lane }, counts.messages)
    tools.meter.turns.inc({ lane: lease.lane }, counts.turns)
    tools.meter.echoes.inc({ lane: lease.lane }, counts.echoes)
    tools.meter.deadLetters.inc({ lane: lease.lane }, counts.refused)
    tools.meter.commits.inc({ lane: lease.lane, outcome: 'done' })
    tools.meter.batchMessages.observe(counts.messages)
    tools.committed(batch)
    await this.relay.push(commit.outbox)
  }
}
