import { expect } from 'chai'
import fc from 'fast-check'
import {
  autoscalerRemoved,
  planRaised,
  planReleased,
  planReserved,
  planRestored,
  targetReported,
} from '#streams/autoscaling.ts'
import { Policy, policyId } from '#test/harness/autoscaling.ts'
import { amount } from '#test/harness/tier.ts'

const four = { min: 2, max: 10, desired: 4 }
const place = { cloudAccountId: 'acct-1', targetUid: 'asg-web', policyId }
const plan = { ...place, planId: 'p-1', revision: 1 }
const from = '2026-01-15T13:30:00.000Z'
const to = '2026-01-15T18:45:00.000Z'
const reserved = { ...plan, from, to }
const raised = { ...plan, multiplier: 3, until: to }
const restored = { ...plan, originals: four }
const asTarget = { terms: { targetCpuPercent: 70 }, counts: four }

/** Without what only says that something is under way, and that the policy has begun. */
const told = (policy: Policy) => policy.told.filter((one) => one.status !== 'running' && !('job' in one))

describe('a policy that a readiness plan holds', () => {
  it('tells the plan what its target has, and goes on by itself until the event [EVR-19]', () => {
    const policy = new Policy(asTarget)
    policy.take(planReserved, reserved)
    expect(told(policy)).to.deep.equal([
      { planId: 'p-1', revision: 1, policyId, phase: 'reserved', status: 'succeeded', originals: four },
    ])
    expect(policy.row.status).to.equal('active')
    policy.sample(140)
    expect(policy.written).to.deep.equal([{ min: 8, max: 10, desired: 8 }])
  })

  it('is raised by what its load was, and held: nothing else changes it [EVR-20, EVR-24]', () => {
    const policy = new Policy(asTarget)
    policy.take(planReserved, reserved)
    policy.take(planRaised, raised, { at: Date.parse(from) })
    const nine = { min: 5, max: 22, desired: 9 }
    expect(policy.written).to.deep.equal([nine])
    expect(told(policy).at(-1)).to.deep.equal({
      planId: 'p-1',
      revision: 1,
      policyId,
      phase: 'raised',
      status: 'succeeded',
      originals: four,
      counts: nine,
    })
    expect(policy.row.status).to.equal('event_hold')
    expect(policy.events.at(-1)).to.include({
      kind: 'event_hold',
      from_min: 2,
      to_min: 5,
      from_desired: 4,
      to_desired: 9,
    })
    policy.sample(10)
    policy.sample(99)
    expect(policy.written).to.have.length(1)
    expect(policy.command('apply').refused).to.equal('invalid_transition')
    expect(policy.take(autoscalerRemoved, { ...place, userId: 'u-1' }).refused).to.equal('plan_in_progress')
  })

  it('takes the originals as they are right before the event, so that a change in between counts [EVR-20]', () => {
    const policy = new Policy(asTarget)
    policy.averageCpu = 35
    policy.take(planReserved, reserved)
    policy.counts = { min: 3, max: 12, desired: 5 }
    // 4 x 35 / 70 = 2.
    policy.take(planRaised, { ...raised, multiplier: 4 }, { at: Date.parse(from) })
    expect(policy.written).to.deep.equal([{ min: 6, max: 24, desired: 10 }])
    policy.take(planRestored, { ...restored, originals: policy.row.hold!.originals }, { at: Date.parse(to) })
    expect(policy.written[1]).to.deep.equal({ min: 3, max: 12, desired: 5 })
  })

  it('is put back to what it was, and judged anew from then on [EVR-20]', () => {
    const policy = new Policy(asTarget)
    policy.take(planReserved, reserved)
    policy.take(planRaised, raised, { at: Date.parse(from) })
    policy.take(planRestored, restored, { at: Date.parse(to) })
    expect(policy.counts).to.deep.equal(four)
    expect(told(policy).at(-1)).to.include({ phase: 'restored', status: 'succeeded' })
    expect(policy.row).to.include({ status: 'active', hold: null })
    policy.sample(105)
    expect(policy.counts).to.deep.equal({ min: 6, max: 10, desired: 6 })
  })

  it('that is paused is raised and put back all the same, and stays paused [EVR-20]', () => {
    const policy = new Policy(asTarget)
    policy.command('pause')
    policy.take(planReserved, reserved)
    policy.take(planRaised, raised)
    expect(policy.row.status).to.equal('paused')
    expect(policy.counts).to.deep.equal({ min: 5, max: 22, desired: 9 })
    policy.take(planRestored, restored)
    expect(policy.row.status).to.equal('paused')
    expect(policy.counts).to.deep.equal(four)
  })

  it('refuses a plan while it is in error, and answers for one that is not there any more', () => {
    const policy = new Policy(asTarget)
    policy.account.verdict = 'none'
    policy.take(planReserved, reserved)
    expect(policy.told.at(-1)).to.include({ phase: 'reserved', status: 'failed' })
    policy.take(planRaised, { ...raised, policyId: 'gone' })
    expect(policy.told.at(-1)).to.include({ policyId: 'gone', phase: 'raised', status: 'failed' })
    policy.take(planRestored, { ...restored, policyId: 'gone' })
    expect(policy.told.at(-1)).to.include({ policyId: 'gone', phase: 'restored', status: 'succeeded' })
  })

  it('of a database is held and let go of, and its cloud is asked for no more of it [EVR-06]', () => {
    const policy = new Policy({ ...asTarget, targetType: 'aws-rds' })
    expect(policy.row.statusReason).to.match(/^Databases do not scale by units/)
    policy.take(planReserved, reserved)
    policy.take(planRaised, raised, { at: Date.parse(from) })
    expect(told(policy).at(-1)).to.include({ phase: 'raised', status: 'succeeded' })
    expect(policy.row.status).to.equal('event_hold')
    policy.sample(99)
    policy.take(planRestored, restored, { at: Date.parse(to) })
    expect(told(policy).at(-1)).to.include({ phase: 'restored', status: 'succeeded' })
    expect([policy.row.hold, policy.written, policy.row.status]).to.deep.equal([null, [], 'active'])
  })

  it('tries a raise again until the window has passed, and then raises nothing', () => {
    const policy = new Policy(asTarget)
    policy.refusal = { message: 'The cloud is away.', retryable: true }
    policy.take(planRaised, raised, { at: Date.parse(from) })
    policy.pass(Date.parse('2026-01-15T18:44:00Z'))
    expect(told(policy)).to.deep.equal([])
    expect(policy.row.status).to.equal('event_hold')
    policy.pass(Date.parse('2026-01-15T18:55:00Z'))
    expect(told(policy)).to.deep.equal([
      {
        planId: 'p-1',
        revision: 1,
        policyId,
        phase: 'raised',
        status: 'failed',
        message: 'The time window has passed.',
        retryable: false,
      },
    ])
    policy.refusal = undefined
    policy.pass(Date.parse('2026-01-16T00:00:00Z'))
    expect(policy.written).to.deep.equal([])
    expect(policy.row.status).to.equal('active')
  })

  it('raises nothing for a plan that comes after its window', () => {
    const policy = new Policy(asTarget)
    policy.take(planRaised, raised, { at: Date.parse(to) })
    expect(policy.written).to.deep.equal([])
    expect(told(policy)).to.have.length(1)
    expect(told(policy)[0]).to.include({ phase: 'raised', status: 'failed', message: 'The time window has passed.' })
  })

  it('tries to put its target back for as long as the cloud is away', () => {
    const policy = new Policy(asTarget)
    policy.take(planRaised, raised, { at: Date.parse(from) })
    policy.refusal = { message: 'The cloud is away.', retryable: true }
    policy.take(planRestored, restored, { at: Date.parse(to) })
    policy.pass(Date.parse(to) + 12 * 3_600_000)
    expect(policy.row.status).to.equal('event_hold')
    policy.refusal = undefined
    policy.pass(Date.parse(to) + 13 * 3_600_000)
    expect(policy.counts).to.deep.equal(four)
    expect(policy.row.status).to.equal('active')
  })

  it('tells the plan of a return that the cloud refuses, and makes it when it is asked again, or resumed', () => {
    const policy = new Policy(asTarget)
    policy.take(planRaised, raised)
    policy.refusal = { message: 'Denied.', retryable: false }
    policy.take(planRestored, restored)
    expect(policy.told.at(-1)).to.include({ phase: 'restored', status: 'failed', message: 'Denied.' })
    policy.take(planRestored, restored)
    expect(policy.told.filter(({ phase, status }) => phase === 'restored' && status === 'failed')).to.have.length(2)
    policy.refusal = undefined
    policy.command('resume')
    expect(policy.counts).to.deep.equal(four)
  })

  it('waits for a change of its own that is under way, and raises from what it left', () => {
    const policy = new Policy(asTarget)
    policy.isDead = true
    policy.sample(105)
    policy.isDead = false
    policy.take(planRaised, raised)
    expect(policy.written).to.deep.equal([])
    policy.answer(policy.unanswered[0])
    // 6 x 3 x 50 / 70 = 12.86.
    expect(policy.written.at(-1)).to.deep.equal({ min: 13, max: 22, desired: 13 })
    policy.take(planRestored, restored)
    expect(policy.counts).to.deep.equal({ min: 6, max: 10, desired: 6 })
  })

  it('begins nothing for what comes late of a plan that is over', () => {
    const policy = new Policy(asTarget)
    policy.take(planReserved, reserved)
    policy.take(planReleased, plan)
    policy.take(planRaised, raised)
    expect(policy.row.hold).to.equal(null)
    expect(policy.written).to.deep.equal([])
    policy.take(planRaised, { ...raised, revision: 2 })
    expect(policy.row.status).to.equal('event_hold')
  })

  it('ends at its originals, whatever came of a plan before it was cancelled [EVR-45]', () => {
    type Step = (policy: Policy) => void
    const steps: readonly Step[] = [
      (policy) => policy.take(planReserved, reserved),
      (policy) => policy.take(planRaised, raised),
      (policy) => policy.take(planRaised, raised),
      (policy) => void (policy.isDead = true),
      (policy) => void (policy.isDead = false),
      (policy) => void (policy.refusal = { message: 'Away.', retryable: true }),
      (policy) => void (policy.refusal = { message: 'Denied.', retryable: false }),
      (policy) => void (policy.refusal = undefined),
      (policy) => policy.pass(policy.now + 60_000),
      (policy) => policy.sample(70),
      (policy) => {
        for (const input of policy.unanswered.splice(0)) policy.answer(input)
      },
      (policy) => policy.command('pause'),
      (policy) => policy.command('resume'),
    ]
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: steps.length - 1 }), { maxLength: 25 }), (list) => {
        const policy = new Policy({ ...asTarget, mode: 'monitor' })
        for (const step of list) steps[step]!(policy)
        policy.isDead = false
        policy.refusal = undefined
        policy.take(planRestored, { ...restored, originals: policy.row.hold?.originals ?? null })
        for (const input of policy.unanswered.splice(0)) policy.answer(input)
        policy.pass(policy.now + 3_600_000)
        expect(policy.counts).to.deep.equal(four)
        expect(policy.row.hold).to.equal(null)
        expect(policy.told.at(-1)).to.include({ phase: 'restored' })
      }),
      { numRuns: amount(500, 2000, 20_000) },
    )
  })

  it('takes no answer to a call that it does not wait for', () => {
    const policy = new Policy(asTarget)
    policy.take(planRaised, raised)
    const before = policy.written.length
    policy.take(targetReported, {
      ...place,
      call: 'raise/99',
      status: 'succeeded',
      counts: { min: 0, max: 1, desired: 0 },
    })
    expect(policy.row.current).to.include({ min: 5, max: 22, desired: 9 })
    expect(policy.written).to.have.length(before)
  })
  it('is raised for the plan that begins as another ends, once it was put back [EVR-34]', () => {
    const policy = new Policy(asTarget)
    policy.take(planRaised, raised)
    policy.isDead = true
    policy.take(planRestored, restored)
    policy.take(planRaised, { ...raised, planId: 'p-2', multiplier: 4, until: '2026-01-16T00:00:00.000Z' })
    expect(told(policy).filter(({ planId }) => planId === 'p-2')).to.deep.equal([])
    policy.isDead = false
    for (const input of policy.unanswered.splice(0)) policy.answer(input)
    // 4 x 50 / 70: 2.857 times 2, 10 and 4.
    expect(policy.written.slice(1)).to.deep.equal([four, { min: 6, max: 29, desired: 12 }])
    expect(told(policy).at(-1)).to.deep.include({
      planId: 'p-2',
      phase: 'raised',
      status: 'succeeded',
      originals: four,
    })
  })

  it('is raised anew for a plan that is tried again while it is still put back [EVR-42]', () => {
    const policy = new Policy(asTarget)
    policy.take(planRaised, raised)
    policy.isDead = true
    policy.take(planRestored, restored)
    policy.take(planRaised, { ...raised, revision: 2 })
    policy.isDead = false
    for (const input of policy.unanswered.splice(0)) policy.answer(input)
    expect(told(policy).at(-1)).to.deep.include({ revision: 2, phase: 'raised', status: 'succeeded', originals: four })
    policy.take(planRestored, { ...restored, revision: 1 })
    expect(policy.row.status).to.equal('event_hold')
    policy.take(planRestored, { ...restored, revision: 2 })
    expect(policy.counts).to.deep.equal(four)
  })

  it('is let go where there is nothing to put back any more, and put back once the account is mended', () => {
    const gone = new Policy(asTarget)
    gone.take(planRaised, raised)
    gone.refusal = { message: 'Not there.', retryable: false, code: 'resource_not_found' }
    gone.take(planRestored, restored)
    expect(gone.row.hold).to.equal(null)
    const denied = new Policy(asTarget)
    denied.take(planRaised, raised)
    denied.refusal = { message: 'Denied.', retryable: false, code: 'access_denied' }
    denied.take(planRestored, restored)
    denied.refusal = undefined
    denied.due('verdict', denied.now + 1000)
    expect(denied.counts).to.deep.equal(four)
    expect(denied.row.hold).to.equal(null)
  })
})
