/** What roles that see some of the costs see of recommendations. */
import { expect } from 'chai'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, type Answer } from '#test/harness/product.ts'
import { recommended } from '#test/harness/recommendation.ts'

const told = ({ status, body }: Answer) => [
  status,
  body?.code,
  ...(body?.errors ?? []).map((e: any) => `${e.name} ${e.code}`),
]
describe('recommendations, to a role that sees some accounts and teams', () => {
  it('are those of their resources, in every list, every sum and one by one', async () => {
    const own = await tenant()
    const [mine, ofTeam] = await recommended(
      own,
      { resource_uid: 'i-1', history: [] },
      { resource_uid: 'i-2', cloud_account_id: 'acct-2', savings_usd: 7, current_cost_usd: 9 },
      { resource_uid: 'i-3', cloud_account_id: 'acct-3', savings_usd: 500, rule_id: 'RC-1009' },
    )
    const team = (await own.send('POST', '/teams', { name: 'Core' })).body.data.id
    await own.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-2'] })
    const reportScope = { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [team] }
    const permissions = ['service.view', 'service.update']
    const role = (await own.send('POST', '/roles', { name: 'Narrow', permissions, reportScope })).body.data.id
    const who = await colleague({ accessToken: own.token, orgId: own.orgId } as Founder, role)
    const see = (path: string, method = 'GET', body?: object) =>
      ask(method, `/recommendations${path}`, { token: who.accessToken, ...(body && { body }) })
    const shown = async (path: string) => (await see(path)).body.data
    const [{ id: foreign }] = (await own.get('/recommendations?rule_id=RC-1009')).body.data.items
    expect((await shown('')).items.map((one: any) => one.id)).to.deep.equal([mine, ofTeam])
    expect((await shown('/resources')).items.map((one: any) => one.resourceUid)).to.deep.equal(['i-1', 'i-2'])
    expect((await shown('/rules')).items.map((one: any) => [one.ruleId, one.totalSavingsUsd])).to.deep.equal([
      ['RC-1001', 47],
    ])
    expect(await shown('/summary')).to.include({ totalOpen: 2, totalSavings: 47, totalOpenCost: 109, resourceCount: 2 })
    expect((await shown('/summary/providers'))[0]).to.include({ totalOpen: 2, totalSavings: 47 })
    expect(told(await see('/resources/i-3'))).to.deep.equal([404, 'not_found'])
    expect(Object.keys(await shown(`/activity?rec_id=${mine},${ofTeam},${foreign}`))).to.have.members([mine, ofTeam])
    for (const [path, method, body] of [
      ['/detail', 'GET'],
      ['/history', 'GET'],
      ['/viewed', 'POST'],
      ['', 'PATCH', { status: 'applied' }],
    ] as const)
      expect(told(await see(`/${foreign}${path}`, method, body)), path).to.deep.equal([404, 'not_found'])
    expect((await see(`/${mine}/detail`)).status).to.equal(200)
  })
})
