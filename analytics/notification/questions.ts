import { questions } from '#analytics/store/query.ts'
import { t } from '#engine/value/schema.ts'
import { anomalyTypes } from '#streams/anomaly.ts'
import { deliveryKinds, deliveryStatuses } from '#streams/notification/channel.ts'
import { eventCategories } from '#streams/notification/event-type.ts'

const query = questions(import.meta.url)

const flag = t.Integer({ minimum: 0, maximum: 1 })
const list = t.Array(t.String())
const milliseconds = t.Integer({ description: 'since 1970' })
const orZero = t.Integer({ description: 'milliseconds since 1970; 0: never' })

/** After all that is kept. */
export const farMs = Date.UTC(2200, 0)

/** Notifications, sent or still to send. */
export const notificationDeliveries = query(
  'notification_deliveries',
  t.Object({
    org: t.String(),
    id: t.String(),
    anomaly: t.String(),
    from_ms: milliseconds,
    to_ms: milliseconds,
    channels: list,
    event_types: list,
    statuses: t.Array(t.Enum(deliveryStatuses)),
    admin: flag,
    own: t.String(),
    scoped: flag,
    scope_accounts: list,
    scope_teams: list,
    whole: flag,
    limit: t.Integer({ minimum: 1 }),
    offset: t.Integer({ minimum: 0 }),
  }),
  t.Object({
    id: t.String(),
    channel_id: t.String(),
    kind: t.Enum(deliveryKinds),
    event_id: t.String(),
    event_type: t.String(),
    category: t.Enum(eventCategories),
    severity: t.String({ description: 'empty except for anomalies' }),
    title: t.String(),
    scope_type: t.Enum(anomalyTypes),
    scope_id: t.String(),
    status: t.Enum(deliveryStatuses),
    hold: t.String(),
    tries: t.Integer(),
    response_status: t.Integer(),
    message: t.String(),
    created_at_ms: milliseconds,
    next_try_at_ms: orZero,
    ended_at_ms: orZero,
    folded_into: t.String(),
    whole_event: t.String({ description: 'JSON; empty unless requested' }),
    total: t.Integer(),
  }),
  {
    org: 'o1',
    id: '',
    anomaly: '',
    from_ms: 0,
    to_ms: farMs,
    channels: ['c-1'],
    event_types: ['budget.exceeded'],
    statuses: ['failed'],
    admin: 1,
    own: 'mail:u-1',
    scoped: 0,
    scope_accounts: [],
    scope_teams: [],
    whole: 1,
    limit: 50,
    offset: 0,
  },
)

export const notificationQuestions = [notificationDeliveries]
