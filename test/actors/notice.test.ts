import { expect } from 'chai'
import { audienceOf, type Audience } from '#actors/notification/notice/match.ts'
import type { NotificationEvent } from '#streams/notification/messages.ts'
import type { SubscriptionScope } from '#streams/notification/channel.ts'

const event = (type: NotificationEvent['scope']['type'], id: string, fields: Partial<NotificationEvent> = {}) => ({
  id: 'e-1',
  eventType: 'resource.stopped',
  name: 'Resource Stopped',
  category: 'resource' as const,
  orgID: 'o1',
  occurredAt: '2026-01-15T10:00:00.000Z',
  title: 'web-1 was stopped',
  summary: '',
  scope: { type, id },
  data: {},
  ...fields,
})
const audience = (
  list: [channel: string, type: SubscriptionScope, id: string][],
  more: Partial<Audience> = {},
): Audience => ({
  subscribed: list.map(([channelId, scopeType, scopeId]) => ({ channelId, scopeType, scopeId })),
  people: [],
  ownersOf: (uid) => (uid === 'i-1' ? ['team|t-1', 'resource_group|g-1', 'resource_group|g-2'] : []),
  anomalyMinUsd: 0,
  ...more,
})
const every: [string, SubscriptionScope, string][] = [
  ['org', 'org', ''],
  ['a1', 'cloud_account', 'a1'],
  ['a2', 'cloud_account', 'a2'],
  ['t1', 'team', 't-1'],
  ['t2', 'team', 't-2'],
  ['g1', 'resource_group', 'g-1'],
  ['g3', 'resource_group', 'g-3'],
  ['i1', 'resource', 'i-1'],
  ['i2', 'resource', 'i-2'],
]

describe('who is told', () => {
  it('are those whose scope contains the thing: of a resource its account, team and groups too [NOTIF-55]', () => {
    const told = (of: NotificationEvent) => audienceOf(of, audience(every))
    const at = { data: { cloudAccountID: 'a1' } }
    expect(told(event('resource', 'i-1', at))).to.deep.equal(['org', 'a1', 't1', 'g1', 'i1'])
    expect(told(event('resource', 'i-2', at))).to.deep.equal(['org', 'a1', 'i2'])
    expect(told(event('team', 't-2'))).to.deep.equal(['org', 't2'])
    expect(told(event('resource_group', 'g-3'))).to.deep.equal(['org', 'g3'])
    expect(told(event('cloud_account', 'a2'))).to.deep.equal(['org', 'a2'])
    expect(told(event('org', ''))).to.deep.equal(['org'])
  })

  it('are told once by a channel, however many of its subscriptions fit [G-94]', () => {
    const list = audience([
      ['C', 'org', ''],
      ['C', 'resource_group', 'g-1'],
      ['D', 'cloud_account', 'a2'],
    ])
    expect(audienceOf(event('resource', 'i-1', { data: { cloudAccountID: 'a1' } }), list)).to.deep.equal(['C'])
  })

  it('of an override are those of every account that has its resource', () => {
    const data = {
      members: [
        { resourceUid: 'i-9', cloudAccountID: 'a1' },
        { resourceUid: 'i-9', cloudAccountID: 'a2' },
      ],
    }
    const of = event('resource', 'i-9', { eventType: 'resource.override', data })
    expect(audienceOf(of, audience(every))).to.deep.equal(['org', 'a1', 'a2'])
  })

  it('by mail are admins for budgets and anomalies, and of an action whoever asked for it [G-95]', () => {
    const people = [
      { userId: 'u-admin', isAdmin: true },
      { userId: 'u-1', isAdmin: false },
    ]
    const told = (of: NotificationEvent) => audienceOf(of, audience([], { people }))
    expect(told(event('team', 't-1', { category: 'budget' }))).to.deep.equal(['mail:u-admin'])
    expect(told(event('org', '', { category: 'cost_anomaly' }))).to.deep.equal(['mail:u-admin'])
    expect(told(event('resource', 'i-1', { data: { userID: 'u-1' } }))).to.deep.equal(['mail:u-1'])
    expect(told(event('resource', 'i-1', { data: {} }))).to.deep.equal([])
  })

  it('hear of no anomaly that lies less above its baseline than the organization cares for', () => {
    const told = (actualCostUsd: number) => {
      const data = { actualCostUsd, expectedCostUsd: 100 }
      const of = event('org', '', { category: 'cost_anomaly', data })
      return audienceOf(of, audience(every, { anomalyMinUsd: 50 }))
    }
    expect([told(149.99), told(150)]).to.deep.equal([[], ['org']])
  })
})
