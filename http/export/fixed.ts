/** Reports whose columns are fixed, as sheets: dimensions put some of them first. */
import { anomalyPage } from '#analytics/anomaly/questions.ts'
import { costByTeam } from '#analytics/attribution/questions.ts'
import { receiptLines } from '#analytics/receipt/questions.ts'
import { tagPairs } from '#analytics/tagging/questions.ts'
import { budgetsSeen } from '#http/budget/routes.ts'
import type { Cell } from '#http/edge/csv.ts'
import { checkDimensions, type Asking } from '#http/export/body.ts'
import { json, numbers, texts, type Column, type Sheet } from '#http/export/sheet.ts'
import { badInput } from '#http/edge/problem.ts'
import { asked } from '#http/report/filter.ts'
import { receiptColumns } from '#http/report/receipt.ts'
import { before } from '#http/report/tag.ts'
import { namesOfTeams, unassigned, unassignedName } from '#http/report/team.ts'
import { costsAndUnits, ratio } from '#http/report/unit-economics.ts'
import { cents, percent, shares, units } from '#streams/figure.ts'

/** Rows that one question may give: more than any file takes, so that a file that is too large is found out. */
const rowsMax = 4_000_000_000

/** `columns`, of which the first `groups` are what rows are by: those asked for come first. @throws Fault `invalid` for others */
function ordered(asking: Asking, columns: readonly Column[], groups: number, rows: Sheet['rows']): Sheet {
  const known = columns.slice(0, groups).map(({ name }) => name)
  checkDimensions(asking, known)
  const first = asking.dimensions.map((name) => known.indexOf(name))
  const places = [...first, ...columns.keys().filter((at) => !first.includes(at))]
  return { columns: places.map((at) => columns[at]!), rows: placed(rows, places) }
}

async function* placed(rows: Sheet['rows'], places: readonly number[]): AsyncGenerator<Cell[], void> {
  for await (const row of rows) yield places.map((at) => row[at]!)
}

export async function teams(asking: Asking): Promise<Sheet> {
  const { question, services } = asking
  const [rows, names] = await Promise.all([services.analytics(costByTeam, question), namesOfTeams(services)])
  const percentages = shares(rows.map((row) => units(row.cost_usd)))
  const columns = [...texts('team_id', 'team_name'), ...numbers('cost_usd', 'resource_count', 'percent_of_total')]
  const cells = rows.map(({ team_id: id, cost_usd: cost, resources }, at): Cell[] => [
    id === unassigned ? null : id,
    id === unassigned ? unassignedName : (names.get(id) ?? id),
    cost,
    resources,
    percentages[at]!,
  ])
  return ordered(asking, columns, 2, cells)
}

export async function tags(asking: Asking): Promise<Sheet> {
  const { question, services, days } = asking
  const columns = [
    ...texts('tag_key', 'tag_value', 'tag_source'),
    ...numbers('cost_usd', 'savings_usd', 'resource_count', 'prev_cost_usd'),
  ]
  const rows = services.stream(tagPairs, { ...question, ...before(days), limit: rowsMax, offset: 0 })
  return ordered(asking, columns, 3, rows as AsyncIterable<Cell[]>)
}

/** A row an anomaly, the newest first. */
export async function anomalies(asking: Asking): Promise<Sheet> {
  const { question, services, body } = asking
  const rows = services.stream(anomalyPage, {
    from: question.from,
    to: question.to,
    types: [],
    severities: [],
    keys: [],
    accounts: asked(body.cloud_account_id),
    teams: asked(body.team_id),
    suppressed: 1,
    scoped: question.scoped,
    scope_accounts: question.scope_accounts,
    scope_teams: question.scope_teams,
    limit: rowsMax,
    offset: 0,
  })
  const columns = [
    ...texts('date', 'anomaly_type', 'anomaly_key', 'severity', 'method'),
    ...numbers('actual_cost_usd', 'expected_cost_usd', 'deviation_percent'),
    ...texts('root_cause'),
    ...json('suppressed', 'notified'),
    ...texts('notified_at', 'created_at', 'id'),
  ]
  return ordered(asking, columns, 5, anomalyCells(rows))
}

