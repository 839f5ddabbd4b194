/** Notifications, from the turn that decides them to the receiver's response. The shapes follow decision G-93. */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { anomalySeverities, anomalyTypes, StoryPlace, type AnomalyType } from '#streams/anomaly.ts'
import { eventCategories, eventTypeOf, type EventType } from '#streams/notification/event-type.ts'
import { text } from '#streams/text.ts'

const moment = t.String({ format: 'date-time' })
const id = text({ minLength: 1, maxLength: 256 })

/** The `data` of the envelope of a domain event with one of these types; receivers of notifications get it. */
export const NotificationEvent = t.Object(
  {
    id: t.String({ description: 'the same event has the same ID in every delivery' }),
    eventType: t.String(),
    name: t.String(),
    category: t.Enum(eventCategories),
    orgID: t.String(),
    occurredAt: t.String({ format: 'date-time' }),
    severity: t.Optional(t.Enum(anomalySeverities)),
    title: t.String({ description: 'one line of plain text' }),
    summary: t.String({ description: 'a sentence or two of plain text' }),
    /** The subject of the event; a resource's id is its uid. */
    scope: t.Object({ type: t.Enum(anomalyTypes), id: t.String({ description: 'empty for org' }) }),
    link: t.Optional(t.String()),
    data: t.Record(t.String(), t.Unknown()),
  },
  { title: 'NotificationEvent' },
)
export type NotificationEvent = Static<typeof NotificationEvent>

/** Creates an event of type `key`. */
export function notification(
  key: EventType,
  {
    occurredAt,
    ...event
  }: Omit<NotificationEvent, 'eventType' | 'name' | 'category' | 'occurredAt'> & { occurredAt: Date },
): NotificationEvent {
  const { name, category } = eventTypeOf(key)!
  return { ...event, eventType: key, name, category, occurredAt: occurredAt.toISOString() }
}

/** Notifies people of the event, in the turn that decides it: once, however often the turn is run. */
export function raise(turn: Turn, event: NotificationEvent): void {
  turn.publish(event.category, event.eventType, { ...event })
  turn.emit(noticeRaised, { event })
}

/**
 * The events in one message: several of a digest, or of one cause, are in `data.events`; otherwise the event itself.
 */
export function partsOf(event: NotificationEvent): readonly NotificationEvent[] {
  const { events } = event.data
  return Array.isArray(events) ? (events as NotificationEvent[]) : [event]
}

/** A further anomaly in a message, in `data.folded`. */
export const FoldedAnomaly = t.Object({
  anomalyID: t.String(),
  date: t.String(),
  anomalyType: t.Enum(anomalyTypes),
  anomalyKey: t.String(),
  label: t.String(),
  severity: t.Enum(anomalySeverities),
  actualCostUsd: t.Number(),
  expectedCostUsd: t.Number(),
})
export type FoldedAnomaly = Static<typeof FoldedAnomaly>

export function foldedOf({ data }: NotificationEvent): readonly FoldedAnomaly[] {
  return Array.isArray(data['folded']) ? (data['folded'] as FoldedAnomaly[]) : []
}

/** All anomalies of a message. */
export function anomaliesOf(event: NotificationEvent): { type: AnomalyType; key: string; date: string }[] {
  return partsOf(event).flatMap((part) => {
    const { category, orgID, scope, data } = part
    if (category !== 'cost_anomaly' || typeof data['date'] !== 'string') return []
    const others = foldedOf(part).map(({ anomalyType, anomalyKey, date }) => ({
      type: anomalyType,
      key: anomalyKey,
      date,
    }))
    return [{ type: scope.type, key: scope.id || orgID, date: data['date'] }, ...others]
  })
}

/** The account of an event about a resource or an account; empty if unknown. */
export function accountOf({ scope, data }: NotificationEvent): string {
  if (scope.type === 'cloud_account') return scope.id
  const { cloudAccountID } = data
  return scope.type === 'resource' && typeof cloudAccountID === 'string' ? cloudAccountID : ''
}

const example: NotificationEvent = {
  id: '3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01',
  eventType: 'budget.exceeded',
  name: 'Budget Exceeded',
  category: 'budget',
  orgID: 'o1',
  occurredAt: '2026-01-15T10:00:00.000Z',
  title: 'The budget of team Payments is exceeded',
  summary: 'Spend of 2026-01 is 1020 of 1000 USD (102%).',
  scope: { type: 'team', id: 't-1' },
  data: { month: '2026-01', currentSpendUSD: 1020, monthlyBudgetUSD: 1000 },
}

