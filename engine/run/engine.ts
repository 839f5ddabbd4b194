/**
 * One engine process: takes its share of the lanes, runs them, and releases them when it drains. A lane whose lease is
 * lost stops immediately; anything it was doing is refused at commit.
 */
import { dayMs } from '#engine/value/day.ts'
import { Effects, type EffectWork } from './effect.ts'
import { TurnGate } from '#engine/lane/turn-gate.ts'
import { ClosedOrganizations } from '#engine/lane/message/closed-organizations.ts'
import { PlainReads } from '#engine/lane/plain-reads.ts'
import { Lane } from '#engine/lane/lane.ts'
import type { LaneLimits, LaneTools } from '#engine/lane/tools.ts'
import type { Meter } from '#engine/meter.ts'
import type { Clock, FactStore, Log, Reads, StateStore } from '#engine/actor/ports.ts'
import { projectionsOf, type Projections, type ProjectionWork } from './projection.ts'
import { engineRetries, pauseBefore } from '#engine/actor/retry.ts'
import type { Registry } from '#engine/actor/registry.ts'
import type { Reporter } from '#engine/reporter.ts'

export interface EngineOptions {
  lanes: number
  registry: Registry
  log: Log
  store: StateStore
  facts: FactStore
  reads: Reads
  clock: Clock
  shift: () => number
  meter: Meter
  report: Reporter
  limits: LaneLimits
  projections: readonly ProjectionWork[]
  effects: readonly EffectWork[]
  /** Duration of a lease in milliseconds; it is renewed three times within that time. */
  leaseMs: number
  point?: LaneTools['point']
  letterName?: LaneTools['letterName']
  parking?: LaneTools['parking']
  /** ClickHouse servers that are away. */
  awayShards?: () => readonly string[]
  /** Called after each commit. */
  committed?: LaneTools['committed']
  /** Called when a lane was taken from an owner that died: signals of its last commit may be lost. */
  takenOver?: () => void
  /** False while no lane may run, because the stores do not match or a newer version runs on them. */
  mayRun?: () => boolean
  /** Whether a newer version runs on these stores. Called before an unknown message type is treated as an error. */
  isOutdated?: () => Promise<boolean>
}

interface Running {
  lane: Lane
  stop: AbortController
  ended: Promise<void>
}

/** Milliseconds between checks for free lanes and fair shares. */
export const balanceMs = 50
/** Milliseconds until the next check after lanes were taken, because others are about to be released too. */
const takenMs = 10
/** How long message ids are remembered: no repeat is older. */
const rememberMs = 7 * dayMs

export class Engine {
  private readonly options: EngineOptions
  private readonly gate = new TurnGate()
  private readonly closed: ClosedOrganizations
  private readonly plain: PlainReads
  private readonly running = new Map<number, Running>()
  /** For each lane that is not released yet, including those that have stopped running. */
  private readonly endings = new Set<Promise<void>>()
  private readonly stop = new AbortController()
  private readonly projections: readonly Projections[]
  private readonly effects: Effects
  private readonly loops: Promise<void>[] = []

  constructor(options: EngineOptions) {
    this.options = options
    const { store, clock, meter, report, leaseMs } = options
    this.closed = new ClosedOrganizations(store, clock)
    this.plain = new PlainReads((sql, params) => options.reads.rows(sql, params), clock)
    this.projections = projectionsOf(
      {
        store,
        clock,
        meter,
        report,
        lanes: () => this.lanes(),
        ...(options.awayShards && { awayShards: options.awayShards }),
      },
      options.projections,
    )
    this.effects = new Effects(
      { store, clock, meter, report, leaseMs, ...(options.mayRun && { mayRun: options.mayRun }) },
      options.effects,
    )
  }

  /** The lanes this process owns now. */
  lanes(): number[] {
    return [...this.running.keys()]
  }

  start(): void {
    const { leaseMs } = this.options
    this.loops.push(
      this.every(leaseMs / 3, () => this.renew()),
      // Separate from renewing the leases, because the stream may respond slowly.
      this.every(leaseMs / 3, () => this.lag()),
      this.every(balanceMs, () => this.balance()),
      this.every(3_600_000, () => this.options.store.prune(rememberMs)),
      this.every(60_000, () => this.trim()),
      ...this.projections.map((projection) => projection.run(this.stop.signal)),
      this.effects.run(this.stop.signal),
    )
  }

  /** This process has lost its lanes: stop them all, because another process may already run them. */
  leaseLost(): void {
    for (const { stop } of this.running.values()) stop.abort()
  }

