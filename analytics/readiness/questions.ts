import { questions } from '#analytics/store/query.ts'
import { t } from '#engine/value/schema.ts'
import { planLogKinds } from '#streams/readiness.ts'

const query = questions(import.meta.url)

const orNull = t.Union([t.Number(), t.Null()])

/** Targets of some accounts, and a range. Times are `YYYY-MM-DD HH:MM:SS.mmm` UTC. */
const targetParams = {
  org: t.String(),
  accounts: t.Array(t.String()),
  uids: t.Array(t.String()),
  since: t.String(),
  until: t.String(),
}
const example = {
  org: 'o1',
  accounts: ['acct-1'],
  uids: ['i-1'],
  since: '2026-01-01 00:00:00.000',
  until: '2026-02-01 00:00:00.000',
}

/** Load of targets. */
export const targetLoad = query(
  'target_load',
  t.Object(targetParams),
  t.Object({
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    average_cpu: orNull,
    requests_a_minute: orNull,
  }),
  example,
)

/** Only the CPU of targets, just before they are scaled up. */
export const targetCpu = query(
  'target_cpu',
  t.Object(targetParams),
  t.Object({ cloud_account_id: t.String(), resource_uid: t.String(), average_cpu: t.Number() }),
  example,
)

/** Log of a plan. */
export const planLogPage = query(
  'plan_log_page',
  t.Object({
    org: t.String(),
    plan: t.String(),
    limit: t.Integer({ minimum: 1 }),
    offset: t.Integer({ minimum: 0 }),
  }),
  t.Object({
    log_id: t.String(),
    kind: t.Enum(planLogKinds),
    from_status: t.String({ description: 'empty if nothing changes' }),
    to_status: t.String(),
    message: t.String(),
    actor: t.String(),
    policy_id: t.String({ description: 'empty for entries about the plan' }),
    at_ms: t.Integer({ description: 'milliseconds since 1970' }),
    total: t.Integer(),
  }),
  { org: 'o1', plan: 'p-1', limit: 20, offset: 0 },
)

export const readinessQuestions = [targetLoad, targetCpu, planLogPage]