/** An event that people are notified of: each matching subscription gets a delivery. */
export const noticeRaised = subject({
  name: 'notice.raised',
  kind: 'actor',
  summary: 'An event occurred that people can subscribe to.',
  place: ({ event }) => accountOf(event) || orgWide,
  once: true,
  schema: t.Object({
    event: NotificationEvent,
    /** Other events with the same cause: a channel sends all that match in one message, the first of them leading. */
    folded: t.Optional(t.Array(NotificationEvent)),
    /**
     * Earlier events with the same cause: channels that were notified of one are notified again only of more severe
     * ones.
     */
    before: t.Optional(t.Array(NotificationEvent)),
  }),
  examples: [{ event: example }],
})

const ofChannel = { kind: 'actor', place: (data: { channelId: string }) => data.channelId } as const
/** `channelId` is the id of a channel, or `mail:<userId>` for a person's built-in mail. */
const which = { channelId: id, deliveryId: id }
const deliveryExample = { channelId: 'c-1', deliveryId: 'd-1' }

/** The channel id for a person's built-in mail. */
export const personChannel = (userId: string): string => `mail:${userId}`
export const personOf = (channelId: string): string | undefined =>
  channelId.startsWith('mail:') ? channelId.slice('mail:'.length) : undefined

/** One event is to be sent by one channel. */
export const deliveryWanted = subject({
  ...ofChannel,
  name: 'delivery.wanted',
  summary: 'Deliver an event by a channel.',
  once: true,
  schema: t.Object({ ...which, event: NotificationEvent }),
  examples: [{ ...deliveryExample, event: example }],
})

const answer = {
  /** The receiver's HTTP status; 0 without a response. */
  responseStatus: t.Integer({ minimum: 0, maximum: 999 }),
  /** Why it failed; empty if it was accepted. Contains no address. */
  message: text({ maxLength: 1024 }),
}

/** A message that the edge has sent itself, in a request, and that only has to be logged. */
export const deliveryRecorded = subject({
  ...ofChannel,
  name: 'delivery.recorded',
  summary: 'A channel delivered a notification, or failed to.',
  once: true,
  schema: t.Object({
    ...which,
    event: NotificationEvent,
    kind: t.Enum(['test', 'share']),
    delivered: t.Boolean(),
    ...answer,
  }),
  examples: [{ ...deliveryExample, event: example, kind: 'test', delivered: true, responseStatus: 200, message: '' }],
})

/** The result of one attempt. `retry`: the same may be accepted later. */
export const deliveryReported = subject({
  ...ofChannel,
  name: 'delivery.reported',
  summary: 'The result of a delivery attempt.',
  schema: t.Object({
    ...which,
    /** 1 for the first attempt. */
    tries: t.Integer({ minimum: 1 }),
    outcome: t.Enum(['delivered', 'retry', 'final']),
    ...answer,
    /** As requested by the receiver. */
    retryAfterMs: t.Optional(t.Integer({ minimum: 0 })),
    /** The receiver no longer exists, and nothing was sent; this does not count against the channel. */
    isGone: t.Optional(t.Boolean()),
  }),
  examples: [
    { ...deliveryExample, tries: 1, outcome: 'delivered', responseStatus: 200, message: '' },
    {
      ...deliveryExample,
      tries: 2,
      outcome: 'retry',
      responseStatus: 429,
      message: 'The server returned HTTP 429.',
      retryAfterMs: 30_000,
    },
  ],
})

/** Reminder: the pause before the next attempt, quiet hours, or a day of waiting have ended. */
export const deliveryDue = subject({
  ...ofChannel,
  name: 'delivery.due',
  summary: 'A delivery no longer has to wait, or must not wait longer.',
  schema: t.Object({ ...which, why: t.Enum(['retry', 'quiet', 'limit']) }),
  examples: [{ ...deliveryExample, why: 'retry' }],
})

/** The channel works again, or this delivery has to test whether it does. */
export const deliveryReleased = subject({
  ...ofChannel,
  name: 'delivery.released',
  summary: 'A delivery that was waiting for its channel continues.',
  schema: t.Object(which),
  examples: [deliveryExample],
})

