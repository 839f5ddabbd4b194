/** Events that people are told of, as deliveries and digests get them. */
import type { NotificationEvent } from '#streams/notification/messages.ts'

export const event = (fields: Partial<NotificationEvent> = {}): NotificationEvent => ({
  id: 'e-1',
  eventType: 'budget.warning',
  name: 'Budget Warning',
  category: 'budget',
  orgID: 'o1',
  occurredAt: '2026-01-15T10:00:00.000Z',
  title: 'The budget of team Payments is nearly used up',
  summary: 'Spend of 2026-01 is 850 of 1000 USD (85%).',
  scope: { type: 'team', id: 't-1' },
  data: { month: '2026-01' },
  ...fields,
})
export const spike = (severity: 'warning' | 'critical' | 'emergency', key = 'i-1', cause = 'i-1') =>
  event({
    id: `e-${severity}-${key}`,
    eventType: `cost.anomaly.resource.${severity}`,
    category: 'cost_anomaly',
    severity,
    title: `Cost of ${key}`,
    scope: { type: 'resource', id: key },
    data: { anomalyID: `a-${key}`, date: '2026-01-14', cause },
  })
