/** One seed: the servers, the processes, the producers and the bad luck, all on one clock and one source of chance. */
import type { Reporter } from '#engine/reporter.ts'
import { factTables } from '#test/sim/actors.ts'
import { Askers } from '#test/sim/ask.ts'
import { epochMs, MemoryClock } from '#test/sim/clock.ts'
import { Database } from '#test/sim/database.ts'
import { FactServer } from '#test/sim/facts.ts'
import { faultyLink, noFaults, type Link, type LinkFaults } from '#test/sim/link.ts'
import { Broker, type Stored } from '#test/sim/log.ts'
import { envelopes } from '#test/sim/model.ts'
import { Oracle } from '#test/sim/oracle.ts'
import { makePlan, polls, type Plan, type Planned, type Server, type Strike } from '#test/sim/plan.ts'
import { rowId, SimProcess, type Ports } from '#test/sim/process.ts'
import { Random, Scheduler } from '#test/sim/scheduler.ts'

export class Violation extends Error {}

/** A defect put in on purpose, by changing servers or wrapping a process's ports. */
export interface Bug {
  server?: (world: World) => void
  ports?: (ports: Ports, process: SimProcess, world: World) => Ports
}

/** Virtual milliseconds that a calm world may take to finish everything. */
const drainMsMax = 300_000
/** Virtual milliseconds nothing may be left to do, looked at every so many: more than any call of a calm world takes. */
const quietMs = 300
const stepMs = 50

export class World {
  readonly plan: Plan
  readonly scheduler: Scheduler
  readonly db: Database
  readonly broker: Broker
  readonly facts = new FactServer(factTables)
  readonly projected = new Map<string, { shown: number | 'gone'; generation: number }>()
  readonly filled = new Map<string, { shown: number; generation: number }>()
  /** Every message each lane ever got. */
  readonly history: Stored[][]
  readonly lines: string[] = []
  readonly late = { count: 0 }
  readonly askers: Askers
  private readonly bug: Bug
  private readonly oracle: Oracle
  private readonly tracing: boolean
  private readonly skew = { broker: 0, database: 0 }
  private readonly away: Record<Server, number> = { state: 0, log: 0, facts: 0 }
  private readonly slots: SimProcess[] = []
  private readonly markedNs = new Set<number>()
  private violation: Error | undefined
  private born = 0
  private unpublished = 0
  private ending = false

  constructor(seed: number, bug: Bug, tracing: boolean) {
    const random = new Random(seed)
    this.bug = bug
    this.tracing = tracing
    this.plan = makePlan(random)
    this.scheduler = new Scheduler(random)
    this.db = new Database(() => epochMs + this.scheduler.now + this.skew.database)
    this.db.createLanes(Array.from({ length: this.plan.lanes }, (_, i) => i))
    this.broker = new Broker(this.plan.lanes, () => epochMs + this.scheduler.now + this.skew.broker)
    this.history = this.broker.lanes.map(() => [])
    this.oracle = new Oracle(this)
    this.askers = new Askers(this)
    this.broker.stored = (lane, message) => this.stored(lane, message)
    bug.server?.(this)
  }

  /** @throws Violation when a promise is broken */
  async run(): Promise<void> {
    const { plan, scheduler } = this
    if (this.tracing) this.trace(JSON.stringify({ ...plan, messages: undefined, asks: undefined }))
    for (const strike of plan.strikes) scheduler.after(strike.at, () => this.strike(strike))
    for (const list of plan.messages) this.produce(list).catch((error: Error) => this.fail(error.message))
    this.askers.start()
    for (let slot = 0; slot < plan.hosts; slot++) this.start(slot)
    await this.until(plan.calmAt)
    this.trace('calm')
    for (const process of this.slots) process.host.pausedUntil = 0
    const end = plan.calmAt + drainMsMax
    for (let calmMs = 0; calmMs < quietMs; calmMs += stepMs) {
      if (scheduler.now > end) throw new Violation(`not done ${drainMsMax} ms after the last fault: ${this.pending()}`)
      await this.until(scheduler.now + stepMs)
      if (!this.isDone()) calmMs = 0
    }
    this.oracle.finish()
    await this.end()
  }

  fail(what: string): void {
    this.violation ??= new Violation(what)
  }

  trace(line: string): void {
    if (this.tracing) this.lines.push(`${String(this.scheduler.now).padStart(6)} ${line}`)
  }

  isCalm(): boolean {
    return this.scheduler.now >= this.plan.calmAt
  }

  faults(server: Server, call: string): LinkFaults {
    if (this.isCalm()) return noFaults
    if (call === 'commit') return this.plan.commitFaults
    return polls.has(call) ? this.plan.pollFaults : this.plan.faults[server]
  }

  isAway(server: Server): boolean {
    return !this.isCalm() && this.scheduler.now < this.away[server]
  }

  plant(ports: Ports, process: SimProcess): Ports {
    return this.bug.ports?.(ports, process, this) ?? ports
  }

  reporter(name: string): Reporter {
    const say = (detail: object, message: string) => {
      const { err, ...rest } = detail as { err?: Error }
      if (this.tracing) this.trace(`${name} says: ${message} ${JSON.stringify(rest)} ${err?.message ?? ''}`)
    }
    return { info: say, warn: say, error: say }
  }

