/** Reports with fixed columns, as sheets; requested dimensions move columns to the front. */
import { everyRecommendation } from '#actors/recommendation/row.ts'
import { anomalyPage, anyOfThem, everyAnomaly } from '#analytics/anomaly/questions.ts'
import { allLines } from '#analytics/cost/charge.ts'
import { costByTeam } from '#analytics/attribution/questions.ts'
import { componentCosts, kubernetesCosts } from '#analytics/kubernetes/questions.ts'
import { receiptLines } from '#analytics/report/questions.ts'
import { noWhere } from '#analytics/store/slice.ts'
import { tagPairs } from '#analytics/tagging/questions.ts'
import type { Static, TObject } from '#engine/value/schema.ts'
import { budgetsSeen } from '#http/budget/routes.ts'
import type { Cell } from '#http/edge/csv.ts'
import { checkDimensions, type ExportRequest } from '#http/export/body.ts'
import type { SheetColumn, Sheet } from '#http/file/sheet.ts'
import { badInput } from '#http/edge/problem.ts'
import { commitmentsOf } from '#http/report/commitment/commitment.ts'
import { scopeOf, valuesAsked } from '#http/report/filter/filter.ts'
import { allWorkloads, kubernetesQuestion } from '#http/report/kubernetes/kubernetes.ts'
import { receiptColumns } from '#http/report/cost/receipt.ts'
import { savingsBy } from '#http/report/saving/saving.ts'
import { daysBefore } from '#http/report/team/tag.ts'
import { namesOfTeams, unassignedId, unassignedName } from '#http/report/team/team.ts'
import { costPerUnit, costsAndUnits } from '#http/report/unit-economics.ts'
import { cents, percent, shares, units } from '#streams/figure.ts'

/** Maximum rows of one query: more than any file may have, so that a file that is too large is noticed. */
const rowsMax = 4_000_000_000

/** Rows are grouped by the columns marked `by`, which may be requested as dimensions. */
interface DimensionColumn extends SheetColumn {
  by?: boolean
}

interface RowColumn<R> extends DimensionColumn {
  /** The cell of a row in this column. */
  of: (row: R) => Cell
}

const by = { by: true } as const
const makeColumn =
  (kind: SheetColumn['kind']) =>
  <R>(name: string, of: (row: R) => Cell, more: { by?: true } = {}): RowColumn<R> => ({ name, kind, of, ...more })
const text = makeColumn('text')
const number = makeColumn('number')
const json = makeColumn('json')

/** A column from a streamed query by name, unchanged or converted by `as`. */
function cellsOf<R extends TObject>({ row: { properties } }: { row: R }) {
  const names = Object.keys(properties)
  return <N extends keyof Static<R> & string>(name: N, as = (value: Static<R>[N]): Cell => value as Cell) => {
    const at = names.indexOf(name)
    return (row: readonly unknown[]): Cell => as(row[at] as Static<R>[N])
  }
}

/** Moves requested dimensions to the front. @throws Fault `invalid` for one that rows are not grouped by */
function orderColumns<C extends DimensionColumn>(asking: ExportRequest, columns: readonly C[]): C[] {
  const known = columns.filter((column) => column.by)
  checkDimensions(
    asking,
    known.map(({ name }) => name),
  )
  const first = asking.dimensions.map((dimension) => known.find(({ name }) => name === dimension)!)
  return [...first, ...columns.filter((column) => !first.includes(column))]
}

function sheet<R>(
  asking: ExportRequest,
  rows: AsyncIterable<R> | Iterable<R>,
  columns: readonly RowColumn<R>[],
): Sheet {
  const inOrder = orderColumns(asking, columns)
  return { columns: inOrder, rows: cells(rows, inOrder) }
}

async function* cells<R>(
  rows: AsyncIterable<R> | Iterable<R>,
  columns: readonly RowColumn<R>[],
): AsyncGenerator<Cell[], void> {
  for await (const row of rows) yield columns.map(({ of }) => of(row))
}

