/** Ends, stops, drains and joins processes at random, all choices drawn from a seed, and notes what it did and how long lanes stood still. */
import type { CrashPoint } from '#engine/lane/tools.ts'
import { systemClock } from '#engine/clock.ts'
import { lanesRun, leaseMs, type ChaosWorld } from '#test/harness/chaos.ts'
import { random } from '#test/harness/load.ts'

export const crashPoints: readonly CrashPoint[] = [
  'after-read',
  'after-turns',
  'before-facts',
  'after-facts',
  'before-commit',
  'after-commit',
  'after-answers',
  'relay-published',
]

/** `connections`: PostgreSQL ends those of the engines, again and again, as a failover or a firewall would. `point`: an engine is killed and the next one ends itself at a point of the commit; `relay`: while it publishes the outbox. */
const targets = [
  'engine',
  'engine',
  'engine',
  'point',
  'point',
  'relay',
  'clickhouse',
  'clickhouse',
  'nats',
  'postgres',
  'connections',
  'connections',
  'pause',
  'drain',
  'join',
] as const

/** How often connections are cut at one blow. */
const cutsEach = 40

export type Target = (typeof targets)[number]

export interface StormOptions {
  seed: number
  /** Processes killed, those that end themselves at a crash point included. */
  kills: number
  /** Each of these once, which must make that many kills, in an order drawn from the seed, instead of kills drawn at random; everything stands again before the next one. */
  each?: readonly Target[]
  /** By `performance.now()`: no kill after it. */
  end?: number
}

export class Storm {
  readonly counts: Record<string, number> = {}
  /** Milliseconds from the kill of an engine until every lane had a live owner again. */
  readonly takeovers: number[] = []
  private readonly world: ChaosWorld
  private readonly options: StormOptions
  private readonly next: () => number
  /** Pauses, drains, joins and takeovers under way. */
  private readonly pending = new Set<Promise<unknown>>()

  constructor(world: ChaosWorld, options: StormOptions) {
    this.world = world
    this.options = options
    this.next = random(options.seed)
  }

  async run(): Promise<void> {
    const { kills, end = Infinity, each } = this.options
    if (each) return this.runEach(each)
    while (this.kills < kills && performance.now() < end) {
      await systemClock.sleep(100 + this.next() * 900)
      this.strike(targets[Math.floor(this.next() * targets.length)]!)
      // Mostly everything stands again before the next blow, so that there is something to hit.
      if (this.next() < 0.75) await this.standing()
    }
    await Promise.all(this.pending)
  }

  private async runEach(each: readonly Target[]): Promise<void> {
    const left = [...each]
    while (left.length > 0) {
      await systemClock.sleep(100 + this.next() * 900)
      const [target] = left.splice(Math.floor(this.next() * left.length), 1)
      this.strike(target!)
      await Promise.all(this.pending)
      await this.standing()
    }
    const ended = () => this.kills >= this.options.kills
    while (!ended()) await systemClock.sleep(50)
  }

  /** All that was done to processes and connections: each may have a message sent once more. */
  get blows(): number {
    const cuts = (this.counts['connections'] ?? 0) * (cutsEach - 1)
    return Object.values(this.counts).reduce((sum, n) => sum + n, cuts) + this.pointKills
  }

  get kills(): number {
    const { engine = 0, clickhouse = 0, nats = 0, postgres = 0 } = this.counts
    return engine + clickhouse + nats + postgres + this.pointKills
  }

  private get pointKills(): number {
    return Object.values(this.world.engines.pointEnds).reduce((sum, n) => sum + n, 0)
  }

  private strike(target: Target): void {
    const { engines } = this.world
    const [a, b] = [this.next(), this.next()]
    if (target === 'pause') this.keep(target, engines.pause(a, leaseMs + 500 + b * 1000))
    else if (target === 'drain') this.keep(target, engines.drain(a, b * 2000))
    else if (target === 'join') this.keep(target, engines.join(1000 + b * 4000))
    else if (target === 'engine') this.kill(a)
    else if (target === 'connections') this.keep(target, this.cutConnections())
    else if (target === 'relay') this.kill(a, `relay-published:${1 + Math.floor(b * 10)}`)
    else if (target === 'point') this.kill(a, this.point(b))
    else this.killStore(target)
  }

  private point(b: number): string {
    // Soon, where the end of the storm waits for it.
    const passes = this.options.each ? 3 : 30
    return `${crashPoints[Math.floor(this.next() * crashPoints.length)]!}:${1 + Math.floor(b * passes)}`
  }

  private kill(pick: number, crashAt?: string): void {
    if (!this.world.engines.kill(pick, crashAt)) return
    this.counts['engine'] = (this.counts['engine'] ?? 0) + 1
    this.track(this.takeover())
  }

  private killStore(store: 'clickhouse' | 'nats' | 'postgres'): void {
    const pid = this.world.stores[store].pid()
    if (pid === undefined) return
    process.kill(pid, 'SIGKILL')
    this.counts[store] = (this.counts[store] ?? 0) + 1
  }

  /** Many times, so that some are cut between two statements of a commit. */
  private async cutConnections(): Promise<void> {
    const sql = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tidemark-engine'`
    for (let i = 0; i < cutsEach; i++) {
      await this.world.pool.query(sql).catch(() => {})
      await systemClock.sleep(25)
    }
  }

  private keep(name: string, work: Promise<unknown>): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1
    this.track(work)
  }

  private track(work: Promise<unknown>): void {
    const done = work.finally(() => this.pending.delete(done))
    this.pending.add(done)
  }

  private async standing(): Promise<void> {
    await lanesRun(this.world)
    const isUp = () =>
      this.world
        .facts('SELECT 1')
        .then(() => true)
        .catch(() => false)
    while (!(await isUp())) await systemClock.sleep(20)
  }

  private async takeover(): Promise<void> {
    const began = performance.now()
    await systemClock.sleep(20)
    await lanesRun(this.world)
    this.takeovers.push(performance.now() - began)
  }
}

/** Kills engines at one point of the commit until `kills` have ended there. One process at a time has the point; the others go on. */
export async function strikeAt(world: ChaosWorld, point: CrashPoint, options: StormOptions): Promise<number> {
  const { engines } = world
  const next = random(options.seed)
  const before = engines.pointEnds[point] ?? 0
  const ended = () => (engines.pointEnds[point] ?? 0) - before
  engines.arm = () => (ended() < options.kills ? `${point}:${1 + Math.floor(next() * 4)}` : undefined)
  engines.kill(0)
  while (ended() < options.kills && performance.now() < (options.end ?? Infinity)) await systemClock.sleep(50)
  engines.arm = undefined
  return ended()
}
