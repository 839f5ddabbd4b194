/** Who is notified of an event: channels by their subscriptions, people by their roles. Pure. */
import { anomalySeverities } from '#streams/anomaly.ts'
import { accountOf, foldedOf, partsOf, personChannel, type NotificationEvent } from '#streams/notification/messages.ts'
import type { SubscriptionScope } from '#streams/notification/channel.ts'

export interface SubscribedChannel {
  channelId: string
  scopeType: SubscriptionScope
  scopeId: string
}

/** A person who may get built-in mail. */
interface Person {
  userId: string
  isAdmin: boolean
}

/** Settings and data of an organization that matter for one event. */
export interface Audience {
  /** Enabled subscriptions to the event's type. */
  subscribed: readonly SubscribedChannel[]
  /** Active members who have not unsubscribed from the event's type. */
  people: readonly Person[]
  /** Teams and groups of a resource, by `<type>|<id>`. */
  ownersOf: (uid: string) => readonly string[]
  /** Minimum excess over the baseline for an anomaly to be notified, US dollars. */
  anomalyMinUsd: number
}

/** Ids of the channels to notify, without repeats; built-in mails as `mail:<user>`. */
export function audienceOf(event: NotificationEvent, audience: Audience): string[] {
  if (isTooSmall(event, audience.anomalyMinUsd)) return []
  const places = placesOf(event, audience)
  const wanted = audience.subscribed.filter(({ scopeType, scopeId }) => places.has(placeKey(scopeType, scopeId)))
  const people = audience.people.filter((person) => isFor(person, event)).map(({ userId }) => personChannel(userId))
  return [...new Set([...wanted.map(({ channelId }) => channelId), ...people])]
}

export const placeKey = (type: string, id: string): string => `${type}|${id}`

/**
 * The scopes that contain the subject of the event, including itself and the organization. A resource is in its
 * account, its team and its groups; anything else only in the organization.
 */
function placesOf(event: NotificationEvent, { ownersOf }: Audience): Set<string> {
  const { scope } = event
  const places = new Set([placeKey('org', ''), placeKey(scope.type, scope.type === 'org' ? '' : scope.id)])
  if (scope.type !== 'resource') return places
  for (const account of accountsOf(event)) places.add(placeKey('cloud_account', account))
  for (const owner of ownersOf(scope.id)) places.add(owner)
  return places
}

/** A uid may be in several accounts; the members of an override name them. */
function accountsOf(event: NotificationEvent): string[] {
  const { members } = event.data
  const named = Array.isArray(members) ? (members as { cloudAccountID?: string }[]) : []
  return [accountOf(event), ...named.map(({ cloudAccountID }) => cloudAccountID ?? '')].filter((id) => id !== '')
}

/**
 * Decision G-95: budgets and anomalies go to those responsible for the organization, actions to the person who
 * requested them.
 */
function isFor({ userId, isAdmin }: Person, { category, data }: NotificationEvent): boolean {
  return category === 'resource' ? data['userID'] === userId : isAdmin
}

function isTooSmall({ category, data }: NotificationEvent, minUsd: number): boolean {
  const { actualCostUsd, expectedCostUsd } = data
  return category === 'cost_anomaly' && Number(actualCostUsd) - Number(expectedCostUsd) < minUsd
}

/** The person who requested an action; empty for other events. */
export const userOf = ({ data }: NotificationEvent): string =>
  typeof data['userID'] === 'string' ? data['userID'] : ''

const urgentTypes = new Set(['budget.exceeded', 'resource.failed'])

/** Events that wait neither for a digest nor for the end of quiet hours. */
export const isUrgent = (event: NotificationEvent): boolean =>
  partsOf(event).some(
    (part) => urgentTypes.has(part.eventType) || [part, ...foldedOf(part)].some(({ severity }) => isSevere(severity)),
  )

const isSevere = (severity: NotificationEvent['severity']): boolean =>
  severity === 'critical' || severity === 'emergency'

/** The severity of an anomaly, and of those grouped with it; 0 for other events. */
export const levelOf = (event: NotificationEvent): number =>
  Math.max(
    ...[event, ...foldedOf(event)].map(({ severity }) => (severity ? anomalySeverities.indexOf(severity) + 1 : 0)),
  )
