/** Changes of targets as orders, and what an executor elsewhere says of them. */
import { expect } from 'chai'
import { execIntent, execResult } from '#streams/action/exec.ts'
import { planRaised, planReserved, planRestored } from '#streams/autoscaling.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Done } from '#test/harness/turn.ts'
import { Policy, policyId } from '#test/harness/autoscaling.ts'

const uid64 = Buffer.from('asg-web').toString('base64url')
const place = { cloudAccountId: 'acct-1', targetUid: 'asg-web', policyId }
const plan = { ...place, planId: 'p-1', revision: 1 }
const four = { min: 2, max: 10, desired: 4 }
const [from, to] = ['2026-01-15T13:30:00.000Z', '2026-01-15T18:45:00.000Z']

type Said = Partial<Static<typeof execResult.schema>> & {
  intentId: string
  status: 'accepted' | 'succeeded' | 'failed'
}

const hears = (policy: Policy, said: Said): Done =>
  policy.take(execResult, { occurredAt: new Date(policy.now).toISOString(), ...said })

const ordersOf = ({ emitted }: Done): any[] =>
  emitted.filter(({ type }) => type === execIntent.name).map(({ data }) => data)
const silent = (counts = four): Policy => {
  const policy = new Policy({ terms: { targetCpuPercent: 70 }, counts })
  policy.isDead = true
  return policy
}

describe('a change of a target', () => {
  it('is an order of kind scale, named by its call; a look is none [G-101]', () => {
    const policy = silent()
    expect(policy.row.calls).to.equal(1)
    const done = policy.sample(140)
    expect(ordersOf(done)).to.deep.equal([
      {
        intentId: `${policyId}/write/2.${uid64}`,
        kind: 'scale',
        cloudAccountId: 'acct-1',
        resourceUid: 'asg-web',
        params: { min: 8, max: 10, desired: 8 },
        source: { type: 'autoscaler_policy', id: policyId },
        revision: 2,
        dueAt: new Date(policy.now).toISOString(),
        attempt: 1,
      },
    ])
    expect(ordersOf(policy.sample(140))).to.deep.equal([])
  })

  it('is made where an executor says so, and failed where it says that; what it says of another changes nothing [G-21]', () => {
    const policy = silent()
    const [{ intentId }] = ordersOf(policy.sample(140)) as [{ intentId: string }]
    hears(policy, { intentId, status: 'accepted' })
    hears(policy, { intentId: `${policyId}/write/9.${uid64}`, status: 'succeeded' })
    hears(policy, { intentId: `other/write/2.${uid64}`, status: 'succeeded' })
    hears(policy, { intentId: `3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01.${uid64}`, status: 'succeeded' })
    expect(policy.kinds).to.deep.equal([])
    hears(policy, { intentId, status: 'succeeded' })
    expect(policy.kinds).to.deep.equal(['write'])
    expect(policy.row.current).to.include({ min: 8, max: 10, desired: 8 })
    hears(policy, { intentId, status: 'failed', errorMessage: 'Late.' })
    expect(policy.kinds).to.deep.equal(['write'])
    policy.sample(10, policy.now + 400_000)
    const second = `${policyId}/write/3.${uid64}`
    hears(policy, { intentId: second, status: 'failed', errorMessage: 'No capacity.' })
    expect(policy.events.at(-1)).to.include({ kind: 'failure', reason: 'No capacity.' })
  })

  it('for a plan is asked for again where nobody has answered in ten minutes, and put back likewise [EVR-30] [EVR-45]', () => {
    const policy = new Policy({ terms: { targetCpuPercent: 70 }, counts: four })
    policy.take(planReserved, { ...plan, from, to })
    policy.isDead = true
    policy.take(planRaised, { ...plan, multiplier: 3, until: to }, { at: Date.parse(from) })
    // The look right before the raise is the service's own.
    policy.isDead = false
    policy.answer(policy.unanswered.at(-1))
    policy.isDead = true
    expect(policy.row.hold?.state).to.equal('held')
    expect(policy.row.hold?.call).to.equal('')
    const back = policy.take(planRestored, { ...plan, originals: four }, { at: Date.parse(to) })
    const [first] = ordersOf(back)
    expect([first.params, first.source, first.attempt]).to.deep.equal([four, { type: 'plan', id: 'p-1' }, 1])
    expect(ordersOf(policy.due('unanswered', Date.parse(to) + 600_000))).to.deep.equal([])
    expect(policy.events.at(-1)).to.include({ kind: 'failure', reason: 'No answer in 10 minutes.' })
    const [again] = ordersOf(policy.due('hold', Date.parse(to) + 610_000))
    expect([again.params, again.attempt, again.intentId === first.intentId]).to.deep.equal([four, 2, false])
    hears(policy, { intentId: again.intentId, status: 'succeeded' })
    expect([policy.row.hold, policy.row.current.desired]).to.deep.equal([null, 4])
    expect(policy.told.at(-1)).to.include({ phase: 'restored', status: 'succeeded' })
  })
})