export async function teamSheet(asking: ExportRequest): Promise<Sheet> {
  const { question, services } = asking
  const [rows, names] = await Promise.all([services.analytics(costByTeam, question), namesOfTeams(services)])
  const percentages = shares(rows.map((row) => units(row.cost_usd)))
  const known = rows.map((row, at) => ({ ...row, isTeam: row.team_id !== unassignedId, percentage: percentages[at]! }))
  return sheet(asking, known, [
    text('team_id', ({ team_id: id, isTeam }) => (isTeam ? id : null), by),
    text('team_name', ({ team_id: id, isTeam }) => (isTeam ? (names.get(id) ?? id) : unassignedName), by),
    number('cost_usd', (row) => row.cost_usd),
    number('resource_count', (row) => row.resources),
    number('percent_of_total', (row) => row.percentage),
  ])
}

export async function tagSheet(asking: ExportRequest): Promise<Sheet> {
  const { question, services, days } = asking
  const cell = cellsOf(tagPairs)
  const rows = services.stream(tagPairs, { ...question, ...daysBefore(days), limit: rowsMax, offset: 0 })
  return sheet(asking, rows, [
    text('tag_key', cell('tag_key'), by),
    text('tag_value', cell('tag_value'), by),
    text('tag_source', cell('tag_source'), by),
    number('cost_usd', cell('cost_usd')),
    number('savings_usd', cell('savings_usd')),
    number('resource_count', cell('resources')),
    number('prev_cost_usd', cell('prev_usd')),
  ])
}

/** One row for each anomaly, newest first. */
export async function anomalySheet(asking: ExportRequest): Promise<Sheet> {
  const { question, services, body } = asking
  const rows = services.stream(anomalyPage, {
    from: question.from,
    to: question.to,
    ...everyAnomaly,
    ...anyOfThem,
    accounts: valuesAsked(body.cloud_account_id),
    teams: valuesAsked(body.team_id),
    scoped: question.scoped,
    scope_accounts: question.scope_accounts,
    scope_teams: question.scope_teams,
    limit: rowsMax,
  })
  const cell = cellsOf(anomalyPage)
  const time = (at: string) => (at === '' ? null : new Date(at).toISOString())
  const flag = (value: number) => String(value === 1)
  return sheet(asking, rows, [
    text('date', cell('day'), by),
    text('anomaly_type', cell('anomaly_type'), by),
    text('anomaly_key', cell('anomaly_key'), by),
    text('severity', cell('severity'), by),
    text('method', cell('method'), by),
    number('actual_cost_usd', cell('actual_usd', cents)),
    number('expected_cost_usd', cell('expected_usd', cents)),
    number('deviation_percent', cell('deviation_percent', percent)),
    text('root_cause', cell('root_cause')),
    json('suppressed', cell('is_suppressed', flag)),
    json('notified', cell('is_notified', flag)),
    text('notified_at', cell('notified_on', time)),
    text('created_at', cell('created_on', time)),
    text('id', cell('id')),
  ])
}

const filterValues = (values: readonly string[] | undefined): string[] | undefined => values && valuesAsked(values)

/** The current recommendations, whatever the range, largest savings first. */
export async function recommendationSheet(asking: ExportRequest): Promise<Sheet> {
  const { caller, body, services } = asking
  const rows = everyRecommendation(services.em, caller.orgId, scopeOf(caller), {
    providers: body.provider,
    cloudAccountIds: filterValues(body.cloud_account_id),
    regions: filterValues(body.region),
    resourceTypes: filterValues(body.resource_type),
    teamIds: filterValues(body.team_id),
  })
  const time = (at: string) => new Date(at).toISOString()
  return sheet(asking, rows, [
    text('recommendation_id', (row) => row.id, by),
    text('rule_id', (row) => row.rule_id, by),
    text('category', (row) => row.category, by),
    text('severity', (row) => row.severity, by),
    text('status', (row) => row.status, by),
    text('provider', (row) => row.provider, by),
    text('cloud_account_id', (row) => row.cloud_account_id, by),
    text('resource_uid', (row) => row.resource_uid, by),
    text('title', (row) => row.title),
    number('monthly_savings_usd', (row) => cents(row.savings_usd)),
    text('created_at', (row) => time(row.generated_at)),
    text('resource_name', (row) => row.resource_name),
    text('resource_type', (row) => row.resource_type),
    text('region', (row) => row.region),
    text('action_type', (row) => row.action_type),
    number('current_cost_usd', (row) => cents(row.current_cost_usd)),
    number('gross_savings_usd', (row) => cents(row.gross_savings_usd)),
    number('confidence', (row) => row.confidence),
    number('priority', (row) => row.priority),
    text('updated_at', (row) => time(row.updated_at)),
  ])
}

