/** Figures for people at a terminal: what the reports of the API answer, as tables. */
import type { ListPage } from '#config/command/line/api.ts'
import { allDriverDims } from '#analytics/driver/questions.ts'
import { routeCommand } from '#config/command/line/build.ts'
import { UsageError, type Command, type Result } from '#config/command/line/command.ts'
import { argument, choiceOr, limit, optional, org, page, readAs, textList, toggle } from '#config/command/line/flag.ts'
import { listOf, tableResult } from '#config/command/line/table.ts'
import { addDays, dayOf } from '#engine/value/day.ts'
import { formatDecimal } from '#engine/value/decimal.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Chart } from '#http/report/cost/series.ts'

const day = (about: string) =>
  readAs(optional('DAY', about), (given, name) => {
    if (given === undefined || /^\d{4}-\d{2}-\d{2}$/.test(given)) return given
    throw new UsageError(`${name} must be a day such as 2026-01-31`)
  })

const filters = readAs(
  textList('NAME=VALUE', 'Filter of the API, such as provider=aws or tag[env]=prod; repeatable'),
  (given, about) =>
    Object.fromEntries(
      given.map((one) => {
        const [, name, value] = /^([^=]+)=(.*)$/s.exec(one) ?? []
        if (name === undefined) throw new UsageError(`${about} must be NAME=VALUE, got ${one}`)
        return [name, value!]
      }),
    ),
)

const period = {
  from: day('First day; default: 30 days before the last'),
  to: day('Last day; default: the last settled day, or today'),
}
const asked = { org, ...period, filter: filters }
interface Asked {
  from: string | undefined
  to: string | undefined
  filter: Readonly<Record<string, string>>
}
const queryOf = ({ from, to, filter }: Asked) => ({ from, to, ...filter })

const daysAgo = (days: number): string => addDays(dayOf(new Date()), -days)

const usd = (amount: number | null | undefined): string =>
  amount === null || amount === undefined ? '' : formatDecimal(String(amount), 2)
const percent = (share: number | null | undefined): string =>
  share === null || share === undefined ? '' : `${formatDecimal(String(share), 1)} %`

const compared = ['COST USD', 'BEFORE USD', 'CHANGE USD', 'CHANGE'] as const
interface Compared {
  costUSD: number
  previousUSD?: number | null
  deltaUSD?: number | null
  deltaPercent?: number | null
}
const comparedCells = ({ costUSD, previousUSD, deltaUSD, deltaPercent }: Compared) => [
  usd(costUSD),
  usd(previousUSD),
  usd(deltaUSD),
  percent(deltaPercent),
]

function costs(data: Static<typeof Chart>, dims: readonly string[]): Result {
  const rows = [
    ...data.series.map((one) => [one.label, ...comparedCells(one)]),
    ...(data.other ? [[`${data.other.count} others`, ...comparedCells(data.other)]] : []),
    ['Total', ...comparedCells(data.total)],
  ]
  return { data, ...tableResult([dims.join(', ').toUpperCase(), ...compared], rows, '') }
}

function costsByPeriod(data: Static<typeof Chart>): Result {
  const columns = [...data.series, { label: 'Total', values: data.total.values }]
  const rows = data.periods.map((one, nth) => [one, ...columns.map(({ values }) => usd(values[nth]))])
  return { data, ...tableResult(['PERIOD', ...columns.map(({ label }) => label)], rows, 'No days.') }
}

interface MonthForecast {
  period: string
  expectedUSD: number
  lowUSD: number
  highUSD: number
}
interface ForecastBody {
  month: MonthForecast
  months: readonly MonthForecast[]
}

function forecastOf(data: ForecastBody): Result {
  const rows = [data.month, ...data.months].map((one) => [
    one.period,
    usd(one.expectedUSD),
    usd(one.lowUSD),
    usd(one.highUSD),
  ])
  return { data, ...tableResult(['MONTH', 'EXPECTED USD', 'LOW USD', 'HIGH USD'], rows, '') }
}

interface Driver extends Compared {
  label: string
  state: string
}
interface Drivers {
  total: Compared
  dimensions: readonly { dimension: string; rises: readonly Driver[]; falls: readonly Driver[] }[]
}

function driversOf(data: Drivers, dimension: string): Result {
  const found = data.dimensions.find((one) => one.dimension === dimension)!
  const rows = [...found.rises, ...found.falls].map((one) => [one.label, ...comparedCells(one), one.state])
  const all = [...rows, ['Total', ...comparedCells(data.total), '']]
  return { data, ...tableResult([dimension.toUpperCase(), ...compared, 'STATE'], all, '') }
}

