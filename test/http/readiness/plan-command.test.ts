import { expect } from 'chai'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { ask } from '#test/harness/people.ts'
import { tenant, type Answer } from '#test/harness/product.ts'
import {
  begun,
  discoverTargets,
  executorToken,
  logOf,
  made,
  planBody,
  planOf,
  policyOn,
  reach,
  statusOf,
  tell,
  transitionsOf,
} from '#test/harness/readiness.ts'
import { deepIt } from '#test/harness/tier.ts'

const codeOf = async (answer: Promise<Answer>): Promise<string> => {
  const { status, body } = await answer
  return `${status} ${body.code}`
}

describe('the course of a readiness plan', () => {
  let f: Fleet
  let policy: string
  let count = 0
  before(async () => {
    f = await fleet()
    await discoverTargets(f, Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`asg-${n}`, {}])))
  })
  after(() => f.end())
  beforeEach(async () => void (policy = await policyOn(f, `asg-${++count}`)))
  const command = (id: string, verb: string, body?: object) => f.send('POST', `/event-readiness/${id}/${verb}`, body)

  it('begins with a schedule, which answers at the top [EVR-09] [EVR-30] [GEN-05]', async () => {
    const id = await made(f, [policy])
    const answer = await command(id, 'schedule')
    expect([answer.status, answer.body]).to.deep.equal([202, { message: 'The plan is being scheduled.', eventId: id }])
    expect(['scheduling', 'scheduled']).to.include(await statusOf(f, id))
    expect(await codeOf(command(id, 'schedule'))).to.equal('409 invalid_transition')
    expect(await codeOf(command('none', 'schedule'))).to.equal('404 not_found')
    const past = await made(f, [policy], { eventStart: '2020-01-01T10:00:00Z', eventEnd: '2020-01-01T11:00:00Z' })
    expect(await codeOf(command(past, 'schedule'))).to.equal('422 event_in_past')
  })

  it('holds a policy for one plan at a time [G-82]', async () => {
    const [first, second] = [await made(f, [policy]), await made(f, [policy])]
    const after = { eventStart: '2030-11-29T18:45:00Z', eventEnd: '2030-11-29T19:00:00Z', preScaleMinutes: 0 }
    const third = await made(f, [policy], after)
    expect((await command(first, 'schedule')).status).to.equal(202)
    const refused = await command(second, 'schedule')
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'policy_window_conflict'])
    expect((await command(third, 'schedule')).status).to.equal(202)
  })

  // In memory: `holds no policy that another live plan holds at the time`, test/actors/readiness/run.test.ts.
  deepIt('lets a policy go with the plan that held it, to one of two that ask at once [G-82]', async () => {
    const [first, second] = [await made(f, [policy]), await made(f, [policy])]
    const after = { eventStart: '2030-11-29T18:45:00Z', eventEnd: '2030-11-29T19:00:00Z', preScaleMinutes: 0 }
    const third = await made(f, [policy], after)
    for (const id of [first, third]) expect((await command(id, 'schedule')).status).to.equal(202)
    const moved = f.send('PATCH', `/event-readiness/${third}`, { preScaleMinutes: 1 })
    expect(await codeOf(moved)).to.equal('409 policy_window_conflict')
    await command(first, 'cancel')
    expect((await command(second, 'schedule')).status).to.equal(202)
    const both = await Promise.all([made(f, [policy]), made(f, [policy])])
    await command(second, 'cancel')
    const answers = await Promise.all(both.map((id) => command(id, 'schedule')))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([202, 409])
  })

  it('is ended by a cancel, once [EVR-10] [EVR-31] [EVR-33]', async () => {
    const id = await made(f, [policy])
    await command(id, 'schedule')
    const answer = await command(id, 'cancel')
    expect([answer.status, answer.body.data.status]).to.deep.equal([200, 'cancelled'])
    expect(await codeOf(command(id, 'cancel'))).to.equal('409 invalid_transition')
    for (const verb of ['schedule', 'retry', 'reopen'])
      expect(await codeOf(command(id, verb)), verb).to.equal('409 invalid_transition')
  })

  it('goes on by the words of an executor, and by nobody else’s [EVR-44] [EVR-32] [EVR-36]', async () => {
    const id = await made(f, [policy], begun())
    await command(id, 'schedule')
    const original = { policyId: policy, min: 2, max: 10, desired: 4 }
    await reach(f, id, 'scaling_up', { results: [original] })
    const asked = { status: 'active', revision: 1, occurredAt: new Date().toISOString() }
    const path = `/internal/event-readiness/${id}/status`
    expect(await codeOf(f.send('POST', path, asked))).to.equal('403 forbidden')
    expect(await codeOf(ask('POST', path, { body: asked }))).to.equal('401 unauthenticated')
    const nameless = ask('POST', path, { token: executorToken(), body: asked })
    expect(await codeOf(nameless)).to.equal('403 organization_required')
    const foreign = ask('POST', path, { token: executorToken((await tenant()).orgId), body: asked })
    expect(await codeOf(foreign)).to.equal('404 not_found')
    expect(await codeOf(tell(f, id, 'ready'))).to.equal('400 validation_failed')
    expect(await codeOf(tell(f, id, 'active', { occurredAt: 'now' }))).to.equal('400 validation_failed')

    await reach(f, id, 'active')
    const plan = await planOf(f, id)
    expect(plan.targets).to.deep.equal([{ policyId: policy, originalMin: 2, originalMax: 10, originalDesired: 4 }])
    const again = await tell(f, id, 'active', { message: 'Still.' })
    expect([again.status, again.body.data]).to.deep.equal([200, plan])
    expect((await tell(f, id, 'failed', { revision: 0 })).status).to.equal(200)
    expect(await statusOf(f, id)).to.equal('active')
    expect(await codeOf(tell(f, id, 'scheduled'))).to.equal('409 invalid_transition')
    expect(await codeOf(tell(f, id, 'completed'))).to.equal('409 invalid_transition')
    const told = (await logOf(f, id)).filter(({ kind, policyId }) => kind === 'callback' && policyId === undefined)
    expect(told.slice(-2).map(({ message, actor }) => [message, actor])).to.deep.equal([
      ['active: Still.', 'executor'],
      ['failed (for revision 0; the plan is at revision 1)', 'executor'],
    ])
    expect(await codeOf(f.send('PATCH', `/event-readiness/${id}`, { name: 'x' }))).to.equal('409 plan_not_schedulable')
    expect(await codeOf(f.send('DELETE', `/event-readiness/${id}`))).to.equal('409 plan_in_progress')
    await command(id, 'cancel')
    expect(await transitionsOf(f, id)).to.deep.equal([
      'draft>scheduling',
      'scheduling>scheduled',
      'scheduled>scaling_up',
      'scaling_up>active',
      'active>cancelled',
    ])
  })

  it('is tried anew or taken back to draft when it has failed, and reopened when it is completed [EVR-42] [EVR-43] [G-82]', async () => {
    const id = await made(f, [policy])
    expect(await codeOf(command(id, 'retry'))).to.equal('409 invalid_transition')
    expect(await codeOf(command(id, 'reopen'))).to.equal('409 invalid_transition')
    await command(id, 'schedule')
    await tell(f, id, 'failed', { message: 'No quota.' })
    expect(await statusOf(f, id)).to.equal('failed')
    const again = await command(id, 'retry')
    expect([again.status, again.body.data.id]).to.deep.equal([202, id])
    expect(['scheduling', 'scheduled']).to.include(again.body.data.status)
    await tell(f, id, 'failed', { revision: 2 })
    expect(await codeOf(command(id, 'retry', { to: 'active' }))).to.equal('400 validation_failed')
    const draft = await command(id, 'retry', { to: 'draft' })
    expect([draft.status, draft.body.data.status, draft.body.data.targets]).to.deep.equal([
      202,
      'draft',
      [{ policyId: policy }],
    ])
    const types = 'plan_created,plan_scheduled,plan_cancelled,plan_retried,plan_reopened'
    const { items } = (await f.get(`/security-events?type=${types}`)).body.data
    const own = items.filter(({ detail }: any) => detail.planID === id)
    expect(own.map(({ type }: any) => type)).to.deep.equal([
      'plan_retried',
      'plan_retried',
      'plan_scheduled',
      'plan_created',
    ])
  })

  it('is decided about by those who may [G-17]', async () => {
    const id = await made(f, [policy])
    const viewer = await f.tokenFor('viewer')
    const as = (method: string, path: string, body?: object) =>
      ask(method, path, { token: viewer, ...(body && { body }) })
    for (const verb of ['schedule', 'cancel', 'retry', 'reopen'])
      expect(await codeOf(as('POST', `/event-readiness/${id}/${verb}`)), verb).to.equal('403 forbidden')
    expect(await codeOf(as('POST', '/event-readiness', planBody([policy])))).to.equal('403 forbidden')
    expect(await codeOf(as('DELETE', `/event-readiness/${id}`))).to.equal('403 forbidden')
    expect((await as('GET', `/event-readiness/${id}`)).status).to.equal(200)
  })
})
