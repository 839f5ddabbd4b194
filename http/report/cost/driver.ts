/** What made costs rise and fall: of each dimension what rose and fell most, as far as it is known by use and by price. */
import { allDriverDims, costDrivers, driverDims, type DriverDim } from '#analytics/driver/questions.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { range, rangeOf, type Range } from '#http/edge/parameter/range.ts'
import type { Request, Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import type { Services } from '#http/edge/services.ts'
import { AnomalyRecord, seriesOf, worstAnomalies, type AnomalyKey } from '#http/report/trend/anomaly.ts'
import { against, comparedDays, comparisons } from '#http/report/comparison/compare.ts'
import { billFilters, costQuestion, filterQuestion, narrowing, orNone, whichCost } from '#http/report/filter/filter.ts'
import { namesOf } from '#http/report/filter/name.ts'
import { unassignedId, unassignedName } from '#http/report/team/team.ts'
import type { AnomalyType } from '#streams/anomaly.ts'
import { units, usd } from '#streams/figure.ts'

const { 'filter[invoice_id]': _, ...narrower } = billFilters

const Query = t.Object({
  group_by: t.Optional(
    t.Array(t.Enum(allDriverDims), {
      minItems: 1,
      uniqueItems: true,
      description: `dimensions to divide the change by, also team_id; default: ${driverDims.join(', ')}`,
      examples: [['team_id']],
    }),
  ),
  ...range,
  compare: t.Enum(comparisons, {
    default: 'previous',
    description:
      'comparison period: previous, the preceding days or months, for an unfinished month the same days of the month before; year, the same dates a year earlier. Without `to`, both periods end on the last settled day',
  }),
  limit: t.Integer({
    default: 10,
    minimum: 1,
    clamp: 100,
    description: 'number of increases and of decreases per dimension',
  }),
  ...narrowing,
  ...whichCost,
  ...narrower,
})
type Query = Static<typeof Query>

const change = {
  costUSD: t.Number(),
  previousUSD: t.Number({ description: 'cost in the previous period' }),
  deltaUSD: t.Number({ description: 'the cost minus the previous cost' }),
  deltaPercent: orNull(
    t.Number({ description: 'relative to the previous cost, to two decimal places; null if that was 0' }),
  ),
  usageUSD: orNull(
    t.Number({
      description:
        'change in usage at the previous price; usage without a price in one of the periods counts as a whole; null: not known for any of it',
    }),
  ),
  priceUSD: orNull(t.Number({ description: 'change in price for the same usage; null: not known for any of it' })),
  otherUSD: t.Number({
    description: 'change that cannot be attributed to usage or price: the three add up to deltaUSD',
  }),
}

const Item = t.Object({
  key: t.String({ description: 'the value; (none): without a value' }),
  label: t.String({ description: 'display name' }),
  ...change,
  state: t.Enum(['new', 'gone', 'changed'], {
    description: 'new: no charge in the previous period; gone: none in the current one; changed: charges in both',
  }),
  anomaly: orNull(AnomalyRecord),
})
type Item = Static<typeof Item>

const example = {
  costUSD: 130,
  previousUSD: 100,
  deltaUSD: 30,
  deltaPercent: 30,
  usageUSD: 20,
  priceUSD: 10,
  otherUSD: 0,
}

const Dimension = t.Object({
  dimension: t.Enum(allDriverDims),
  rises: t.Array(Item, { description: 'largest first' }),
  falls: t.Array(Item, { description: 'largest first' }),
  rest: t.Object(
    {
      rises: t.Integer({ description: 'number of increases not shown' }),
      falls: t.Integer({ description: 'number of decreases not shown' }),
      deltaUSD: t.Number({
        description: 'total of everything not shown: together with what is shown, it adds up to the total',
      }),
    },
    { description: 'everything not shown' },
  ),
})

const Reply = t.Object(
  {
    total: t.Object({ ...change, anomaly: orNull(AnomalyRecord) }),
    dimensions: t.Array(Dimension, { description: 'one for each dimension of group_by, in its order' }),
  },
  {
    title: 'Drivers',
    examples: [
      {
        total: { ...example, anomaly: null },
        dimensions: driverDims.map((dimension) => ({
          dimension,
          rises: [{ key: 'compute', label: 'compute', ...example, state: 'changed', anomaly: null }],
          falls: [],
          rest: { rises: 0, falls: 0, deltaUSD: 0 },
        })),
      },
    ],
  },
)

type Row = Static<(typeof costDrivers)['row']>

export const drivers: readonly Route[] = [
  report({
    path: '/reports/drivers',
    summary:
      'Get cost drivers: the largest increases and decreases by service, account, sub-account, region, type, resource or team',
    description:
      'meta.compared has the dates of the comparison. For each dimension, increases, decreases and rest add up exactly to ' +
      'deltaUSD of the total; usageUSD, priceUSD and otherUSD of each item add up to its deltaUSD. Usage and price effects ' +
      'are known for charges with a quantity and its unit, computed separately for each account, resource, service, ' +
      'component and unit. An increase includes the anomaly found in the range for the whole organization, the account or ' +
      'the resource: the one furthest above its baseline; an expected one only if there is no other.',
    query: Query,
    reply: Reply,
    handle: async (request, services) => {
      const { caller, query } = request
      const days = rangeOf(query, services.now())
      const before = comparedDays(query.compare ?? 'previous', days, services.now())
      const rows = await services.analytics(costDrivers, {
        ...filterQuestion(costQuestion(caller, query, days, services), query),
        prev_from: before.fromDay,
        prev_to: before.toDay,
        top: query.limit,
        of_teams: Number(query.group_by?.includes('team_id') ?? false),
      })
      return toReply(rows, request, days, services)
    },
  }),
]

async function toReply(
  rows: readonly Row[],
  { caller, query }: Request<unknown, Query, unknown>,
  days: Range,
  services: Services,
): Promise<Static<typeof Reply>> {
  const series = rows.filter((row) => deltaOf(row) > 0n).flatMap((row) => seriesAbout(row, caller.orgId, query) ?? [])
  const [names, anomalies] = await Promise.all([
    namesIn(rows, caller.orgId, services),
    worstAnomalies(caller, series, days, services),
  ])
  const anomalyOf = (row: Row) => {
    const about = seriesAbout(row, caller.orgId, query)
    return (about && deltaOf(row) > 0n && anomalies.get(seriesOf(about))) || null
  }
  const item = (row: Row): Item => ({
    key: orNone(row.value),
    label: labelOf(row, names[row.dimension]),
    ...changeOf(row),
    state: row.is_then === 0 ? 'new' : row.is_now === 0 ? 'gone' : 'changed',
    anomaly: anomalyOf(row),
  })
  const total = rows.find((row) => row.dimension === 'total') ?? nothing
  return {
    total: { ...changeOf(total), anomaly: anomalyOf(total) },
    dimensions: (query.group_by ?? driverDims).map((dimension) => {
      const own = rows.filter((row) => row.dimension === dimension)
      const rises = own.filter((row) => deltaOf(row) > 0n)
      const falls = own.filter((row) => deltaOf(row) < 0n).toReversed()
      return { dimension, rises: rises.map(item), falls: falls.map(item), rest: restOf(rises, falls, total) }
    }),
  }
}

const labelOf = ({ dimension, value }: Row, names: ReadonlyMap<string, string> | undefined): string =>
  dimension === 'team_id' && value === unassignedId ? unassignedName : names?.get(value) || orNone(value)

/** Where nothing was charged at either time. */
const nothing: Row = {
  dimension: 'total',
  value: '',
  cost_usd: '0',
  previous_usd: '0',
  usage_usd: '0',
  price_usd: '0',
  known: 0,
  is_now: 0,
  is_then: 0,
  rises: 0,
  falls: 0,
}

const deltaOf = (row: Row): bigint => units(row.cost_usd) - units(row.previous_usd)

function changeOf(row: Row) {
  const [usage, price] = [units(row.usage_usd), units(row.price_usd)]
  const isKnown = row.known === 1
  return {
    costUSD: usd(row.cost_usd),
    ...(against(units(row.cost_usd), units(row.previous_usd)) as {
      previousUSD: number
      deltaUSD: number
      deltaPercent: number | null
    }),
    usageUSD: isKnown ? usd(usage) : null,
    priceUSD: isKnown ? usd(price) : null,
    otherUSD: usd(deltaOf(row) - usage - price),
  }
}

function restOf(rises: readonly Row[], falls: readonly Row[], total: Row) {
  const of = rises[0] ?? falls[0] ?? nothing
  const shownUSD = [...rises, ...falls].reduce((sum, row) => sum + deltaOf(row), 0n)
  return {
    rises: of.rises - rises.length,
    falls: of.falls - falls.length,
    deltaUSD: usd(deltaOf(total) - shownUSD),
  }
}

const typeOf: Partial<Record<Row['dimension'], AnomalyType>> = {
  total: 'org',
  cloud_account_id: 'cloud_account',
  resource_uid: 'resource',
  team_id: 'team',
}

/** What leaves only a part of an organization or of an account. */
const narrowers = ['provider', 'region', 'resource_type', 'team_id', 'tag', ...Object.keys(narrower)] as (keyof Query)[]
const isGiven = (query: Query, name: keyof Query): boolean => [query[name] ?? []].flat().length > 0

/**
 * The series of anomalies that a value is the cost of: none for dimensions that anomalies are not found in, for costs of an earlier
 * time, and, but for resources, where filters leave only a part.
 */
function seriesAbout({ dimension, value }: Row, orgId: string, query: Query): AnomalyKey | undefined {
  const type = typeOf[dimension]
  const isPart =
    narrowers.some((name) => isGiven(query, name)) || (type === 'org' && isGiven(query, 'cloud_account_id'))
  if (type === undefined || query.asOf !== undefined || (isPart && type !== 'resource')) return undefined
  return { type, key: type === 'org' ? orgId : value }
}

/** What accounts, sub-accounts, resources and teams are called, by dimension. */
function namesIn(
  rows: readonly Row[],
  orgId: string,
  services: Services,
): Promise<Partial<Record<Row['dimension'], ReadonlyMap<string, string>>>> {
  const values = (dimension: DriverDim) => rows.filter((row) => row.dimension === dimension).map(({ value }) => value)
  const shown = {
    cloud_account_id: values('cloud_account_id'),
    sub_account: values('sub_account'),
    resource_uid: values('resource_uid'),
    team_id: values('team_id'),
  }
  return namesOf(shown, orgId, services)
}
