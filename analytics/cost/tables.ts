import { accountState } from '#analytics/cost/account-table.ts'
import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'
import { focusColumns } from '#streams/focus-columns.ts'

const held = t.Optional(t.Unknown())

/** Filled by `costLine`, which is their decoder: money and quantities as decimal text, maps as objects, times as UTC text. */
const focus = Object.fromEntries(focusColumns.map((name) => [name, held])) as Record<
  (typeof focusColumns)[number],
  typeof held
>

/** Lines of bills that came alone, as the account actor appends them: a CostLine and whose it is. `x_Deleted` 1 takes the line off its day. */
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
    x_Deleted: t.Optional(t.Integer({ minimum: 0, maximum: 1 })),
    /** 1 in every line that comes alone. */
    x_Lone: t.Optional(t.Integer({ minimum: 0, maximum: 1 })),
    /** Both empty: they are there for the view of lines of both kinds. */
    x_BillingPeriod: t.Optional(t.String()),
    x_ExportId: t.Optional(t.String()),
  }),
})

/** The day a line stands on, as the account actor appends it once the line's facts are durable. Days are `YYYY-MM-DD`. */
export const costLineDay = table({
  name: 'cost_line_day',
  order: 1,
  row: t.Object({
    org_id: t.String(),
    cloud_account_id: t.String(),
    line_id: t.String(),
    day: t.String(),
    from_day: t.Union([t.String(), t.Null()]),
    /** Every day it left in its batch, with commas between. */
    from_days: t.String(),
  }),
})

export const costTables = [accountState, costFact, costLineDay]
