/**
 * Executes the external calls that turns have requested: after the commit, at least once, each by one process at a
 * time. A call reports its result with a message whose id is derived from its key, so a repeat is recognized.
 */
import { Fault } from '#engine/value/fault.ts'
import type { Meter } from '#engine/meter.ts'
import { Pacer, type Pace } from './pace.ts'
import type { ClaimedEffect, Clock, StateStore } from '#engine/actor/ports.ts'
import { pauseBefore, retryAfterMaxMs, retryAfterOf, type RetrySchedule } from '#engine/actor/retry.ts'
import type { Reporter } from '#engine/reporter.ts'

export interface EffectCall {
  key: string
  orgId: string
  /** 1 for the first attempt. */
  attempt: number
  signal: AbortSignal
}

/** Maximum concurrent calls per process, by pool. Calls of one pool do not wait for those of another. */
export const pools = { act: 64, deliver: 1024, mail: 64, scan: 4, job: 4, run: 4, tell: 8 } as const
export type Pool = keyof typeof pools

export interface EffectWork {
  name: string
  pool: Pool
  retry: RetrySchedule
  /** For effects that name a queue. Works with the same object share its limits. */
  pace?: Pace
  /**
   * Throws a fault to be retried; if its detail has `retryAfterMs`, after that time, at most a quarter of an hour.
   * Takes at most a minute, except scans and jobs, because other calls of its pool wait meanwhile.
   */
  run(input: unknown, call: EffectCall): Promise<void>
  /** Called when it gives up, to report the failure to the actor that waits for the result. */
  failed(input: unknown, call: EffectCall, fault: Fault): Promise<void>
}

export interface EffectTools {
  store: StateStore
  clock: Clock
  meter: Meter
  report: Reporter
  /**
   * How long a lane waits for a process that hangs, in milliseconds. Calls of a dead process wait 2.5 times as long.
   */
  leaseMs: number
  /**
   * False while a newer version runs on these stores, because its calls may have a meaning this version does not know.
   */
  mayRun?: () => boolean
}

/** A claim lasts this many leases of a lane unless renewed. */
const claimLeases = 2.5
/** How often calls requested by the edge are looked for, milliseconds. */
export const pollMs = 500
/** Milliseconds within which new or finished calls are handled together. */
const togetherMs = 5
const lagMs = 5000

/**
 * One organization may use at most three quarters of a pool, and all but one call at least, so that another's first
 * call never waits.
 */
export const orgMaxOf = (pool: Pool): number => pools[pool] - Math.max(1, Math.floor(pools[pool] / 4))

interface Running {
  orgId: string
  pool: Pool
  ended: Promise<void>
}

export class Effects {
  private readonly tools: EffectTools
  private readonly claimMs: number
  private readonly works: ReadonlyMap<string, EffectWork>
  private readonly running = new Map<string, Running>()
  private readonly pacers = new Map<string, Pacer>()
  /** Finished calls, to be deleted in one statement. */
  private over: { key: string; forgotten: () => void; failed: (error: unknown) => void }[] = []
  private isForgetting = false
  private wake = () => {}

  constructor(tools: EffectTools, works: readonly EffectWork[]) {
    this.tools = tools
    this.claimMs = claimLeases * tools.leaseMs
    this.works = new Map(works.map((work) => [work.name, work]))
    const made = new Map<Pace, Pacer>()
    for (const { name, pace } of works) {
      if (!pace) continue
      const pacer = made.get(pace) ?? new Pacer(pace, () => tools.clock.now())
      made.set(pace, pacer)
      this.pacers.set(name, pacer)
    }
  }

  tell(): void {
    this.wake()
  }

  async run(stop: AbortSignal): Promise<void> {
    await Promise.all([this.begin(stop), this.hold(stop), this.measure(stop)])
  }

