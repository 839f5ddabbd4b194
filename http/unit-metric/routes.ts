import type { EntityManager } from '@mikro-orm/postgresql'
import { containing } from '#engine/value/like-pattern.ts'
import { editMetric, foundMetric, makeMetric, removeMetric, type MetricTools } from '#actors/unit-metric/change.ts'
import { aggregations, ingestions, UnitMetric, UnitMetricFeed } from '#actors/unit-metric/entity.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Name, orNull, ProviderName, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { GivenHeaders } from '#http/edge/request/given-headers.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { ProviderGiven } from '#streams/names.ts'

const Path = t.String({ maxLength: 200, description: 'names joined with dots' })
const pull = {
  url: t.String({ minLength: 1, maxLength: 2048, description: 'https, and not in a private network' }),
  method: t.Enum(['GET', 'POST']),
  rowsPath: t.String({
    maxLength: 200,
    description: 'path of the list of rows in the response; empty: the response itself',
  }),
  timestampField: Path,
  valueField: Path,
  intervalMinutes: t.Integer({ minimum: 15, maximum: 44_640 }),
}

const Teams = t.Array(t.String({ minLength: 1, maxLength: 1024 }), { maxItems: 1000 })
const Tags = t.Record(t.String({ minLength: 1, maxLength: 256 }), t.String({ maxLength: 2048 }), { maxProperties: 50 })