/** Dimensions of savings, by the names of the report. */
const savingsDims = {
  source: 'source',
  rule_id: 'rule',
  category: 'category',
  team_id: 'team',
  resource_group_id: 'resource_group',
  cloud_account_id: 'account',
  resource_uid: 'resource',
} as const

/**
 * Realized and potential savings by one dimension; default: their source.
 * @throws Fault `invalid` for a second dimension
 */
export async function savingSheet(asking: ExportRequest): Promise<Sheet> {
  const { caller, body, days, services } = asking
  checkDimensions(asking, Object.keys(savingsDims))
  const [dim = 'source', second] = asking.dimensions as (keyof typeof savingsDims)[]
  if (second !== undefined) {
    const message = 'savings take exactly one dimension'
    throw badInput({ in: 'body', name: '/dimensions', code: 'maxItems', message })
  }
  const asked = { caller, query: body, from: days.fromDay, to: days.toDay }
  const { items } = await savingsBy(savingsDims[dim], asked, services)
  return sheet(asking, items, [
    text(dim, (row) => row.key, by),
    text('label', (row) => row.label),
    number('open_estimated_usd', (row) => row.openEstimatedUSD),
    number('estimated_usd', (row) => row.estimatedUSD),
    number('observed_usd', (row) => row.observedUSD),
    number('verified_usd', (row) => row.verifiedUSD),
    number('saved_usd', (row) => row.savedUSD),
    number('proved_days', (row) => row.provedDays),
    number('unproved_days', (row) => row.unprovedDays),
    number('realisation', (row) => row.realisation),
  ])
}

/** One row for each commitment, most expensive first. */
export async function commitmentSheet(asking: ExportRequest): Promise<Sheet> {
  const { question, caller, services } = asking
  return sheet(asking, await commitmentsOf(question, caller, services), [
    text('commitment_id', (row) => row.commitmentId, by),
    text('commitment_type', (row) => row.type, by),
    text('provider', (row) => row.provider, by),
    text('cloud_account_id', (row) => row.cloudAccountId, by),
    text('name', (row) => row.name),
    text('category', (row) => row.category),
    text('region', (row) => row.region),
    text('service_name', (row) => row.serviceName),
    number('committed_usd', (row) => row.committedUSD),
    number('used_usd', (row) => row.usedUSD),
    number('unused_usd', (row) => row.unusedUSD),
    number('utilization', (row) => row.utilization),
    number('on_demand_equivalent_usd', (row) => row.onDemandEquivalentUSD),
    number('net_savings_usd', (row) => row.netSavingsUSD),
    text('expires_on', (row) => row.expiresOn),
    number('days_left', (row) => row.daysLeft),
    text('status', (row) => row.status),
  ])
}

/** The current budgets, which are about this month, whatever the range. */
export async function budgetSheet(asking: ExportRequest): Promise<Sheet> {
  return sheet(asking, await budgetsSeen(asking.caller, asking.services), [
    text('budget_id', (row) => row.id, by),
    text('team_name', (row) => row.teamName, by),
    text('resource_group_id', (row) => row.resourceGroupID, by),
    text('status', (row) => row.status, by),
    number('monthly_budget_usd', (row) => row.monthlyBudgetUSD),
    number('alert_threshold_percent', (row) => row.alertThresholdPercent),
    number('current_spend_usd', (row) => row.currentSpendUSD),
    number('remaining_usd', (row) => row.remainingUSD),
    number('percent_used', (row) => row.percentUsed),
    text('created_at', (row) => row.createdAt),
    text('updated_at', (row) => row.updatedAt),
    number('forecast_usd', (row) => row.forecast?.forecastUSD ?? null),
    number('forecast_low_usd', (row) => row.forecast?.lowUSD ?? null),
    number('forecast_high_usd', (row) => row.forecast?.highUSD ?? null),
    text('expected_to_exceed_on', (row) => row.forecast?.expectedToExceedOn ?? null),
    text('scope_kind', (row) => row.scope.kind),
    text('scope_id', (row) => row.scope.id),
    text('scope_name', (row) => row.scope.name),
  ])
}

