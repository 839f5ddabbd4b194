import { historyStates, historySteps } from '#analytics/action/tables.ts'
import { questions } from '#analytics/store/query.ts'
import { t } from '#engine/value/schema.ts'
import { changerTypes } from '#streams/action/messages.ts'

const query = questions(import.meta.url)

export const historyStatuses = ['succeeded', 'failed'] as const

/** Actions that started and stopped resources, or tried to. */
export const stateHistory = query(
  'state_history',
  t.Object({
    org: t.String(),
    uids: t.Array(t.String()),
    types: t.Array(t.Enum(changerTypes)),
    limit: t.Integer({ minimum: 1 }),
    offset: t.Integer({ minimum: 0 }),
  }),
  t.Object({
    action_id: t.String(),
    resource_uid: t.String(),
    state: t.Enum(historyStates),
    changed_at_ms: t.Integer({ description: 'milliseconds since 1970' }),
    changed_by: t.String(),
    schedule_id: t.String({ description: 'empty except for schedules' }),
    step: t.Enum(historySteps),
    status: t.Enum(historyStatuses),
    error_message: t.String({ description: 'empty except for failures' }),
    total: t.Integer(),
  }),
  { org: 'o1', uids: ['i-1'], types: ['manual'], limit: 20, offset: 0 },
)

export const actionQuestions = [stateHistory]