interface Line {
  date: string
  cloudAccountId: string
  serviceName: string
  resourceUid: string
  chargeCategory: string
  quantity: string | null
  unit: string | null
  costUSD: string
  description: string
}
const lines = listOf<Line>(
  {
    DAY: 'date',
    ACCOUNT: 'cloudAccountId',
    SERVICE: 'serviceName',
    RESOURCE: 'resourceUid',
    CHARGE: 'chargeCategory',
    QUANTITY: ({ quantity, unit }) => (quantity === null ? '' : `${quantity} ${unit ?? ''}`.trim()),
    'COST USD': 'costUSD',
    DESCRIPTION: 'description',
  },
  'No bill lines.',
)

const teams = listOf<Compared & { teamName: string; resourceCount: number; percentOfTotal: number }>({
  TEAM: 'teamName',
  'COST USD': ({ costUSD }) => usd(costUSD),
  'BEFORE USD': ({ previousUSD }) => usd(previousUSD),
  'CHANGE USD': ({ deltaUSD }) => usd(deltaUSD),
  SHARE: ({ percentOfTotal }) => percent(percentOfTotal),
  RESOURCES: 'resourceCount',
})

interface Saving {
  label: string
  verifiedUSD: number | null
  observedUSD: number | null
  estimatedUSD: number | null
  realisation: number | null
  openEstimatedUSD: number | null
}
const savings = listOf<Saving>(
  {
    BY: 'label',
    'VERIFIED USD': ({ verifiedUSD }) => usd(verifiedUSD),
    'OBSERVED USD': ({ observedUSD }) => usd(observedUSD),
    'ESTIMATED USD': ({ estimatedUSD }) => usd(estimatedUSD),
    REALIZED: ({ realisation }) => percent(realisation === null ? null : realisation * 100),
    'STILL OPEN USD': ({ openEstimatedUSD }) => usd(openEstimatedUSD),
  },
  'No savings.',
)

const hasFigure = ({ verifiedUSD, observedUSD, estimatedUSD, openEstimatedUSD }: Saving): boolean =>
  [verifiedUSD, observedUSD, estimatedUSD, openEstimatedUSD].some((one) => one !== null && one !== 0)

const dimensions = readAs(
  optional('DIMENSION', 'Up to three dimensions of the API, with commas, such as provider,team_id or tag:env'),
  (given = 'service_name') => given.split(/(?<!\\),/),
)

