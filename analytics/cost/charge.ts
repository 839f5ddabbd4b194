/** Filters of cost queries beyond their slice. */
import { labelFilters, noLabels, whereFilters } from '#analytics/store/slice.ts'
import { t } from '#engine/value/schema.ts'

const list = t.Array(t.String())

/** Filters by what lines are charged for and how, the billing account and the sub-account; an empty list means all. */
export const lineFilters = { services: list, purchases: list, categories: list, billers: list, subs: list }
export const allLines = {
  services: [] as string[],
  purchases: [] as string[],
  categories: [] as string[],
  billers: [] as string[],
  subs: [] as string[],
}
/** Also by user of a cluster, which lines do not have; an empty text means nobody. */
export const chargeFilters = { ...lineFilters, clusters: list, namespaces: list }
export const allCharges = {
  ...allLines,
  clusters: [] as string[],
  namespaces: [] as string[],
}

/** Filters of a query beyond its slice; a filter that is left out includes everything. */
export const narrower = {
  dim_tags: t.Optional(labelFilters.dim_tags),
  dim_values: t.Optional(labelFilters.dim_values),
  invoices: t.Optional(labelFilters.invoices),
  where_dims: t.Optional(whereFilters.where_dims),
  where_tests: t.Optional(whereFilters.where_tests),
  where_values: t.Optional(whereFilters.where_values),
  where_clauses: t.Optional(whereFilters.where_clauses),
  services: t.Optional(list),
  purchases: t.Optional(list),
  categories: t.Optional(list),
  billers: t.Optional(list),
  subs: t.Optional(list),
  clusters: t.Optional(list),
  namespaces: t.Optional(list),
  uids: t.Optional(list),
}
export const allOfThem = { ...noLabels, ...allCharges, uids: [] as string[] }
