/** One engine process of the simulation: a whole engine on ports whose calls are lost, with everything else, when it dies. */
import { Engine } from '#engine/run/engine.ts'
import { Fault } from '#engine/value/fault.ts'
import { Meter } from '#engine/meter.ts'
import type { FactStore, Log, MarkRow, StateStore } from '#engine/actor/ports.ts'
import { ingestSubject } from '#engine/actor/subject.ts'
import * as actors from '#test/sim/actors.ts'
import { org, simEffect, simProjection, simRegistry, type SimReads } from '#test/sim/actors.ts'
import { MemoryClock } from '#test/sim/clock.ts'
import { addressId } from '#test/sim/database.ts'
import { MemoryFacts } from '#test/sim/facts.ts'
import { faultyLink, type Link } from '#test/sim/link.ts'
import { MemoryLog } from '#test/sim/log.ts'
import { polls, type Server } from '#test/sim/plan.ts'
import type { Host } from '#test/sim/scheduler.ts'
import { MemoryStore } from '#test/sim/state.ts'
import type { World } from '#test/sim/world.ts'

/** The ports of one process, as the engine gets them. */
export interface Ports {
  log: Log
  store: StateStore
  facts: FactStore
}

const meter = new Meter()
const retry = { tries: 4, pausesMs: { first: 100, doubledTo: 300_000 } }

export class SimProcess {
  readonly name: string
  readonly host: Host = { dead: false, pausedUntil: 0 }
  readonly clock: MemoryClock
  readonly engine: Engine
  readonly store: MemoryStore
  private readonly world: World
  private draining: Promise<void> | undefined
  private readonly links: Record<Server, Link>

  constructor(world: World, name: string) {
    this.world = world
    this.name = name
    this.clock = new MemoryClock(world.scheduler, this.host)
    this.links = { state: this.link('state'), log: this.link('log'), facts: this.link('facts') }
    this.store = new MemoryStore(world.db, this.links.state, {
      owner: name,
      leaseMs: world.plan.leaseMs,
      reach: 2 * world.plan.limits.countMax,
      onLeaseLost: () => this.engine.leaseLost(),
      breaks: () => this.random.chance(0.2),
    })
    this.engine = this.build(world.plant(this.ports(), this))
    this.engine.start()
  }

  get random() {
    return this.world.scheduler.random
  }

  /** Everything volatile is gone; its session ends when the server notices, if it does. */
  die(why: string): void {
    if (this.host.dead) return
    this.host.dead = true
    this.world.trace(`${this.name} dies: ${why}`)
    const { session } = this.store
    if (session && this.random.chance(0.7)) {
      this.world.scheduler.after(this.random.below(50), () => this.world.db.end(session))
    }
    this.world.died(this)
  }

  /** Ends it as an operator does; asked again, it is the same end. */
  drain(): Promise<void> {
    return (this.draining ??= this.stop())
  }

  private async stop(): Promise<void> {
    await this.engine.drain()
    const { session } = this.store
    for (const [lane, { lock }] of this.world.db.lanes) {
      if (lock && lock.holder === session) this.world.fail(`${this.name} has stopped and still holds lane ${lane}`)
    }
    await this.store.close()
    this.host.dead = true
  }

  private link(server: Server): Link {
    const { world, host } = this
    const { scheduler, late } = world
    const trace = (line: string) => world.trace(`${this.name} ${line}`)
    const faults = (name: string) => world.faults(server, name)
    return faultyLink({ scheduler, host, faults, away: () => world.isAway(server), trace, polls, late })
  }

  private ports(): Ports {
    const { world, links, random, clock } = this
    const { plan } = world
    const fate = () => {
      if (world.isCalm() || !random.chance(plan.badReaders)) return undefined
      return { what: random.pick(['ends', 'stalls'] as const), after: random.below(12) }
    }
    const log = new MemoryLog({
      broker: world.broker,
      link: links.log,
      clock,
      fate,
      arrived: (count) => (count <= 1 || random.chance(0.5) ? count : random.between(1, count)),
      answers: () => world.isCalm() || !random.chance(plan.lostAnswers),
    })
    const facts = new MemoryFacts(world.facts, links.facts, (count) => random.below(count + 1))
    return { log, store: this.store, facts }
  }

  private build({ log, store, facts }: Ports): Engine {
    const { world, clock } = this
    const { plan } = world
    return new Engine({
      lanes: plan.lanes,
      registry: simRegistry,
      log,
      store,
      facts,
      reads: this.reads(),
      clock,
      shift: () => 0,
      meter,
      report: world.reporter(this.name),
      limits: plan.limits,
      leaseMs: plan.leaseMs,
      point: (point) => {
        if (!world.isCalm() && this.random.chance(plan.crashPoints)) this.die(point)
      },
      projections: [{ name: simProjection.name, run: (marks, generation) => this.project(marks, generation) }],
      effects: [
        {
          name: simEffect.name,
          pool: 'act',
          retry,
          run: (input) => this.perform(log, input as never),
          failed: (input) => this.report(log, input as never, -1),
        },
      ],
    })
  }

  private reads(): SimReads {
    return {
      rows: () => this.links.state('rows', () => []),
      facts: () => this.links.facts('facts', () => []),
      die: (n) => this.die(`of message ${n}`),
    }
  }

  /**
   * The shape it keeps: how many messages of an actor's row are `marked` ones. As with the rollups of cost, what a run has
   * filled in shows once it is published, and a run that began later may fill in over it before that.
   */
  private async project(marks: readonly MarkRow[], generation: string): Promise<void> {
    const keys = marks.map(({ key }) => key)
    const { projected, filled } = this.world
    const newer = (before: { generation: number } | undefined) => !before || before.generation < Number(generation)
    const shown = await this.links.state('read for projection', () => keys.map((key) => this.world.markedOf(key)))
    await this.links.facts('fill projection', () => {
      keys.forEach((key, i) => {
        if (newer(filled.get(key))) filled.set(key, { shown: shown[i]!, generation: Number(generation) })
      })
    })
    await this.links.facts('publish projection', () => {
      for (const key of keys) {
        const { shown: kept, generation: of } = filled.get(key)!
        const seen = of === Number(generation) ? kept : 'gone'
        if (newer(projected.get(key))) projected.set(key, { shown: seen, generation: Number(generation) })
      }
    })
  }

  private async perform(log: Log, data: { place: string; key: string; n: number }): Promise<void> {
    if (data.n % 7 === 0) throw Fault.refused('seventh', 'Not by sevens.')
    if (!this.world.isCalm() && this.random.chance(0.3)) throw Fault.transient('later', 'Later.')
    await this.report(log, data, 1)
  }

  private async report(log: Log, data: { place: string; key: string; n: number }, sign: 1 | -1): Promise<void> {
    const n = sign * (data.n + 1000)
    const id = `effect-${n}`
    const time = new Date(this.clock.now()).toISOString()
    const envelope = { id, type: actors.reported.name, schemaVersion: 1, orgId: org, time, data: { ...data, n } }
    await log.publish({ subject: ingestSubject('actor', org, data.place), id, body: JSON.stringify(envelope) })
  }
}

export const rowId = (at: string): string => {
  const [place = '', key = ''] = at.split('/')
  return addressId({ orgId: org, place, key })
}
