/** The history of starts and stops (decision G-62). */
import { historyStatuses, stateHistory } from '#analytics/action/questions.ts'
import { historyStates, historySteps } from '#analytics/action/tables.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { askPage, paging } from '#http/edge/parameter/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import { namesOf, PersonName } from '#http/people/name.ts'
import { changerTypes } from '#streams/action/messages.ts'

const Item = t.Object(
  {
    id: t.String({ description: 'of the action' }),
    resourceUid: t.String(),
    state: t.Enum(historyStates, { description: 'the resulting state' }),
    changedAt: Timestamp,
    changedBy: t.String({
      description:
        'schedule:<name>:<id>, manual:<user>, bulk:<bulk action>, override:<id> or override_expired:<id>; names may contain colons',
    }),
    changedByName: t.Optional(PersonName),
    scheduleId: orNull(t.String()),
    executionState: t.Object({
      step: t.Enum(historySteps, { description: 'done, or the step that failed' }),
      status: t.Enum(historyStatuses),
    }),
    errorMessage: orNull(t.String()),
  },
  {
    title: 'StateHistoryItem',
    examples: [
      {
        id: '3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01',
        resourceUid: 'i-0a1b2c3d4e5f60718',
        state: 'stopped',
        changedAt: '2026-01-15T10:00:41.000Z',
        changedBy: 'manual:0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
        changedByName: 'Ana',
        scheduleId: null,
        executionState: { step: 'done', status: 'succeeded' },
        errorMessage: null,
      },
    ],
  },
)

/** One change as the API shows it. */
export const shownHistory = (row: Static<typeof stateHistory.row>): Static<typeof Item> => ({
  id: row.action_id,
  resourceUid: row.resource_uid,
  state: row.state,
  changedAt: new Date(row.changed_at_ms).toISOString(),
  changedBy: row.changed_by,
  scheduleId: row.schedule_id || null,
  executionState: { step: row.step, status: row.status },
  errorMessage: row.error_message || null,
})

export const stateHistories: readonly Route[] = [
  route({
    method: 'GET',
    path: '/state-history',
    summary: 'List start and stop actions, including failed ones, newest first',
    description:
      'One row for each executed action, kept for 400 days. Actions that had nothing to do, were blocked or were superseded are not listed.',
    permission: 'service.view',
    tags: ['Actions'],
    query: t.Object({
      resource_uid: t.Optional(t.String({ maxLength: 1024, description: 'only this resource' })),
      changed_by_type: t.Optional(t.Enum(changerTypes, { description: 'only changes by this actor' })),
      ...paging(20, 100),
    }),
    reply: t.Object({
      items: t.Array(Item),
      total: t.Integer({ examples: [1] }),
      page: t.Integer({ examples: [1] }),
      limit: t.Integer({ examples: [20] }),
    }),
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, query }, { analytics, em }) => {
      const { resource_uid: uid, changed_by_type: type, page, limit } = query
      const question = { uids: uid === undefined ? [] : [uid], types: type === undefined ? [] : [type] }
      const { rows, total } = await askPage(query, (cut) => analytics(stateHistory, { ...question, ...cut }))
      const changers = rows.map((row) => row.changed_by)
      const nameOf = await namesOf(em, caller.orgId, changers)
      const items = rows.map((row) => ({ ...shownHistory(row), changedByName: nameOf(row.changed_by) }))
      return { items, total, page, limit }
    },
  }),
]
