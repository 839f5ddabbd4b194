/**
 * Events for listeners of an organization, sent immediately. Each says what has changed; listeners still have to
 * request the data.
 */
import { t, type Static, type TSchema } from '#engine/value/schema.ts'
import type { Signal } from '#engine/actor/turn.ts'
import { anomalyTypes, shownSeverities } from '#streams/anomaly.ts'
import { text } from '#streams/text.ts'
import { workflowStatuses } from '#streams/workflow.ts'

export interface LiveEvent<S extends TSchema = TSchema> extends Signal<S> {
  /** One sentence for the documentation. */
  summary: string
  /** The permission needed to receive it; `admin`: owners and admins. Without it an event is not sent. */
  needs: 'service.view' | 'space.view' | 'admin'
  examples: readonly Static<S>[]
}

const liveEvent = <S extends TSchema>(declaration: LiveEvent<S>): LiveEvent<S> => declaration

const day = t.String({ description: 'YYYY-MM-DD, UTC' })
const time = t.String({ description: 'ISO 8601' })
const id = text()
const ids = t.Array(id, { description: 'sorted' })

/** One event per account; changes at the same time are sent together. */
export const costsChanged = liveEvent({
  name: 'costs.changed',
  summary: 'The totals of these days of these accounts were recomputed. Reports now show them.',
  needs: 'service.view',
  schema: t.Object({ days: t.Array(day, { description: 'sorted' }), cloudAccountIDs: ids }),
  examples: [{ days: ['2026-11-20'], cloudAccountIDs: ['acct-1'] }],
})

const anomaly = { id, date: day, type: t.Enum(anomalyTypes) }

export const anomalyRecorded = liveEvent({
  name: 'anomaly.recorded',
  summary: 'An anomaly was found, or its figures changed; `info` means it is suppressed.',
  needs: 'service.view',
  schema: t.Object({ ...anomaly, severity: t.Enum(shownSeverities) }),
  examples: [
    { id: '0b8f2c3e-5d0f-8a77-8c11-6a2f3a0f9d11', date: '2026-11-20', type: 'cloud_account', severity: 'critical' },
  ],
})

export const anomalyChanged = liveEvent({
  name: 'anomaly.reviewed',
  summary: 'Someone reviewed an anomaly or withdrew the review (`none`).',
  needs: 'service.view',
  schema: t.Object({ ...anomaly, state: t.String({ description: 'acknowledged, expected or none' }) }),
  examples: [
    { id: '0b8f2c3e-5d0f-8a77-8c11-6a2f3a0f9d11', date: '2026-11-20', type: 'cloud_account', state: 'expected' },
  ],
})

export const anomalyGone = liveEvent({
  name: 'anomaly.withdrawn',
  summary: 'An anomaly found before its day ended did not last.',
  needs: 'service.view',
  schema: t.Object(anomaly),
  examples: [{ id: '0b8f2c3e-5d0f-8a77-8c11-6a2f3a0f9d11', date: '2026-11-20', type: 'cloud_account' }],
})

export const budgetReached = liveEvent({
  name: 'budget.evaluated',
  summary: 'The spend of a budget reached a threshold for the first time this month.',
  needs: 'service.view',
  schema: t.Object({
    budgetID: id,
    month: t.String({ description: 'YYYY-MM, UTC' }),
    level: t.Enum(['warning', 'exceeded']),
    spendUSD: t.Number({ description: 'month to date, in cents precision' }),
    percentUsed: t.Number(),
  }),
  examples: [{ budgetID: 'b-1', month: '2026-11', level: 'warning', spendUSD: 812.5, percentUsed: 81.25 }],
})

const orNull = <S extends TSchema>(schema: S) => t.Union([schema, t.Null()])

export const refreshMoved = liveEvent({
  name: 'refresh.progress',
  summary: 'A resource discovery started, progressed or ended.',
  needs: 'space.view',
  schema: t.Object({
    refreshID: id,
    status: t.String({ description: 'as returned by GET /resources/refresh/status' }),
    discovered: t.Integer({ description: 'resources found so far' }),
    startedAt: orNull(time),
    completedAt: orNull(time),
  }),
  examples: [
    {
      refreshID: '5f0c1b9e-7a53-4c36-9d0b-0f8f7a0a8e55',
      status: 'running',
      discovered: 42,
      startedAt: '2026-11-20T10:00:00.000Z',
      completedAt: null,
    },
  ],
})

export const inventoryChanged = liveEvent({
  name: 'inventory.changed',
  summary: 'Resources in these accounts were found, changed or deleted.',
  needs: 'space.view',
  schema: t.Object({ cloudAccountIDs: ids }),
  examples: [{ cloudAccountIDs: ['acct-1'] }],
})

export const billChanged = liveEvent({
  name: 'bill.changed',
  summary:
    'An export of bills ended: it is being counted (`waiting`), replaced the current bill (`replaced`), is `held` until someone confirms it, or is `incomplete`; or an admin `removed` it.',
  needs: 'service.view',
  schema: t.Object({
    cloudAccountID: id,
    exportID: id,
    state: t.Enum(['waiting', 'replaced', 'held', 'incomplete', 'over', 'removed']),
  }),
  examples: [{ cloudAccountID: 'acct-1', exportID: '2026-11-cur', state: 'replaced' }],
})

export const recommendationsChanged = liveEvent({
  name: 'recommendation.changed',
  summary: 'Recommendations for resources in these accounts were found, decided, applied or closed.',
  needs: 'service.view',
  schema: t.Object({ cloudAccountIDs: ids }),
  examples: [{ cloudAccountIDs: ['acct-1'] }],
})

export const workflowMoved = liveEvent({
  name: 'workflow.changed',
  summary: 'A workflow started, progressed, is waiting for approval, or ended.',
  needs: 'service.view',
  schema: t.Object({ jobID: id, recommendationID: id, status: t.Enum(workflowStatuses) }),
  examples: [
    {
      jobID: '7f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
      recommendationID: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01',
      status: 'awaiting_user',
    },
  ],
})

export const deadLetterRecorded = liveEvent({
  name: 'dead_letter.recorded',
  summary: 'A message could not be processed and was dead-lettered.',
  needs: 'admin',
  schema: t.Object({ id, code: t.String({ description: 'error code' }) }),
  examples: [{ id: '3-1207-0', code: 'validation_failed' }],
})

/** The first event on each stream. */
export const ready = liveEvent({
  name: 'ready',
  summary: 'The stream is open and reports all changes from now on. Reload everything you display.',
  needs: 'service.view',
  schema: t.Object({}),
  examples: [{}],
})

export const resync = liveEvent({
  name: 'resync',
  summary: 'Events may have been missed. Reload everything you display.',
  needs: 'service.view',
  schema: t.Object({}),
  examples: [{}],
})

/** In the order of the documentation. */
export const liveEvents: readonly LiveEvent[] = [
  ready,
  resync,
  costsChanged,
  anomalyRecorded,
  anomalyChanged,
  anomalyGone,
  budgetReached,
  refreshMoved,
  inventoryChanged,
  billChanged,
  recommendationsChanged,
  workflowMoved,
  deadLetterRecorded,
]
