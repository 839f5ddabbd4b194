import { expect } from 'chai'
import { ask, colleague, founder, type Founder } from '#test/harness/people.ts'

describe('what a role that shows a part of the costs may have told', () => {
  let own: Founder
  let token: string
  let team: string
  const send = (method: string, path: string, body: object, as = token) =>
    ask(method, `/notifications/${path}`, { token: as, body })
  const said = ({ status, body }: { status: number; body: any }) => [status, body.code ?? 'ok']
  const refused = [403, 'report_scope']
  before(async () => {
    own = await founder()
    const made = async (name: string) =>
      (await ask('POST', '/teams', { token: own.accessToken, body: { name } })).body.data.id as string
    team = await made('Payments')
    const permissions = ['service.view', 'service.create', 'service.update']
    const reportScope = { all: false, cloudAccountIDs: [], teamIDs: [team] }
    const body = { name: 'Payments lead', permissions, reportScope }
    const role = await ask('POST', '/roles', { token: own.accessToken, body })
    token = (await colleague(own, role.body.data.id)).accessToken
  })
  const channel = async (as: string) =>
    (await send('POST', 'channels', { type: 'email', name: 'A', config: { email: 'a@example.com' } }, as)).body.data
      .id as string

  it('are costs of its own teams and accounts, and what happens to resources', async () => {
    const channelID = await channel(token)
    const wanted = (eventType: string, scopeType: string, scopeID = '') => ({
      channelID,
      eventType,
      scopeType,
      scopeID,
    })
    expect(said(await send('POST', 'subscriptions', wanted('budget.exceeded', 'org')))).to.deep.equal(refused)
    expect(said(await send('POST', 'subscriptions', wanted('cost.anomaly.critical', 'org')))).to.deep.equal(refused)
    const mine = await send('POST', 'subscriptions', wanted('budget.exceeded', 'team', team))
    expect(said(mine)).to.deep.equal([201, 'ok'])
    expect(said(await send('POST', 'subscriptions', wanted('resource.stopped', 'org')))).to.deep.equal([201, 'ok'])
    const wider = { scopeType: 'org' }
    expect(said(await send('PUT', `subscriptions/${mine.body.data.id}`, wider))).to.deep.equal(refused)
    const both = { subscriptions: [wanted('budget.warning', 'team', team), wanted('budget.warning', 'org')] }
    expect(said(await send('POST', 'subscriptions/bulk', both))).to.deep.equal(refused)
    const { body } = await ask('GET', '/notifications/subscriptions', { token })
    expect(body.data.map((s: any) => `${s.eventType} ${s.scopeType}`)).to.deep.equal([
      'budget.exceeded team',
      'resource.stopped org',
    ])
  })

  it("are no other's: a channel that tells more is not led elsewhere by it", async () => {
    const channelID = await channel(own.accessToken)
    const wide = { channelID, eventType: 'budget.exceeded', scopeType: 'org' }
    expect(said(await send('POST', 'subscriptions', wide, own.accessToken))).to.deep.equal([201, 'ok'])
    const led = { config: { email: 'b@example.com' } }
    expect(said(await send('PUT', `channels/${channelID}`, led))).to.deep.equal(refused)
    expect(said(await send('PUT', `channels/${channelID}`, { name: 'B' }))).to.deep.equal([200, 'ok'])
    const { body } = await ask('GET', '/notifications/channels', { token: own.accessToken })
    expect(body.data.find(({ id }: any) => id === channelID)).to.deep.include({
      name: 'B',
      config: { email: 'a@example.com' },
    })
  })

  it('is led by its own channels alone: one that somebody else made keeps its address and its secret, subscribed or not', async () => {
    const channelID = await channel(own.accessToken)
    const led = { config: { email: 'b@example.com' } }
    expect(said(await send('PUT', `channels/${channelID}`, led))).to.deep.equal(refused)
    expect(said(await ask('GET', `/notifications/channels/${channelID}/signing-secret`, { token }))).to.deep.equal(
      refused,
    )
    expect(said(await send('POST', `channels/${channelID}/signing-secret`, {}))).to.deep.equal(refused)
    const mine = await channel(token)
    expect(said(await send('PUT', `channels/${mine}`, led))).to.deep.equal([200, 'ok'])
  })
})