/** The receiver no longer exists. */
export const deliveryDropped = subject({
  ...ofChannel,
  name: 'delivery.dropped',
  summary: 'A delivery is given up.',
  schema: t.Object({ ...which, message: text({ maxLength: 1024 }) }),
  examples: [{ ...deliveryExample, message: 'The channel was deleted.' }],
})

/** Another delivery contains the same event. */
export const deliveryFolded = subject({
  ...ofChannel,
  name: 'delivery.folded',
  summary: 'A delivery was merged into another one.',
  schema: t.Object({ ...which, into: id }),
  examples: [{ ...deliveryExample, into: 'd-2' }],
})

/** The result of a delivery by the channel. */
export const channelTried = subject({
  ...ofChannel,
  name: 'channel.tried',
  summary: 'A delivery by a channel has ended.',
  once: true,
  schema: t.Object({ ...which, eventType: t.String(), delivered: t.Boolean(), ...answer, at: moment }),
  examples: [
    {
      ...deliveryExample,
      eventType: 'budget.exceeded',
      delivered: false,
      responseStatus: 404,
      message: 'The server returned HTTP 404.',
      at: '2026-01-15T10:00:00.000Z',
    },
  ],
})

/** Reminder, or from a delivery after that time: one delivery may test whether a broken channel works again. */
export const channelProbeDue = subject({
  ...ofChannel,
  name: 'channel.probe_due',
  summary: 'A broken channel may be tried again.',
  schema: t.Object({ channelId: id }),
  examples: [{ channelId: 'c-1' }],
})

/** From a channel to itself: the next page of deliveries that wait for it. */
export const channelSwept = subject({
  ...ofChannel,
  name: 'channel.swept',
  summary: 'The deliveries of a channel continue, or are given up.',
  schema: t.Object({ channelId: id, after: text(), what: t.Enum(['release', 'drop']) }),
  examples: [{ channelId: 'c-1', after: '', what: 'release' }],
})

/** The channel was deleted. */
export const channelRemoved = subject({
  ...ofChannel,
  name: 'channel.removed',
  summary: 'A channel was deleted.',
  once: true,
  schema: t.Object({ channelId: id }),
  examples: [{ channelId: 'c-1' }],
})

/**
 * A delivery waits to be sent with others: of a day (`digest`), or of one cause (`fold|<date>|<hash of the cause>`).
 */
export const digestAdded = subject({
  ...ofChannel,
  name: 'digest.added',
  summary: 'Add an event to a digest.',
  once: true,
  schema: t.Object({ ...which, key: id, event: NotificationEvent, due: moment }),
  examples: [{ ...deliveryExample, key: 'digest', event: example, due: '2026-01-16T09:00:00.000Z' }],
})

/** Reminder: send what was collected. */
export const digestDue = subject({
  ...ofChannel,
  name: 'digest.due',
  summary: 'Send a digest of collected events.',
  schema: t.Object({ channelId: id, key: id }),
  examples: [{ channelId: 'c-1', key: 'digest' }],
})

const ofStory = { kind: 'actor', place: () => orgWide } as const

/** One anomaly of a story was recorded. `event`: people are to be notified of it. */
export const storyReported = subject({
  ...ofStory,
  name: 'story.reported',
  summary: 'One of several anomalies with one cause was recorded.',
  once: true,
  schema: t.Object({
    ...StoryPlace.properties,
    date: text(),
    row: text(),
    event: t.Union([NotificationEvent, t.Null()]),
  }),
  examples: [
    { key: 'resource/i-1', part: 0, size: 2, place: 0, date: '2026-01-15', row: 'resource|i-1', event: example },
    { key: 'resource/i-1', part: 0, size: 2, place: 1, date: '2026-01-15', row: 'org|o1', event: null },
  ],
})

/** Reminder: send the story with what is known so far, or delete it. */
export const storyDue = subject({
  ...ofStory,
  name: 'story.due',
  summary: 'Anomalies with one cause are sent in one notification, or dropped.',
  schema: t.Object({ key: text() }),
  examples: [{ key: '2026-01-15|resource/i-1|0' }],
})

export const notificationMessages = [
  noticeRaised,
  deliveryWanted,
  deliveryRecorded,
  deliveryReported,
  deliveryDue,
  deliveryReleased,
  deliveryDropped,
  deliveryFolded,
  channelTried,
  channelProbeDue,
  channelSwept,
  channelRemoved,
  digestAdded,
  digestDue,
  storyReported,
  storyDue,
]
