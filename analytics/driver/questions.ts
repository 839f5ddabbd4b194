/** Why costs rose and fell between two ranges of days. Amounts are US dollars, exact decimal text. */
import { allLines, lineFilters } from '#analytics/cost/charge.ts'
import { questions } from '#analytics/store/query.ts'
import { january, sliceParams } from '#analytics/store/slice.ts'
import { t } from '#engine/value/schema.ts'

const query = questions(import.meta.url)

const money = t.String({ description: 'US dollars, exact' })
const flag = t.Integer({ minimum: 0, maximum: 1 })

export const driverDims = [
  'service_name',
  'cloud_account_id',
  'sub_account',
  'region',
  'resource_type',
  'resource_uid',
] as const
/** Teams only on request: their shares of shared costs take longer to compute. */
export const allDriverDims = [...driverDims, 'team_id'] as const
export type DriverDim = (typeof allDriverDims)[number]

/**
 * `value` is empty for the total and for costs without a value. `is_now` and `is_then` are 1 if there were charges in
 * the range and before it.
 */
export const costDrivers = query(
  'cost_drivers',
  t.Object({
    ...sliceParams,
    ...lineFilters,
    uids: t.Array(t.String()),
    of_teams: t.Integer({ minimum: 0, maximum: 1 }),
    prev_from: t.String(),
    prev_to: t.String(),
    top: t.Integer({ minimum: 1 }),
  }),
  t.Object({
    dimension: t.Enum(['total', ...allDriverDims]),
    value: t.String(),
    cost_usd: money,
    previous_usd: money,
    usage_usd: money,
    price_usd: money,
    known: flag,
    is_now: flag,
    is_then: flag,
    rises: t.Integer(),
    falls: t.Integer(),
  }),
  {
    ...january,
    ...allLines,
    uids: [],
    of_teams: 0,
    prev_from: '2025-12-01',
    prev_to: '2025-12-31',
    top: 10,
  },
  { needs: ['charges', 'resource_uid', 'shown_service', 'sub_account'] },
)

export const driverQuestions = [costDrivers]
