import { expect } from 'chai'
import fc from 'fast-check'
import { calculate } from '#actors/autoscaling/policy/calculate.ts'
import type { Counts } from '#streams/autoscaling.ts'
import type { PlanPhase } from '#streams/readiness.ts'
import type { Done } from '#test/harness/turn.ts'
import { amount } from '#test/harness/tier.ts'
import { originals, Plan, terms } from './plan.ts'

/** What a policy does for plans: it knows what it was before, and takes no order that is older than one it has taken. */
class Policy {
  counts: Counts
  private held: Counts | null = null
  private newest = 0
  /** The revision of the newest raise: what an older one left is that one's by now. */
  private raisedAt = 0
  /** Calls to put it back that failed in a row: after the fourth nobody tries any more. */
  failures = 0

  constructor(counts: Counts) {
    this.counts = counts
  }

  /** `how`: a call fails, it fails and has had its effect all the same, or all is well. */
  take(type: string, data: any, how: 'well' | 'fails' | 'fails late'): [PlanPhase, object] | undefined {
    if (type === 'plan.restored')
      return data.revision < this.raisedAt ? ['restored', {}] : this.restore(data.originals, how)
    if (data.revision < this.newest) return undefined
    this.newest = data.revision
    if (type === 'plan.reserved')
      return how === 'well' ? ['reserved', { originals: this.held ?? this.counts }] : ['reserved', {}]
    if (type === 'plan.raised') return this.raise(data.revision, how)
    return undefined
  }

  private raise(revision: number, how: string): [PlanPhase, object] {
    this.raisedAt = revision
    this.held ??= this.counts
    if (how !== 'fails')
      this.counts = calculate(this.held, { multiplier: 3, averageCpu: null, targetCpuPercent: 70 }).scaled
    return ['raised', how === 'well' ? { originals: this.held, counts: this.counts } : {}]
  }

  private restore(given: Counts | null, how: string): [PlanPhase, object] {
    this.failures = how === 'well' ? 0 : this.failures + 1
    if (how !== 'fails') {
      this.counts = this.held ?? given ?? this.counts
      this.held = null
    }
    return ['restored', how === 'well' ? { counts: this.counts } : {}]
  }
}

/** Reminders until a plan has come to rest, at most. */
const restMax = 1000
const hows = ['well', 'well', 'well', 'fails', 'fails late'] as const
const often = ['order', 'report', 'all goes well', 'next reminder'] as const
const seldom = ['schedule', 'retry', 'draft', 'reopen', 'patch', 'call back failed', 'lose'] as const
const last = ['cancel', 'delete'] as const
const script = fc.array(
  fc.record({
    step: fc.oneof(
      { weight: 24, arbitrary: fc.constantFrom(...often) },
      { weight: 6, arbitrary: fc.constantFrom(...seldom) },
      { weight: 1, arbitrary: fc.constantFrom(...last) },
    ),
    how: fc.constantFrom(...hows),
    pick: fc.nat(5),
  }),
  { maxLength: 40 },
)
type Step = typeof script extends fc.Arbitrary<(infer S)[]> ? S : never

/** A plan, its policies, and what is on its way between them. */
class World {
  readonly plan = new Plan()
  readonly policies = new Map(Object.entries(originals).map(([id, counts]) => [id, new Policy(counts)]))
  private readonly orders: { type: string; data: any }[] = []
  private readonly reports: { policyId: string; revision: number; phase: PlanPhase; status: any; fields: object }[] = []

  private take({ emitted }: Done): void {
    this.orders.push(...emitted.filter(({ type }) => type.startsWith('plan.')))
  }

