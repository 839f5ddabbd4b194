import { expect } from 'chai'
import fc from 'fast-check'
import { planRaised, planReleased, planReserved, planRestored, type AutoscalerDueKind } from '#streams/autoscaling.ts'
import type { PlanDueKind } from '#streams/readiness.ts'
import { Policy, policyId } from '#test/harness/autoscaling.ts'
import type { Done } from '#test/harness/turn.ts'
import { amount } from '#test/harness/tier.ts'
import { Plan } from './plan.ts'

const before = { min: 2, max: 10, desired: 4 }
const orders = [planReserved, planRaised, planRestored, planReleased] as const

const often = ['order', 'report', 'all arrives', 'reminder', 'reminder'] as const
const seldom = ['schedule', 'retry', 'draft', 'reopen', 'patch', 'refuse', 'deny', 'die', 'heal'] as const
const step = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...often) },
  { weight: 5, arbitrary: fc.constantFrom(...seldom) },
  { weight: 1, arbitrary: fc.constantFrom('cancel' as const, 'delete' as const) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** A plan and the policy of its target, as they are; between them, and between the policy and its cloud, all may go wrong. */
class World {
  readonly plan: Plan
  readonly policy: Policy
  private readonly orders: { type: string; data: any }[] = []

  constructor() {
    const place = { policyId, cloudAccountId: 'acct-1', targetUid: 'asg-web' }
    this.plan = new Plan({ policyIds: [policyId] }, { policies: [place], others: [] })
    const at = this.plan.actor.now
    this.policy = new Policy({ terms: { targetCpuPercent: 70 }, counts: before, at })
    this.policy.take(planReleased, { ...place, planId: 'other', revision: 1 }, { at })
  }

  private readonly doing: Record<Step, () => unknown> = {
    order: () => this.order(),
    report: () => this.report(),
    'all arrives': () => this.arrive(),
    reminder: () => this.reminder(),
    refuse: () => (this.policy.refusal = { message: 'Away.', retryable: true }),
    deny: () => (this.policy.refusal = { message: 'Denied.', retryable: false }),
    die: () => (this.policy.isDead = true),
    heal: () => this.heal(),
    cancel: () => this.take(this.plan.command('cancel')),
    delete: () => this.take(this.plan.command('delete')),
    draft: () => this.take(this.plan.command('draft')),
    reopen: () => this.take(this.plan.command('reopen')),
    schedule: () => this.take(this.plan.schedule()),
    retry: () => this.take(this.plan.schedule('failed')),
    patch: () => this.take(this.plan.patch({ name: 'Cyber Monday' })),
  }

  run(what: Step): void {
    const now = Math.max(this.plan.actor.now, this.policy.actor.now)
    this.plan.actor.now = this.policy.actor.now = now
    this.doing[what]()
  }

  private take({ emitted }: Done): void {
    this.orders.push(...emitted.filter(({ type }) => type.startsWith('plan.')))
  }

  private order(): void {
    const next = this.orders.shift()
    const subject = orders.find(({ name }) => name === next?.type)
    if (next && subject) this.policy.take(subject, next.data)
  }

  private report(): void {
    const next = this.policy.told.shift()
    if (!next) return
    const { policyId: id, phase, status, ...fields } = next
    this.take(this.plan.report(id, phase, status, fields))
  }

  private arrive(): void {
    while (this.orders.length + this.policy.told.length > 0) {
      this.order()
      this.report()
    }
  }

  /** The next of either. */
  private reminder(): boolean {
    const ofPlan = [...this.plan.actor.reminders].map(([what, at]) => ({ what, at, isOfPlan: true }))
    const ofPolicy = [...this.policy.actor.reminders].map(([what, at]) => ({ what, at, isOfPlan: false }))
    const [next] = [...ofPlan, ...ofPolicy].toSorted((a, b) => a.at - b.at)
    if (!next) return false
    const { what, isOfPlan } = next
    const actor = isOfPlan ? this.plan.actor : this.policy.actor
    const at = Math.max(next.at, this.plan.actor.now, this.policy.actor.now)
    actor.reminders.delete(what)
    if (isOfPlan) this.take(this.plan.due(what as PlanDueKind, at))
    else this.policy.due(what as AutoscalerDueKind, at)
    return true
  }

  /** Calls that nobody answered are made after all. */
  private heal(): void {
    this.policy.refusal = undefined
    this.policy.isDead = false
    for (const input of this.policy.unanswered.splice(0)) this.policy.answer(input)
  }

  rest(): void {
    this.heal()
    for (let n = 0; n < 1000; n++) {
      this.arrive()
      if (!this.reminder()) return
    }
    throw new Error('it goes on for ever')
  }
}

const allRight = Array.from({ length: 20 }, (_, n): Step => (n % 2 === 0 ? 'all arrives' : 'reminder'))
const denied: Step[] = ['deny', ...allRight]

describe('a readiness plan and the policy of its target', () => {
  const met = new Set<string>()

  it('leave the target as it was, whatever goes wrong between them and at the cloud [EVR-20] [EVR-45]', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isCancelled) => {
        const world = new World()
        world.run('schedule')
        for (const one of steps) {
          world.run(one)
          met.add(world.plan.status)
        }
        if (isCancelled) world.run('cancel')
        world.rest()
        met.add(world.plan.status)
        const { owed } = world.plan.actor.state
        // Where it was given up people were told, and have tried again.
        if (owed.length > 0) world.run('cancel')
        world.rest()
        expect([world.policy.counts, world.policy.row.hold]).to.deep.equal([before, null])
      }),
      // Chance alone does not meet every state each time.
      {
        numRuns: amount(500, 3000, 30_000),
        examples: [
          [allRight, false],
          [denied, false],
        ],
      },
    )
    const all = ['scheduling', 'scheduled', 'scaling_up', 'active', 'scaling_down', 'completed', 'failed']
    expect([...met]).to.include.members(all)
  })
})
