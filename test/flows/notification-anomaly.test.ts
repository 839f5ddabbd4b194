/** When an anomaly counts as told, and of which nobody is told. */
import { expect } from 'chai'
import { anomalies, before as daysBefore, day, detect, line, publish } from '#test/harness/anomaly.ts'
import { calm, channelTo, chat, done, keysOf, type Answer, type Chat, type Room } from '#test/harness/chat.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const fortnight = Array.from({ length: 14 }, () => 100)
const second = { cloudAccountId: 'acct-2', resourceUid: 'r2' }

describe('an anomaly', () => {
  let receivers: Chat
  let org: Tenant
  before(async () => void (receivers = await chat()))
  after(() => receivers.end())
  beforeEach(async () => {
    org = await tenant()
    await publish(org, daysBefore(fortnight))
  })
  afterEach(resetClock)

  /** A room that hears of anomalies of one severity, or of all. */
  async function listening(answers: Room['answers'] = [], of = ''): Promise<Room> {
    const room = receivers.room()
    room.answers = answers
    const channelID = await channelTo(org, room)
    const keys = (await keysOf(org)).filter((key) => key.startsWith('cost.anomaly') && key.endsWith(of))
    const subscriptions = keys.map((eventType) => ({ channelID, eventType, scopeType: 'org', scopeID: '' }))
    await done(org, 'POST', '/notifications/subscriptions/bulk', { subscriptions })
    return room
  }
  const spike = async (offset: number, usd: number) => {
    await publish(org, [line(offset, usd)])
    await detect(org, day(offset))
    await calm(org)
  }
  const later = async (seconds: number) => {
    await advance(seconds, org.orgId)
    await calm(org)
  }
  const notified = async () => (await anomalies(org)).map((one) => one.notified)
  const told = (room: Room) =>
    room.posts
      .splice(0)
      .map(({ event }) => event)
      .toSorted()
  /** One message of the resource, its account and the organization. */
  const all = ['cost.anomaly.resource.critical']

  it('is notified once a receiver has accepted it, and not before; it is one story of all that it was found in, and says who was told of it', async () => {
    const wait: Answer = (response) => response.writeHead(503, { 'Retry-After': '600' }).end()
    const room = await listening([wait, 200])
    await spike(0, 200)
    expect([told(room), await notified()]).to.deep.equal([all, [false, false, false]])
    await later(601)
    expect([told(room), await notified()]).to.deep.equal([all, [true, true, true]])
    for (const one of await anomalies(org)) expect(Date.parse(one.notifiedAt)).to.be.at.least(Date.parse(one.createdAt))
    const rows = new Map((await anomalies(org)).map((one) => [one.anomalyType, one]))
    const [story, ...others] = await anomalies(org, '&fold=story')
    const resource = rows.get('resource')
    const folded = [rows.get('cloud_account').id, rows.get('org').id]
    expect([story, others]).to.deep.equal([{ ...resource, storyKey: `${day(0)}/resource/r1`, folded }, []])
    expect([resource.label, resource.cloudAccountID, resource.teamID]).to.deep.equal(['r1', 'acct-1', 'unassigned'])
    const { told: messages, series, topResources } = (await org.get(`/reports/anomalies/${story.id}`)).body.data
    const said = messages.map((one: any) => `${one.eventType} ${one.status} ${one.scope.id}`)
    expect(said.filter((one: string) => one.startsWith('cost.anomaly'))).to.deep.equal([
      'cost.anomaly.resource.critical delivered r1',
    ])
    const at = { expectedUsd: 100, warningUsd: 130, criticalUsd: 200, emergencyUsd: 600 }
    expect(series.slice(-2)).to.deep.equal([
      { date: day(-1), actualUsd: 100, ...at },
      { date: day(0), actualUsd: 200, ...at },
    ])
    expect(topResources).to.deep.equal([{ resourceUid: 'r1', resourceName: 'r1', costUSD: 200, deltaUSD: 100 }])
  })

  deepIt('is not while every receiver is away, and is as soon as one of them is back', async () => {
    const rooms = [await listening([503]), await listening([404])]
    await spike(0, 200)
    for (const seconds of [1, 5, 30]) await later(seconds)
    expect([await notified(), rooms.map(({ posts }) => posts.length)]).to.deep.equal([
      [false, false, false],
      [4, 1],
    ])
    for (const one of await anomalies(org)) expect(one.notifiedAt).to.equal(null)
    rooms[0]!.answers = [200]
    await later(120)
    expect(await notified()).to.deep.equal([true, true, true])
  })

  deepIt('is never where all of them fail; the next of its key is told', async () => {
    const room = await listening([404])
    await spike(0, 200)
    expect(told(room)).to.deep.equal(all)
    expect(await notified()).to.deep.equal([false, false, false])
    await later(2 * 86_400)
    room.answers = [200]
    await spike(1, 300)
    // 7.5 deviations of the fifteen days before.
    expect(told(room)).to.deep.equal(all.map((key) => key.replace('critical', 'emergency')))
    const shown = await anomalies(org)
    expect(shown.map(({ date, notified: is }) => `${date} ${is}`).toSorted()).to.deep.equal(
      [day(0), day(0), day(0)]
        .map((date) => `${date} false`)
        .concat([day(1), day(1), day(1)].map((date) => `${date} true`)),
    )
  })

  deepIt('silences its key for seven days, the day itself counted, once somebody was told', async () => {
    const room = await listening()
    await spike(0, 200)
    expect(told(room)).to.deep.equal(all)
    for (const offset of [1, 2, 3, 4, 5]) await publish(org, [line(offset, 100)])
    await spike(6, 400)
    expect([told(room), (await anomalies(org)).length]).to.deep.equal([[], 6])
    await spike(7, 900)
    expect(told(room)).to.deep.equal(['cost.anomaly.resource.emergency'])
  })

  // From which amount on: test/flows/notification-scope.test.ts.
  deepIt('of less than the least amount is recorded and told to nobody', async () => {
    const room = await listening()
    await done(org, 'PATCH', `/organisations/${org.orgId}/settings`, { anomalyNotifyMinUSD: 50 })
    await publish(org, [...daysBefore(fortnight, second), line(0, 150, second)])
    await spike(0, 149.99)
    // Of r2, its account and the organization, which it explains half of.
    expect(told(room)).to.deep.equal(['cost.anomaly.resource.warning'])
    const shown = (await anomalies(org)).map(({ anomalyKey, notified: is }) => `${anomalyKey} ${is}`).toSorted()
    expect(shown).to.deep.equal([`${org.orgId} true`, 'acct-1 false', 'acct-2 true', 'r1 false', 'r2 true'].toSorted())
  })

  deepIt('that is expected is told to nobody until its day, and then it is', async () => {
    const room = await listening()
    await spike(0, 200)
    expect(told(room)).to.deep.equal(all)
    const own = (await anomalies(org, '&type=org'))[0]
    await done(org, 'PUT', `/reports/anomalies/${own.id}/review`, { state: 'expected', until: day(8) })
    for (const offset of [1, 2, 3, 4, 5, 6]) await publish(org, [line(offset, 100)])
    await spike(7, 400)
    expect(told(room)).to.deep.equal(['cost.anomaly.resource.emergency'])
    expect((await anomalies(org, '&type=cloud_account')).map(({ notified: is }) => is)).to.deep.equal([true, true])
    expect((await anomalies(org, '&type=org')).length).to.equal(2)
    await publish(org, [line(8, 100)])
    await spike(9, 900)
    expect(told(room), 'the others were told two days ago').to.deep.equal(['cost.anomaly.emergency'])
  })

  deepIt('that comes every week is told to nobody unless the organization wants it [G-118]', async () => {
    const room = await listening()
    const weekly = Array.from({ length: 35 }, (_, at) => (at % 7 === 0 ? 200 : 100))
    await publish(org, daysBefore(weekly, { exportedAt: '2026-04-02T00:00:00Z' }))
    await spike(0, 200)
    expect(told(room)).to.deep.equal([])
    const found = await anomalies(org)
    // 200 after a week of 800: 75 per cent.
    expect(
      found.map(({ anomalyType, recurring, deviationPercent }) => [anomalyType, recurring, deviationPercent]),
    ).to.deep.equal(['cloud_account', 'org', 'resource'].map((type) => [type, true, 75]))
    expect(new Set(found.map((one) => `${one.recurrence} ${one.notified}`))).to.deep.equal(
      new Set(['every Friday false']),
    )
    expect(await anomalies(org, '&include_recurring=false')).to.deep.equal([])
    expect(await anomalies(org, '&include_recurring=false&fold=story')).to.deep.equal([])
    await done(org, 'PATCH', `/organisations/${org.orgId}/settings`, { anomalyNotifyRecurring: true })
    await publish(
      org,
      [1, 2, 3, 4, 5, 6].map((offset) => line(offset, 100)),
    )
    await spike(7, 200)
    expect(told(room)).to.have.length(1)
  })

  deepIt('that is suppressed is told to nobody', async () => {
    const room = await listening()
    await publish(org, [line(0, 200, { resourceUid: 'new' })])
    await spike(0, 100)
    expect((await anomalies(org)).map(({ severity, suppressed }) => [severity, suppressed])).to.deep.equal([
      ['info', true],
      ['info', true],
    ])
    expect(told(room)).to.deep.equal([])
  })
})
