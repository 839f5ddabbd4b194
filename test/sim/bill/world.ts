/**
 * One seed: accounts whose bills are sent, processes that run their lanes and work their days out, and everything that may befall
 * them at every step. The turns, the passes and the rollup are the product's own; the stores are plain data. It ends when nothing
 * is left to do; `checks.ts` holds what must be true meanwhile and then.
 */
import { accountActor } from '#actors/account/actor.ts'
import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayKey } from '#analytics/rollup/day-batch.ts'
import { costTypes } from '#analytics/rollup/stale-day/cost-type.ts'
import type { Actor } from '#engine/actor/actor.ts'
import { factVersion, firstState } from '#engine/lane/message/mailbox.ts'
import type { FactRow } from '#engine/actor/ports.ts'
import { billingExportChecked } from '#streams/billing/messages.ts'
import { Checks } from '#test/sim/bill/checks.ts'
import type { Bug } from '#test/sim/bill/bugs.ts'
import { Facts } from '#test/sim/bill/facts.ts'
import { own, type Taken } from '#test/sim/bill/owner.ts'
import { makePlan, wallOf, type Account, type OldLine, type Plan } from '#test/sim/bill/plan.ts'
import { Away, roll } from '#test/sim/bill/roller.ts'
import { org, reminderId, State, type Entry, type Lane, type Row } from '#test/sim/bill/state.ts'
import { Random, Scheduler, type Host } from '#test/sim/scheduler.ts'

export interface Process extends Host {
  kind: 'owner' | 'roller'
  /** Which two slots it writes sums of days to. */
  pair: number
  /** Begins it anew once it has died; without it nothing does. */
  again: (() => void) | undefined
}

interface Waiting {
  process: Process
  go: () => void
}

/** What a seed does takes a few hundred events. */
const eventsMax = 50_000

export class World {
  readonly random: Random
  readonly scheduler: Scheduler
  readonly plan: Plan
  readonly state = new State()
  readonly facts = new Facts()
  readonly lanes: Lane[]
  readonly bug: Bug
  readonly lines: string[] = []
  private readonly checks: Checks
  private readonly processes: Process[] = []
  private readonly readers = new Map<Lane, Waiting[]>()
  private rollers: Waiting[] = []
  private error: unknown
  private readonly isTraced: boolean

  constructor(seed: number, bug: Bug = {}, isTraced = false) {
    this.random = new Random(seed)
    this.scheduler = new Scheduler(this.random)
    this.bug = bug
    this.isTraced = isTraced
    this.plan = makePlan(this.random)
    this.lanes = this.plan.accounts.map((account) => this.lane(account))
    this.checks = new Checks(this)
    this.facts.lost = (day) => this.fail(new Error(`rows of ${day} that are shown were written over`))
    this.facts.published = (generation, days) => {
      this.say(() => `run ${generation} publishes ${days.join(', ')}`)
      this.checks.published()
      this.checks.kept()
    }
    this.state.turned = () => this.checks.kept()
  }

  get now(): number {
    return wallOf(this.scheduler.now)
  }

  get isRough(): boolean {
    return this.scheduler.now < this.plan.calmAt
  }

  say(what: () => string): void {
    if (this.isTraced) this.lines.push(`${this.scheduler.now} ${what().replaceAll(/x{9,}/g, '')}`)
  }

  /** @throws what was found wrong */
  async run(): Promise<void> {
    const { scheduler } = this
    for (const lane of this.lanes) this.start('owner', (process) => own(this, lane, process), true)
    this.start('roller', (process) => roll(this, process), true)
    for (const strike of this.plan.strikes) scheduler.after(strike.at, () => this.strike(strike.what))
    for (const end = 1e9; scheduler.now < end && !this.error;) {
      await scheduler.runUntil(Math.min(end, scheduler.now + 20_000))
      if (scheduler.events > eventsMax) throw new Error('it does not come to rest')
      if (scheduler.isEmpty) break
    }
    if (this.error) throw this.error
    this.checks.atRest()
  }

  fail(error: unknown): void {
    this.error ??= error
  }

  /** Lets others go on, for as long as it takes; the process may die of it, and then never goes on itself. */
  step(process: Process, crash = this.plan.crash): Promise<void> {
    if (this.isRough && this.random.chance(crash)) {
      this.kill(process)
      return new Promise(() => {})
    }
    return new Promise((go) => this.scheduler.after(this.delay(), go, process))
  }

  private delay(): number {
    if (!this.isRough) return this.random.below(3)
    const kind = this.random.next()
    return this.random.below(kind < 0.7 ? 5 : kind < 0.95 ? 80 : 3000)
  }

  private start(kind: Process['kind'], run: (process: Process) => Promise<void>, isKept: boolean): void {
    const again = isKept ? () => this.start(kind, run, true) : undefined
    const pair = this.bug.pair ?? this.processes.length % 128
    const process: Process = { kind, pair, again, dead: false, pausedUntil: 0 }
    this.processes.push(process)
    run(process).then(
      () => (process.dead = true),
      (error: unknown) => this.fail(error),
    )
  }

  private kill(process: Process): void {
    if (process.dead) return
    this.say(() => `a ${process.kind} dies`)
    process.dead = true
    if (process.again) this.scheduler.after(this.random.between(1, 500), process.again)
  }

