import { expect } from 'chai'
import { at, orders, originals, place, planIn, scaled, target, transitions } from './plan.ts'

const web = place('web')
const minute = 60_000

describe('the end of a readiness plan', () => {
  it('lets go of what is reserved and puts back what may be raised [EVR-45] [EVR-20]', () => {
    const cancelled = (status: Parameters<typeof planIn>[0]) => orders(planIn(status).command('cancel'))
    expect(cancelled('draft')).to.deep.equal([])
    const released = ['released web', 'released api']
    expect([cancelled('scheduling'), cancelled('scheduled')]).to.deep.equal([released, released])
    const restored = ['restored web', 'restored api']
    expect([cancelled('scaling_up'), cancelled('active')]).to.deep.equal([restored, restored])
    // They are being put back already.
    expect(cancelled('scaling_down')).to.deep.equal([])
    expect([cancelled('completed'), cancelled('failed')]).to.deep.equal([[], []])
    const plan = planIn('active')
    const { emitted } = plan.command('cancel')
    expect(emitted[0]!.data.originals).to.deep.equal(originals['web'])
    expect(plan.due('down', at('2030-11-29T18:45:00')).emitted).to.deep.equal([])
  })

  it('tells people of what is not put back, tries it three times more, and tells them when it gives up', () => {
    const plan = planIn('active')
    plan.command('cancel', at('2030-11-29T16:00:00'))
    plan.restored('api')
    const failed = () => plan.report('web', 'restored', 'failed', { message: 'Away.' })
    const told = ({ raised }: ReturnType<typeof failed>) =>
      raised.map(({ eventType, title, scope, data }: any) => [eventType, title, scope.id, data.planID])
    const pauses = [minute, 10 * minute, 60 * minute]
    for (const pause of pauses) {
      const first = ['resource.failed', 'Readiness plan Black Friday could not restore a target', 'asg-web', 'p-1']
      expect(told(failed())).to.deep.equal(pause === minute ? [first] : [])
      expect(plan.actor.reminders.get('restore')).to.equal(plan.actor.now + pause)
      const again = plan.due('restore')
      expect(again.emitted.map(({ data }) => data.originals)).to.deep.equal([originals['web']])
    }
    const last = ['resource.failed', 'Readiness plan Black Friday has left a target scaled up', 'asg-web', 'p-1']
    expect(told(failed())).to.deep.equal([last])
    // From then on every six hours, without another word, until it is back.
    for (let i = 0; i < 2; i++) {
      expect(plan.actor.reminders.get('restore')).to.equal(plan.actor.now + 360 * minute)
      expect(plan.due('restore').emitted.map(({ data }) => data.originals)).to.deep.equal([originals['web']])
      expect(told(failed())).to.deep.equal([])
    }
    plan.command('delete')
    plan.due('restore')
    plan.restored('web')
    expect([plan.status, plan.reminders(), plan.actor.state.owed]).to.deep.equal(['cancelled', {}, []])
  })

  it('takes no answer in a quarter of an hour for a failure', () => {
    const plan = planIn('active')
    plan.command('delete')
    plan.command('cancel')
    for (let i = 0; i < 3; i++) {
      const late = plan.due('restore')
      expect(orders(late)).to.deep.equal([])
      expect(late.raised.map(({ scope }: any) => scope.id)).to.deep.equal(i === 0 ? ['asg-web', 'asg-api'] : [])
      expect(orders(plan.due('restore'))).to.deep.equal(['restored web', 'restored api'])
    }
    const last = plan.due('restore')
    expect(last.raised.map(({ scope }: any) => scope.id)).to.deep.equal(['asg-web', 'asg-api'])
    // Late, and still good to know.
    plan.restored('web', 'api')
    expect(plan.actor.state.owed).to.deep.equal([])
  })

  it('is failed where a target cannot be put back behind the event, and a cancel tries anew [EVR-41]', () => {
    const plan = planIn('scaling_down')
    plan.restored('api')
    for (let i = 0; i < 4; i++) {
      plan.report('web', 'restored', 'failed', { message: 'Denied.' })
      if (i < 3) plan.due('restore')
    }
    expect([plan.status, plan.actor.state.reason]).to.deep.equal([
      'failed',
      'Target asg-web could not be restored to its previous capacity: Denied.',
    ])
    expect(orders(plan.command('cancel'))).to.deep.equal(['restored web'])
    plan.restored('web')
    expect(plan.actor.state.owed).to.deep.equal([])
  })

  it('is tried anew under another revision, what is known of its targets kept; a draft forgets it [EVR-42] [G-82]', () => {
    const plan = planIn('scaling_up')
    plan.raised('web')
    plan.report('api', 'raised', 'failed', { message: 'No capacity.' })
    expect(orders(plan.schedule('failed'))).to.deep.equal(['reserved web', 'reserved api'])
    expect([plan.status, plan.revision, plan.actor.state.reason]).to.deep.equal(['scheduling', 2, ''])
    // What it is now is not what it was: nobody has put it back yet.
    plan.report('web', 'reserved', 'succeeded', { originals: scaled['web'] })
    plan.report('api', 'reserved', 'succeeded', { originals: scaled['api'] })
    plan.due('up', at('2030-11-29T14:00:00'))
    plan.report('web', 'raised', 'succeeded', { originals: scaled['web'], counts: scaled['web'] })
    plan.report('api', 'raised', 'succeeded', { originals: scaled['api'], counts: scaled['api'] })
    const { emitted } = plan.due('down')
    expect(emitted.map(({ data }) => data.originals)).to.deep.equal([originals['web'], originals['api']])

    const draft = planIn('failed')
    draft.command('draft')
    expect(target(draft)).to.deep.equal({ ...web, state: 'idle', originals: null, scaled: null, isKept: false })
    const reopened = planIn('completed')
    expect(target(reopened).originals).to.deep.equal(originals['web'])
    reopened.command('reopen')
    expect([reopened.status, target(reopened).originals, target(reopened).scaled]).to.deep.equal(['draft', null, null])
  })

  it('by deletion cancels first what is schedulable, and keeps the rest [EVR-16] [EVR-47]', () => {
    for (const status of ['draft', 'scheduling', 'scheduled'] as const) {
      const plan = planIn(status)
      const done = plan.command('delete')
      expect(transitions(done)).to.deep.equal([`${status}>cancelled by ana`])
      expect(orders(done)).to.deep.equal(status === 'draft' ? [] : ['released web', 'released api'])
      expect([plan.actor.state.deletedAt?.getTime(), plan.reminders()]).to.deep.equal([plan.actor.now, {}])
      expect(plan.due('up', at('2030-11-29T13:30:00')).emitted).to.deep.equal([])
      const again = [plan.command('delete'), plan.command('cancel'), plan.schedule(), plan.callBack('scheduled')]
      expect(again.map(({ refused }) => refused)).to.deep.equal(Array(4).fill('not_found'))
    }
    for (const status of ['scaling_up', 'active', 'scaling_down'] as const)
      expect(planIn(status).command('delete').refused).to.equal('plan_in_progress')
  })
})