  private readonly doing: Record<Step['step'], (of: Step) => unknown> = {
    order: ({ how }) => this.order(how),
    report: ({ pick }) => this.report(pick),
    'all goes well': () => this.arrive(),
    'next reminder': () => this.nextReminder(),
    lose: () => this.lose(),
    cancel: () => this.take(this.plan.command('cancel')),
    delete: () => this.take(this.plan.command('delete')),
    draft: () => this.take(this.plan.command('draft')),
    reopen: () => this.take(this.plan.command('reopen')),
    schedule: () => this.take(this.plan.schedule()),
    retry: () => this.take(this.plan.schedule('failed')),
    patch: ({ pick }) => this.take(this.plan.patch({ policyIds: pick < 3 ? ['web', 'job'] : terms.policyIds })),
    'call back failed': () => this.take(this.plan.callBack('failed')),
  }

  run(of: Step): void {
    this.doing[of.step](of)
  }

  /** In the order in which they were given. */
  private order(how: Step['how']): void {
    const next = this.orders.shift()
    if (!next) return
    const { policyId, revision } = next.data
    const policy = this.policies.get(policyId)!
    const outcome = next.type === 'plan.restored' && policy.failures >= 3 ? 'well' : how
    const [phase, fields] = policy.take(next.type, next.data, outcome) ?? []
    if (!phase || !fields) return
    this.reports.push({ policyId, revision, phase, status: outcome === 'well' ? 'succeeded' : 'failed', fields })
  }

  /** In any order. */
  private report(pick: number): void {
    const [next] = this.reports.splice(pick % Math.max(1, this.reports.length), 1)
    if (!next) return
    const { policyId, phase, status, fields, revision } = next
    this.take(this.plan.report(policyId, phase, status, { ...fields, revision }))
  }

  /** An answer is lost; orders are not. */
  private lose(): void {
    if (this.reports[0]?.phase !== 'restored') this.reports.shift()
  }

  private nextReminder(): boolean {
    const [next] = [...this.plan.actor.reminders].toSorted(([, a], [, b]) => a - b)
    if (!next) return false
    this.plan.actor.reminders.delete(next[0])
    this.take(this.plan.due(next[0] as 'up', Math.max(next[1], this.plan.actor.now)))
    return true
  }

  counts(): Record<string, Counts> {
    return Object.fromEntries([...this.policies].map(([id, { counts }]) => [id, counts]))
  }

  /** All that is on its way comes, and all goes well, and what waits for the clock comes too. */
  rest(): void {
    for (let n = 0; n < restMax; n++) {
      this.arrive()
      if (!this.nextReminder()) return
    }
    throw new Error('it goes on for ever')
  }

  private arrive(): void {
    while (this.orders.length + this.reports.length > 0) {
      this.order('well')
      this.report(0)
    }
  }
}

describe('the targets of a readiness plan', () => {
  /** How often a cancel met a plan in each status. */
  const met = new Map<string, number>()

  it('end as they were, whatever has happened before it is cancelled [EVR-20] [EVR-45]', () => {
    fc.assert(
      fc.property(script, (lines) => {
        const world = new World()
        world.run({ step: 'schedule', how: 'well', pick: 0 })
        for (const line of lines) world.run(line)
        met.set(world.plan.status, (met.get(world.plan.status) ?? 0) + 1)
        world.run({ step: 'cancel', how: 'well', pick: 0 })
        world.rest()
        expect(world.counts()).to.deep.equal(originals)
        expect([world.plan.reminders(), world.plan.actor.state.owed]).to.deep.equal([{}, []])
      }),
      { numRuns: amount(600, 3000, 30_000) },
    )
    expect([...met.keys()]).to.include.members([
      'scheduling',
      'scheduled',
      'scaling_up',
      'active',
      'scaling_down',
      'failed',
    ])
  })

  it('end as they were when nobody cancels it, once the cloud is back', () => {
    fc.assert(
      fc.property(script, (lines) => {
        const world = new World()
        world.run({ step: 'schedule', how: 'well', pick: 0 })
        for (const line of lines) world.run(line)
        world.rest()
        expect(world.counts()).to.deep.equal(originals)
      }),
      { numRuns: amount(200, 1000, 10_000) },
    )
  })
})