/** @throws Fault `invalid` without a metric, `missing` for an unknown one */
export async function unitEconomicsSheet(asking: ExportRequest): Promise<Sheet> {
  const { caller, body, services } = asking
  const { metric, granularity = 'daily' } = body
  if (metric === undefined) throw badInput({ in: 'body', name: '/metric', code: 'required', message: 'is required' })
  const { costs, units: counted } = await costsAndUnits(caller, { ...body, metric, granularity }, services)
  const rows = costs.map(({ period, cost_usd: cost }) => ({
    ...costPerUnit(Number(cost), counted.get(period)),
    period,
    cost,
  }))
  return sheet(asking, rows, [
    text('date', (row) => row.period, by),
    number('cost_usd', (row) => row.cost),
    number('units', (row) => row.units),
    number('cost_per_unit_usd', (row) => row.costPerUnitUSD),
  ])
}

/** Columns that receipts can be grouped by; the others are about a single line. */
const receiptGroups: readonly (typeof receiptColumns)[number][] = [
  'line_id',
  'date',
  'cloud_account_id',
  'provider',
  'service_name',
  'region',
  'resource_uid',
  'resource_type',
  'purchase_type',
  'charge_category',
]

/** One row for each pod, or other part of a cluster with a cost, most expensive first. */
export async function kubernetesSheet(asking: ExportRequest): Promise<Sheet> {
  const { caller, body, days, services } = asking
  const cell = cellsOf(kubernetesCosts)
  const all = { by_cluster: 1, by_namespace: 1, by_controller: 1, by_pod: 1, by_node: 1, label: '', coarse: 0 }
  const question = kubernetesQuestion(caller, body, days, services)
  const page = { limit: rowsMax, offset: 0 }
  const rows = services.stream(kubernetesCosts, {
    ...question,
    ...componentCosts(question.cost),
    ...all,
    ...allWorkloads,
    idle: 'shown',
    shares: 0,
    asc: 0,
    ...page,
  })
  return sheet(asking, rows, [
    text('cluster_uid', cell('cluster'), by),
    text('namespace', cell('of_namespace'), by),
    text('controller_kind', cell('controller_kind'), by),
    text('controller', cell('controller'), by),
    text('pod', cell('pod'), by),
    text('node', cell('node'), by),
    text('kind', cell('kind'), by),
    number('cost_usd', cell('cost_usd')),
    number('cpu_usd', cell('cpu_usd')),
    number('memory_usd', cell('memory_usd')),
    number('gpu_usd', cell('gpu_usd')),
    number('storage_usd', cell('storage_usd')),
    number('load_balancer_usd', cell('load_balancer_usd')),
    number('network_usd', cell('network_usd')),
    number('estimated_usd', cell('estimated_usd')),
    number('cpu_core_hours_requested', cell('cpu_requested')),
    number('cpu_core_hours_used', cell('cpu_used')),
    number('memory_gib_hours_requested', cell('memory_requested')),
    number('memory_gib_hours_used', cell('memory_used')),
  ])
}

/** One row for each bill line. */
export async function receiptSheet(asking: ExportRequest): Promise<Sheet> {
  const rows = asking.services.stream(receiptLines, {
    ...asking.question,
    ...allLines,
    ...noWhere,
    dim_tags: [],
    dim_values: [],
    invoice_ids: [],
    uids: [],
    untagged: 0,
    group: '',
    limit: rowsMax,
    offset: 0,
  })
  const cell = cellsOf(receiptLines)
  const columns = receiptColumns.map((name) => {
    const column = name === 'quantity' || name.endsWith('cost_usd') ? number : text
    return column(name, cell(name === 'date' ? 'day' : name), receiptGroups.includes(name) ? by : {})
  })
  return sheet(asking, rows, columns)
}
