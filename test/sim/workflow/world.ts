/**
 * One seed: resources with recommendations, people who have them carried out, processes that run the lanes and make the calls, and
 * everything that may befall them. The turns and the calls are the product's own; the stores and the clouds are plain data. It ends
 * forty days after the last fault; `oracle.ts` and `checks.ts` hold what must be true meanwhile and then.
 */
import type { WorkflowJob } from '#actors/workflow/entity.ts'
import type { Receiver } from '#engine/actor/registry.ts'
import { orgWide, type Envelope, type Subject } from '#engine/actor/subject.ts'
import { epochMs, MemoryClock } from '#test/sim/clock.ts'
import { Random, Scheduler, type Host } from '#test/sim/scheduler.ts'
import type { Bug } from '#test/sim/workflow/bugs.ts'
import { claim, isCallable, leave } from '#test/sim/workflow/caller.ts'
import { Checks } from '#test/sim/workflow/checks.ts'
import { lasting } from '#test/sim/workflow/cloud.ts'
import { Edge } from '#test/sim/workflow/edge.ts'
import { Sky } from '#test/sim/workflow/far.ts'
import { Oracle } from '#test/sim/workflow/oracle.ts'
import { own, type Batch } from '#test/sim/workflow/owner.ts'
import { Plain } from '#test/sim/workflow/plain.ts'
import { dayMs, hourMs, makePlan, type Plan, type Resource } from '#test/sim/workflow/plan.ts'
import { Ledger, type By, type Run } from '#test/sim/workflow/record.ts'
import { reminderId, State, type Answer, type Called, type Lane, type Sent } from '#test/sim/workflow/state.ts'
import { atRest } from '#test/sim/workflow/rest.ts'
import { befall, beginWith } from '#test/sim/workflow/strike.ts'
import { Sights } from '#test/sim/workflow/sight.ts'
import { receivers, receiversWith, subjects, types } from '#test/sim/workflow/kind.ts'
import { Timers } from '#test/sim/workflow/timer.ts'
import { Truth, type Inventory } from '#test/sim/workflow/truth.ts'

export interface Process extends Host {
  kind: 'owner' | 'caller'
  clock: MemoryClock
  /** What it makes now, for callers. */
  calls: Set<Called>
  stop: AbortController
  again: () => void
}

interface Waiting {
  process: Process
  go: () => void
}

/** A broken promise. */
export class Broken extends Error {}

/** How long it goes on behind the last fault, and milliseconds of each day in which the clock does not jump. */
const daysMax = 40
const quarterMs = 900_000

/** What a seed does takes some thousand events. */
const eventsMax = 100_000

export class World {
  readonly random: Random
  readonly scheduler: Scheduler
  readonly plan: Plan
  readonly org = 'o1'
  readonly state = new State(types)
  readonly plain: Plain
  readonly sky: Sky<By>
  readonly truth: Truth
  readonly ledger = new Ledger()
  readonly oracle: Oracle
  readonly edge: Edge
  readonly bug: Bug
  readonly lines: string[] = []
  readonly lanes: ReadonlyMap<string, Lane>
  readonly receivers: ReadonlyMap<string, readonly Receiver[]>
  readonly processes: Process[] = []
  readonly givenUp = new Set<string>()
  readonly sights: Sights
  private readonly checks: Checks
  private readonly timers: Timers
  private readonly tries = new Map<string, number>()
  private readers: (Waiting & { lane: Lane })[] = []
  private relays: (Waiting & { lane: Lane })[] = []
  private skewMs = 0
  private error: unknown
  private readonly isTraced: boolean

  constructor(seed: number, bug: Bug = {}, isTraced = false) {
    this.random = new Random(seed)
    this.scheduler = new Scheduler(this.random)
    this.bug = bug
    this.isTraced = isTraced
    this.plan = makePlan(this.random)
    this.plain = new Plain(this.plan, new Date(this.now))
    this.receivers = bug.actor ? receiversWith(bug.actor) : receivers
    this.oracle = new Oracle(this)
    this.sky = new Sky<By>(this.plan.resources, {
      repeats: this.plan.repeats,
      lasting: () => lasting(this),
      later: (ms, run) => this.scheduler.after(ms, run),
      journal: (entry) => this.oracle.arrived(entry),
      changed: (uid, how) => this.changed(uid, how),
    })
    this.sights = new Sights(this.plan.resources)
    this.truth = new Truth(this.plan.resources, this.sky)
    this.checks = new Checks(this)
    this.edge = new Edge(this)
    this.timers = new Timers(this)
    const lane = (place: string): Lane => ({ place, log: [], epoch: 0, cursor: 0, inbox: new Map(), outbox: [] })
    this.lanes = new Map([...this.plan.accounts, orgWide].map((place) => [place, lane(place)]))
  }

  get now(): number {
    return epochMs + this.scheduler.now + this.skewMs
  }

  get isRough(): boolean {
    return this.scheduler.now < this.plan.calmAt
  }

