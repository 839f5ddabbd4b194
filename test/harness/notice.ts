/** Events that people are told of, one of each kind, as their actors raise them. */
import type { Message } from '#streams/delivery/format/message.ts'
import type { NotificationEvent } from '#streams/notification/messages.ts'

const of = { orgID: 'o1', occurredAt: '2026-01-16T04:30:05.000Z' } as const

export const budgetExceeded: NotificationEvent = {
  ...of,
  id: 'e-budget',
  eventType: 'budget.exceeded',
  name: 'Budget Exceeded',
  category: 'budget',
  title: 'The budget of team Payments is exceeded',
  summary: 'Spend of 2026-01 is 1020 of 1000 USD (102%).',
  scope: { type: 'team', id: 't-1' },
  data: {
    budgetID: 'b-1',
    month: '2026-01',
    currentSpendUSD: 1020,
    monthlyBudgetUSD: 1000,
    percentUsed: 102,
    alertThresholdPercent: 80,
    scopeName: 'Payments',
  },
}

export const anomalyCritical: NotificationEvent = {
  ...of,
  id: 'e-anomaly',
  eventType: 'cost.anomaly.cloud_account.critical',
  name: 'Cloud Account Anomaly',
  category: 'cost_anomaly',
  severity: 'critical',
  title: 'Cost of Production: 1200.50 US dollars on 2026-01-15, 140.1 % above 500.00',
  summary: 'New resource: worker-17.',
  scope: { type: 'cloud_account', id: 'a-1' },
  data: {
    anomalyID: 'x-1',
    date: '2026-01-15',
    actualCostUsd: 1200.5,
    expectedCostUsd: 500,
    deviationPercent: 140.1,
    method: 'percent',
    rootCause: 'New resource: worker-17.',
    topResources: [
      { resourceUid: 'i-17', resourceName: 'worker-17', costUSD: 420, deltaUSD: 420 },
      { resourceUid: 'i-2', resourceName: '', costUSD: 300.25, deltaUSD: -5 },
    ],
  },
}

export const actionExhausted: NotificationEvent = {
  ...of,
  id: 'e-action',
  eventType: 'resource.retry_exhausted',
  name: 'Retry Exhausted',
  category: 'resource',
  title: 'web-1 could not be stopped after 3 tries',
  summary: 'Requested by manual:ana: The cloud did not answer.',
  scope: { type: 'resource', id: 'i-1' },
  data: {
    actionID: 'act-1',
    action: 'stop',
    resourceUid: 'i-1',
    resourceName: 'web-1',
    resourceType: 'aws-ec2',
    provider: 'aws',
    cloudAccountID: 'a-1',
    region: 'eu-west-1',
    source: 'manual',
    changedBy: 'manual:ana',
    attempts: 3,
    errorMessage: 'The cloud did not answer.',
  },
}

export const overrideTriggered: NotificationEvent = {
  ...of,
  id: 'e-override',
  eventType: 'resource.override',
  name: 'Override Triggered',
  category: 'resource',
  title: 'An override keeps resource group Batch running',
  summary: 'Until 2026-01-17T18:00:00.000Z, schedules do not change it: month-end.',
  scope: { type: 'resource_group', id: 'g-1' },
  data: {
    overrideID: 'v-1',
    desiredState: 'running',
    expiresAt: '2026-01-17T18:00:00.000Z',
    reason: 'month-end',
    members: [
      { resourceUid: 'i-1', cloudAccountID: 'a-1' },
      { resourceUid: 'i-2', cloudAccountID: 'a-1' },
    ],
  },
}

/** An event that tells of `count` others, with `more` beside them. */
export const digestOf = (count: number, more = 0): NotificationEvent => ({
  ...budgetExceeded,
  id: 'e-digest',
  title: `${count + more} notifications`,
  summary: 'Most severe: a budget.',
  scope: { type: 'org', id: '' },
  data: {
    events: Array.from({ length: count }, (_, n) => ({ ...budgetExceeded, id: `e-${n}`, title: `Budget ${n}` })),
    ...(more > 0 && { more }),
  },
})

export const link = 'https://tidemark.example/notifications/view?token=a.b&x=1'

export const message = (event: NotificationEvent, more: Partial<Message> = {}): Message => ({
  event,
  deliveryId: 'd-1',
  link,
  ...more,
})
