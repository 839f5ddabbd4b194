/** Queries for files: they have many rows, so these are streamed. */
import { t } from '#engine/value/schema.ts'
import { flowDims } from '#analytics/cost/questions.ts'
import { questions } from '#analytics/store/query.ts'
import { allOfThem, narrower } from '#analytics/cost/charge.ts'
import { asReported, january, saving, sliceParams, tagColumns } from '#analytics/store/slice.ts'
import { focusColumns, focusMoney, focusPrices, focusQuantities } from '#streams/focus-columns.ts'

const query = questions(import.meta.url)

const money = t.String({ description: 'US dollars, exact' })

/** Dimensions of costs in a file; `date` is a day, `month` YYYY-MM. */
export const exportDims = [...flowDims, 'date', 'month'] as const
export type ExportDim = (typeof exportDims)[number]

/** `nothing` if no dimension is used. */
const level = t.Enum([...exportDims, 'shown_provider', 'shown_service', ...tagColumns, 'nothing'])
const group = t.String()

export const exportCosts = query(
  'export_costs',
  t.Object({
    ...sliceParams,
    ...saving,
    ...narrower,
    d1: level,
    d2: level,
    d3: level,
    d4: level,
    d5: level,
    d6: level,
    d7: level,
    d8: level,
    d9: level,
    d10: level,
    d11: level,
    d12: level,
  }),
  t.Object({
    d1: group,
    d2: group,
    d3: group,
    d4: group,
    d5: group,
    d6: group,
    d7: group,
    d8: group,
    d9: group,
    d10: group,
    d11: group,
    d12: group,
    cost_usd: money,
    savings_usd: money,
  }),
  {
    ...january,
    ...asReported,
    ...allOfThem,
    d1: 'provider',
    d2: 'month',
    d3: 'nothing',
    d4: 'nothing',
    d5: 'nothing',
    d6: 'nothing',
    d7: 'nothing',
    d8: 'nothing',
    d9: 'nothing',
    d10: 'nothing',
    d11: 'nothing',
    d12: 'nothing',
  },
  { columns: Array.from({ length: 12 }, (_, n) => `d${n + 1}`) },
)

/** Our columns, after those of FOCUS. */
export const ownColumns = [
  'x_LineId',
  'x_CloudAccountId',
  'x_Provider',
  'x_PurchaseType',
  'x_ResourceType',
  'x_Source',
  'x_ExportedAt',
  'x_UsageHours',
  'x_HourlyRateUSD',
  'x_BillingCurrency',
  'x_UsdRate',
  'x_UsageAccountId',
  'x_PublisherName',
  'x_OtherColumns',
] as const

const decimals: readonly string[] = [...focusMoney, ...focusPrices, ...focusQuantities, 'x_UsdRate']
/** Whether a column of `focusLines` holds numbers; decimals come as text. */
export const isAmount = (name: string): boolean =>
  decimals.includes(name) || /^x_(UsageHours|HourlyRateUSD)$/.test(name)

const { cost: _cost, ...days } = sliceParams
const { cost: _billed, ...januaryDays } = january
const columnValue = t.Union([t.String(), t.Number(), t.Null()])

export const focusLines = query(
  'focus_lines',
  t.Object({ ...days, narrow: t.Integer({ minimum: 0, maximum: 1 }) }),
  t.Object(Object.fromEntries([...focusColumns, ...ownColumns].map((name) => [name, columnValue]))),
  { ...januaryDays, narrow: 1 },
  { needs: ['resource_uid'] },
)

/** Whether the lines of some days are still those of before. */
export const focusEdition = query(
  'focus_edition',
  t.Object({ from: days.from, to: days.to, as_of: days.as_of, org: days.org }),
  t.Object({ edition: t.String() }),
  { org: januaryDays.org, from: januaryDays.from, to: januaryDays.to, as_of: '' },
)

export const exportQuestions = [exportCosts, focusLines, focusEdition]
