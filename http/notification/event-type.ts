/** The types of events that people can be notified of (decision G-92). */
import { t } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { eventCategories, eventTypes, type EventType } from '#streams/notification/event-type.ts'

/** Not in the catalogue: nobody can subscribe to it. */
export const testType = 'test'
/** Not in the catalogue, either: a recommendation that a person shares. */
export const shareType = 'recommendation'

/** A key of the catalogue. */
export const EventKey = t.Enum(eventTypes.map(({ key }) => key) as [EventType, ...EventType[]], {
  description: 'a key of GET /notifications/event-types',
})

const Descriptor = t.Object(
  { key: EventKey, name: t.String(), category: t.Enum(eventCategories) },
  { title: 'EventTypeDescriptor', examples: [{ key: 'budget.warning', name: 'Budget warning', category: 'budget' }] },
)

export const eventTypeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/notifications/event-types',
    summary: 'List all event types, by category',
    description: 'The same for every organization. Subscriptions and email preferences use these keys.',
    permission: 'service.view',
    tags: ['Notifications'],
    reply: t.Array(Descriptor),
    handle: async () => [...eventTypes],
  }),
]
