/** The dimensions that costs are divided by, tags among them as `tag:<key>`, and the filters by their values. */
import { flowDims } from '#analytics/cost/questions.ts'
import { labelsMax, tagColumns } from '#analytics/store/slice.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { didYouMean } from '#http/edge/request/nearest.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import { filterQuestion, filters, valuesAsked, type Filters } from './filter.ts'
import { isTag, keyOf } from './tag-dimension.ts'
import { clausesOf, Where, whereQuestion, type WhereQuestion } from './where.ts'

/** A dimension of a report, as routes name it; `checkDimension` says whether it is one. */
export const Dimension = t.String({
  maxLength: 516,
  description: `${flowDims.join(', ')}, or tag:KEY for the resource's value of this tag; in a key, escape commas and backslashes with a backslash`,
})
export type Dimension = Static<typeof Dimension>

/** @throws Fault `invalid` naming the nearest dimension there is */
export function checkDimension(name: string, where: Where): void {
  if (isTag(name) || flowDims.some((dim) => dim === name)) return
  const known = [...flowDims, 'tag:KEY']
  throw badInput({ ...where, code: 'enum', message: `must be one of ${known.join(', ')}${didYouMean(name, known)}` })
}

/** Narrows by the values of tags, as `filters` by those of other dimensions: `filter[tag:team]=data`. */
const tagFilter = {
  filter: t.Optional(
    t.Record(t.String(), t.Array(t.String({ maxLength: 2600 }), { maxItems: 100 }), {
      keyed: 'tag:',
      description: 'filter[tag:KEY]=value: with this value of the tag; (none): without the tag',
    }),
  ),
  where: t.Optional(Where),
}
const TagFilter = t.Object(tagFilter)
export type TagFilter = Static<typeof TagFilter>

/** What a question by these dimensions and filters is asked with, and the columns that its dimensions are. */
export interface Labels {
  question: { dim_tags: string[]; dim_values: string[][]; invoices: string[] } & WhereQuestion
  columns: string[]
}

/** The column of a dimension that is no tag. */
const columnOf = (name: string): string => shownColumns[name] ?? name
const shownColumns: Readonly<Record<string, string>> = { provider: 'shown_provider', service_name: 'shown_service' }

type Where = Pick<InputError, 'in' | 'name'>
type LabelFilter = 'filter[invoice_id]' | 'filter[cluster]' | 'filter[namespace]'

/**
 * @throws Fault `invalid` for more tags than one question takes, for invoices and clusters of an earlier time, which sums of then do
 * not know, and for both together: lines are not divided
 */
export function labelsOf(
  dimensions: readonly string[],
  query: TagFilter & Partial<Record<LabelFilter, string[]>> & { asOf?: string },
  where: Where,
): Labels {
  const wanted = Object.entries(query.filter ?? {})
  const clauses = query.where === undefined ? [] : clausesOf(query.where)
  const conditionDims = clauses.flat().map(({ dim }) => dim)
  const tags = [...dimensions, ...wanted.map(([name]) => name), ...conditionDims].filter(isTag)
  const dim_tags = [...new Set(tags.map(keyOf))]
  const tagColumn = (name: string) => tagColumns[dim_tags.indexOf(keyOf(name))]!
  if (dim_tags.length > labelsMax)
    throw badInput({ ...where, code: 'maxItems', message: `at most ${labelsMax} tags per request` })
  const invoices = valuesAsked(query['filter[invoice_id]'])
  if (query.asOf !== undefined && (invoices.length > 0 || dimensions.includes('invoice_id')))
    throw badInput({ in: 'query', name: 'asOf', code: 'invoice_id', message: 'cannot be combined with invoice_id' })
  const ofClusters = (['cluster', 'namespace'] as const).find(
    (name) => [...dimensions, ...conditionDims].includes(name) || (query[`filter[${name}]`] ?? []).length > 0,
  )
  if (ofClusters !== undefined && (invoices.length > 0 || dimensions.includes('invoice_id')))
    throw badInput({ ...where, code: ofClusters, message: `invoice_id cannot be combined with ${ofClusters}` })
  if (ofClusters !== undefined && query.asOf !== undefined)
    throw badInput({ in: 'query', name: 'asOf', code: ofClusters, message: `cannot be combined with ${ofClusters}` })
  const values = new Map(wanted.map(([name, of]) => [keyOf(name), valuesAsked(of)]))
  return {
    question: {
      dim_tags,
      dim_values: dim_tags.map((key) => values.get(key) ?? []),
      invoices,
      ...whereQuestion(clauses, (dim) => (isTag(dim) ? tagColumn(dim) : dim)),
    },
    columns: dimensions.map((name) => (isTag(name) ? tagColumn(name) : columnOf(name))),
  }
}

/** What narrows beyond the parameters that all reports share. */
export const everyFilter = { ...filters, ...tagFilter }

/** A question narrowed by all of them, to be asked of `cost_slice_tagged`. @throws as `labelsOf` */
export const narrowedBy = <Q extends Parameters<typeof filterQuestion>[0]>(
  question: Q,
  query: Filters & TagFilter,
) => ({
  ...question,
  ...filterQuestion(question, query),
  ...labelsOf([], query, { in: 'query', name: 'filter' }).question,
})

/** Whether any of them is given. */
export const isFiltered = (query: object): boolean =>
  Object.entries(query).some(([name, given]) => name.startsWith('filter') && Object.keys(given ?? {}).length > 0)
