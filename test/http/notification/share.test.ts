import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { channelTo, chat, deliveriesOf, done, mailTo, type Chat, type Room } from '#test/harness/chat.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { recommended } from '#test/harness/recommendation.ts'

describe('sharing a recommendation', () => {
  let receivers: Chat
  let org: Tenant
  let id: string
  let room: Room
  let good: string
  before(async () => void (receivers = await chat()))
  after(() => receivers.end())
  beforeEach(async () => {
    org = await tenant()
    ;[id] = (await recommended(org, { savings_usd: 40.5, current_cost_usd: 100 })) as [string]
    room = receivers.room()
    good = await channelTo(org, room)
  })
  const share = async (body: object, recID = id) => {
    const answer = await org.send('POST', `/notifications/share/recommendation/${recID}`, body)
    return answer.status === 200 ? answer.body.data : [answer.status, answer.body.errors?.[0].name ?? answer.body.code]
  }
  const many = (count: number) => Array.from({ length: count }, (_, n) => `c-${n}`)

  it('takes 1 to 20 channels and 2,000 characters, and finds those of the organization alone', async () => {
    const [foreign] = await recommended(await tenant(), {})
    expect(await share({ channelIDs: many(20) }, 'r-1')).to.deep.equal([404, 'not_found'])
    expect(await share({ channelIDs: many(1) }, foreign)).to.deep.equal([404, 'not_found'])
    expect(await share({ channelIDs: [] })).to.deep.equal([400, '/channelIDs'])
    expect(await share({ channelIDs: many(21) })).to.deep.equal([400, '/channelIDs'])
    expect(await share({ channelIDs: many(1), message: 'x'.repeat(2001) })).to.deep.equal([400, '/message'])
    expect(await share({})).to.deep.equal([400, '/channelIDs'])
    expect(await share({ channelIDs: many(20), message: 'x'.repeat(2000) })).to.deep.equal({ sent: 0, failed: 20 })
  })

  it('says what it is, what it saves and where it is, once by each channel, and counts who took it [NOTIF-17]', async () => {
    const broken = receivers.room()
    broken.answers = [500]
    const bad = await channelTo(org, broken)
    const channelIDs = [good, bad, good, 'none']
    expect(await share({ channelIDs, message: 'Shall we?' })).to.deep.equal({ sent: 1, failed: 2 })
    expect([room.posts.length, broken.posts.length]).to.deep.equal([1, 1])
    const [{ text, event }] = room.posts as [Room['posts'][0]]
    expect(event).to.equal('recommendation')
    for (const said of [
      'Stop EC2 instance web.',
      'Shall we?',
      'It saves 40.50 of 100.00 US dollars in 30 days.',
      '40.50 US dollars',
      'https://console.aws.amazon.com/ec2',
      '/notifications/view?token=',
    ])
      expect(text).to.contain(said)
    await until('the log', async () => (await deliveriesOf(org)).length === 2)
    const told = (await deliveriesOf(org)).map((one) => [one.channelID, one.kind, one.eventType, one.status])
    expect(told).to.have.deep.members([
      [good, 'share', 'recommendation', 'delivered'],
      [bad, 'share', 'recommendation', 'failed'],
    ])
    const [{ id: deliveryID }] = await deliveriesOf(org, '&event_type=recommendation&status=delivered')
    const { event: whole } = await done(org, 'GET', `/notifications/deliveries/${deliveryID}`)
    expect(whole.link).to.match(new RegExp(`/recommendations/${id}/detail$`))
    expect(whole.scope).to.deep.equal({ type: 'resource', id: 'i-1' })
  })

  it('is a mail too, by 30 an hour at most', async () => {
    const mail = await mailTo(org, 'cfo@example.com')
    expect(await share({ channelIDs: [mail] })).to.deep.equal({ sent: 1, failed: 0 })
    await until('the log', async () => (await deliveriesOf(org)).length === 1)
    const [row] = await org.facts(`SELECT * FROM notification_delivery WHERE org_id = {org:String}`)
    const plant = (count: number, fields: object = {}) =>
      org.put(
        'notification_delivery',
        Array.from({ length: count }, () => ({ ...row, x_Version: '1', ...fields, id: randomUUID() })),
      )
    await plant(28)
    const overAnHourAgo = new Date(org.connections.clock.now() - 3_601_000).toISOString().slice(0, -1)
    await plant(5, { created_at: overAnHourAgo })
    expect(await share({ channelIDs: [mail] }), 'the thirtieth').to.deep.equal({ sent: 1, failed: 0 })
    await until('the log', async () => (await deliveriesOf(org)).length === 35)
    expect(await share({ channelIDs: [mail, good] })).to.deep.equal([429, 'rate_limited'])
    expect(room.posts).to.deep.equal([])
    expect(await share({ channelIDs: [good] })).to.deep.equal({ sent: 1, failed: 0 })
  })

  it('is not for roles that do not see it, nor is what others have shared', async () => {
    const reportScope = { all: false, cloudAccountIDs: ['acct-9'], teamIDs: [] }
    const permissions = ['service.view', 'service.update']
    const role = (await done(org, 'POST', '/roles', { name: 'Narrow', permissions, reportScope })).id
    const who = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, role)
    expect(await share({ channelIDs: [good] })).to.deep.equal({ sent: 1, failed: 0 })
    await until('the log', async () => (await deliveriesOf(org)).length === 1)
    const token = who.accessToken
    expect((await ask('GET', '/notifications/deliveries', { token })).body.data.items).to.deep.equal([])
    const path = `/notifications/share/recommendation/${id}`
    expect((await ask('POST', path, { token, body: { channelIDs: [good] } })).status).to.equal(404)
  })
})
