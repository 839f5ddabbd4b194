import { expect } from 'chai'
import { autoscalerActor } from '#actors/autoscaling/actor.ts'
import { autoscalerRemoved, autoscalerSaved } from '#streams/autoscaling.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { Policy, policyId, web } from '#test/harness/autoscaling.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const four = { min: 2, max: 10, desired: 4 }
const place = { cloudAccountId: 'acct-1', targetUid: 'asg-web', policyId }
const at = (text: string) => Date.parse(`${text}Z`)

describe('an autoscaler policy', () => {
  it('in autopilot writes what the load needs, at once [ASC-30, ASC-36]', () => {
    const policy = new Policy({ counts: four })
    policy.sample(90)
    expect(policy.written).to.deep.equal([{ min: 6, max: 10, desired: 6 }])
    expect(policy.counts).to.deep.equal({ min: 6, max: 10, desired: 6 })
    expect(policy.events).to.have.length(1)
    expect(policy.events[0]).to.include({
      kind: 'write',
      from_min: 2,
      from_max: 10,
      to_min: 6,
      to_max: 10,
      from_desired: 4,
      to_desired: 6,
      applied_by: '',
      mode: 'autopilot',
    })
  })

  it('waits for its cooldown before the next write, and writes at its end to the second [ASC-30]', () => {
    const policy = new Policy({ counts: four })
    const t0 = policy.now + 60_000
    policy.sample(90, t0)
    policy.sample(95, t0 + 299_000)
    expect(policy.written).to.have.length(1)
    policy.pass(t0 + 299_999)
    expect(policy.written).to.have.length(1)
    policy.pass(t0 + 300_000)
    // 6 units at 95 % of a target of 60: 9.5.
    expect(policy.written).to.deep.equal([
      { min: 6, max: 10, desired: 6 },
      { min: 10, max: 10, desired: 10 },
    ])
  })

  it('does nothing while CPU is within 10 % of its target [ASC-30]', () => {
    const policy = new Policy({ counts: four })
    for (const cpu of [54, 62, 66]) policy.sample(cpu)
    expect(policy.events).to.deep.equal([])
    expect(policy.written).to.deep.equal([])
  })

  it('goes no higher than its maximum: 8 units at 95 % need 13 and get 10 [ASC-30]', () => {
    const policy = new Policy({ counts: { min: 2, max: 10, desired: 8 } })
    policy.sample(95)
    expect(policy.written).to.deep.equal([{ min: 10, max: 10, desired: 10 }])
  })

  it('in monitor mode recommends and never asks the cloud for anything but a look [ASC-28]', () => {
    const policy = new Policy({ mode: 'monitor', counts: four })
    policy.sample(90)
    expect(policy.kinds).to.deep.equal(['recommendation'])
    expect(policy.row.recommendation).to.include({ fromMin: 2, fromMax: 10, toMin: 6, toMax: 10 })
    expect(policy.written).to.deep.equal([])
    expect(policy.command('apply').refused).to.equal('capability_missing')
  })

  it('keeps one recommendation open, tells of it when its bounds change, and takes it away in silence [ASC-29]', () => {
    const policy = new Policy({ mode: 'recommend', counts: four })
    policy.sample(90)
    policy.sample(90)
    expect(policy.kinds).to.deep.equal(['recommendation'])
    // Of three samples the mean is 80: 5.33.
    policy.sample(60)
    expect(policy.kinds).to.deep.equal(['recommendation'])
    expect(policy.row.recommendation).to.include({ toMin: 6 })
    policy.pass(policy.now + 300_000)
    policy.sample(120)
    expect(policy.row.recommendation).to.include({ toMin: 8 })
    expect(policy.kinds).to.deep.equal(['recommendation', 'recommendation'])
    policy.pass(policy.now + 300_000)
    policy.sample(60)
    expect(policy.row.recommendation).to.equal(null)
    expect(policy.kinds).to.deep.equal(['recommendation', 'recommendation'])
  })

  it('in recommend mode writes nothing until somebody applies it, who stands with the event [ASC-07, ASC-29]', () => {
    const policy = new Policy({ mode: 'recommend', counts: four })
    policy.sample(90)
    expect(policy.written).to.deep.equal([])
    expect(policy.command('apply').replies).to.deep.equal([{ policyId }])
    expect(policy.written).to.deep.equal([{ min: 6, max: 10, desired: 6 }])
    expect(policy.events.at(-1)).to.include({ kind: 'apply', from_min: 2, to_min: 6, applied_by: 'u-7' })
    expect(policy.row.recommendation).to.equal(null)
    expect(policy.command('apply').refused).to.equal('no_recommendation')
  })

  it('is held to monitor by credentials that may only read, and by none that are known [ASC-26, ASC-27]', () => {
    for (const verdict of ['read_only', 'unknown'] as const) {
      const policy = new Policy({ account: { verdict }, counts: four })
      policy.sample(90)
      expect(policy.row).to.include({ mode: 'autopilot', effectiveMode: 'monitor', status: 'active' })
      expect(policy.written).to.deep.equal([])
    }
  })

  it('falls with its credentials and rises with them, never above what was asked for [ASC-27]', () => {
    const policy = new Policy({ mode: 'recommend', counts: four })
    expect(policy.row.effectiveMode).to.equal('recommend')
    policy.account.verdict = 'read_only'
    policy.due('verdict', policy.now + 1000)
    expect(policy.row.effectiveMode).to.equal('monitor')
    policy.account.verdict = 'read_write'
    policy.due('verdict', policy.now + 1000)
    expect(policy.row.effectiveMode).to.equal('recommend')
    expect(policy.kinds).to.deep.equal(['mode_change', 'mode_change'])
  })

  it('is in error while its account lets nobody in, and active again once it does [ASC-27]', () => {
    const policy = new Policy({ counts: four })
    policy.account.verdict = 'none'
    policy.due('verdict', policy.now + 1000)
    expect(policy.row).to.include({ status: 'error', effectiveMode: 'monitor' })
    expect(policy.row.statusReason).to.include('credentials')
    policy.account.verdict = 'read_write'
    policy.due('verdict', policy.now + 1000)
    expect(policy.row).to.include({ status: 'active', effectiveMode: 'autopilot', statusReason: '' })
  })

  it('when paused produces nothing, and judges anew once resumed [ASC-08, ASC-09, ASC-37]', () => {
    const policy = new Policy({ counts: four })
    policy.command('pause')
    expect(policy.command('pause').refused).to.equal('invalid_transition')
    policy.sample(90)
    policy.pass(policy.now + 3_600_000)
    expect(policy.kinds).to.deep.equal(['pause'])
    expect(policy.written).to.deep.equal([])
    policy.sample(90)
    policy.command('resume')
    expect(policy.written).to.deep.equal([{ min: 6, max: 10, desired: 6 }])
    expect(policy.kinds).to.deep.equal(['pause', 'resume', 'write'])
    expect(policy.command('resume').refused).to.equal('invalid_transition')
  })

  it('tells of a change that fails, is in error after three in a row, and tries again when resumed [ASC-25]', () => {
    const policy = new Policy({ counts: four })
    policy.refusal = { message: 'Slow down.', retryable: true }
    const t0 = policy.now
    policy.sample(90)
    expect(policy.row).to.include({ status: 'active', failures: 1 })
    for (let minute = 1; minute <= 20; minute++) {
      policy.pass(t0 + minute * 60_000)
      policy.sample(90, t0 + minute * 60_000)
    }
    expect(policy.kinds).to.deep.equal(['failure', 'failure', 'failure'])
    expect(policy.row).to.include({ status: 'error', statusReason: 'Slow down.' })
    policy.refusal = undefined
    policy.command('resume')
    expect(policy.written).to.deep.equal([{ min: 6, max: 10, desired: 6 }])
    expect(policy.row).to.include({ status: 'active', failures: 0, statusReason: '' })
  })

  it('takes a call that nobody answers in ten minutes for failed', () => {
    const policy = new Policy({ counts: four })
    policy.isDead = true
    const t0 = policy.now + 1000
    policy.sample(90, t0)
    policy.pass(t0 + 599_999)
    expect(policy.kinds).to.deep.equal([])
    policy.pass(t0 + 600_000)
    expect(policy.events[0]).to.include({ kind: 'failure', reason: 'No answer in 10 minutes.' })
  })

  it('is in error while its target is gone, and back with its next discovery [ASC-37]', () => {
    const policy = new Policy({ counts: four })
    const deleted = { resourceUid: 'asg-web', provider: 'aws' as const, cloudAccountId: 'acct-1' }
    policy.take(resourceDeleted, deleted)
    expect(policy.row).to.include({ status: 'error' })
    policy.sample(90)
    expect(policy.written).to.deep.equal([])
    policy.take(resourceDiscovered, { ...deleted, name: 'web', type: 'aws-asg', region: 'us-east-1' })
    expect(policy.row).to.include({ status: 'active' })
    expect(policy.written).to.deep.equal([{ min: 6, max: 10, desired: 6 }])
  })

  it('is raised by business hours in New York from 13:00Z to 23:00Z in January [ASC-31]', () => {
    const triggers = [{ preset: 'business-hours' as const, timezone: 'America/New_York' }]
    const policy = new Policy({
      counts: { min: 2, max: 10, desired: 2 },
      terms: { triggers },
      at: at('2030-01-07T10:00:00'),
    })
    policy.pass(at('2030-01-07T12:59:59.999'))
    expect(policy.written).to.deep.equal([])
    policy.pass(at('2030-01-07T13:00:00'))
    expect(policy.written).to.deep.equal([{ min: 6, max: 10, desired: 6 }])
    expect(policy.kinds).to.deep.equal(['schedule'])
    policy.pass(at('2030-01-07T22:59:59.999'))
    expect(policy.written).to.have.length(1)
    policy.pass(at('2030-01-07T23:00:00'))
    expect(policy.written.at(-1)).to.deep.equal({ min: 2, max: 10, desired: 2 })
    policy.pass(at('2030-01-13T23:00:00'))
    // Four more days, each with two edges; none on Saturday and Sunday.
    expect(policy.written).to.have.length(10)
  })

  it('does not wait for its cooldown where the clock asks, and not ask twice while a call is under way [ASC-31]', () => {
    const triggers = [{ preset: 'peak-hours' as const, timezone: 'UTC', start: '12:00', end: '14:00' }]
    const policy = new Policy({
      counts: four,
      terms: { triggers, cooldownSeconds: 86_400 },
      at: at('2030-01-07T11:00:00'),
    })
    policy.sample(90, at('2030-01-07T11:59:00'))
    policy.isDead = false
    policy.pass(at('2030-01-07T12:00:00'))
    expect(policy.written).to.deep.equal([{ min: 6, max: 10, desired: 6 }])
    policy.pass(at('2030-01-07T14:00:00'))
    // The load needed 6, so 6 stays the least.
    expect(policy.written).to.have.length(1)
  })

  it('knows how many units there are by the newest of samples, calls and looks [ASC-15]', () => {
    const policy = new Policy({ target: { unitCount: 3 } })
    expect(policy.row.current).to.include({ min: 2, max: 10, desired: 3 })
    policy.counted(5)
    expect(policy.row.current.desired).to.equal(5)
    policy.sample(90)
    // 5 x 90 / 60 = 7.5.
    expect(policy.written).to.deep.equal([{ min: 8, max: 10, desired: 8 }])
    expect(policy.row.current.desired).to.equal(8)
  })

  it('forgets what is older than five minutes, and hears nothing that is older than 15 [ASC-30]', () => {
    const policy = new Policy({ counts: four })
    policy.sample(90, policy.now + 1000, policy.now - 300_000)
    expect(policy.written).to.deep.equal([])
    policy.sample(90, policy.now + 1000, policy.now - 900_001)
    expect(policy.row.points).to.deep.equal([])
  })

  it('takes a sample that comes again once [ASC-30]', () => {
    const policy = new Policy({ mode: 'monitor', counts: four })
    const ts = policy.now + 1000
    policy.sample(10, ts)
    policy.sample(90, ts + 1000, ts)
    expect(policy.row.points).to.deep.equal([[ts, 90]])
  })

  it('leaves the number of units to policies that it adopts [ASC-34]', () => {
    const policy = new Policy({ counts: four, terms: { adoption: 'adopt' } })
    policy.sample(90)
    expect(policy.written).to.deep.equal([{ min: 6, max: 10 }])
  })

  it('replaces policies of the target with its first change, once [ASC-35]', () => {
    const policy = new Policy({ counts: four, terms: { adoption: 'replace' } })
    expect(policy.row.isReplaced).to.equal(true)
    policy.isDead = true
    policy.sample(90)
    expect(policy.unanswered.map(({ replaceAtCpu }) => replaceAtCpu)).to.deep.equal([undefined])
    const recommending = new Policy({ mode: 'recommend', counts: four, terms: { adoption: 'replace' } })
    expect(recommending.row.isReplaced).to.equal(false)
    recommending.sample(90)
    recommending.isDead = true
    recommending.command('apply')
    expect(recommending.unanswered.map(({ replaceAtCpu }) => replaceAtCpu)).to.deep.equal([60])
  })

  it('is one for each target, and another once it was removed [ASC-10]', () => {
    const policy = new Policy({ counts: four })
    const again = {
      ...place,
      policyId: 'other',
      isNew: true as const,
      mode: 'monitor' as const,
      provider: 'aws',
      targetType: 'aws-asg',
      needsInfrastructure: false,
      terms: web,
      userId: 'u-1',
    }
    expect(policy.take(autoscalerSaved, again).refused).to.equal('already_exists')
    const done = policy.take(autoscalerRemoved, { ...place, userId: 'u-7' })
    expect(done).to.include({ removed: true })
    expect(policy.events.at(-1)).to.include({ kind: 'remove', applied_by: 'u-7' })
    expect(policy.take(autoscalerSaved, again).replies).to.deep.equal([{ policyId: 'other' }])
  })

  it('is changed member by member, keeps its mode, and refuses a minimum above its maximum [ASC-16]', () => {
    const policy = new Policy({ mode: 'recommend', counts: four })
    const edit = (terms: object) => policy.take(autoscalerSaved, { ...place, isNew: false, terms, userId: 'u-7' })
    edit({ min: 3 })
    expect(policy.row).to.include({ min: 3, max: 10, mode: 'recommend' })
    expect(policy.row.recommendation).to.include({ toMin: 3, toMax: 10 })
    expect(edit({ max: 2 }).refused).to.equal('validation_failed')
    expect(policy.row).to.include({ min: 3, max: 10 })
  })

  it('takes no units from a calm fleet for a change of its name, a pause, or new credentials [ASC-16] [G-77]', () => {
    const calm = (): Policy => {
      const policy = new Policy({
        terms: { min: 3, max: 14, targetCpuPercent: 55 },
        counts: { min: 3, max: 14, desired: 5 },
      })
      policy.sample(97)
      policy.sample(55.5, policy.now + 400_000)
      expect(policy.written).to.deep.equal([{ min: 9, max: 14, desired: 9 }])
      return policy
    }
    const edited = (terms: object) => (policy: Policy) =>
      policy.take(autoscalerSaved, { ...place, isNew: false, terms, userId: 'u-1' })
    const paused = (policy: Policy) => {
      policy.command('pause')
      policy.command('resume', policy.now + 3_600_000)
    }
    const refused = (policy: Policy) => {
      policy.account.verdict = 'none'
      policy.due('verdict')
      policy.command('resume')
      policy.account.verdict = 'read_write'
      policy.due('verdict', policy.now + 3_600_000)
    }
    for (const change of [edited({ name: 'x' }), edited({ cooldownSeconds: 900 }), paused, refused]) {
      const policy = calm()
      change(policy)
      expect(policy.written).to.have.length(1)
    }
    const higher = calm()
    edited({ min: 10 })(higher)
    expect(higher.written.at(-1)).to.deep.equal({ min: 10, max: 14, desired: 10 })
    expect(higher.events.at(-1)).to.include({ kind: 'write', reason: 'The limits of the policy apply.' })
    const made = new Policy({ terms: { min: 3, max: 14 }, counts: { min: 5, max: 20, desired: 5 } })
    expect(made.written).to.deep.equal([{ min: 3, max: 14, desired: 5 }])
  })

  it('gives back what the clock has raised also where it was paused at the end of the window [ASC-31] [ASC-09]', () => {
    const triggers = [{ preset: 'business-hours' as const, timezone: 'America/New_York' }]
    const policy = new Policy({
      counts: { min: 2, max: 10, desired: 2 },
      terms: { triggers },
      at: at('2030-01-07T12:00:00'),
    })
    policy.pass(at('2030-01-07T14:00:00'))
    expect(policy.written).to.deep.equal([{ min: 6, max: 10, desired: 6 }])
    policy.command('pause')
    policy.pass(at('2030-01-08T01:00:00'))
    policy.command('resume')
    expect(policy.written.at(-1)).to.deep.equal({ min: 2, max: 10, desired: 2 })
  })

  it('is not to be had by an id that is another one’s', () => {
    const actor = new MemoryActor(autoscalerActor, { place: 'acct-1', key: 'asg-web' })
    const needs = { account: () => new Policy().account, target: () => undefined, count: () => 0 }
    const edit = { ...place, isNew: false as const, terms: { min: 1 }, userId: 'u-1' }
    expect(actor.take(autoscalerSaved, edit, { needs }).refused).to.equal('not_found')
  })

  it('is saved by what its autopilot takes away, at the price of a unit, and not by what it adds [ASC-30]', () => {
    const target = { unitCount: 4, hourlyRateUsd: 0.8 }
    const policy = new Policy({ counts: { min: 2, max: 10, desired: 8 }, target, at: at('2030-01-07T10:00:00') })
    policy.sample(15, at('2030-01-07T10:00:00'))
    expect(policy.counts).to.deep.equal({ min: 2, max: 10, desired: 2 })
    for (let hour = 11; hour <= 12; hour++) policy.sample(60, at(`2030-01-07T${hour}:00:00`))
    // Two hours of six units at 0.20 US dollars an hour.
    expect(policy.savings.map(({ day, saved, basis }) => [day, Number(saved), basis])).to.deep.equal([
      ['2030-01-07', 1.2, 'observed'],
      ['2030-01-07', 2.4, 'observed'],
    ])
    policy.command('pause', at('2030-01-07T13:00:00'))
    policy.sample(60, at('2030-01-07T14:00:00'))
    expect(Number(policy.savings.at(-1).saved)).to.equal(3.6)
  })
})