  /** Somebody outside the engine who calls the log: a producer or an asker. */
  client(): { link: Link; clock: MemoryClock } {
    const { scheduler, late } = this
    const host = { dead: false, pausedUntil: 0 }
    const [faults, away] = [(call: string) => this.faults('log', call), () => this.isAway('log')]
    const link = faultyLink({
      scheduler,
      host,
      faults,
      away,
      trace: (line) => this.trace(`client ${line}`),
      polls,
      late,
    })
    return { link, clock: new MemoryClock(scheduler) }
  }

  /** How many `marked` messages the committed row of `at` has taken. */
  markedOf(at: string): number {
    return this.seenOf(at).filter((n) => this.markedNs.has(n)).length
  }

  seenOf(at: string): number[] {
    const text = this.db.rows.get('sim')?.get(rowId(at))
    return text === undefined ? [] : (JSON.parse(text) as { seen: number[] }).seen
  }

  died(process: SimProcess): void {
    const slot = this.slots.indexOf(process)
    this.scheduler.after(this.scheduler.random.between(20, 800), () => this.start(slot))
  }

  private start(slot: number): void {
    if (this.ending) return
    const process = new SimProcess(this, `process-${slot}.${++this.born}`)
    this.trace(`${process.name} starts`)
    this.slots[slot] = process
  }

  private async until(end: number): Promise<void> {
    while (this.scheduler.now < end) {
      await this.scheduler.runUntil(Math.min(end, this.scheduler.now + 100))
      if (this.violation) throw this.violation
    }
  }

  private stored(lane: number, message: Stored): void {
    this.history[lane]!.push(message)
    for (const envelope of envelopes(message.body)) {
      if (envelope?.type === 'sim.marked') this.markedNs.add((envelope.data as { n: number }).n)
    }
    if (this.tracing) {
      const body = Buffer.from(message.body).toString()
      this.trace(`lane ${lane} stores ${message.seq}: ${message.id} ${message.subject} ${body}`)
    }
  }

  /** Each message until the broker has acknowledged it, in order. */
  private async produce(list: readonly Planned[]): Promise<void> {
    const { link, clock } = this.client()
    this.unpublished += list.length
    for (const message of list) {
      await clock.sleep(message.at - this.scheduler.now)
      const publish = () => this.broker.publish(message)
      while (!(await link('publish', publish).catch(() => undefined))) await clock.sleep(100)
      this.unpublished--
    }
  }

  private strike(strike: Strike): void {
    this.trace(`strike: ${JSON.stringify(strike)}`)
    if (strike.what === 'away') this.away[strike.server] = this.scheduler.now + strike.ms
    else if (strike.what === 'broker jump') this.skew.broker += strike.ms
    else if (strike.what === 'database jump') this.skew.database += strike.ms
    else if (strike.what === 'forget ids') this.broker.forgetIds()
    else if (strike.what === 'trim') {
      for (const [lane, { cursor }] of this.db.lanes) this.broker.trim(lane, cursor, this.plan.limits.keepMessages)
    } else if ('slot' in strike) this.strikeProcess(this.slots[strike.slot]!, strike.what, strike.ms)
  }

  private strikeProcess(process: SimProcess, what: 'crash' | 'pause' | 'drain' | 'session' | 'jump', ms: number): void {
    if (process.host.dead) return
    if (what === 'crash') process.die('struck')
    else if (what === 'pause') process.host.pausedUntil = this.scheduler.now + ms
    else if (what === 'jump') process.clock.skewMs += ms
    else if (what === 'session') {
      if (process.store.session) this.db.end(process.store.session)
    } else {
      process.drain().then(
        () => this.died(process),
        (error: Error) => this.fail(`a drain failed: ${error.message}`),
      )
    }
  }

  private isDone(): boolean {
    return this.pending() === ''
  }

  /** What is still to do, in words; empty when all is done. */
  private pending(): string {
    const { db, broker, askers } = this
    const left = {
      messages: this.unpublished,
      calls: this.late.count,
      asks: askers.pending,
      behind: [...db.lanes].reduce((sum, [lane, { cursor }]) => sum + broker.lanes[lane]!.last - cursor, 0),
      outbox: db.outbox.size,
      reminders: db.reminders.size,
      marks: db.marks.size,
      effects: db.effects.size,
    }
    return Object.entries(left)
      .filter(([, count]) => count > 0)
      .map(([what, count]) => `${what} ${count}`)
      .join(', ')
  }

  /** Every process must be able to stop. */
  private async end(): Promise<void> {
    this.ending = true
    for (const process of this.slots) {
      process.drain().catch((error: Error) => this.fail(`a drain failed: ${error.message}`))
    }
    const end = this.scheduler.now + 60_000
    while (this.slots.some(({ host }) => !host.dead)) {
      if (this.scheduler.now > end) throw new Violation('a process does not stop')
      await this.until(this.scheduler.now + 100)
    }
  }
}

export const runSeed = async (seed: number, bug: Bug = {}): Promise<World> => {
  const world = new World(seed, bug, false)
  await world.run()
  return world
}

/** The same seed once more, with its trace. */
export async function traceSeed(seed: number, bug: Bug = {}): Promise<{ error: Error | undefined; lines: string[] }> {
  const world = new World(seed, bug, true)
  const error = await world.run().then(
    () => undefined,
    (caught: Error) => caught,
  )
  return { error, lines: world.lines }
}
