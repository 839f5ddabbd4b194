/**
 * Calls to the outside world that turns have asked for: made after the commit, at least once, one process at a time for
 * each. A call reports back by message, under ids that follow from its key, so that a repeat is known as one.
 */
import { Fault } from '#engine/fault.ts'
import type { Meter } from '#engine/meter.ts'
import type { Clock, EffectRow, StateStore } from '#engine/ports.ts'
import type { Reporter } from '#engine/reporter.ts'

export interface EffectCall {
  key: string
  orgId: string
  /** 1 on the first try. */
  attempt: number
  signal: AbortSignal
}

/** Calls of a process at once, by what they are: none of one pool waits for those of another. */
export const pools = { act: 64, deliver: 64, scan: 4, job: 4, tell: 8 } as const
export type Pool = keyof typeof pools

export interface EffectWork {
  name: string
  pool: Pool
  /** Tries before it is given up, and milliseconds before the second one (doubled each time, to five minutes at most). */
  triesMax: number
  pauseMs: number
  run(input: unknown, call: EffectCall): Promise<void>
  /** Told when it is given up, so that whoever waits for the outcome hears of it. */
  failed(input: unknown, call: EffectCall, fault: Fault): Promise<void>
}

export interface EffectTools {
  store: StateStore
  clock: Clock
  meter: Meter
  report: Reporter
  /** False while a newer version runs here: its calls may mean more than is known. */
  mayRun?: () => boolean
}

/** A claim lasts this long unless renewed: so long a call of a dead process waits for another. */
const claimMs = 15_000
/** What the edge has asked for is looked for so often. */
export const pollMs = 500
const concurrentMax = 8
const pauseMaxMs = 300_000

export class Effects {
  private readonly tools: EffectTools
  private readonly works: ReadonlyMap<string, EffectWork>
  private readonly running = new Set<Promise<void>>()
  private wake = () => {}

  constructor(tools: EffectTools, works: readonly EffectWork[]) {
    this.tools = tools
    this.works = new Map(works.map((work) => [work.name, work]))
  }

  tell(): void {
    this.wake()
  }

  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      try {
        const room = concurrentMax - this.running.size
        const claimed = room > 0 ? await this.claim(room) : []
        for (const row of claimed) {
          const call = this.call(row, stop).finally(() => this.running.delete(call))
          this.running.add(call)
        }
      } catch (error) {
        this.tools.report.warn({ err: error }, 'effects could not be claimed')
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      this.wake = resolve
      const awake = new AbortController()
      await Promise.race([
        promise,
        this.tools.clock.sleep(pollMs, AbortSignal.any([stop, awake.signal])),
        ...this.running,
      ])
      awake.abort()
    }
    await Promise.allSettled(this.running)
  }

  private async claim(room: number): Promise<(EffectRow & { attempts: number })[]> {
    if (this.tools.mayRun?.() === false) return []
    return this.tools.store.claimEffects([...this.works.keys()], room, claimMs)
  }

  private async call(row: EffectRow & { attempts: number }, stop: AbortSignal): Promise<void> {
    const { meter, report } = this.tools
    const over = new AbortController()
    void this.hold(row.key, over.signal)
    try {
      const outcome = await this.attempt(row, { key: row.key, orgId: row.orgId, attempt: row.attempts, signal: stop })
      meter.effects.inc({ effect: row.name, outcome })
    } catch (error) {
      report.warn({ effect: row.key, err: error }, 'the outcome of an effect could not be noted; it will be made again')
    } finally {
      over.abort()
    }
  }

  /** Renews the claim until the call is over. */
  private async hold(key: string, over: AbortSignal): Promise<void> {
    const { store, clock } = this.tools
    for (;;) {
      await clock.sleep(claimMs / 3, over)
      if (over.aborted) return
      await store.holdEffect(key, claimMs).catch(() => {})
    }
  }

  private async attempt(row: EffectRow, call: EffectCall): Promise<'done' | 'retried' | 'failed'> {
    const { store, report } = this.tools
    const work = this.works.get(row.name)!
    try {
      await work.run(row.input, call)
      await store.doneEffect(row.key)
      return 'done'
    } catch (error) {
      if (call.signal.aborted) throw error
      const fault = Fault.from(error)
      report.warn({ effect: row.key, attempt: call.attempt, err: error }, 'an effect failed')
      if (fault.retryable && call.attempt < work.triesMax) {
        const pause = Math.min(work.pauseMs * 2 ** (call.attempt - 1), pauseMaxMs)
        await store.retryEffect(row.key, pause, fault.message)
        return 'retried'
      }
      await work.failed(row.input, call, fault)
      await store.doneEffect(row.key)
      return 'failed'
    }
  }
}