export const reportCommands: readonly Command[] = [
  routeCommand({
    name: 'costs',
    summary: 'Show costs by service or other dimensions, compared with the period before',
    isTable: true,
    takes: {
      ...asked,
      by: dimensions,
      top: limit(50, 12),
      daily: toggle('Show a row for each day instead of a comparison'),
      monthly: toggle('Show a row for each month instead of a comparison'),
    },
    route: 'GET /reports/costs/series',
    ask: ({ by, top, daily, monthly, ...given }) => ({
      query: {
        ...queryOf(given),
        group_by: by.join(','),
        top,
        granularity: monthly ? 'monthly' : 'daily',
        ...(!daily && !monthly && { compare: 'previous' }),
      },
    }),
    show: (data: Static<typeof Chart>, { by, daily, monthly }) =>
      daily || monthly ? costsByPeriod(data) : costs(data, by),
  }),
  routeCommand({
    name: 'forecast',
    summary: 'Forecast this month and the next twelve',
    isTable: true,
    takes: { org, filter: filters },
    route: 'GET /reports/forecast',
    ask: ({ filter }) => ({ query: filter }),
    show: forecastOf,
  }),
  routeCommand({
    name: 'drivers',
    summary: 'Show what made costs rise and fall',
    isTable: true,
    takes: {
      ...asked,
      by: choiceOr(
        'DIMENSION',
        allDriverDims,
        'service_name',
        'service_name, cloud_account_id, sub_account, region, resource_type, resource_uid or team_id; default service_name',
      ),
      compare: choiceOr('PERIOD', ['previous', 'year'], 'previous', 'previous or year; default previous'),
      limit: limit(50, 10),
    },
    route: 'GET /reports/drivers',
    ask: ({ compare, limit: most, by, ...given }) => ({
      query: { ...queryOf(given), compare, limit: most, group_by: by },
    }),
    show: (data: Drivers, { by }) => driversOf(data, by),
  }),
  routeCommand({
    name: 'receipt',
    summary: 'List the bill lines that a figure consists of',
    isTable: true,
    takes: { ...asked, limit: limit(100, 20), page },
    route: 'GET /reports/receipt',
    ask: ({ limit: most, page: at, ...given }) => ({ query: { ...queryOf(given), limit: most, page: at } }),
    show: (data: ListPage<Line> & { totalUSD: string; total: number }) => {
      const { csv, text } = lines(data.items)
      return { data, csv: csv!, text: `${text}\n${data.total} lines, ${data.totalUSD} USD` }
    },
  }),
  routeCommand({
    name: 'team costs',
    summary: 'List costs by team, highest first',
    isTable: true,
    takes: asked,
    route: 'GET /reports/teams',
    ask: (given) => ({ query: { ...queryOf(given), compare: 'previous' } }),
    show: teams,
  }),
  routeCommand({
    name: 'savings',
    summary: 'List savings: verified by bills, observed, estimated, and still open',
    isTable: true,
    takes: {
      ...asked,
      by: choiceOr(
        'BY',
        ['source', 'rule', 'category', 'team', 'resource_group', 'account', 'resource'],
        'rule',
        'source, rule, category, team, resource_group, account or resource; default rule',
      ),
    },
    route: 'GET /reports/savings',
    ask: ({ by, ...given }) => ({ query: { ...queryOf(given), group_by: by } }),
    show: (data: { items: readonly Saving[]; totals: Omit<Saving, 'label'> }) => ({
      ...savings([...data.items.filter(hasFigure), { label: 'Total', ...data.totals }]),
      data,
    }),
  }),
  routeCommand({
    name: 'budget list',
    summary: 'List budgets with spending and forecast, highest utilization first',
    takes: { org },
    route: 'GET /budgets',
    show: listOf<Budget>(
      {
        BUDGET: ({ scope }) => scope.name,
        SCOPE: ({ scope }) => scope.kind,
        'A MONTH USD': ({ monthlyBudgetUSD }) => usd(monthlyBudgetUSD),
        'SPENT USD': ({ currentSpendUSD }) => usd(currentSpendUSD),
        USED: ({ percentUsed }) => percent(percentUsed),
        'FORECAST USD': ({ forecast }) => usd(forecast?.forecastUSD),
        EXCEEDS: ({ forecast }) => forecast?.expectedToExceedOn ?? '',
        STATUS: 'status',
      },
      'No budgets.',
    ),
  }),
  routeCommand({
    name: 'anomaly list',
    summary: 'List cost anomalies, newest first',
    takes: { org, ...period, limit: limit() },
    route: 'GET /reports/anomalies',
    ask: ({ from = daysAgo(30), to = daysAgo(0), limit: most }) => ({ query: { from, to, limit: most } }),
    show: ({ items }: ListPage<Anomaly>) => anomalies(items),
  }),
  routeCommand({
    name: 'anomaly show',
    summary: 'Show an anomaly with its cause',
    takes: { id: argument('ID', 'Anomaly ID from "anomaly list"'), org },
    route: 'GET /reports/anomalies/:anomalyID',
    ask: ({ id: anomalyID }) => ({ params: { anomalyID } }),
    show: (data: Anomaly) => ({
      data,
      text: `${data.date} ${data.severity}: ${data.label}\n${usd(data.actualCostUsd)} USD, expected ${usd(data.expectedCostUsd)} USD\n${data.rootCause}`,
    }),
  }),
]

interface Budget {
  scope: { kind: string; name: string }
  monthlyBudgetUSD: number
  currentSpendUSD: number
  percentUsed: number
  status: string
  forecast: { forecastUSD: number; expectedToExceedOn: string | null } | null
}

interface Anomaly {
  id: string
  date: string
  label: string
  severity: string
  actualCostUsd: number
  expectedCostUsd: number
  excessUsd: number
  rootCause: string
}

const anomalies = listOf<Anomaly>(
  {
    DAY: 'date',
    SEVERITY: 'severity',
    WHAT: 'label',
    'ABOVE USD': ({ excessUsd }) => usd(excessUsd),
    'COST USD': ({ actualCostUsd }) => usd(actualCostUsd),
    ID: 'id',
    CAUSE: 'rootCause',
  },
  'No anomalies.',
)
