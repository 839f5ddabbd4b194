import { t } from '#engine/value/schema.ts'
import { allOfThem, narrower } from '#analytics/cost/charge.ts'
import { questions } from '#analytics/store/query.ts'
import { everything, january, resourceFilters, sliceParams } from '#analytics/store/slice.ts'

const query = questions(import.meta.url)

export const resourceNames = query(
  'resource_names',
  t.Object({ org: t.String(), uids: t.Array(t.String()) }),
  t.Object({ resource_uid: t.String(), name: t.String() }),
  { org: 'o1', uids: ['i-1'] },
)

const { cost: _, ...withoutCost } = sliceParams
const { cost: __, ...example } = january

/** The number of resources in every report (decision G-109): those of the inventory and of bills, each once. */
export const periodResources = query(
  'period_resources',
  t.Object({ ...withoutCost, ...narrower, billed_only: t.Integer({ minimum: 0, maximum: 1 }) }),
  t.Object({ resources: t.Integer() }),
  { ...example, ...allOfThem, billed_only: 0 },
  { needs: ['resource_uid'], isByMonth: true },
)

/** Activity of resources, from every source (decision G-41). */
export const activityKinds = [
  'state_transition',
  'scheduler_event',
  'action_submission',
  'configuration_change',
] as const

const ms = t.Integer({ description: 'milliseconds since 1970' })

/** `from_ms` is included, `to_ms` is not. `sliced` 1 filters by the inventory. */
export const resourceActivity = query(
  'resource_activity',
  t.Object({
    org: t.String(),
    uids: t.Array(t.String()),
    from_ms: ms,
    to_ms: ms,
    sliced: t.Integer({ minimum: 0, maximum: 1 }),
    ...resourceFilters,
    limit: t.Integer({ minimum: 1 }),
    offset: t.Integer({ minimum: 0 }),
  }),
  t.Object({
    id: t.String(),
    at_ms: ms,
    kind: t.Enum(activityKinds),
    resource_uid: t.String(),
    actor: t.String(),
    details: t.String({ description: 'JSON' }),
    total: t.Integer(),
  }),
  {
    org: 'o1',
    uids: ['i-1'],
    from_ms: Date.UTC(2026, 0, 1),
    to_ms: Date.UTC(2026, 1, 1),
    sliced: 1,
    ...everything,
    limit: 20,
    offset: 0,
  },
)

export const resourceQuestions = [resourceNames, resourceActivity, periodResources]
