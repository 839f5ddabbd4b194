import { accountState } from '#analytics/cost/account-table.ts'
import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'
import { focusColumns } from '#streams/focus-columns.ts'

const optionalValue = t.Optional(t.Unknown())

/**
 * Filled by `costLine`, which decodes them: money and quantities as decimal text, maps as objects, times as UTC text.
 */
const focus = Object.fromEntries(focusColumns.map((name) => [name, optionalValue])) as Record<
  (typeof focusColumns)[number],
  typeof optionalValue
>

/**
 * Individually sent bill lines, as the account actor appends them: a CostLine with its owner. `x_Deleted` 1 removes the
 * line from its day.
 */
export const costFact = table({
  name: 'cost_fact',
  row: t.Object({
    x_OrgId: t.String(),
    x_CloudAccountId: t.String(),
    x_Day: t.String(),
    x_LineId: t.String(),
    x_Provider: t.String(),
    x_PurchaseType: t.String(),
    x_Source: t.String(),
    x_ExportedAt: t.String(),
    x_UsageHours: t.Optional(t.Number()),
    x_HourlyRateUSD: t.Optional(t.Number()),
    x_UsdRate: t.Optional(t.String()),
    x_UsdRateSource: t.Optional(t.String()),
    ...focus,
    x_OtherColumns: optionalValue,
    x_PublisherName: optionalValue,
    x_Deleted: t.Optional(t.Integer({ minimum: 0, maximum: 1 })),
    /** 1 for every individually sent line. */
    x_Lone: t.Optional(t.Integer({ minimum: 0, maximum: 1 })),
    /** Both empty: needed by the view that unites both kinds of lines. */
    x_BillingPeriod: t.Optional(t.String()),
    x_ExportId: t.Optional(t.String()),
  }),
})

/**
 * The current day of a line, appended by the account actor once the line's facts are durable. Days are `YYYY-MM-DD`.
 */
export const costLineDay = table({
  name: 'cost_line_day',
  order: 1,
  row: t.Object({
    org_id: t.String(),
    cloud_account_id: t.String(),
    line_id: t.String(),
    day: t.String(),
    from_day: t.Union([t.String(), t.Null()]),
    /** Every day it left in its batch, separated by commas. */
    from_days: t.String(),
  }),
})

export const costTables = [accountState, costFact, costLineDay]