  private strike(what: Plan['strikes'][number]['what']): void {
    const { random } = this
    const live = (kind: Process['kind']) => this.processes.filter((one) => one.kind === kind && !one.dead)
    const lane = random.pick(this.lanes)
    if (what === 'owner') this.start('owner', (process) => own(this, lane, process), true)
    if (what === 'roller') this.start('roller', (process) => roll(this, process), false)
    if (what === 'kill owner') for (const one of live('owner').slice(-1)) this.kill(one)
    if (what === 'kill roller') for (const one of live('roller').slice(0, 1)) this.kill(one)
    if (what === 'types') this.state.mark(costTypes.name, lane.account)
    if (what === 'pause') random.pick(this.processes).pausedUntil = this.scheduler.now + random.between(50, 5000)
    this.wake()
  }

  /** Resolves when the lane has messages the process has not read. */
  more(lane: Lane, process: Process): Promise<void> {
    return new Promise((go) => {
      const waiting = this.readers.get(lane) ?? []
      this.readers.set(lane, [...waiting, { process, go }])
    })
  }

  private append(lane: Lane, entry: Omit<Entry, 'seq' | 'at'>): void {
    lane.log.push({ ...entry, seq: lane.log.length + 1, at: this.now })
    for (const { process, go } of this.readers.get(lane) ?? []) this.scheduler.after(this.delay(), go, process)
    this.readers.delete(lane)
  }

  /** Resolves a while after there are marks. */
  marked(process: Process): Promise<void> {
    return new Promise((go) => {
      if (this.state.marks.size === 0) this.rollers.push({ process, go })
      else this.scheduler.after(this.random.pick([5, 100, 1000]), go, process)
    })
  }

  private wake(): void {
    for (const { process, go } of this.rollers) this.scheduler.after(this.random.pick([5, 100, 1000]), go, process)
    this.rollers = []
  }

  /** Why a pass ended early; stores that are away come back. */
  failed(error: unknown): void {
    if (!(error instanceof Away)) this.fail(error)
  }

  insert(table: string, rows: readonly FactRow[]): void {
    this.checks.inserted(table, rows)
    this.facts.insert(table, rows)
  }

  committed(taken: Taken): void {
    const { lane, outcome } = taken
    this.say(() => `${lane.account[0]}${lane.account[1]} commits up to ${lane.cursor}: ${this.describe(taken)}`)
    this.checks.committed(taken)
    for (const [name, set] of outcome.reminders) if (set) this.ring(lane, name, set.due)
    if (outcome.marks.length > 0) this.wake()
  }

  private describe({ lane, outcome }: Taken): string {
    const shown = Object.entries(this.state.accounts.get(lane.account)!.bills.shown)
    const bills = shown.map(([period, bill]) => `${period} ${bill.id}${bill.complete ? '' : ' begun'}`)
    return `shows ${bills.join(', ') || 'none'}; marks ${outcome.marks.map(({ key }) => key.split('|')[1]).join(' ') || 'none'}`
  }

  /** A reminder that stands comes, and now and then once more. */
  private ring(lane: Lane, name: string, due: number): void {
    const ringing = () => {
      if (this.state.reminders.get(reminderId(lane.account, name)) !== due) return
      this.say(() => `${name} rings`)
      const data = { cloudAccountId: lane.account }
      this.append(lane, { subject: billingExportChecked as never, data, reminded: { name, due } })
    }
    this.scheduler.after(due - this.now + this.random.below(20), ringing)
    if (this.random.chance(0.1)) this.scheduler.after(due - this.now + this.random.below(2000), ringing)
  }

  private lane(account: Account): Lane {
    const lane: Lane = { account: account.id, log: [], epoch: 1, cursor: 0 }
    if (account.oldThrough !== '') {
      const address = { orgId: org, place: account.id, key: account.id }
      const row = firstState(accountActor as unknown as Actor, address) as Row
      this.state.accounts.set(account.id, { ...row, oldThrough: account.oldThrough, createdAt: new Date(this.now) })
    }
    for (const line of account.old) this.storeOld(account.id, line)
    for (const { at, subject, data } of this.bug.sent?.(account) ?? account.sent)
      this.scheduler.after(at, () => {
        this.say(() => `${account.id.slice(0, 2)} ${lane.log.length + 1}: ${subject.name} ${JSON.stringify(data)}`)
        this.append(lane, { subject: subject as never, data })
      })
    return lane
  }

  private storeOld(account: string, { id, day, at, cost, source, resource, service, region, period }: OldLine): void {
    const x_Version = factVersion(Date.parse(at), 0, 0, 'batch', 0)
    const key = { x_OrgId: org, x_CloudAccountId: account, x_Day: day, x_LineId: id, x_Version }
    const names = { ResourceId: resource, ServiceName: service, RegionId: region, BillingPeriodStart: `${period}-01` }
    this.facts.insert('cost_fact', [{ ...key, ...names, BilledCost: String(cost), x_Source: source }])
    if (!id.includes('/'))
      this.facts.insert('cost_line_day', [{ cloud_account_id: account, line_id: id, day, from_day: null, x_Version }])
    this.state.mark(costDays.name, costDayKey({ cloudAccountId: account, day }))
  }
}

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