  private async begin(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.wake = resolve
      try {
        // If this process was suspended for a long time, its claims have expired. It must not run a call twice.
        for (const row of await this.claim()) if (!this.running.has(row.key)) this.start(row, stop)
      } catch (error) {
        this.tools.report.warn({ err: error }, 'effects could not be claimed')
      }
      const awake = new AbortController()
      const ends = Array.from(this.running.values(), ({ ended }) => ended)
      await Promise.race([
        promise,
        this.tools.clock.sleep(pollMs, AbortSignal.any([stop, awake.signal])),
        ...(this.isFull() ? ends : []),
      ])
      awake.abort()
      if (this.running.size > 0) await this.tools.clock.sleep(togetherMs, stop)
    }
    await Promise.allSettled(Array.from(this.running.values(), ({ ended }) => ended))
  }

  private start(row: ClaimedEffect, stop: AbortSignal): void {
    const { pool } = this.works.get(row.name)!
    const { clock } = this.tools
    const pacer = this.pacers.get(row.name)
    const begunAt = clock.now()
    pacer?.began(row.orgId, row.queue ?? '')
    const ended = this.call(row, stop).finally(() => {
      pacer?.ended(row.orgId, row.queue ?? '', clock.now() - begunAt)
      this.running.delete(row.key)
      // Wakes the loop that waits for free capacity.
      this.wake()
    })
    this.running.set(row.key, { orgId: row.orgId, pool, ended })
  }

  private busy(pool: Pool): Running[] {
    return [...this.running.values()].filter((call) => call.pool === pool)
  }

  private isFull(): boolean {
    return (Object.keys(pools) as Pool[]).every((pool) => this.busy(pool).length >= pools[pool])
  }

  /** Claims what can start now: for each pool with free capacity, organizations in turn. */
  private async claim(): Promise<ClaimedEffect[]> {
    if (this.tools.mayRun?.() === false) return []
    const waiting = new Set(await this.tools.store.waitingEffects([...this.works.keys()]))
    const claimed = (Object.keys(pools) as Pool[]).map((pool) => this.claimOf(pool, waiting))
    return (await Promise.all(claimed)).flat()
  }

  /** Paced works come after the others, one work after the other. */
  private async claimOf(pool: Pool, waiting: ReadonlySet<string>): Promise<ClaimedEffect[]> {
    const names = [...this.works.values()]
      .filter((work) => work.pool === pool && waiting.has(work.name))
      .map(({ name }) => name)
    const busy = this.busy(pool).map(({ orgId }) => orgId)
    const claimed: ClaimedEffect[] = []
    const paced = names.filter((name) => this.pacers.has(name)).map((name) => [name])
    for (const some of [names.filter((name) => !this.pacers.has(name)), ...paced]) {
      const max = pools[pool] - busy.length - claimed.length
      if (some.length === 0 || max <= 0) continue
      const calls = [...busy, ...claimed.map(({ orgId }) => orgId)]
      const begun = new Map(
        Array.from(
          Map.groupBy(calls, (orgId) => orgId),
          ([orgId, own]) => [orgId, own.length],
        ),
      )
      const orgMax = orgMaxOf(pool)
      const pacer = this.pacers.get(some[0]!)
      const orgBegun = pacer ? Math.max(0, orgMax - pacer.orgRoomMax) : 0
      for (const [orgId, calls] of begun) begun.set(orgId, Math.max(calls, orgBegun))
      for (const [orgId, room] of pacer?.orgRooms() ?? [])
        begun.set(orgId, Math.max(begun.get(orgId) ?? 0, orgMax - room))
      const queues = pacer && { roomMax: pacer.roomMax, rooms: pacer.rooms(), orgBegun }
      claimed.push(
        ...(await this.tools.store.claimEffects({
          names: some,
          max,
          orgMax,
          begun,
          claimMs: this.claimMs,
          ...(queues && { queues }),
        })),
      )
    }
    return claimed
  }

  private async call(row: ClaimedEffect, stop: AbortSignal): Promise<void> {
    const { meter, report } = this.tools
    try {
      const outcome = await this.attempt(row, { key: row.key, orgId: row.orgId, attempt: row.attempts, signal: stop })
      meter.effects.inc({ effect: row.name, outcome })
    } catch (error) {
      // Interrupted by the end of the process: the next process that claims the call runs it again.
      if (stop.aborted && (error === stop.reason || (error as Error).name === 'AbortError')) return
      report.warn(
        { effect: row.key, err: error },
        'the outcome of an effect could not be recorded; the effect will run again',
      )
    }
  }

  /** Renews the claims of all calls until they finish. */
  private async hold(stop: AbortSignal): Promise<void> {
    const { store, clock } = this.tools
    while (!stop.aborted || this.running.size > 0) {
      // After the stop, calls may continue for a moment; their claims are renewed too.
      await clock.sleep(stop.aborted ? 100 : this.claimMs / 3, stop.aborted ? undefined : stop)
      if (this.running.size > 0) await store.holdEffects([...this.running.keys()], this.claimMs).catch(() => {})
    }
  }

  /** Measures for each pool how long its oldest unclaimed call has been due. */
  private async measure(stop: AbortSignal): Promise<void> {
    const { store, clock, meter } = this.tools
    while (!stop.aborted) {
      for (const pool of Object.keys(pools) as Pool[]) {
        // Calls with a pace wait by intent.
        const own = [...this.works.values()].filter((work) => work.pool === pool && !work.pace)
        const names = own.map(({ name }) => name)
        const seconds = names.length === 0 ? 0 : await store.effectLag(names).catch(() => undefined)
        if (seconds !== undefined) meter.effectLag.set({ pool }, seconds)
      }
      await clock.sleep(lagMs, stop)
    }
  }

  private async attempt(row: ClaimedEffect, call: EffectCall): Promise<'done' | 'retried' | 'failed'> {
    const { store, report } = this.tools
    const work = this.works.get(row.name)!
    try {
      await work.run(row.input, call)
      await this.done(row.key)
      return 'done'
    } catch (error) {
      if (call.signal.aborted) throw error
      const fault = Fault.from(error)
      report.warn({ effect: row.key, attempt: call.attempt, err: error }, 'an effect failed')
      const pause = fault.retryable ? pauseBefore(work.retry, call.attempt + 1) : undefined
      if (pause !== undefined) {
        await store.retryEffect(row.key, Math.min(retryAfterOf(fault) ?? pause, retryAfterMaxMs), fault.message)
        return 'retried'
      }
      await work.failed(row.input, call, fault)
      await this.done(row.key)
      return 'failed'
    }
  }

  /** Resolves once the call is deleted, together with others finished by then. */
  private done(key: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.over.push({ key, forgotten: resolve, failed: reject })
    if (!this.isForgetting) void this.forget()
    return promise
  }

  private async forget(): Promise<void> {
    this.isForgetting = true
    while (this.over.length > 0) {
      const calls = this.over
      this.over = []
      await this.tools.store.doneEffects(calls.map(({ key }) => key)).then(
        () => calls.forEach(({ forgotten }) => forgotten()),
        (error: unknown) => calls.forEach(({ failed }) => failed(error)),
      )
    }
    this.isForgetting = false
  }
}

/** For works that report the external response: any other error comes from our own stores, and is temporary. */
export const ofStores =
  ({ signal }: Pick<EffectCall, 'signal'>) =>
  (error: unknown): never => {
    signal.throwIfAborted()
    throw Fault.transient('unavailable', 'A database of the service is not responding.', error)
  }