  say(what: () => string): void {
    if (this.isTraced) this.lines.push(`${new Date(this.now).toISOString().slice(5, 23)} ${what()}`)
  }

  /** @throws what was found wrong */
  async run(): Promise<void> {
    const { scheduler, plan } = this
    const end = plan.calmAt + 2 * hourMs + daysMax * quarterMs
    beginWith(this)
    for (const lane of this.lanes.values()) this.start('owner', lane)
    for (let n = 0; n < 2; n++) this.start('caller')
    for (const { at, strike } of plan.strikes) scheduler.after(at, () => befall(this, strike))
    scheduler.after(plan.calmAt, () => this.calm())
    while (!scheduler.isEmpty && scheduler.now < end && !this.error) {
      await scheduler.runUntil(Math.min(end, scheduler.now + (this.isRough ? 20_000 : 2 * hourMs)))
      if (scheduler.events > eventsMax) throw new Broken('it does not come to rest')
    }
    if (this.error) throw this.error
    atRest(this, this.checks)
    if (this.error) throw this.error
  }

  /** Nothing fails from now on, and nothing is halted: or all is, and time flies. */
  private calm(): void {
    this.say(() => 'from now on nothing fails')
    const { isHalted } = this.plan
    for (const { id, domain, spec } of this.plain.policies)
      if (domain === 'guardrail') this.plain.setPolicy(id, { enabled: true, spec: { ...spec, killSwitch: isHalted } })
    // Two hours of its own pace; then a day at a time, and a quarter of an hour for what is due.
    for (let n = 0; n < daysMax; n++)
      this.scheduler.after(2 * hourMs + n * quarterMs, () => this.jump(dayMs - quarterMs))
  }

  fail(error: unknown): void {
    this.error ??= error
  }

  broken(what: string): void {
    this.say(() => `WRONG: ${what}`)
    this.fail(new Broken(what))
  }

  /** Lets others go on, for as long as it takes; the process may die of it, and then never goes on itself. */
  step(process: Process, crash = this.plan.crash): Promise<void> {
    const { random } = this
    if (this.isRough && random.chance(crash)) {
      this.kill(process)
      return new Promise(() => {})
    }
    return new Promise((go) => this.scheduler.after(this.delay(), go, process))
  }

  private delay(): number {
    const { random } = this
    if (!this.isRough) return 1
    const kind = random.next()
    return random.below(kind < 0.8 ? 5 : kind < 0.97 ? 80 : 2000)
  }

  start(kind: Process['kind'], lane?: Lane): void {
    const process: Process = {
      kind,
      dead: false,
      pausedUntil: 0,
      clock: undefined as never,
      calls: new Set(),
      stop: new AbortController(),
      again: () => this.start(kind, lane),
    }
    process.clock = new MemoryClock(this.scheduler, process)
    this.processes.push(process)
    if (lane)
      own(this, lane, process).then(
        () => (process.dead = true),
        (error: unknown) => this.fail(error),
      )
  }

  kill(process: Process): void {
    if (process.dead) return
    this.say(() => `a process of ${process.kind}s dies`)
    process.dead = true
    leave(this, process)
    this.scheduler.after(this.random.between(1, 500), process.again)
  }

  /** One that lives. */
  caller(): Process | undefined {
    const live = this.processes.filter(({ kind, dead, stop }) => kind === 'caller' && !dead && !stop.signal.aborted)
    return live.length > 0 ? this.random.pick(live) : undefined
  }

  jump(ms: number): void {
    this.skewMs += ms
    // Nobody can renew in no time what is held for a time.
    if (ms > 3_600_000) for (const job of this.ledger.live()) job.isHeld = false
    this.timers.ringAll()
  }

  append(subject: Subject, data: object, { id, answered, reminded }: Appending): void {
    const place = subject.place!(data as never)
    const lane = this.lanes.get(place)!
    const { now } = this
    const seq = lane.log.length + 1
    const envelope: Envelope = {
      id: id ?? `m${place}${seq}`,
      type: subject.name,
      schemaVersion: 1,
      orgId: this.org,
      time: new Date(now).toISOString(),
      data,
    }
    const log = { seq, subject: `actor.${this.org}.${place}`, headers: {}, body: nothing, at: now }
    const message = { log, index: 0, envelope, time: now, subject, receivers: [], orgId: this.org, place }
    lane.log.push({ message: reminded ? { ...message, reminded } : message, ...(answered && { answered }) })
    this.say(() => `${place}: ${subject.name} ${JSON.stringify(data)}`)
    this.readers = this.wake(this.readers, lane)
  }

  /** Resolves when the lane has messages the process has not read. */
  more(lane: Lane, process: Process): Promise<void> {
    return new Promise((go) => this.readers.push({ lane, process, go }))
  }

  /** Resolves when the lane has something to send. */
  toSend(lane: Lane, process: Process): Promise<void> {
    return new Promise((go) => this.relays.push({ lane, process, go }))
  }

