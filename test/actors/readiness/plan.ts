/** A readiness plan in memory, with the times and the numbers of scenario S-20. */
import { expect } from 'chai'
import { readinessActor } from '#actors/readiness/actor.ts'
import type { PlanTarget, ReadinessPlan } from '#actors/readiness/entity.ts'
import type { OtherPlan, PolicyPlace, ReadinessNeeds } from '#actors/readiness/needs.ts'
import type { Counts } from '#streams/autoscaling.ts'
import {
  planCalledBack,
  planReported,
  readinessCommanded,
  readinessDue,
  readinessSaved,
  readinessScheduled,
  type PlanDueKind,
  type PlanPhase,
  type PlanStatus,
  type PlanTerms,
  type PlanVerb,
} from '#streams/readiness.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

export const at = (text: string): number => Date.parse(`${text}Z`)

export const terms: PlanTerms = {
  name: 'Black Friday',
  description: null,
  eventStart: '2030-11-29T14:00:00.000Z',
  eventEnd: '2030-11-29T18:00:00.000Z',
  preScaleMinutes: 30,
  postEventMinutes: 45,
  expectedMultiplier: 3,
  timezone: 'Europe/Berlin',
  policyIds: ['web', 'api'],
}
export const originals: Readonly<Record<string, Counts>> = {
  web: { min: 2, max: 10, desired: 4 },
  api: { min: 1, max: 6, desired: 3 },
  job: { min: 0, max: 4, desired: 2 },
}
export const scaled: Readonly<Record<string, Counts>> = {
  web: { min: 5, max: 22, desired: 9 },
  api: { min: 3, max: 13, desired: 7 },
  job: { min: 0, max: 9, desired: 5 },
}

export const place = (policyId: string): PolicyPlace => ({
  policyId,
  cloudAccountId: 'acct-1',
  targetUid: `asg-${policyId}`,
})
export const known = (...ids: string[]): ReadinessNeeds => ({ policies: ids.map(place), others: [] })
export const otherPlan = (fields: Partial<OtherPlan>): OtherPlan => ({
  id: 'p-2',
  name: 'Cyber Monday',
  eventStart: new Date(terms.eventStart),
  eventEnd: new Date(terms.eventEnd),
  preScaleMinutes: 0,
  postEventMinutes: 0,
  policyIds: ['api'],
  ...fields,
})

/** One plan and what it is told. Its policies are all there unless `needs` says otherwise. */
export class Plan {
  readonly actor = new MemoryActor<ReadinessPlan>(readinessActor, { place: '-', key: 'p-1' })
  needs: ReadinessNeeds

  constructor(fields: Partial<PlanTerms> = {}, needs = known('web', 'api', 'job')) {
    this.needs = needs
    this.actor.now = at('2030-11-01T12:00:00')
    const saved = { planId: 'p-1', isNew: true as const, terms: { ...terms, ...fields }, userId: 'ana' }
    expect(this.actor.take(readinessSaved, saved, { needs: this.needs }).replies).to.deep.equal([{ planId: 'p-1' }])
  }

  get status(): PlanStatus {
    return this.actor.state.status
  }
  get revision(): number {
    return this.actor.state.revision
  }
  /** As it is now, whatever comes. */
  snapshot(): Partial<ReadinessPlan> {
    return structuredClone(Object.assign({}, this.actor.state))
  }
  reminders(): Record<string, string> {
    const all = [...this.actor.reminders].map(([name, due]) => [name, new Date(due).toISOString().slice(0, 19)])
    return Object.fromEntries(all) as Record<string, string>
  }

  patch(fields: Partial<PlanTerms>, when?: number): Done {
    const saved = { planId: 'p-1', isNew: false as const, terms: fields, userId: 'bob' }
    return this.actor.take(readinessSaved, saved, this.delivery(when))
  }
  schedule(from: 'draft' | 'failed' = 'draft', when?: number): Done {
    return this.actor.take(readinessScheduled, { planId: 'p-1', from, userId: 'ana' }, this.delivery(when))
  }
  command(verb: PlanVerb, when?: number): Done {
    return this.actor.take(readinessCommanded, { planId: 'p-1', verb, userId: 'ana' }, this.delivery(when))
  }
  report(policyId: string, phase: PlanPhase, status: 'running' | 'succeeded' | 'failed', fields: object = {}): Done {
    const said = { planId: 'p-1', revision: this.revision, policyId, phase, status, ...fields }
    return this.actor.take(planReported, said, this.delivery())
  }
  callBack(status: PlanStatus, fields: object = {}, when?: number): Done {
    const occurredAt = new Date(when ?? this.actor.now).toISOString()
    const said = { planId: 'p-1', status, revision: this.revision, occurredAt, ...fields }
    return this.actor.take(planCalledBack, said, this.delivery(when))
  }
  /** The reminder comes at its time, or at `when`. */
  due(what: PlanDueKind, when?: number, revision = this.revision): Done {
    const due = when ?? Math.max(this.actor.reminders.get(what) ?? this.actor.now, this.actor.now)
    return this.actor.take(readinessDue, { planId: 'p-1', revision, what }, { ...this.delivery(due), reminder: what })
  }

  reserved(...ids: string[]): void {
    for (const id of ids) this.report(id, 'reserved', 'succeeded', { originals: originals[id] })
  }
  raised(...ids: string[]): void {
    for (const id of ids) this.report(id, 'raised', 'succeeded', { originals: originals[id], counts: scaled[id] })
  }
  restored(...ids: string[]): void {
    for (const id of ids) this.report(id, 'restored', 'succeeded', { counts: originals[id] })
  }

  private delivery(when?: number) {
    return { needs: this.needs, ...(when !== undefined && { at: when }) }
  }
}

/** A plan that has come to a status by the words of its policies, and reminders at their times. */
export function planIn(status: PlanStatus, fields: Partial<PlanTerms> = {}): Plan {
  const plan = new Plan(fields)
  const ids = plan.actor.state.targets.map(({ policyId }) => policyId)
  if (status === 'draft') return plan
  if (status === 'cancelled') plan.command('cancel')
  if (status === 'cancelled') return plan
  plan.schedule()
  if (status === 'failed') plan.report(ids[0]!, 'reserved', 'failed', { message: 'It is in error.' })
  if (status === 'failed' || status === 'scheduling') return plan
  plan.reserved(...ids)
  if (status === 'scheduled') return plan
  plan.due('up')
  if (status === 'scaling_up') return plan
  plan.raised(...ids)
  if (status === 'active') return plan
  plan.due('down')
  if (status === 'scaling_down') return plan
  plan.restored(...ids)
  return plan
}

/** Transitions that a turn has written down, `from>to by whom`. */
export const transitions = ({ facts }: Done): string[] =>
  facts
    .filter(({ table, row }) => table === 'plan_log' && row.kind === 'transition')
    .map(({ row }) => `${row.from_status}>${row.to_status} by ${row.actor}`)

/** Orders to policies, `<what> <policy>`. */
export const orders = ({ emitted }: Done): string[] =>
  emitted
    .filter(({ type }) => type.startsWith('plan.'))
    .map(({ type, data }) => `${type.replace('plan.', '')} ${data.policyId}`)

export const target = (plan: Plan, id = 'web'): PlanTarget =>
  plan.actor.state.targets.find(({ policyId }) => policyId === id)!
