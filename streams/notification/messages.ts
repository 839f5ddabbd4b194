/** What people are told, from the turn that decides it to the receiver's answer. Shapes are of decision G-93. */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { anomalySeverities, anomalyTypes, StoryPlace, type AnomalyType } from '#streams/anomaly.ts'
import { eventCategories, eventTypeOf, type EventType } from '#streams/notification/event-type.ts'
import { text } from '#streams/text.ts'

const moment = t.String({ format: 'date-time' })
const id = text({ minLength: 1, maxLength: 256 })

/** The `data` of the envelope that a domain event of one of these types is published in; what receivers of notifications get. */
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
    /** What it is about; a resource's id is its uid. */
    scope: t.Object({ type: t.Enum(anomalyTypes), id: t.String({ description: 'empty for org' }) }),
    link: t.Optional(t.String()),
    data: t.Record(t.String(), t.Unknown()),
  },
  { title: 'NotificationEvent' },
)
export type NotificationEvent = Static<typeof NotificationEvent>

/** An event of the type `key`. */
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

/** Tells people of it, in the turn that decides it: once, however often the turn is run. */
export function raise(turn: Turn, event: NotificationEvent): void {
  turn.publish(event.category, event.eventType, { ...event })
  turn.emit(noticeRaised, { event })
}

/** The events that one message tells of: several of a digest, or of one cause, stand in `data.events`; else it is itself. */
export function partsOf(event: NotificationEvent): readonly NotificationEvent[] {
  const { events } = event.data
  return Array.isArray(events) ? (events as NotificationEvent[]) : [event]
}

/** An anomaly that a message tells of beside the one that it is about: in `data.folded`. */
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

/** The anomalies that a message tells of. */
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

/** The account an event of a resource or of an account belongs to; empty where it does not say. */
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

/** An event that people are to be told of: whoever wants to hear of it gets a delivery. */
export const noticeRaised = subject({
  name: 'notice.raised',
  kind: 'actor',
  summary: 'An event occurred that people can subscribe to.',
  place: ({ event }) => accountOf(event) || orgWide,
  once: true,
  schema: t.Object({
    event: NotificationEvent,
    /** Others with the same cause: a channel tells of all that it is to tell of in one message, the first of them leading. */
    folded: t.Optional(t.Array(NotificationEvent)),
    /** With the same cause, raised before: whoever was told of one hears again only of what is worse. */
    before: t.Optional(t.Array(NotificationEvent)),
  }),
  examples: [{ event: example }],
})

const ofChannel = { kind: 'actor', place: (data: { channelId: string }) => data.channelId } as const
/** `channelId` is that of a channel, or `mail:<userId>` for the built-in mail of a person. */
const which = { channelId: id, deliveryId: id }
const named = { channelId: 'c-1', deliveryId: 'd-1' }

/** The built-in mail of a person, where deliveries name a channel. */
export const personChannel = (userId: string): string => `mail:${userId}`
export const personOf = (channelId: string): string | undefined =>
  channelId.startsWith('mail:') ? channelId.slice('mail:'.length) : undefined

/** One event is to be told by one channel. */
export const deliveryWanted = subject({
  ...ofChannel,
  name: 'delivery.wanted',
  summary: 'Deliver an event by a channel.',
  once: true,
  schema: t.Object({ ...which, event: NotificationEvent }),
  examples: [{ ...named, event: example }],
})

const answer = {
  /** The receiver's status; 0 without an answer. */
  responseStatus: t.Integer({ minimum: 0, maximum: 999 }),
  /** Why not; empty for what was accepted. Holds no address. */
  message: text({ maxLength: 1024 }),
}

/** A message that the edge sent itself, in a request: what is left is to log it. */
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
  examples: [{ ...named, event: example, kind: 'test', delivered: true, responseStatus: 200, message: '' }],
})

/** What became of one try. `retry`: the same may be accepted later. */
export const deliveryReported = subject({
  ...ofChannel,
  name: 'delivery.reported',
  summary: 'The result of a delivery attempt.',
  schema: t.Object({
    ...which,
    /** 1 for the first. */
    tries: t.Integer({ minimum: 1 }),
    outcome: t.Enum(['delivered', 'retry', 'final']),
    ...answer,
    /** What the receiver asked for. */
    retryAfterMs: t.Optional(t.Integer({ minimum: 0 })),
    /** There is nobody to be told any more, and nothing was sent: that says nothing of the channel. */
    isGone: t.Optional(t.Boolean()),
  }),
  examples: [
    { ...named, tries: 1, outcome: 'delivered', responseStatus: 200, message: '' },
    {
      ...named,
      tries: 2,
      outcome: 'retry',
      responseStatus: 429,
      message: 'The server returned HTTP 429.',
      retryAfterMs: 30_000,
    },
  ],
})

/** Reminder: the pause before the next try, quiet hours, or a day of waiting are over. */
export const deliveryDue = subject({
  ...ofChannel,
  name: 'delivery.due',
  summary: 'A delivery no longer has to wait, or must not wait longer.',
  schema: t.Object({ ...which, why: t.Enum(['retry', 'quiet', 'limit']) }),
  examples: [{ ...named, why: 'retry' }],
})

/** The channel works again, or this delivery is to find out whether it does. */
export const deliveryReleased = subject({
  ...ofChannel,
  name: 'delivery.released',
  summary: 'A delivery that was waiting for its channel continues.',
  schema: t.Object(which),
  examples: [named],
})

/** There is nobody to be told any more. */
export const deliveryDropped = subject({
  ...ofChannel,
  name: 'delivery.dropped',
  summary: 'A delivery is given up.',
  schema: t.Object({ ...which, message: text({ maxLength: 1024 }) }),
  examples: [{ ...named, message: 'The channel was deleted.' }],
})

/** Another delivery tells of it too, or has. */
export const deliveryFolded = subject({
  ...ofChannel,
  name: 'delivery.folded',
  summary: 'A delivery was merged into another one.',
  schema: t.Object({ ...which, into: id }),
  examples: [{ ...named, into: 'd-2' }],
})

/** How a delivery by the channel ended. */
export const channelTried = subject({
  ...ofChannel,
  name: 'channel.tried',
  summary: 'A delivery by a channel has ended.',
  once: true,
  schema: t.Object({ ...which, eventType: t.String(), delivered: t.Boolean(), ...answer, at: moment }),
  examples: [
    {
      ...named,
      eventType: 'budget.exceeded',
      delivered: false,
      responseStatus: 404,
      message: 'The server returned HTTP 404.',
      at: '2026-01-15T10:00:00.000Z',
    },
  ],
})

/** Reminder, or from a delivery that comes later than that: one may find out whether a broken channel works again. */
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

/** A delivery waits to be told together with others: of a day (`digest`), or of one cause (`fold|<date>|<hash of the cause>`). */
export const digestAdded = subject({
  ...ofChannel,
  name: 'digest.added',
  summary: 'Add an event to a digest.',
  once: true,
  schema: t.Object({ ...which, key: id, event: NotificationEvent, due: moment }),
  examples: [{ ...named, key: 'digest', event: example, due: '2026-01-16T09:00:00.000Z' }],
})

/** Reminder: what was collected is told. */
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

/** Reminder: the story is told with what has come of it, or need not be remembered any more. */
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