  private wake<W extends Waiting & { lane: Lane }>(waiting: W[], lane: Lane): W[] {
    if (!waiting.some((one) => one.lane === lane)) return waiting
    for (const one of waiting) if (one.lane === lane) this.scheduler.after(this.delay(), one.go, one.process)
    return waiting.filter((one) => one.lane !== lane)
  }

  deliver({ id, type, body }: Sent): void {
    const { data } = JSON.parse(body) as Envelope<object>
    this.append(subjects.get(type)!, data, { id })
  }

  committed(batch: Batch, calls: readonly Called[]): void {
    const { lane } = batch
    for (const { kind, address, outcome } of batch.taken) {
      for (const [name, set] of outcome.reminders)
        if (set) this.timers.ring(reminderId(lane.place, kind, address.key, name))
      if (kind === 'inventory') this.observed(address.key, outcome.state as never)
    }
    this.checks.committed(batch)
    for (const called of calls) {
      if (isCallable(called)) claim(this, called, this.delay())
      else this.state.calls.delete(called.key)
    }
    for (const { message, answered } of batch.entries) {
      const answer = batch.inbox.get(message.envelope.id)
      if (answered && answer) answered(answer)
    }
    this.relays = this.wake(this.relays, lane)
  }

  /** What was seen later than all that is known is so. */
  private observed(uid: string, { observed, at, looked }: Inventory): void {
    const known = this.plain.inventory.get(uid)!
    if (observed !== '' && Date.parse(at) >= known.observedAt.getTime())
      this.plain.observe(uid, { exists: true, status: observed }, new Date(at))
    if (!looked || Date.parse(looked.at) < known.observedAt.getTime()) return
    const { status, instanceType, specs } = looked
    const seen = { exists: true, ...(status && { status }), ...(instanceType && { instanceType }) }
    this.plain.observe(uid, { ...seen, specs: { ...known.specs, ...specs } }, new Date(looked.at))
  }

  resourceOf(uid: string): Resource {
    return this.plan.resources.find((resource) => resource.uid === uid)!
  }

  recommendationOf(uid: string): string {
    return `of-${uid}`
  }

  /** A resource is another one now. */
  private changed(uid: string, how: string): void {
    this.say(() => `${uid}: ${how}, ${JSON.stringify(this.sky.look(uid, false))}`)
    this.sights.keep(uid, this.sky.of(uid))
  }

  blind({ input }: Run): void {
    const job = this.ledger.jobs.get(input['jobId'] as string)
    if (job) job.wasBlind = true
  }

  tried({ key, attempts }: Called): void {
    this.tries.set(key, attempts)
  }

  triesOf(key: string): number {
    return this.tries.get(key) ?? 0
  }

  mailed(key: string, to: string): void {
    this.say(() => `${to} has mail ${key}`)
    this.checks.mailed(key)
  }

  /** A schedule is published; a second one of the same name is none. */
  scheduled(run: Run, { scheduleId, terms }: { scheduleId: string; terms: { resourceUids: string[] } }): void {
    const uid = terms.resourceUids[0]!
    if ([...this.plain.schedules.values()].includes(scheduleId)) return
    const job = this.ledger.jobs.get(run.input['jobId'] as string)!
    const by: By = { run, job, index: 0, source: undefined, verdict: undefined }
    by.verdict = this.oracle.against(by, undefined)
    this.oracle.scheduled(by)
    this.plain.schedules.set(uid, scheduleId)
  }

  /** A step waits for somebody: some do what is asked of them, some twice, some never. */
  waits(job: WorkflowJob): void {
    const { random, plan } = this
    if (!this.isRough) return
    for (const { id } of plan.people) {
      if (!random.chance(plan.approves)) continue
      const verdict = random.chance(plan.rejects) ? ('reject' as const) : ('approve' as const)
      for (let n = random.chance(0.15) ? 2 : 1; n > 0; n--)
        this.scheduler.after(random.below(random.chance(0.8) ? 20_000 : 300_000), () => {
          const now = this.jobOf(job)
          if (this.isRough && now) this.edge.decide(now, id, verdict, random.chance(0.2))
        })
    }
  }

  /** As it is now. */
  private jobOf({ cloudAccountId, id }: WorkflowJob): WorkflowJob | undefined {
    return this.state.of<WorkflowJob>('workflow').get(`${cloudAccountId}\0${id}`)
  }
}

interface Appending {
  id?: string
  answered?: (answer: Answer) => void
  reminded?: { kind: string; key: string; name: string; due: number }
}

const nothing = new Uint8Array()

export async function runSeed(seed: number, bug?: Bug): Promise<World> {
  const world = new World(seed, bug)
  await world.run()
  return world
}

export async function traceSeed(seed: number, bug?: Bug): Promise<{ lines: string[]; error: unknown }> {
  const world = new World(seed, bug, true)
  const error = await world.run().then(
    () => undefined,
    (caught: unknown) => caught,
  )
  return { lines: world.lines, error }
}
