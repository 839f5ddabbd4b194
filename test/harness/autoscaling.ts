/** A policy in memory, its account, and a far side that answers what it is asked. */
import type { AccountStanding, AutoscalerNeeds, TargetStanding } from '#actors/autoscaling/needs.ts'
import { autoscalerActor } from '#actors/autoscaling/actor.ts'
import { policyEventTable } from '#analytics/autoscaling/tables.ts'
import { savingDaily } from '#analytics/saving/tables.ts'
import type { Subject } from '#engine/actor/subject.ts'
import type { Static, TSchema } from '#engine/value/schema.ts'
import {
  autoscalerCommanded,
  autoscalerDue,
  autoscalerSaved,
  targetReported,
  type AutoscalerDueKind,
  type AutoscalerMode,
  type AutoscalerTerms,
  type AutoscalerVerb,
  type Counts,
} from '#streams/autoscaling.ts'
import { execIntent } from '#streams/action/exec.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { MemoryActor, type Delivery, type Done } from '#test/harness/turn.ts'

export const policyId = '0f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01'
const place = { cloudAccountId: 'acct-1', targetUid: 'asg-web', policyId }

export const web: AutoscalerTerms = {
  name: 'Web',
  min: 2,
  max: 10,
  targetCpuPercent: 60,
  cooldownSeconds: 300,
  triggers: [],
  adoption: null,
  step: null,
  maxHourlyUsd: null,
}

export interface Planted {
  mode?: AutoscalerMode
  terms?: Partial<AutoscalerTerms>
  target?: Partial<TargetStanding>
  account?: Partial<AccountStanding>
  /** What the cloud tells of the target at first; null: nothing. */
  counts?: Counts | null
  /** Milliseconds since 1970. */
  at?: number
  targetType?: string
}

export class Policy {
  readonly actor = new MemoryActor(autoscalerActor, { place: 'acct-1', key: 'asg-web' })
  readonly account: AccountStanding
  /** What the target has; null: it tells nothing. */
  counts: Counts | null
  /** What a call answers instead of succeeding, while it is set. */
  refusal: { message: string; retryable: boolean; code?: string } | undefined
  /** Percent, what a look for a plan finds. */
  averageCpu: number | null = null
  /** Changes that the far side was asked for. */
  readonly written: Partial<Counts>[] = []
  readonly events: { kind: string; [name: string]: unknown }[] = []
  /** Rows of what it saves. */
  readonly savings: any[] = []
  /** Changes as an executor elsewhere is told of them. */
  readonly orders: any[] = []
  /** What plans were told. */
  readonly told: any[] = []
  private readonly target: TargetStanding | undefined

  constructor({
    mode = 'autopilot',
    terms = {},
    target,
    account = {},
    counts = null,
    at,
    targetType = 'aws-asg',
  }: Planted = {}) {
    this.account = {
      verdict: 'read_write',
      status: 'connected',
      infrastructure: 'not_created',
      infrastructureMessage: '',
      ...account,
    }
    this.target = target && { unitCount: null, hourlyRateUsd: null, specs: {}, isGone: false, ...target }
    this.counts = counts
    if (at !== undefined) this.actor.now = at - 1000
    const saved = {
      ...place,
      isNew: true as const,
      mode,
      provider: 'aws',
      targetType,
      needsInfrastructure: false,
      terms: { ...web, ...terms },
      userId: 'u-1',
    }
    this.take(autoscalerSaved, saved)
  }

  get row() {
    return this.actor.state
  }

  get now(): number {
    return this.actor.now
  }

  private get needs(): AutoscalerNeeds {
    return { account: () => this.account, target: () => this.target, count: () => 0 }
  }

  /** With all that follows at once: what it tells itself, and the answers to its calls. */
  take<S extends TSchema>(subject: Subject<S>, data: Static<S>, delivery: Delivery = {}): Done {
    const done = this.actor.take(subject, data, { needs: this.needs, ...delivery })
    this.follow(done)
    return done
  }

  private follow({ emitted, facts, calls }: Done): void {
    for (const { table, row } of facts) if (table === policyEventTable.name) this.events.push(row)
    for (const { table, row } of facts) if (table === savingDaily.name) this.savings.push(row)
    for (const { type, data } of emitted) {
      if (type === autoscalerDue.name) this.take(autoscalerDue, data, { at: this.now })
      else if (type === execIntent.name) this.orders.push(data)
      else this.told.push(data)
    }
    for (const { input } of calls) this.answer(input)
  }

  /** Calls that nobody answers while it is set. */
  readonly unanswered: any[] = []
  isDead = false

  answer(input: any): void {
    if (this.isDead) return void this.unanswered.push(input)
    const { call, counts, withAverage } = input
    if (this.refusal) {
      this.take(targetReported, { ...place, call, status: 'failed', ...this.refusal }, { at: this.now })
      return
    }
    if (counts) {
      this.written.push(counts)
      if (this.counts) this.counts = { ...this.counts, ...counts }
    }
    const said = {
      ...(this.counts && { counts: this.counts }),
      ...(withAverage && { averageCpu: this.averageCpu }),
    }
    this.take(targetReported, { ...place, call, status: 'succeeded', ...said }, { at: this.now })
  }

  sample(cpu: number, at = this.now + 1000, ts = at): Done {
    const samples = [{ metric: 'cpu_percent' as const, value: cpu, ts: new Date(ts).toISOString() }]
    return this.take(metricSample, { resourceUid: 'asg-web', samples }, { at })
  }

  counted(count: number, at = this.now + 1000): Done {
    const samples = [{ metric: 'instance_count' as const, value: count, ts: new Date(at).toISOString() }]
    return this.take(metricSample, { resourceUid: 'asg-web', samples }, { at })
  }

  command(verb: AutoscalerVerb, at = this.now + 1000): Done {
    return this.take(autoscalerCommanded, { ...place, verb, userId: 'u-7' }, { at })
  }

  due(what: AutoscalerDueKind, at = this.now): Done {
    return this.take(autoscalerDue, { ...place, what }, { at, reminder: what })
  }

  /** Lets the time pass, with every reminder on the way. */
  pass(until: number): void {
    for (;;) {
      const [next] = [...this.actor.reminders].filter(([, at]) => at <= until).toSorted(([, a], [, b]) => a - b)
      if (!next) break
      const [what, at] = next
      this.actor.reminders.delete(what)
      this.due(what as AutoscalerDueKind, Math.max(at, this.now))
    }
    this.actor.now = Math.max(this.now, until)
  }

  get kinds(): string[] {
    return this.events.map(({ kind }) => kind)
  }
}
