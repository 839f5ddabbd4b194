/** Who sees plans: those whose role sees all of their targets. */
import { expect } from 'chai'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { discoverTargets, made, planBody, policyOn } from '#test/harness/readiness.ts'

const permissions = ['service.view', 'service.create', 'service.update', 'service.delete']

describe('readiness plans, before a role that sees a part of the organization', () => {
  let f: Fleet
  let mine: string
  let others: string
  let ofMine: string
  let ofBoth: string
  let token: string
  before(async () => {
    f = await fleet()
    const account = f.accountId
    const connecting = { name: 'Other', provider: 'aws', externalID: `sight-${account}` }
    const other = (await f.send('POST', '/cloud-accounts', connecting)).body.data.id as string
    await discoverTargets(f, {
      'asg-mine': { hourlyRateUSD: 4 },
      'asg-other': { hourlyRateUSD: 8, cloudAccountId: other },
      'db-other': {
        cloudAccountId: other,
        type: 'aws-rds',
        instanceType: 'db.m5.large',
        specs: { engine: 'postgres' },
      },
    })
    mine = await policyOn(f, 'asg-mine')
    others = await policyOn({ ...f, accountId: other } as Fleet, 'asg-other')
    ofMine = await made(f, [mine], { name: 'Mine' })
    ofBoth = await made(f, [mine, others], { name: 'Both' })
    const reportScope = { all: false, cloudAccountIDs: [account] }
    const role = await f.send('POST', '/roles', { name: 'One account', permissions, reportScope })
    const person = await colleague({ accessToken: f.token, orgId: f.orgId } as Founder, role.body.data.id)
    token = person.accessToken
  })
  after(() => f.end())

  const asked = async (method: string, path: string, body?: object) => {
    const answer = await ask(method, path, { token, ...(body && { body }) })
    return [answer.status, answer.body?.code]
  }

  it('are listed, counted and shown where all of their targets are seen [G-17] [EVR-11] [EVR-12] [EVR-14]', async () => {
    const listed = (await ask('GET', '/event-readiness', { token })).body.data
    expect([listed.items.map(({ id }: any) => id), listed.total]).to.deep.equal([[ofMine], 1])
    expect((await ask('GET', '/event-readiness/count', { token })).body.data.count).to.equal(1)
    expect((await f.get('/event-readiness/count')).body.data.count).to.equal(2)
    expect(await asked('GET', `/event-readiness/${ofMine}`)).to.deep.equal([200, undefined])
    for (const part of ['', '/logs', '/cost-estimate', '/db-impact', '/readiness-check'])
      expect(await asked('GET', `/event-readiness/${ofBoth}${part}`), part).to.deep.equal([404, 'not_found'])
  })

  it('are changed and decided about by nobody else [G-17] [EVR-09] [EVR-15] [EVR-16]', async () => {
    expect(await asked('PATCH', `/event-readiness/${ofBoth}`, { name: 'x' })).to.deep.equal([404, 'not_found'])
    expect(await asked('DELETE', `/event-readiness/${ofBoth}`)).to.deep.equal([404, 'not_found'])
    for (const verb of ['schedule', 'cancel', 'retry', 'reopen'])
      expect(await asked('POST', `/event-readiness/${ofBoth}/${verb}`, {}), verb).to.deep.equal([404, 'not_found'])
    expect((await f.get(`/event-readiness/${ofBoth}`)).body.data.status).to.equal('draft')
  })

  it('name policies that are seen alone, and nothing is worked out of others [G-17] [EVR-01] [EVR-02] [EVR-05]', async () => {
    const { eventStart, eventEnd, expectedMultiplier, targets } = planBody([mine, others])
    const wrong = async (method: string, path: string, body: object) =>
      (await ask(method, path, { token, body })).body.errors.map(({ name, code }: any) => `${name} ${code}`)
    const second = ['/targets/1/policyId unknown']
    expect(await wrong('POST', '/event-readiness', planBody([mine, others]))).to.deep.equal(second)
    expect(await wrong('PATCH', `/event-readiness/${ofMine}`, { targets })).to.deep.equal(second)
    const costs = { eventStart, eventEnd, expectedMultiplier, targets }
    expect(await wrong('POST', '/event-readiness/cost-preview', costs)).to.deep.equal(second)
    expect(
      await wrong('POST', '/event-readiness/preview-readiness', { ...costs, preScaleMinutes: 0, postEventMinutes: 0 }),
    ).to.deep.equal(second)
    expect(await asked('GET', `/event-readiness/calculate?policy_id=${others}&multiplier=2`)).to.deep.equal([
      404,
      'not_found',
    ])
    expect(await asked('GET', `/event-readiness/calculate?policy_id=${mine}&multiplier=2`)).to.deep.equal([
      200,
      undefined,
    ])
    expect(await asked('GET', '/event-readiness/calculate-db?target_uid=db-other&multiplier=2')).to.deep.equal([
      404,
      'not_found',
    ])
    expect((await f.get('/event-readiness/calculate-db?target_uid=db-other&multiplier=2')).status).to.equal(200)
  })

  it('cost nothing for a policy that was removed, and say so [EVR-07] [EVR-25]', async () => {
    expect((await f.send('POST', `/autoscaler-policies/${others}/remove`, {})).status).to.be.oneOf([200, 202, 204])
    const { data } = (await f.get(`/event-readiness/${ofBoth}/cost-estimate`)).body
    expect(data.perTarget.map(({ policyId }: any) => policyId)).to.deep.equal([mine, others])
    expect(data.perTarget[1].extraCost).to.equal(0)
    expect(data.warnings).to.deep.equal([`Policy ${others} no longer exists. Nothing is scaled up for it.`])
  })
})
