/** Fleets that an action of ours has stopped, and their policies. */
import { expect } from 'chai'
import { powerTold } from '#streams/action/messages.ts'
import { autoscalerSaved } from '#streams/autoscaling.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { Policy, policyId } from '#test/harness/autoscaling.ts'

const four = { min: 2, max: 10, desired: 4 }
const place = { cloudAccountId: 'acct-1', targetUid: 'asg-web', policyId }

describe('an autoscaler policy of a fleet that is stopped', () => {
  it('leaves a target alone that an action has stopped, whatever asks, until it runs again', () => {
    const policy = new Policy({ counts: four })
    const told = { cloudAccountId: 'acct-1', resourceUid: 'asg-web', actionId: 'a-1' }
    let n = 0
    const power = (word: { shows: 'starting' | 'stopping' | null; observed?: 'running' | 'stopped' }) =>
      policy.take(powerTold, { ...told, at: new Date(policy.now + 1000).toISOString(), n: ++n, ...word })
    const reason = 'The target is stopped. The policy resumes when it is running.'
    power({ shows: 'stopping' })
    power({ shows: null, observed: 'stopped' })
    policy.counts = { min: 0, max: 0, desired: 0 }
    policy.counted(0)
    policy.sample(95)
    policy.due('edge')
    policy.take(autoscalerSaved, { ...place, isNew: false, terms: { min: 3 }, userId: 'u-1' })
    expect(policy.written).to.deep.equal([])
    expect([policy.row.status, policy.row.statusReason]).to.deep.equal(['active', reason])
    // A start that comes to nothing leaves it stopped.
    power({ shows: 'starting' })
    power({ shows: null })
    policy.due('edge')
    expect([policy.written, policy.row.statusReason]).to.deep.equal([[], reason])
    policy.counts = four
    power({ shows: 'starting' })
    power({ shows: null, observed: 'running' })
    expect(policy.row.statusReason).to.equal('')
    expect(policy.written).to.deep.equal([{ min: 3, max: 10, desired: 4 }])
  })

  it('goes on where a stop came to nothing, and where somebody else has started what was stopped', () => {
    const policy = new Policy({ counts: four })
    const told = { cloudAccountId: 'acct-1', resourceUid: 'asg-web', actionId: 'a-1' }
    const power = (n: number, word: { shows: 'stopping' | null; observed?: 'stopped' }) =>
      policy.take(powerTold, { ...told, at: new Date(policy.now + 1000).toISOString(), n, ...word })
    power(1, { shows: 'stopping' })
    policy.sample(90)
    expect(policy.written).to.deep.equal([])
    power(2, { shows: null })
    expect(policy.written).to.deep.equal([{ min: 6, max: 10, desired: 6 }])
    power(3, { shows: null, observed: 'stopped' })
    const { actionId: _, ...target } = told
    const found = { ...target, name: 'Web', type: 'aws-asg', provider: 'aws' as const, region: 'eu' }
    const seen = (time: number) => policy.take(resourceDiscovered, { ...found, status: 'running' }, { time })
    seen(policy.now - 10_000)
    expect(policy.row.stop).to.not.equal(null)
    seen(policy.now + 10_000)
    expect(policy.row.stop).to.equal(null)
  })
})
