/** The request body of an export, and the inputs of every sheet. */
import { granularities } from '#analytics/cost/questions.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { formats } from '#http/file/sheet.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import { textInput } from '#http/edge/request/decode.ts'
import { range, rangeOf, type Range } from '#http/edge/parameter/range.ts'
import { everyFilter, type TagFilter } from '#http/report/filter/dimension.ts'
import { costQuestion, narrowing, whichCost, whichSavings, type Filters } from '#http/report/filter/filter.ts'
import { clausesOf } from '#http/report/filter/where.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { focusVersions } from '#streams/export.ts'

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
    filter: t.Optional(
      t.Record(t.String({ maxLength: 516 }), t.Array(t.String({ maxLength: 2600 }), { maxItems: 100 }), {
        maxProperties: 20,
        description:
          'for summary, costs, trends and resources: values by dimension, as filter[...] of reports, tag:KEY for a tag',
        examples: [{ service_name: ['Amazon Elastic Compute Cloud'], 'tag:team': ['data'] }],
      }),
    ),
    where: t.Optional(
      t.Unknown({
        description: 'for the same reports: conditions as in the parameter where of reports, as an object',
        examples: [{ dim: 'region', op: 'contains', values: ['eu-'] }],
      }),
    ),
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
  /** Filters of the body, as a query has them. */
  filters: Filters & TagFilter
  services: Services
}

/** Reports that can be narrowed by any dimension. */
const filtered: readonly ExportReport[] = ['summary', 'costs', 'trends', 'resources']

/** @throws Fault `invalid` with what is wrong in the range */
export function toExportRequest(caller: Caller, body: Body, services: Services): ExportRequest {
  const days = daysOf(body, services.now())
  const question = costQuestion(caller, body, days, services)
  return { caller, body, dimensions: body.dimensions ?? [], days, question, filters: filtersOf(body), services }
}

const readFilters = textInput(t.Object(everyFilter), 'query')

/** @throws Fault `invalid` with what is wrong in a filter, or that the report has none */
function filtersOf({ report, filter, where }: Body): Filters & TagFilter {
  const name = filter !== undefined ? '/filter' : '/where'
  if (filter === undefined && where === undefined) return {}
  if (!filtered.includes(report))
    throw badInput({ in: 'body', name, code: 'report', message: `is only for ${filtered.join(', ')}` })
  const texts = Object.entries(filter ?? {}).map(([dim, values]) => [`filter[${dim}]`, values] as const)
  const given = { ...Object.fromEntries(texts), ...(where !== undefined && { where: JSON.stringify(where) }) }
  const read = inBody(
    () => readFilters(given) as Filters & TagFilter,
    (one) => `/${one.replace(/^filter\[(.+)\]$/, (_, dim: string) => `filter/${dim}`)}`,
  )
  // What is wrong in a condition is found where it is converted.
  if (read.where !== undefined)
    inBody(
      () => clausesOf(read.where!),
      (one) => `/${one}`,
    )
  return read
}

/** The range in the body, read like that of a query. */
const daysOf = (body: Body, now: Date): Range =>
  inBody(
    () => rangeOf(body, now),
    (name) => `/${name}`,
  )

/** Reads a part of the body as if it were of a query: refusals name the members of the body. */
function inBody<T>(read: () => T, memberOf: (parameter: string) => string): T {
  try {
    return read()
  } catch (error) {
    const errors = error instanceof Fault ? (error.detail.errors as InputError[] | undefined) : undefined
    if (!errors) throw error
    throw badInput(...errors.map((one) => ({ ...one, in: 'body' as const, name: memberOf(one.name) })))
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
