/** What one organization has others told of is out of another's reach, though both call everything the same. */
import { expect } from 'chai'
import { anomalyFound } from '#streams/anomaly.ts'
import { anomalies, day } from '#test/harness/anomaly.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import {
  calm,
  channelTo,
  chat,
  deliveriesOf,
  done,
  keysOf,
  mailTo,
  spending,
  subscribe,
  type Chat,
  type Room,
} from '#test/harness/chat.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { active, ask, colleague, login, mailsTo, type Founder } from '#test/harness/people.ts'
import { deepIt } from '#test/harness/tier.ts'

interface Side {
  org: Tenant
  owner: Founder
  room: Room
  channel: string
  subscription: string
}

describe('notifications of two organizations that look alike [GEN-10]', () => {
  let receivers: Chat
  let ours: Side
  let theirs: Side

  /** An account, a resource in it, and a channel for everything: under one name in each. */
  async function made(): Promise<Side> {
    const org = await tenant()
    const owner = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, 'owner')
    const at = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1' }
    await org.publish(resourceDiscovered, [
      { ...at, resourceUid: 'r1', name: 'web', type: 'aws-ec2', status: 'running' },
    ])
    const room = receivers.room()
    const channel = await channelTo(org, room)
    const keys = await keysOf(org)
    const subscriptions = keys.map((eventType) => ({ channelID: channel, eventType, scopeType: 'org', scopeID: '' }))
    await done(org, 'POST', '/notifications/subscriptions/bulk', { subscriptions })
    const subscription = await subscribe(org, channel, 'cost.anomaly.resource.critical', ['resource', 'r1'])
    await subscribe(org, channel, 'cost.anomaly.cloud_account.critical', ['cloud_account', 'acct-1'])
    return { org, owner, room, channel, subscription }
  }
  before(async () => {
    receivers = await chat()
    ours = await made()
    theirs = await made()
  })
  after(() => receivers.end())

  /** Something unusual in the organization, its account and its resource, and an override. */
  const happens = async ({ org }: Side, actualUsd: number) => {
    const of = [
      ['org', org.orgId],
      ['cloud_account', 'acct-1'],
      ['resource', 'r1'],
    ] as const
    await org.publish(
      anomalyFound,
      of.map(([type, key]) => ({
        ...anomalyFound.examples[0]!,
        ...(type !== 'org' && { cloudAccountId: 'acct-1' }),
        type,
        key,
        date: day(0),
        actualUsd,
      })),
    )
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    await done(org, 'POST', '/overrides', { scopeType: 'resource', scopeID: 'r1', desiredState: 'running', expiresAt })
    await calm(ours.org)
    await calm(theirs.org)
  }

  it('reach those of the one it happened in, by chat and by mail', async () => {
    await happens(theirs, 200)
    expect([ours.room.posts.length, theirs.room.posts.length]).to.deep.equal([0, 4])
    expect(await deliveriesOf(ours.org)).to.deep.equal([])
    const all = await deliveriesOf(theirs.org)
    expect(all.map(({ channelID }): string => channelID).toSorted()).to.deep.equal(
      [...Array<string>(4).fill(theirs.channel), ...Array<string>(3).fill(`mail:${theirs.owner.userId}`)].toSorted(),
    )
    await happens(ours, 600)
    expect([ours.room.posts.length, theirs.room.posts.length]).to.deep.equal([4, 4])
    expect(ours.room.posts.map(({ text }) => text).join()).to.not.include(theirs.org.orgId)
    expect((await deliveriesOf(ours.org)).length).to.equal(7)
    expect(await deliveriesOf(theirs.org)).to.deep.equal(all)
  })

  it('can be neither seen nor changed by their ids', async () => {
    const before = async () => [
      await done(theirs.org, 'GET', '/notifications/channels'),
      await done(theirs.org, 'GET', '/notifications/subscriptions'),
      await deliveriesOf(theirs.org),
      await anomalies(theirs.org),
    ]
    const standing = await before()
    const [delivery] = await deliveriesOf(theirs.org)
    const legacy = await done(theirs.org, 'POST', '/notifications', { channel: 'slack', webhookURL: theirs.room.url })
    const { channel, subscription } = theirs
    const [found] = await anomalies(theirs.org)
    const of = { eventType: 'budget.exceeded', scopeType: 'org', scopeID: '' }
    for (const [method, path, body] of [
      ['PUT', `/notifications/channels/${channel}`, { name: 'mine' }],
      ['DELETE', `/notifications/channels/${channel}`],
      ['POST', `/notifications/channels/${channel}/test`],
      ['GET', `/notifications/channels/${channel}/signing-secret`],
      ['POST', `/notifications/channels/${channel}/signing-secret`],
      ['POST', '/notifications/subscriptions', { channelID: channel, ...of }],
      ['PUT', `/notifications/subscriptions/${subscription}`, { enabled: false }],
      ['DELETE', `/notifications/subscriptions/${subscription}`],
      ['GET', `/notifications/deliveries/${delivery.id}`],
      ['PUT', `/notifications/${legacy.id}`, { notifyOnStop: true }],
      ['DELETE', `/notifications/${legacy.id}`],
      ['PUT', `/reports/anomalies/${found.id}/review`, { state: 'acknowledged' }],
    ] as const)
      for (const token of [ours.org.token, ours.owner.accessToken]) {
        const answer = await ask(method, path, { token, ...(body !== undefined && { body }) })
        expect([answer.status, answer.body.code], `${method} ${path}`).to.deep.equal([404, 'not_found'])
      }
    const own = await subscribe(ours.org, await mailTo(ours.org, 'a@example.com'), 'budget.warning')
    const moved = await ours.org.send('PUT', `/notifications/subscriptions/${own}`, { channelID: channel })
    const many = await ours.org.send('POST', '/notifications/subscriptions/bulk', {
      subscriptions: [{ channelID: channel, ...of }],
    })
    expect([moved.status, many.status]).to.deep.equal([404, 400])
    expect(await deliveriesOf(ours.org, `&channel_id=${channel}`)).to.deep.equal([])
    expect(await done(ours.org, 'GET', `/notifications/subscriptions?channel_id=${channel}`)).to.deep.equal([])
    expect(await before()).to.deep.equal(standing)
    await calm(theirs.org)
    expect(theirs.room.posts.length).to.equal(4)
  })

  deepIt('stay apart for somebody who is in both: a preference is of one of them, and so are the mails', async () => {
    const { email } = theirs.owner
    const invited = await ask('POST', '/members', { token: ours.org.token, body: { email, roleID: 'admin' } })
    expect(invited.status).to.equal(201)
    const [here, there] = [
      await active(await login(email), ours.org.orgId),
      await active(await login(email), theirs.org.orgId),
    ]
    const path = '/notifications/email-preferences/budget.warning'
    const off = await ask('PUT', path, { token: there.accessToken, body: { enabled: false } })
    const on = await ask('GET', path, { token: here.accessToken })
    expect([off.body.data.enabled, on.body.data.enabled]).to.deep.equal([false, true])
    const warnings = async () =>
      (await mailsTo(email)).filter(({ subject }) => subject.includes('nearly used up')).length
    await spending(theirs.org)(85)
    expect(await warnings()).to.equal(0)
    await spending(ours.org)(85)
    expect(await warnings()).to.equal(1)
  })
})
