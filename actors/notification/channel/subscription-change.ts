/** Changes of subscriptions: which events channels notify about. */
import { randomUUID } from 'node:crypto'
import { inTurn } from './change.ts'
import { NotificationChannel, NotificationSubscription } from '#actors/notification/entity.ts'
import { foundChannel, foundSubscription, scopesKnown, type ScopeRef } from '#actors/notification/queries.ts'
import { Fault, type Problem } from '#engine/value/fault.ts'
import { isTaken, type RecordChange } from '#engine/run/tell.ts'
import type { SubscriptionScope } from '#streams/notification/channel.ts'
import type { EventType } from '#streams/notification/event-type.ts'

/** Maximum subscriptions of an organization, without those of legacy notifications. */
const subscriptionsMax = 5000
/** Maximum in one request. */
export const bulkMax = 500

export interface SubscriptionGiven {
  channelID: string
  eventType: EventType
  scopeType: SubscriptionScope
  /** Empty for the organization, a uid for a resource, otherwise an id. */
  scopeID?: string
  /** Default: true. */
  enabled?: boolean
}

const scopeOf = ({ scopeType, scopeID = '' }: Pick<SubscriptionGiven, 'scopeType' | 'scopeID'>): ScopeRef => ({
  scopeType,
  scopeId: scopeID,
})

/** Problems of a scope that can be seen without reading data. */
function scopeProblem({ scopeType, scopeId }: ScopeRef, at: string): Problem[] {
  if (scopeType === 'org' && scopeId !== '')
    return [{ path: `${at}/scopeID`, code: 'not_for_scope', message: 'must be empty for the scope org' }]
  if (scopeType !== 'org' && scopeId === '')
    return [{ path: `${at}/scopeID`, code: 'required', message: `is required for the scope ${scopeType}` }]
  return []
}

/** @throws Fault `invalid` for an impossible scope, `missing` if the organization does not have it */
async function checkScope({ em, orgId }: RecordChange, scope: ScopeRef): Promise<void> {
  const problems = scopeProblem(scope, '')
  if (problems.length > 0) throw Fault.invalidAt(...problems)
  const isKnown = await scopesKnown(em, orgId, [scope])
  if (!isKnown(scope)) throw Fault.missing(scope.scopeType.replace('_', ' '), scope.scopeId)
}

async function checkRoom({ em, orgId }: RecordChange, more: number): Promise<void> {
  const legacy = await em.find(NotificationChannel, { orgId, isLegacy: true }, { fields: ['orgId', 'id'] })
  const channelId = { $nin: legacy.map(({ id }) => id) }
  if ((await em.count(NotificationSubscription, { orgId, channelId })) + more <= subscriptionsMax) return
  throw Fault.refused('too_many_subscriptions', `An organization can have at most ${subscriptionsMax} subscriptions.`)
}

async function flushUnique({ em }: RecordChange): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    if (isTaken(error))
      throw Fault.conflict('already_exists', 'The channel already has a subscription to these events in this scope.')
    throw error
  }
}

/**
 * @throws Fault `invalid` for an impossible scope, `missing` for an unknown channel or scope, `conflict`
 * `already_exists`, `refused` `too_many_subscriptions`
 */
export async function makeSubscription(
  change: RecordChange,
  given: SubscriptionGiven,
): Promise<NotificationSubscription> {
  const { em, orgId, now } = change
  const scope = scopeOf(given)
  await inTurn(change)
  await checkScope(change, scope)
  const { id: channelId } = await foundChannel(em, orgId, given.channelID)
  await checkRoom(change, 1)
  const at = now()
  const { eventType, enabled = true } = given
  const fixed = { orgId, id: randomUUID(), createdAt: at, updatedAt: at }
  const made = em.create(NotificationSubscription, { ...fixed, channelId, eventType, ...scope, enabled })
  em.persist(made)
  await flushUnique(change)
  return made
}

