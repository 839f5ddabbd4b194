/** Reads the subscriptions, people, teams and groups that matter for the events of a batch. */
import { placeKey, userOf, type Audience, type SubscribedChannel } from './match.ts'
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import type { noticeRaised, NotificationEvent } from '#streams/notification/messages.ts'
import type { SubscriptionScope } from '#streams/notification/channel.ts'

export interface Audiences {
  of: (orgId: string, event: NotificationEvent) => Audience
}

const typeKey = (orgId: string, eventType: string): string => `${orgId}\0${eventType}`

const subscribedSql = `
  select s.org_id, s.event_type, s.channel_id, s.scope_type, s.scope_id
  from unnest($1::text[], $2::text[]) as asked (org_id, event_type)
  join notification_subscription s on s.org_id = asked.org_id and s.event_type = asked.event_type and s.enabled
  order by s.created_at, s.id`

interface SubscribedRow {
  org_id: string
  event_type: string
  channel_id: string
  scope_type: SubscriptionScope
  scope_id: string
}

// People responsible for an organization, and people who requested something, without those who unsubscribed.
const peopleSql = `
  select asked.org_id, asked.event_type, m.user_id::text as user_id, m.role_id in ('owner', 'admin') as is_admin
  from (select distinct * from unnest($1::text[], $2::text[], $3::text[]) as given (org_id, event_type, user_id)) as asked
  join member m on m.org_id = asked.org_id and m.status = 'active'
    and (case when asked.user_id = '' then m.role_id in ('owner', 'admin') else m.user_id::text = asked.user_id end)
  left join email_preference p
    on p.org_id = m.org_id and p.user_id = m.user_id::text and p.event_key = asked.event_type
  where coalesce(p.enabled, true)
  order by m.user_id`

interface PersonRow {
  org_id: string
  event_type: string
  user_id: string
  is_admin: boolean
}

// By rule, a uid may have several owners if accounts share it.
const ownersSql = `
  with asked as (select * from unnest($1::text[], $2::text[]) as given (org_id, uid))
  select asked.org_id, asked.uid, 'team' as type, t.team_id as id
  from asked join team_resource t on t.org_id = asked.org_id and t.resource_uid = asked.uid
  union
  select asked.org_id, asked.uid, 'team', ruled.team_id
  from asked join allocated_resource ruled on ruled.org_id = asked.org_id and ruled.resource_uid = asked.uid
  where not exists (select from team_resource t where t.org_id = asked.org_id and t.resource_uid = asked.uid)
  union all
  select asked.org_id, asked.uid, 'resource_group', m.group_id
  from asked join resource_group_member m on m.org_id = asked.org_id and m.resource_uid = asked.uid`

interface OwnerRow {
  org_id: string
  uid: string
  type: string
  id: string
}

const leastSql = `
  select org_id, anomaly_notify_min_usd as usd from organization_setting where org_id = any($1::text[])`

/** Always current: a changed subscription must apply to events that come after it. */
const now = { maxAgeMs: 0 }

export async function noticeNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<Audiences> {
  const events = waiting.flatMap(({ address: { orgId }, data }) => {
    const { event, folded = [], before = [] } = data as Static<typeof noticeRaised.schema>
    return [event, ...folded, ...before].map((one) => ({ orgId, event: one }))
  })
  const [subscribed, people, owners, least] = await Promise.all([
    subscribedTo(events, reads),
    peopleFor(events, reads),
    ownersOf(events, reads),
    leastOf(events, reads),
  ])
  return {
    of: (orgId, { eventType }) => ({
      subscribed: subscribed.get(typeKey(orgId, eventType)) ?? [],
      people: (people.get(typeKey(orgId, eventType)) ?? []).map((row) => ({
        userId: row.user_id,
        isAdmin: row.is_admin,
      })),
      ownersOf: (uid) => owners.get(typeKey(orgId, uid)) ?? [],
      anomalyMinUsd: least.get(orgId) ?? 0,
    }),
  }
}

interface RaisedEvent {
  orgId: string
  event: NotificationEvent
}

async function subscribedTo(
  events: readonly RaisedEvent[],
  reads: TurnReads,
): Promise<Map<string, SubscribedChannel[]>> {
  const types = new Map(events.map(({ orgId, event }) => [typeKey(orgId, event.eventType), [orgId, event.eventType]]))
  const asked = [...types.values()]
  const rows = await reads.plain<SubscribedRow>(
    subscribedSql,
    [asked.map(([org]) => org), asked.map(([, type]) => type)],
    now,
  )
  const found = new Map<string, SubscribedChannel[]>()
  for (const row of rows) {
    const key = typeKey(row.org_id, row.event_type)
    const list = found.get(key) ?? []
    list.push({ channelId: row.channel_id, scopeType: row.scope_type, scopeId: row.scope_id })
    found.set(key, list)
  }
  return found
}

async function peopleFor(events: readonly RaisedEvent[], reads: TurnReads): Promise<Map<string, PersonRow[]>> {
  const asked = events.filter(({ event }) => event.category !== 'resource' || userOf(event) !== '')
  if (asked.length === 0) return new Map()
  const params = [
    asked.map(({ orgId }) => orgId),
    asked.map(({ event }) => event.eventType),
    asked.map(({ event }) => (event.category === 'resource' ? userOf(event) : '')),
  ]
  const rows = await reads.plain<PersonRow>(peopleSql, params, now)
  return Map.groupBy(rows, (row) => typeKey(row.org_id, row.event_type))
}

async function ownersOf(events: readonly RaisedEvent[], reads: TurnReads): Promise<Map<string, string[]>> {
  const asked = events.filter(({ event }) => event.scope.type === 'resource')
  if (asked.length === 0) return new Map()
  const keys = new Map(asked.map(({ orgId, event }) => [typeKey(orgId, event.scope.id), [orgId, event.scope.id]]))
  const uids = [...keys.values()]
  const rows = await reads.plain<OwnerRow>(ownersSql, [uids.map(([org]) => org), uids.map(([, uid]) => uid)], now)
  const found = new Map<string, string[]>()
  for (const { org_id, uid, type, id } of rows) {
    const key = typeKey(org_id, uid)
    found.set(key, [...(found.get(key) ?? []), placeKey(type, id)])
  }
  return found
}

/** By organization: minimum excess of an anomaly over its baseline, US dollars; only for organizations that set one. */
async function leastOf(events: readonly RaisedEvent[], reads: TurnReads): Promise<Map<string, number>> {
  const asked = events.filter(({ event }) => event.category === 'cost_anomaly').map(({ orgId }) => orgId)
  if (asked.length === 0) return new Map()
  const rows = await reads.plain<{ org_id: string; usd: number }>(leastSql, [[...new Set(asked)]], now)
  return new Map(rows.map(({ org_id, usd }) => [org_id, usd]))
}
