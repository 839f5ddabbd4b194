/**
 * Which parts of the database belong to organizations: the tables with their rows and the views over them, as their
 * files create them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { withoutComments } from '#engine/store/migrate.ts'

export interface OrganizationTable {
  name: string
  /** The column that names a row's organization. */
  of: string
}

export interface View {
  name: string
  /** The view's query. */
  select: string
}

const analytics = new URL('../', import.meta.url)

/** Parts of the rollup's and of our queries: analysts do not need them. */
const inner = new Set([
  'bill_row',
  'charge_slice',
  'dimension_costs',
  'given_lines',
  'given_shares',
  'grouped_resources',
  'kubernetes_node_row',
  'kubernetes_pod_row',
  'metric_slice',
  'receipt_part_sums',
  'receipt_rows',
  'receipt_shared_lines',
  'receipt_whole_sums',
  'scope_costs',
])

/** Tables documented for analysts, in addition to the views. */
const askedTables = [
  'action_submission',
  'bill_shadow',
  'closed_assignment',
  'resource_change',
  'saving_daily',
  'scheduler_event',
  'snapshot_state',
  'state_history',
  'team_state',
]

/** All tables with a column that names an organization. */
export const organizationTables = (folder = analytics): OrganizationTable[] =>
  textsOf(new URL('tables/', folder)).flatMap((text) => {
    const [, name] = /^CREATE TABLE IF NOT EXISTS (\w+)/m.exec(text) ?? []
    const [of] = /\b(?:org_id|x_OrgId)\b/.exec(text) ?? []
    return name === undefined || of === undefined ? [] : [{ name, of }]
  })

/** Everything analysts may query: the views, in order of dependency, and tables with only their current rows. */
export const askedViews = (folder = analytics): View[] => [
  ...viewsOf(folder),
  ...askedTables.map((name) => ({ name, select: `SELECT * FROM ${name} FINAL` })),
]

const viewsOf = (folder: URL): View[] =>
  textsOf(new URL('views/', folder))
    .map((text) => {
      const [head, name] = /^CREATE OR REPLACE VIEW (\w+) AS$/m.exec(text)!
      return { name: name!, select: text.slice(text.indexOf(head) + head.length).trim() }
    })
    .filter(({ name }) => !inner.has(name))

const textsOf = (folder: URL): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => withoutComments(readFileSync(new URL(name, folder), 'utf8')))