/** Missing members stay unchanged; a new scope type needs its own id. @throws as `makeSubscription` */
export async function editSubscription(
  change: RecordChange,
  id: string,
  given: Partial<SubscriptionGiven>,
): Promise<NotificationSubscription> {
  const { em, orgId, now } = change
  await inTurn(change)
  const subscription = await foundSubscription(em, orgId, id)
  const { channelID, eventType, scopeType = subscription.scopeType, enabled } = given
  const kept = scopeType === subscription.scopeType ? subscription.scopeId : ''
  const scope = scopeOf({ scopeType, scopeID: given.scopeID ?? kept })
  if (given.scopeType !== undefined || given.scopeID !== undefined) await checkScope(change, scope)
  if (channelID !== undefined) subscription.channelId = (await foundChannel(em, orgId, channelID)).id
  Object.assign(subscription, {
    ...scope,
    ...(eventType !== undefined && { eventType }),
    ...(enabled !== undefined && { enabled }),
    updatedAt: now(),
  })
  await flushUnique(change)
  return subscription
}

/** @throws Fault `missing` */
export async function removeSubscription({ em, orgId }: RecordChange, id: string): Promise<void> {
  em.remove(await foundSubscription(em, orgId, id))
}

// If the row existed, this transaction has locked it, and `xmax` is not 0.
const bulkSql = `
  insert into notification_subscription
    (org_id, id, channel_id, event_type, scope_type, scope_id, enabled, created_at, updated_at)
  select ?, r.id, r.channel_id, r.event_type, r.scope_type, r.scope_id, r.enabled, ?::timestamptz, ?::timestamptz
  from jsonb_to_recordset(?::jsonb) as r
    (id text, channel_id text, event_type text, scope_type text, scope_id text, enabled boolean)
  on conflict (org_id, channel_id, event_type, scope_type, scope_id)
  do update set enabled = excluded.enabled, updated_at = excluded.updated_at
  returning (xmax = 0) as "isNew"`

/**
 * All or none: subscriptions with the same channel, event type and scope are updated, others created. Of several equal
 * ones the last counts.
 * @throws Fault `invalid` with each wrong one, `refused` `too_many_subscriptions`
 */
export async function mergeSubscriptions(
  change: RecordChange,
  given: readonly SubscriptionGiven[],
): Promise<{ created: number; updated: number }> {
  const { em, orgId, now } = change
  await inTurn(change)
  const problems = await bulkProblems(change, given)
  if (problems.length > 0) throw Fault.invalidAt(...problems)
  const rows = new Map(
    given.map(({ channelID, eventType, enabled = true, ...rest }) => {
      const { scopeType, scopeId } = scopeOf(rest)
      const row = { channel_id: channelID, event_type: eventType, scope_type: scopeType, scope_id: scopeId }
      return [JSON.stringify(row), { id: randomUUID(), ...row, enabled }]
    }),
  )
  const at = now().toISOString()
  const values = [orgId, at, at, JSON.stringify([...rows.values()])]
  const merged = await em.execute<{ isNew: boolean }[]>(bulkSql, values)
  const created = merged.filter(({ isNew }) => isNew).length
  if (created > 0) await checkRoom(change, 0)
  return { created, updated: merged.length - created }
}

async function bulkProblems({ em, orgId }: RecordChange, given: readonly SubscriptionGiven[]): Promise<Problem[]> {
  const ids = [...new Set(given.map(({ channelID }) => channelID))]
  const where = { orgId, isLegacy: false, id: { $in: ids } }
  const channels = new Set((await em.find(NotificationChannel, where, { fields: ['orgId', 'id'] })).map(({ id }) => id))
  const isKnown = await scopesKnown(em, orgId, given.map(scopeOf))
  return given.flatMap((one, n) => {
    const at = `/subscriptions/${n}`
    const scope = scopeOf(one)
    const wrong = scopeProblem(scope, at)
    const unknown = (name: string, what: string): Problem => ({
      path: `${at}/${name}`,
      code: 'unknown',
      message: `is not a ${what} in this organization`,
    })
    return [
      ...(channels.has(one.channelID) ? [] : [unknown('channelID', 'channel')]),
      ...wrong,
      ...(wrong.length > 0 || isKnown(scope) ? [] : [unknown('scopeID', scope.scopeType.replace('_', ' '))]),
    ]
  })
}
