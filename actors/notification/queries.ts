import type { EntityManager } from '@mikro-orm/postgresql'
import { ChannelHealth } from '#actors/notification/delivery/entity.ts'
import { EmailPreference, NotificationChannel, NotificationSubscription } from '#actors/notification/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import type { SubscriptionScope } from '#streams/notification/channel.ts'

const newest = { refresh: true } as const
const oldestFirst = { orderBy: { createdAt: 'asc', id: 'asc' } } as const

/**
 * The current row, even if the entity manager has read it before; not for channels of the deprecated routes.
 * @throws Fault `missing`
 */
export async function foundChannel(em: EntityManager, orgId: string, id: string): Promise<NotificationChannel> {
  const channel = await em.findOne(NotificationChannel, { orgId, id, isLegacy: false }, newest)
  if (!channel) throw Fault.missing('channel', id)
  return channel
}

/** By name. */
export const listChannels = (em: EntityManager, orgId: string): Promise<NotificationChannel[]> =>
  em.find(NotificationChannel, { orgId, isLegacy: false }, { orderBy: { name: 'asc', id: 'asc' } })

/** Health of channels, by id. */
export async function healthOf(
  em: EntityManager,
  orgId: string,
  channels: readonly NotificationChannel[],
): Promise<ReadonlyMap<string, ChannelHealth>> {
  const channelId = { $in: channels.map(({ id }) => id) }
  const rows = await em.find(ChannelHealth, { orgId, channelId, lastAt: { $ne: null } }, newest)
  return new Map(rows.map((row) => [row.channelId, row]))
}

/** @throws Fault `missing` */
export async function foundLegacy(em: EntityManager, orgId: string, id: string): Promise<NotificationChannel> {
  const channel = await em.findOne(NotificationChannel, { orgId, id, isLegacy: true }, newest)
  if (!channel) throw Fault.missing('notification', id)
  return channel
}

/** Oldest first. */
export const listLegacy = (em: EntityManager, orgId: string): Promise<NotificationChannel[]> =>
  em.find(NotificationChannel, { orgId, isLegacy: true }, oldestFirst)

/** Subscriptions of some channels, including those created by the deprecated routes. */
export const subscriptionsOf = (
  em: EntityManager,
  orgId: string,
  channels: readonly NotificationChannel[],
): Promise<NotificationSubscription[]> =>
  em.find(NotificationSubscription, { orgId, channelId: { $in: channels.map(({ id }) => id) } }, newest)

/** Subscriptions of legacy notifications are hidden. */
const legacyIds = async (em: EntityManager, orgId: string): Promise<string[]> =>
  (await em.find(NotificationChannel, { orgId, isLegacy: true }, { fields: ['orgId', 'id'] })).map(({ id }) => id)

/** Oldest first. */
export async function listSubscriptions(
  em: EntityManager,
  orgId: string,
  { channelId, eventType }: { channelId?: string | undefined; eventType?: string | undefined },
): Promise<NotificationSubscription[]> {
  const where = {
    orgId,
    $and: [{ channelId: { $nin: await legacyIds(em, orgId) } }, ...(channelId === undefined ? [] : [{ channelId }])],
    ...(eventType !== undefined && { eventType }),
  }
  return em.find(NotificationSubscription, where, oldestFirst)
}

/** The current subscription. @throws Fault `missing` */
export async function foundSubscription(
  em: EntityManager,
  orgId: string,
  id: string,
): Promise<NotificationSubscription> {
  const found = await em.findOne(NotificationSubscription, { orgId, id }, newest)
  const isSeen = found && (await em.count(NotificationChannel, { orgId, id: found.channelId, isLegacy: false })) > 0
  if (!found || !isSeen) throw Fault.missing('subscription', id)
  return found
}

export const findPreference = (
  em: EntityManager,
  orgId: string,
  userId: string,
  eventKey: string,
): Promise<EmailPreference | null> => em.findOne(EmailPreference, { orgId, userId, eventKey }, newest)

export interface ScopeRef {
  scopeType: SubscriptionScope
  scopeId: string
}

const knownSql = `
  select 'cloud_account' as type, id from cloud_account
  where org_id = ? and status <> 'deleted' and id in (select jsonb_array_elements_text(?::jsonb))
  union all
  select 'resource_group', id from resource_group
  where org_id = ? and id in (select jsonb_array_elements_text(?::jsonb))
  union all
  select 'team', id from team
  where org_id = ? and id in (select jsonb_array_elements_text(?::jsonb))`

const nameOf = ({ scopeType, scopeId }: ScopeRef): string => `${scopeType}\n${scopeId}`

/**
 * Whether the organization has a scope. A resource need not be known: its uid may occur in bills or in a later
 * discovery.
 */
export async function scopesKnown(
  em: EntityManager,
  orgId: string,
  scopes: readonly ScopeRef[],
): Promise<(scope: ScopeRef) => boolean> {
  const ids = (type: SubscriptionScope) =>
    JSON.stringify([...new Set(scopes.filter(({ scopeType }) => scopeType === type).map(({ scopeId }) => scopeId))])
  const values = (['cloud_account', 'resource_group', 'team'] as const).flatMap((type) => [orgId, ids(type)])
  const rows = await em.execute<{ type: SubscriptionScope; id: string }[]>(knownSql, values)
  const known = new Set(rows.map(({ type, id }) => nameOf({ scopeType: type, scopeId: id })))
  return (scope) => scope.scopeType === 'org' || scope.scopeType === 'resource' || known.has(nameOf(scope))
}