const anomalyNames = Object.keys(anomalyPage.row.properties)

async function* anomalyCells(rows: AsyncIterable<readonly unknown[]>): AsyncGenerator<Cell[], void> {
  for await (const row of rows) {
    const of = (name: string) => row[anomalyNames.indexOf(name)] as string
    const time = (text: string) => (text === '' ? null : new Date(text).toISOString())
    const figures = [cents(of('actual_usd')), cents(of('expected_usd')), percent(of('deviation_percent'))]
    const flags = [of('is_suppressed'), of('is_notified')].map((flag) => String(Number(flag) === 1))
    const about = ['day', 'anomaly_type', 'anomaly_key', 'severity', 'method'].map(of)
    yield [...about, ...figures, of('root_cause'), ...flags, time(of('notified_on')), time(of('created_on')), of('id')]
  }
}

/** The product finds none yet: the header alone. */
export async function recommendations(asking: Asking): Promise<Sheet> {
  const columns = [
    ...texts(
      'recommendation_id',
      'rule_id',
      'category',
      'severity',
      'status',
      'provider',
      'cloud_account_id',
      'resource_uid',
    ),
    ...texts('title'),
    ...numbers('monthly_savings_usd'),
    ...texts('created_at'),
  ]
  return ordered(asking, columns, 8, [])
}

/** The budgets as they stand now: they are of this month, whatever the range. */
export async function budgets(asking: Asking): Promise<Sheet> {
  const rows = await budgetsSeen(asking.caller, asking.services)
  const columns = [
    ...texts('budget_id', 'team_name', 'resource_group_id', 'status'),
    ...numbers('monthly_budget_usd', 'alert_threshold_percent', 'current_spend_usd', 'remaining_usd', 'percent_used'),
    ...texts('created_at', 'updated_at'),
  ]
  const cells = rows.map((row): Cell[] => [
    row.id,
    row.teamName,
    row.resourceGroupID,
    row.status,
    row.monthlyBudgetUSD,
    row.alertThresholdPercent,
    row.currentSpendUSD,
    row.remainingUSD,
    row.percentUsed,
    row.createdAt,
    row.updatedAt,
  ])
  return ordered(asking, columns, 4, cells)
}

/** @throws Fault `invalid` without a metric, and `missing` for an unknown one */
export async function unitEconomics(asking: Asking): Promise<Sheet> {
  const { caller, body, services } = asking
  const { metric, granularity = 'daily' } = body
  if (metric === undefined) throw badInput({ in: 'body', name: '/metric', code: 'required', message: 'is required' })
  const { costs, units: counted } = await costsAndUnits(caller, { ...body, metric, granularity }, services)
  const cells = costs.map(({ period, cost_usd: cost }): Cell[] => {
    const { units: count, costPerUnitUSD } = ratio(Number(cost), counted.get(period))
    return [period, cost, count, costPerUnitUSD]
  })
  return ordered(asking, [...texts('date'), ...numbers('cost_usd', 'units', 'cost_per_unit_usd')], 1, cells)
}

/** A row a line of a bill. */
export async function receipt(asking: Asking): Promise<Sheet> {
  const rows = asking.services.stream(receiptLines, {
    ...asking.question,
    services: [],
    purchases: [],
    categories: [],
    dim_tags: [],
    dim_values: [],
    invoice_ids: [],
    uids: [],
    untagged: 0,
    group: '',
    limit: rowsMax,
    offset: 0,
  })
  const columns = receiptColumns.map((name): Column => ({
    name,
    kind: name === 'quantity' || name === 'cost_usd' ? 'number' : 'text',
  }))
  return ordered(asking, columns, 10, rows as AsyncIterable<Cell[]>)
}
