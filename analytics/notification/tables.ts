import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'
import { deliveryKinds, deliveryStatuses } from '#streams/notification/channel.ts'

const moment = t.String()

/** Deliveries as the delivery actor appends them, at each change. Times are ISO 8601 UTC. */
export const notificationDeliveryTable = table({
  name: 'notification_delivery',
  row: t.Object({
    org_id: t.String(),
    created_at: moment,
    id: t.String(),
    channel_id: t.String(),
    kind: t.Enum(deliveryKinds),
    event_id: t.String(),
    event_type: t.String(),
    category: t.String(),
    /** Empty except for anomalies. */
    severity: t.String(),
    title: t.String(),
    scope_type: t.String(),
    scope_id: t.String(),
    status: t.Enum(deliveryStatuses),
    hold: t.String(),
    tries: t.Integer(),
    response_status: t.Integer(),
    message: t.String(),
    next_try_at: t.Union([moment, t.Null()]),
    ended_at: t.Union([moment, t.Null()]),
    folded_into: t.String(),
    event: t.String(),
  }),
})

export const notificationTables = [notificationDeliveryTable]
