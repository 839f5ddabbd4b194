/** What people do about policies, and who may: the edge asks their actor, and shows what it made of it. */
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { autoscalerPolicies } from '#http/autoscaling/routes.ts'
import { answering, changed, plantedPolicies, takenAway, type Asked } from '#test/harness/autoscaler-row.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

const told = ({ status, body }: Answer) => [status, body?.code]

describe('commands to autoscaler policies', () => {
  let org: Tenant
  let id: string
  let asked: Asked[]
  let end: () => void
  let refusal: Fault | undefined
  before(async () => {
    const statuses: Record<string, object> = { pause: { status: 'paused' }, resume: { status: 'active' } }
    const written = { min: 6, max: 10, desired: 6, cpuPercent: 90, observedAt: '2030-01-07T13:00:01.000Z' }
    statuses['apply'] = { recommendation: null, current: written, last_write_at: '2030-01-07T13:00:00.000Z' }
    ;({ asked, end } = await answering(async ({ name, data }) => {
      if (refusal) throw refusal
      if (name === 'autoscaler.removed') await takenAway(org, data.policyId)
      else await changed(org, data.policyId, statuses[data.verb]!)
      return { policyId: data.policyId }
    }))
  })
  after(() => end())
  beforeEach(async () => {
    org = await tenant()
    asked.length = 0
    refusal = undefined
    const recommendation = {
      id: 'r',
      fromMin: 2,
      fromMax: 10,
      toMin: 6,
      toMax: 10,
      toDesired: 6,
      need: 6,
      reason: 'CPU was high.',
      createdAt: '2030-01-07T13:00:00.000Z',
    }
    ;[id] = (await plantedPolicies(org, { recommendation })) as [string]
  })
  const post = (verb: string, policy = id) => org.send('POST', `/autoscaler-policies/${policy}/${verb}`)
  const trail = async (type: string) =>
    (await org.get(`/security-events?type=${type}`)).body.data.items.map((one: any) => one.detail)

  it('apply what is recommended, and show the target as it is then [ASC-07]', async () => {
    const { status, body } = await post('apply')
    expect([status, body.data.currentTarget.min, body.data.lastWriteAt]).to.deep.equal([
      200,
      6,
      '2030-01-07T13:00:00.000Z',
    ])
    expect(body.data).to.not.have.property('latestRecommendation')
    const [{ name, data }] = asked as [Asked]
    expect([name, data.verb, data.policyId, data.targetUid, data.cloudAccountId]).to.deep.equal([
      'autoscaler.commanded',
      'apply',
      id,
      'asg-1',
      'acct-1',
    ])
    expect(await trail('policy_applied')).to.deep.equal([
      { policyID: id, targetUID: 'asg-1', cloudAccountID: 'acct-1', toMin: '6', toMax: '10' },
    ])
  })

  it('are by the caller: a person, or the token of a machine [ASC-07] [ASC-24]', async () => {
    const owner = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, 'owner')
    await ask('POST', `/autoscaler-policies/${id}/pause`, { token: owner.accessToken })
    expect(asked[0]!.data.userId).to.equal(owner.userId)
  })

  it('pause and resume [ASC-08] [ASC-09] [ASC-37]', async () => {
    expect((await post('pause')).body.data.status).to.equal('paused')
    expect((await post('resume')).body.data.status).to.equal('active')
    expect(asked.map(({ data }) => data.verb)).to.deep.equal(['pause', 'resume'])
    expect(await trail('autoscaler_changed')).to.deep.equal([
      { policyID: id, change: 'resumed' },
      { policyID: id, change: 'paused' },
    ])
  })

  it('are refused by the actor in its own words, and then nothing is written down [ASC-37] [G-80]', async () => {
    const cases = [
      ['apply', Fault.conflict('no_recommendation', 'Nothing to apply.'), 409],
      ['apply', Fault.refused('capability_missing', 'It may only watch.'), 422],
      ['pause', Fault.conflict('invalid_transition', 'It is paused.'), 409],
      ['resume', Fault.conflict('invalid_transition', 'It is active.'), 409],
      ['remove', Fault.conflict('plan_in_progress', 'A plan holds it.'), 409],
    ] as const
    for (const [verb, fault, status] of cases) {
      refusal = fault
      expect(told(await post(verb)), verb).to.deep.equal([status, fault.code])
    }
    expect([await trail('policy_applied'), await trail('autoscaler_changed')]).to.deep.equal([[], []])
  })

  it('remove one, which is in no list then, and answer with it; DELETE does the same [ASC-10] [ASC-17] [ASC-37]', async () => {
    const [other] = (await plantedPolicies(org, { target_uid: 'asg-2' })) as [string]
    const { status, body } = await post('remove')
    expect([status, body.data.status, body.data.removedAt]).to.deep.equal([200, 'removed', '2030-01-08T13:00:00.000Z'])
    const deleted = await org.send('DELETE', `/autoscaler-policies/${other}`)
    expect([deleted.status, deleted.body]).to.deep.equal([204, undefined])
    expect(asked.map(({ name, data }) => [name, data.policyId])).to.deep.equal([
      ['autoscaler.removed', id],
      ['autoscaler.removed', other],
    ])
    expect((await org.get('/autoscaler-policies')).body.data.total).to.equal(0)
    const removed = (await org.get('/autoscaler-policies?status=removed')).body.data.items
    expect(removed.map((one: any) => one.id)).to.have.members([id, other])
    expect(await trail('autoscaler_changed')).to.deep.equal([
      { policyID: other, change: 'removed' },
      { policyID: id, change: 'removed' },
    ])
  })

  it('are 404 for removed ones, which show their events and themselves alone [ASC-37] [G-80]', async () => {
    await post('remove')
    // Its actor says so of a removal: it knows the same request once more.
    refusal = Fault.missing('autoscaler policy', id)
    for (const verb of ['apply', 'pause', 'resume', 'remove'])
      expect(told(await post(verb)), verb).to.deep.equal([404, 'not_found'])
    expect(told(await org.send('PUT', `/autoscaler-policies/${id}`, { max: 5 }))).to.deep.equal([404, 'not_found'])
    expect(told(await org.send('DELETE', `/autoscaler-policies/${id}`))).to.deep.equal([404, 'not_found'])
    expect((await org.get(`/autoscaler-policies/${id}/events`)).status).to.equal(200)
    expect((await org.get(`/autoscaler-policies/${id}?include_removed=true`)).status).to.equal(200)
    expect(asked.map(({ name }) => name)).to.deep.equal(Array.from({ length: 3 }, () => 'autoscaler.removed'))
  })

  it('need view to look, create to make, update to command and delete to delete [RBAC-02]', async () => {
    const named = autoscalerPolicies.map(({ method, path, permission }) => `${permission} ${method} ${path}`)
    const at = '/autoscaler-policies'
    expect(named).to.deep.equal([
      `service.view GET ${at}/smart-defaults`,
      `service.view GET ${at}/existing-policies`,
      `service.view GET ${at}/required-permissions`,
      `service.create POST ${at}/create-infrastructure`,
      `service.view GET ${at}/infrastructure-status`,
      `service.view POST ${at}/what-if`,
      `service.view GET ${at}`,
      `service.view GET ${at}/count`,
      `service.view GET ${at}/filters`,
      `service.create POST ${at}`,
      `service.update PUT ${at}/:policyID`,
      `service.update POST ${at}/:policyID/apply`,
      `service.update POST ${at}/:policyID/pause`,
      `service.update POST ${at}/:policyID/resume`,
      `service.update POST ${at}/:policyID/remove`,
      `service.delete DELETE ${at}/:policyID`,
      `service.view GET ${at}/:policyID/events`,
      `service.view GET ${at}/:policyID`,
    ])
    const viewer = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, 'viewer')
    for (const verb of ['apply', 'pause', 'resume', 'remove'])
      expect(told(await ask('POST', `${at}/${id}/${verb}`, { token: viewer.accessToken })), verb).to.deep.equal([
        403,
        'forbidden',
      ])
    expect((await ask('GET', `${at}/${id}`, { token: viewer.accessToken })).status).to.equal(200)
    expect(asked).to.deep.equal([])
  })
})