  /** Finishes the current batches, releases the lanes and stops everything else. */
  async drain(): Promise<void> {
    this.stop.abort()
    await this.options.store.leave().catch(() => {})
    await Promise.all([...this.running.values()].map((running) => this.giveUp(running)))
    await Promise.all(this.loops)
    await Promise.all(this.endings)
  }

  private async every(ms: number, work: () => Promise<unknown>): Promise<void> {
    const { clock, report } = this.options
    while (!this.stop.signal.aborted) {
      await work().catch((error: unknown) => report.warn({ err: error }, 'PostgreSQL is unavailable; retrying'))
      await clock.sleep(ms, this.stop.signal)
    }
  }

  private async renew(): Promise<void> {
    await this.options.store.beat()
    if (this.running.size === 0) return
    const held = await this.options.store.renew([...this.running.values()].map(({ lane }) => lane.lease))
    for (const [number, { stop }] of this.running) if (!held.has(number)) stop.abort()
  }

  private async trim(): Promise<void> {
    const { log, limits } = this.options
    for (const { lane } of this.running.values()) await log.trim(lane.number, lane.lease.cursor, limits.keepMessages)
  }

  private async lag(): Promise<void> {
    const { log, meter } = this.options
    const asked = [...this.running.values()].map(async ({ lane }) => {
      const last = await log.last(lane.number).catch(() => undefined)
      if (last === undefined || this.running.get(lane.number)?.lane !== lane) return
      meter.lag.set({ lane: lane.number }, Math.max(0, last - lane.lease.cursor))
    })
    await Promise.all(asked)
  }

  /** Releases lanes above the share, one per step; takes free ones up to the share. */
  private async balance(): Promise<void> {
    const { store, lanes, clock, mayRun } = this.options
    if (mayRun?.() === false) return void (await Promise.all([...this.running.values()].map((one) => this.giveUp(one))))
    const live = await store.live()
    if (live === 0) return
    const share = Math.ceil(lanes / live)
    if (this.running.size > share) return this.giveUp([...this.running.values()].at(-1)!)
    while (this.running.size < share && (await this.take(share)) > 0) await clock.sleep(takenMs, this.stop.signal)
  }

  /** The number of lanes taken. */
  private async take(share: number): Promise<number> {
    const { store, lanes } = this.options
    let taken = 0
    for (const number of await store.free()) {
      if (this.running.size >= share || this.stop.signal.aborted) break
      if (number >= lanes || this.running.has(number)) continue
      const lease = await store.acquire(number)
      if (!lease) continue
      if (this.stop.signal.aborted) {
        await store.release(lease)
        break
      }
      this.run(lease)
      taken++
    }
    return taken
  }

  private run(lease: Lane['lease']): void {
    const stop = new AbortController()
    const tools: LaneTools = {
      ...this.options,
      gate: this.gate,
      closed: this.closed,
      plain: this.plain,
      point: this.options.point ?? (() => {}),
      isOutdated: this.options.isOutdated ?? (async () => false),
      committed: (batch) => {
        const { commit } = batch
        if (commit.marks.length > 0) for (const projection of this.projections) projection.tell()
        if (commit.effects.length > 0) this.effects.tell()
        this.options.committed?.(batch)
      },
    }
    const lane = new Lane(tools, lease, stop.signal)
    const running: Running = { lane, stop, ended: this.supervise(lane, stop) }
    const ended = running.ended.finally(() => this.endings.delete(ended))
    this.endings.add(ended)
    this.running.set(lease.lane, running)
    this.options.meter.lanes.set(this.running.size)
    if (lease.ends > 0) this.options.takenOver?.()
  }

  private async supervise(lane: Lane, stop: AbortController): Promise<void> {
    const { meter, report, store } = this.options
    try {
      const end = await lane.run()
      meter.commits.inc({ lane: lane.number, outcome: end })
      if (end !== 'stopped') report.warn({ lane: lane.number, end }, 'a lane stopped; it will be restarted')
    } catch (error) {
      report.error({ lane: lane.number, err: error }, 'a lane failed; it will be restarted')
      // Until then no process may take it again.
      await this.options.clock.sleep(pauseBefore(engineRetries.brokenLane, 2)!, this.stop.signal)
    } finally {
      stop.abort()
      this.running.delete(lane.number)
      meter.lanes.set(this.running.size)
      meter.lag.remove({ lane: lane.number })
      await store.release(lane.lease).catch(() => {})
    }
  }

  private async giveUp({ stop, ended }: Running): Promise<void> {
    stop.abort()
    await ended
  }
}
