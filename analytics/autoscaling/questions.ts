/** Load of targets and events of their policies. */
import { questions } from '#analytics/store/query.ts'
import { t } from '#engine/value/schema.ts'
import { autoscalerEventKinds } from '#streams/autoscaling.ts'

const query = questions(import.meta.url)

const orNull = t.Union([t.Number(), t.Null()])
const boundOrNull = t.Union([t.Integer(), t.Null()])

/** Of one target; times are `YYYY-MM-DD HH:MM:SS.mmm` UTC, `until` excluded. */
const target = t.Object({ org: t.String(), account: t.String(), uid: t.String(), since: t.String(), until: t.String() })
const targetExample = {
  org: 'o1',
  account: 'acct-1',
  uid: 'i-1',
  since: '2026-01-01 00:00:00.000',
  until: '2026-02-01 00:00:00.000',
}

export const fleetUsage = query(
  'fleet_usage',
  target,
  t.Object({ p95_cpu_percent: orNull, peak_units: orNull }),
  targetExample,
)

export const recordedLoad = query(
  'recorded_load',
  target,
  t.Object({
    at_ms: t.Integer({ description: 'milliseconds since 1970' }),
    cpu_percent: orNull,
    units: orNull,
  }),
  targetExample,
)

export const policyEventPage = query(
  'policy_event_page',
  t.Object({
    org: t.String(),
    policy: t.String(),
    limit: t.Integer({ minimum: 1 }),
    offset: t.Integer({ minimum: 0 }),
  }),
  t.Object({
    event_id: t.String(),
    kind: t.Enum(autoscalerEventKinds),
    from_min: boundOrNull,
    from_max: boundOrNull,
    to_min: boundOrNull,
    to_max: boundOrNull,
    reason: t.String(),
    applied_by: t.String({ description: 'empty for automatic actions' }),
    at_ms: t.Integer({ description: 'milliseconds since 1970' }),
    total: t.Integer(),
  }),
  { org: 'o1', policy: 'p1', limit: 20, offset: 0 },
)

export const autoscalingQuestions = [fleetUsage, recordedLoad, policyEventPage]
