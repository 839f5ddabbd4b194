import { expect } from 'chai'
import { at, known, orders, originals, otherPlan, place, Plan, planIn, scaled, target, transitions } from './plan.ts'

const web = place('web')

describe('a readiness plan', () => {
  it('reserves its targets, raises them before the event and puts them back behind it [S-20] [EVR-27] [EVR-28] [EVR-20]', () => {
    const plan = new Plan({ policyIds: ['web'] })
    const scheduled = plan.schedule('draft', at('2030-11-01T12:00:00'))
    expect(scheduled.emitted).to.deep.equal([
      {
        type: 'plan.reserved',
        data: {
          planId: 'p-1',
          revision: 1,
          ...web,
          from: '2030-11-29T13:30:00.000Z',
          to: '2030-11-29T18:45:00.000Z',
        },
      },
    ])
    const ack = { ack: '2030-11-01T12:05:00', down: '2030-11-29T18:45:00', up: '2030-11-29T13:30:00' }
    expect(plan.reminders()).to.deep.equal(ack)
    plan.reserved('web')
    expect(plan.reminders()).to.deep.equal({ down: '2030-11-29T18:45:00', up: '2030-11-29T13:30:00' })
    expect(target(plan)).to.deep.equal({ ...web, state: 'reserved', originals: originals['web'], scaled: null })
    const up = plan.due('up')
    expect(up.emitted).to.deep.equal([
      {
        type: 'plan.raised',
        data: { planId: 'p-1', revision: 1, ...web, multiplier: 3, until: '2030-11-29T18:00:00.000Z' },
      },
    ])
    plan.report('web', 'raised', 'running')
    expect(plan.status).to.equal('scaling_up')
    // Somebody has changed the policy since it was reserved.
    const edited = { min: 3, max: 12, desired: 4 }
    plan.report('web', 'raised', 'succeeded', { originals: edited, counts: scaled['web'] })
    expect(plan.status).to.equal('active')
    expect(target(plan)).to.deep.equal({ ...web, state: 'raised', originals: edited, scaled: scaled['web'] })
    const down = plan.due('down')
    expect(down.emitted).to.deep.equal([
      { type: 'plan.restored', data: { planId: 'p-1', revision: 1, ...web, originals: edited } },
    ])
    plan.report('web', 'restored', 'succeeded', { counts: edited })
    expect([plan.status, plan.actor.state.owed]).to.deep.equal(['completed', []])
  })

  it('has nothing left to do once it is completed [EVR-48]', () => {
    const plan = planIn('completed')
    expect(plan.reminders()).to.deep.equal({})
    for (const what of ['ack', 'up', 'down', 'restore'] as const) {
      const done = plan.due(what, at('2030-12-24T12:00:00'))
      expect([done.emitted, done.facts]).to.deep.equal([[], []])
    }
    expect(plan.status).to.equal('completed')
  })

  it('writes one line a change, an order and an answer, in order [EVR-17]', () => {
    const plan = new Plan({ policyIds: ['web'] })
    const turns = [plan.schedule(), plan.report('web', 'reserved', 'succeeded', { originals: originals['web'] })]
    turns.push(plan.due('up'), plan.report('web', 'raised', 'succeeded', { counts: scaled['web'] }))
    turns.push(plan.due('down'), plan.report('web', 'restored', 'succeeded'))
    const lines = turns.flatMap(({ facts }) => facts.map(({ row }) => row))
    const text = (row: any) =>
      `${row.n} ${row.kind} ${row.from_status}>${row.to_status} ${row.actor} ${row.policy_id}: ${row.message}`
    expect(lines.map(text)).to.deep.equal([
      '1 transition draft>scheduling ana : Scheduled.',
      '2 intent > system web: reserve asg-web (revision 1)',
      '3 callback > executor web: reserved asg-web: succeeded',
      '4 transition scheduling>scheduled executor : All targets are reserved.',
      '5 transition scheduled>scaling_up system : The window before the event has started.',
      '6 intent > system web: scale up asg-web (revision 1)',
      '7 callback > executor web: raised asg-web: succeeded',
      '8 transition scaling_up>active executor : All targets are scaled up.',
      '9 transition active>scaling_down system : The window after the event has ended.',
      '10 intent > system web: restore asg-web, attempt 1 (revision 1)',
      '11 callback > executor web: restored asg-web: succeeded',
      '12 transition scaling_down>completed executor : All targets are restored.',
    ])
    expect(new Set(lines.map(({ log_id }) => log_id)).size).to.equal(12)
  })

  it('waits for the last of its targets [EVR-32] [EVR-36] [EVR-40]', () => {
    const plan = planIn('scheduling')
    plan.reserved('web', 'web')
    expect(plan.status).to.equal('scheduling')
    plan.reserved('api')
    plan.due('up')
    plan.raised('api', 'api')
    expect(plan.status).to.equal('scaling_up')
    plan.raised('web')
    plan.due('down')
    plan.restored('web', 'web')
    expect(plan.status).to.equal('scaling_down')
    plan.restored('api')
    expect(plan.status).to.equal('completed')
  })

  it('that is scheduled behind the begin of its window begins at once, behind the answers [G-82]', () => {
    const plan = new Plan({ policyIds: ['web'] })
    const now = at('2030-11-29T15:00:00')
    plan.schedule('draft', now)
    expect(orders(plan.due('up', now + 1000))).to.deep.equal([])
    expect(plan.status).to.equal('scheduling')
    plan.report('web', 'reserved', 'succeeded', { originals: originals['web'] })
    expect(plan.reminders()['up']).to.equal('2030-11-29T15:00:02')
    expect(orders(plan.due('up'))).to.deep.equal(['raised web'])
  })

  it('of an event that is over is not scheduled [G-82]', () => {
    const past = { eventStart: '2030-11-29T14:00:00.000Z', eventEnd: '2030-11-29T18:00:00.000Z' }
    const plan = new Plan(past)
    expect(plan.schedule('draft', at('2030-11-29T18:00:00')).refused).to.equal('event_in_past')
    expect(plan.status).to.equal('draft')
    expect(plan.schedule('draft', at('2030-11-29T18:00:01')).refused).to.equal('event_in_past')
    const other = new Plan(past)
    expect(other.schedule('draft', at('2030-11-29T17:59:59')).refused).to.equal(undefined)
  })

  it('raises nothing once the event is over, however late its reminder comes [EVR-35]', () => {
    const plan = planIn('scheduled')
    const done = plan.due('up', at('2030-11-29T18:00:00'))
    expect([plan.status, plan.actor.state.reason]).to.deep.equal([
      'failed',
      'The window has passed: no target was scaled up.',
    ])
    expect(orders(done)).to.deep.equal(['released web', 'released api'])
    expect(plan.reminders()).to.deep.equal({})
    const scheduling = planIn('scheduling')
    scheduling.due('up', at('2030-11-29T19:00:00'))
    expect(scheduling.status).to.equal('failed')
    const late = planIn('scheduled')
    expect(orders(late.due('up', at('2030-11-29T17:59:59')))).to.deep.equal(['raised web', 'raised api'])
  })

  it('fails where a policy does not answer in five minutes, and lets go of the others [G-82] [EVR-33]', () => {
    const plan = planIn('scheduling')
    plan.reserved('web')
    const done = plan.due('ack')
    expect(plan.status).to.equal('failed')
    expect(plan.actor.state.reason).to.equal('Policy api of target asg-api did not respond within 5 minutes.')
    expect(orders(done)).to.deep.equal(['released web', 'released api'])
    expect(done.raised).to.deep.equal([])
  })

  it('fails where a policy refuses, is gone, or does not raise in time', () => {
    const refused = planIn('scheduling')
    refused.report('api', 'reserved', 'failed', { message: 'The policy is in error.' })
    expect(refused.actor.state.reason).to.equal('Target asg-api: The policy is in error.')
    const gone = new Plan()
    gone.needs = known('web')
    const done = gone.schedule()
    expect(transitions(done)).to.deep.equal(['draft>scheduling by ana', 'scheduling>failed by system'])
    expect([gone.actor.state.reason, gone.reminders()]).to.deep.equal([
      'Policy api of target asg-api no longer exists.',
      {},
    ])
    const silent = planIn('scaling_up')
    silent.raised('web')
    expect(silent.reminders()['ack']).to.equal('2030-11-29T13:45:00')
    silent.due('ack')
    expect(silent.actor.state.reason).to.equal('Policy api of target asg-api did not respond within 15 minutes.')
    const never = planIn('scaling_up')
    never.due('down')
    expect(never.actor.state.reason).to.equal('Not all targets were scaled up before the window ended.')
  })

  it('tells people that it has failed once its targets were to be raised', () => {
    const plan = planIn('scaling_up')
    const done = plan.report('api', 'raised', 'failed', { message: 'No capacity.' })
    expect(orders(done)).to.deep.equal(['restored web', 'restored api'])
    const [event, ...others] = done.raised
    expect(others).to.deep.equal([])
    expect(event).to.deep.include({
      eventType: 'resource.failed',
      title: 'Readiness plan Black Friday has failed',
      summary: 'Target asg-api: No capacity.',
      scope: { type: 'resource', id: 'asg-api' },
      data: {
        planID: 'p-1',
        planName: 'Black Friday',
        policyID: 'api',
        resourceUid: 'asg-api',
        cloudAccountID: 'acct-1',
        errorMessage: 'Target asg-api: No capacity.',
      },
    })
    expect(planIn('scaling_up').callBack('failed').raised).to.have.length(1)
    expect(planIn('active').command('cancel').raised).to.deep.equal([])
  })

  it('holds no policy that another live plan holds at the time [G-82]', () => {
    const end = new Date('2030-11-29T13:30:00Z')
    const before = otherPlan({ eventStart: at2('10:00'), eventEnd: end })
    const after = otherPlan({ eventStart: at2('18:45'), eventEnd: at2('20:00') })
    const scheduledBeside = (other: ReturnType<typeof otherPlan>) => {
      const plan = new Plan()
      plan.needs = { ...plan.needs, others: [other] }
      return plan.schedule().refused
    }
    expect(scheduledBeside(before)).to.equal(undefined)
    expect(scheduledBeside(after)).to.equal(undefined)
    const conflict = 'policy_window_conflict'
    expect(scheduledBeside({ ...before, postEventMinutes: 1 })).to.equal(conflict)
    expect(scheduledBeside({ ...after, preScaleMinutes: 1 })).to.equal(conflict)
    expect(scheduledBeside({ ...after, preScaleMinutes: 1, policyIds: ['job'] })).to.equal(undefined)
    const failed = planIn('failed')
    failed.needs = { ...failed.needs, others: [otherPlan({})] }
    expect(failed.schedule('failed').refused).to.equal(conflict)
    const live = planIn('scheduled')
    live.needs = { ...live.needs, others: [otherPlan({})] }
    expect(live.patch({ name: 'Again' }).refused).to.equal(conflict)
    const draft = new Plan()
    draft.needs = live.needs
    expect(draft.patch({ name: 'Again' }).refused).to.equal(undefined)
  })
})

const at2 = (time: string): Date => new Date(`2030-11-29T${time}:00Z`)
