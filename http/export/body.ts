/** The request body of an export, and the inputs of every sheet. */
import { granularities } from '#analytics/cost/questions.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { formats } from '#http/export/sheet.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import { range, rangeOf, type Range } from '#http/edge/parameter/range.ts'
import { costQuestion, narrowing, whichCost, whichSavings } from '#http/report/filter/filter.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'

const exportReports = [
  'summary',
  'costs',
  'trends',
  'teams',
  'tags',
  'anomalies',
  'resources',
  'recommendations',
  'savings',
  'commitments',
  'kubernetes',
  'budgets',
  'unit-economics',
  'focus',
  'receipt',
] as const
export type ExportReport = (typeof exportReports)[number]

const focusVersions = ['1.2', '1.4'] as const

export const Body = t.Object(
  {
    report: t.Enum(exportReports),
    format: t.Enum(formats),
    dimensions: t.Optional(
      t.Array(t.String({ maxLength: 516 }), {
        maxItems: 12,
        uniqueItems: true,
        description: 'the columns to group by, in order, tag:KEY for a tag; default: the columns of the report',
      }),
    ),
    ...range,
    ...narrowing,
    cost: whichCost.cost,
    savings: whichSavings.savings,
    tag: whichCost.tag,
    granularity: t.Optional(
      t.Enum(granularities, { description: 'for trends without dimensions and for unit-economics' }),
    ),
    metric: t.Optional(
      t.String({ minLength: 1, maxLength: 64, description: 'required for unit-economics: its ID or key' }),
    ),
    version: t.Optional(t.Enum(focusVersions, { description: 'for focus; default 1.4' })),
  },
  { examples: [{ report: 'costs', format: 'csv', from: '2026-01-01', to: '2026-01-31' }] },
)
export type Body = Static<typeof Body>

/** The inputs of a sheet. `question` is limited to what the caller's role may see. */
export interface ExportRequest {
  caller: Caller
  body: Body
  dimensions: readonly string[]
  days: Range
  question: ReturnType<typeof costQuestion>
  services: Services
}

/** @throws Fault `invalid` with what is wrong in the range */
export function toExportRequest(caller: Caller, body: Body, services: Services): ExportRequest {
  const days = daysOf(body, services.now())
  const question = costQuestion(caller, body, days, services)
  return { caller, body, dimensions: body.dimensions ?? [], days, question, services }
}

/** The range in the body, read like that of a query. */
function daysOf(body: Body, now: Date): Range {
  try {
    return rangeOf(body, now)
  } catch (error) {
    const errors = error instanceof Fault ? (error.detail.errors as InputError[] | undefined) : undefined
    if (!errors) throw error
    throw badInput(...errors.map((one) => ({ ...one, in: 'body' as const, name: `/${one.name}` })))
  }
}

/** @throws Fault `invalid` with the first dimension that the report does not have */
export function checkDimensions(
  { body, dimensions }: Pick<ExportRequest, 'body' | 'dimensions'>,
  known: readonly string[],
) {
  const at = dimensions.findIndex((name) => !known.includes(name))
  if (at === -1) return
  const message = `${dimensions[at]} is not a dimension of ${body.report}. Its dimensions are ${known.join(', ')}.`
  throw badInput({ in: 'body', name: `/dimensions/${at}`, code: 'enum', message })
}
