import { expect } from 'chai'
import { at, orders, originals, planIn, scaled, target, transitions } from './plan.ts'

describe('a change of a readiness plan', () => {
  it('of a draft leaves all as it was but what is named [EVR-15]', () => {
    const plan = planIn('draft')
    const before = plan.snapshot()
    const done = plan.patch({ name: 'Cyber Monday' }, at('2030-11-02T00:00:00'))
    const after = plan.snapshot()
    const updatedAt = new Date('2030-11-02T00:00:00Z')
    expect(after).to.deep.equal({ ...before, name: 'Cyber Monday', updatedAt })
    expect([done.emitted, done.facts]).to.deep.equal([[], []])
  })

  it('of one that is scheduled keeps its status and reserves all anew [EVR-46] [G-82]', () => {
    for (const status of ['scheduling', 'scheduled'] as const) {
      const plan = planIn(status)
      const eventStart = '2030-11-29T15:00:00.000Z'
      const done = plan.patch({ eventStart, policyIds: ['web', 'job'] }, at('2030-11-02T00:00:00'))
      expect([plan.status, plan.revision]).to.deep.equal([status, 2])
      expect(orders(done)).to.deep.equal(['released api', 'reserved web', 'reserved job'])
      expect(done.emitted[1]!.data).to.include({ revision: 2, from: '2030-11-29T14:30:00.000Z' })
      const due = { ack: '2030-11-02T00:05:00', down: '2030-11-29T18:45:00', up: '2030-11-29T14:30:00' }
      expect(plan.reminders()).to.deep.equal(due)
      plan.reserved('web', 'job')
      expect([plan.status, plan.reminders()['ack']]).to.deep.equal(['scheduled', undefined])
    }
  })

  it('is refused where it cannot be', () => {
    const refused = (fields: object) => planIn('scheduled').patch(fields).refused
    expect(refused({ eventEnd: '2030-11-29T14:00:00.000Z' })).to.equal('validation_failed')
    expect(refused({ policyIds: ['web', 'other'] })).to.equal('validation_failed')
    const moved = { eventStart: '2030-10-01T10:00:00.000Z', eventEnd: '2030-10-01T12:00:00.000Z' }
    expect(refused(moved)).to.equal('event_in_past')
    expect(planIn('draft').patch(moved).refused).to.equal(undefined)
    const deleted = planIn('draft')
    deleted.command('delete')
    expect(deleted.patch({ name: 'x' }).refused).to.equal('not_found')
  })

  it('makes what was said of an older revision mean nothing, but for its line [G-82]', () => {
    const plan = planIn('scheduling')
    plan.patch({ name: 'Cyber Monday' })
    const before = { ...plan.snapshot(), logged: 0 }
    const told = [
      plan.report('web', 'reserved', 'failed', { revision: 1, message: 'No.' }),
      plan.callBack('failed', { revision: 1 }),
      plan.callBack('active', { revision: 1 }),
      plan.due('ack', undefined, 1),
    ]
    expect({ ...plan.snapshot(), logged: 0 }).to.deep.equal(before)
    expect(told.flatMap(({ facts }) => facts.map(({ row }) => `${row.kind} ${row.message}`))).to.deep.equal([
      'callback reserved asg-web: failed: No. (for revision 1; the plan is at revision 2)',
      'callback failed (for revision 1; the plan is at revision 2)',
      'callback active (for revision 1; the plan is at revision 2)',
    ])
    expect(told.map(({ refused, emitted }) => [refused, emitted])).to.deep.equal(told.map(() => [undefined, []]))
    expect(plan.callBack('scheduled', { revision: 3 }).refused).to.equal('invalid_transition')
  })
})

describe('the callback of an executor', () => {
  it('moves a plan as far as it says, with what it says of targets [EVR-44] [G-82]', () => {
    const plan = planIn('scheduling')
    const results = (of: typeof originals) => Object.entries(of).map(([policyId, counts]) => ({ policyId, ...counts }))
    expect(plan.callBack('scheduled', { results: results(originals) }).replies).to.deep.equal([{ planId: 'p-1' }])
    expect([plan.status, target(plan).originals]).to.deep.equal(['scheduled', originals['web']])
    expect(plan.callBack('scaling_up', {}, at('2030-11-29T13:29:59')).refused).to.equal('invalid_transition')
    expect(orders(plan.callBack('scaling_up', {}, at('2030-11-29T13:30:00')))).to.deep.equal([
      'raised web',
      'raised api',
    ])
    plan.callBack('active', { results: results(scaled), message: 'All up.' })
    expect([plan.status, target(plan).scaled]).to.deep.equal(['active', scaled['web']])
    expect(plan.callBack('scaling_down', {}, at('2030-11-29T18:44:59')).refused).to.equal('invalid_transition')
    const down = plan.callBack('scaling_down', {}, at('2030-11-29T18:45:00'))
    expect(orders(down)).to.deep.equal(['restored web', 'restored api'])
    plan.callBack('completed')
    expect([plan.status, plan.actor.state.owed, plan.reminders()]).to.deep.equal(['completed', [], {}])
  })

  it('of a failure ends the plan, and puts back what may be raised [EVR-37]', () => {
    const plan = planIn('active')
    const done = plan.callBack('failed', { message: 'The region is away.' })
    expect([plan.status, plan.actor.state.reason]).to.deep.equal(['failed', 'The region is away.'])
    expect(orders(done)).to.deep.equal(['restored web', 'restored api'])
    expect(transitions(done)).to.deep.equal(['active>failed by executor'])
  })
})