const UnitMetricView = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    name: t.String(),
    key: t.String({ description: 'name for use in reports' }),
    unit: t.String(),
    ingestion: t.String({ enum: [...ingestions] }),
    aggregation: t.String({
      enum: [...aggregations],
      description: 'how the values of a period are aggregated',
    }),
    pull: orNull(t.Object(pull)),
    costScope: orNull(t.Object({ providers: t.Array(ProviderName), teamIDs: Teams, tags: Tags })),
    lastIngestedAt: orNull(Timestamp),
    pullFailure: orNull(t.String({ description: 'error of the last scheduled pull' })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'UnitMetric',
    examples: [
      {
        id: '1d9e6679-7425-40de-944b-e07fc1f90ae7',
        orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
        name: 'Orders',
        key: 'orders',
        unit: 'order',
        ingestion: 'push',
        aggregation: 'sum',
        pull: null,
        costScope: null,
        lastIngestedAt: '2026-01-15T10:00:00.000Z',
        pullFailure: null,
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

const bodyFields = {
  name: Name,
  key: t.String({
    pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
    maxLength: 64,
    description: 'lowercase letters, digits, - and _',
  }),
  unit: t.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
  ingestion: t.Enum(ingestions),
  aggregation: t.Enum(aggregations),
}
const GivenPull = t.Object({
  ...pull,
  method: t.Optional(pull.method),
  rowsPath: t.Optional(pull.rowsPath),
  headers: t.Optional(GivenHeaders),
})
const GivenScope = t.Object({
  providers: t.Optional(t.Array(ProviderGiven, { maxItems: 10 })),
  teamIDs: t.Optional(Teams),
  tags: t.Optional(Tags),
})
const optional = {
  pull: t.Optional(orNull(GivenPull)),
  costScope: t.Optional(orNull(GivenScope)),
}
const CreateBody = t.Object(
  { ...bodyFields, ...optional },
  {
    examples: [{ name: 'Orders', key: 'orders', unit: 'order', ingestion: 'push', aggregation: 'sum' }],
  },
)
const ChangeBody = t.Partial(CreateBody, { examples: [{ name: 'Orders' }] })

/** Metrics with the state of their values. */
async function toUnitMetricViews(
  em: EntityManager,
  orgId: string,
  metrics: readonly UnitMetric[],
): Promise<Static<typeof UnitMetricView>[]> {
  const ids = metrics.map(({ id }) => id)
  const feeds = await em.find(UnitMetricFeed, { orgId, metricId: { $in: ids } }, { refresh: true })
  const feedOf = new Map(feeds.map((feed) => [feed.metricId, feed]))
  return metrics.map((metric) => show(metric, feedOf.get(metric.id)))
}

function show(m: UnitMetric, feed: UnitMetricFeed | undefined): Static<typeof UnitMetricView> {
  return {
    id: m.id,
    orgID: m.orgId,
    name: m.name,
    key: m.key,
    unit: m.unit,
    ingestion: m.ingestion,
    aggregation: m.aggregation,
    pull: m.pull ?? null,
    costScope: m.costScope ?? null,
    lastIngestedAt: feed?.seriesId === m.seriesId ? timestamp(feed.lastIngestedAt) : null,
    pullFailure: feed?.failure ?? null,
    createdAt: m.createdAt.toISOString(),
    updatedAt: m.updatedAt.toISOString(),
  }
}

const one = async (em: EntityManager, metric: UnitMetric) => (await toUnitMetricViews(em, metric.orgId, [metric]))[0]!

const toolsOf = ({ seal, settings }: Services): MetricTools => ({
  seal,
  allowPrivate: settings.allowPrivateAddresses,
})

const routeBase = { tags: ['Unit metrics'] } as const
const params = t.Object({ unitMetricID: t.String() })

export const unitMetrics: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/unit-metrics',
    summary: 'Create a unit metric; its values are pushed, pulled or uploaded',
    description:
      'A business metric to relate costs to, such as orders per day. Its key is unique in the organization and identifies it in GET /reports/unit-economics. Headers of a pull are encrypted and never returned.',
    permission: 'service.create',
    status: 201,
    headers: { Location: 'URL of the new unit metric' },
    body: CreateBody,
    reply: UnitMetricView,
    refuses: { 409: ['already_exists'], 422: ['limit_reached'] },
    handle: ({ body }, services) =>
      services.change(async (tx) => {
        const made = await makeMetric(tx, body, toolsOf(services))
        return reply(await one(tx.em, made), { headers: { Location: `/unit-metrics/${made.id}` } })
      }),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/unit-metrics',
    summary: 'List unit metrics, sorted by name',
    description: 'Each with the time of its latest values and the error of its last pull. The values are not included.',
    permission: 'service.view',
    query: t.Object({
      search: t.Optional(t.String({ description: 'part of the name or the key, case-insensitive' })),
      ...paging(20, 100),
    }),
    reply: pageOf(UnitMetricView),
    handle: async ({ caller: { orgId }, query }, { em }) => {
      const like = query.search ? { $ilike: containing(query.search) } : undefined
      const where = { orgId, ...(like && { $or: [{ name: like }, { key: like }] }) }
      const order = { orderBy: { name: 'asc', id: 'asc' }, ...slice(query) } as const
      const [metrics, total] = await em.findAndCount(UnitMetric, where, order)
      return toPage({ items: await toUnitMetricViews(em, orgId, metrics), total }, query)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/unit-metrics/:unitMetricID',
    summary: 'Get a unit metric',
    description:
      'Includes the time of its latest values and the error of its last pull. For its values, use GET /reports/unit-economics.',
    permission: 'service.view',
    params,
    reply: UnitMetricView,
    handle: async ({ caller, params: { unitMetricID } }, { em }) =>
      one(em, await foundMetric(em, caller.orgId, unitMetricID)),
  }),

  route({
    ...routeBase,
    method: 'PUT',
    path: '/unit-metrics/:unitMetricID',
    summary: 'Update a unit metric; omitted fields and its values are unchanged',
    description:
      'Null removes the cost scope. Headers of a pull are kept if they are omitted and the server is the same.',
    permission: 'service.update',
    params,
    body: ChangeBody,
    reply: UnitMetricView,
    refuses: { 409: ['already_exists'] },
    handle: async ({ params: { unitMetricID }, body }, services) => {
      const metric = await services.change((tx) => editMetric(tx, unitMetricID, body, toolsOf(services)))
      return one(services.em, metric)
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/unit-metrics/:unitMetricID',
    summary: 'Delete a unit metric and its values',
    description: 'This cannot be undone. Reports no longer include it, not even for past days.',
    permission: 'service.delete',
    status: 204,
    params,
    handle: ({ params: { unitMetricID } }, { change }) => change((tx) => removeMetric(tx, unitMetricID)),
  }),
]
