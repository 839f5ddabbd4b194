import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'
import { changerTypes, powerActions } from '#streams/action/messages.ts'

export const historyStates = ['running', 'stopped', 'failed'] as const
/** The step in which an action ended. */
export const historySteps = ['queued', 'cloud_call', 'wait_state', 'done'] as const

/** Actions that were carried out, as the power actor appends them when they end. Times are ISO 8601 UTC. */
export const stateHistoryTable = table({
  name: 'state_history',
  row: t.Object({
    org_id: t.String(),
    resource_uid: t.String(),
    cloud_account_id: t.String(),
    action_id: t.String(),
    state: t.Enum(historyStates),
    changed_at: t.String(),
    changed_by: t.String(),
    changed_by_type: t.Enum(changerTypes),
    /** Empty except for schedules. */
    schedule_id: t.String(),
    step: t.Enum(historySteps),
    status: t.Enum(['succeeded', 'failed']),
    /** Empty except for failures. */
    error_message: t.String(),
    action: t.Enum(powerActions),
    attempts: t.Integer(),
  }),
})

/** Actions that were started, as the power actor appends them. `reason` is empty if none was given. */
export const actionSubmissionTable = table({
  name: 'action_submission',
  row: t.Object({
    org_id: t.String(),
    resource_uid: t.String(),
    at: t.String(),
    action_id: t.String(),
    cloud_account_id: t.String(),
    action: t.Enum(powerActions),
    reason: t.String(),
    changed_by: t.String(),
  }),
})

export const actionTables = [stateHistoryTable, actionSubmissionTable]
