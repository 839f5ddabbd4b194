import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { containing } from '#actors/account/queries.ts'
import { aggregations, ingestions, UnitMetric, UnitMetricFeed, type Pull } from '#actors/unit-metric/entity.ts'
import { Fault } from '#engine/fault.ts'
import { isUuid } from '#engine/id.ts'
import { t, type Static } from '#engine/schema.ts'
import { Name, orNull, ProviderName, Timestamp, timestamp } from '#http/edge/field.ts'
import { paged, pageOf, paging, slice } from '#http/edge/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services, Tell } from '#http/edge/services.ts'
import { isTaken } from '#http/store/fault.ts'
import { outsideUrl } from '#streams/delivery/outbound.ts'
import { providers, realName, type Provider } from '#streams/names.ts'
import { pullChanged, unitMetricRemoved } from '#streams/unit-metric.ts'

const Path = t.String({ maxLength: 200, description: 'names joined by dots' })
const pull = {
  url: t.String({ minLength: 1, maxLength: 2048, description: 'https, and not in a private network' }),
  method: t.Enum(['GET', 'POST']),
  rowsPath: t.String({
    maxLength: 200,
    description: 'where the list of rows is in the answer; empty: the answer itself',
  }),
  timestampField: Path,
  valueField: Path,
  intervalMinutes: t.Integer({ minimum: 15, maximum: 44_640 }),
}

/** Of the request's own making, and none of ours to say. */
const ownHeaders = 'host|connection|content-length|transfer-encoding|expect|te|trailer|upgrade|keep-alive|proxy-.*'
const Headers = t.Record(
  t.String({ pattern: `^(?!(?:${caseless(ownHeaders)})$)[A-Za-z0-9!#$%&'*+.^_\`|~-]{1,100}$` }),
  t.String({ maxLength: 8192, pattern: '^[\\t\\x20-\\x7e]*$' }),
  {
    maxProperties: 50,
    additionalProperties: false,
    description: 'never shown again; left out, they stay while the address has the same origin',
  },
)

const Teams = t.Array(t.String({ minLength: 1, maxLength: 1024 }), { maxItems: 1000 })
const Tags = t.Record(t.String({ minLength: 1, maxLength: 256 }), t.String({ maxLength: 2048 }), { maxProperties: 50 })

const Shown = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    name: t.String(),
    key: t.String({ description: 'what reports may call it by' }),
    unit: t.String(),
    ingestion: t.String({ enum: [...ingestions] }),
    aggregation: t.String({
      enum: [...aggregations],
      description: 'what makes one number out of the values of a period',
    }),
    pull: orNull(t.Object(pull)),
    costScope: orNull(t.Object({ providers: t.Array(ProviderName), teamIDs: Teams, tags: Tags })),
    lastIngestedAt: orNull(Timestamp),
    pullFailure: orNull(t.String({ description: 'what the last scheduled pull failed by' })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'UnitMetric' },
)

const given = {
  name: Name,
  key: t.String({
    pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
    maxLength: 64,
    description: 'lower case letters, digits, - and _',
  }),
  unit: t.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
  ingestion: t.Enum(ingestions),
  aggregation: t.Enum(aggregations),
}
const GivenPull = t.Object({
  ...pull,
  method: t.Optional(pull.method),
  rowsPath: t.Optional(pull.rowsPath),
  headers: t.Optional(Headers),
})
const GivenScope = t.Object({
  providers: t.Optional(t.Array(t.Enum(['cloud-a', 'cloud-b', 'cloud-c', ...providers]), { maxItems: 10 })),
  teamIDs: t.Optional(Teams),
  tags: t.Optional(Tags),
})
const optional = {
  pull: t.Optional(orNull(GivenPull)),
  costScope: t.Optional(orNull(GivenScope)),
}
const CreateBody = t.Object(
  { ...given, ...optional },
  {
    examples: [{ name: 'Orders', key: 'orders', unit: 'order', ingestion: 'push', aggregation: 'sum' }],
  },
)
const ChangeBody = t.Partial(CreateBody, { examples: [{ name: 'Orders' }] })
type Change = Static<typeof ChangeBody>

/** @throws Fault `missing` */
export async function foundMetric(em: EntityManager, orgId: string, id: string): Promise<UnitMetric> {
  const metric = isUuid(id) ? await em.findOne(UnitMetric, { orgId, id }, { refresh: true }) : null
  if (!metric) throw Fault.missing('unit metric', id)
  return metric
}

/** The metrics beside what is known of their values. */
async function shown(
  em: EntityManager,
  orgId: string,
  metrics: readonly UnitMetric[],
): Promise<Static<typeof Shown>[]> {
  const ids = metrics.map(({ id }) => id)
  const feeds = await em.find(UnitMetricFeed, { orgId, metricId: { $in: ids } }, { refresh: true })
  const feedOf = new Map(feeds.map((feed) => [feed.metricId, feed]))
  return metrics.map((metric) => show(metric, feedOf.get(metric.id)))
}

function show(m: UnitMetric, feed: UnitMetricFeed | undefined): Static<typeof Shown> {
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

const one = async (em: EntityManager, metric: UnitMetric) => (await shown(em, metric.orgId, [metric]))[0]!

/** Sets what the body says. @throws Fault `validation_failed` for a pull without the ingestion of that name, and the other way round */
function apply(metric: UnitMetric, body: Change, at: Date, services: Services): void {
  const { pull: wanted, costScope, ...plain } = body
  Object.assign(metric, plain)
  if (costScope !== undefined) metric.costScope = costScope && scopeOf(costScope)
  if (metric.ingestion !== 'pull') {
    if (wanted) throw badPull('', 'ingestion', 'is for the ingestion pull only')
    Object.assign(metric, { pull: null, pullHeaders: null })
  } else if (wanted) {
    pullFrom(metric, wanted, services)
  } else if (wanted === null || !metric.pull) {
    throw badPull('', 'required', 'is required where values are pulled')
  }
  metric.updatedAt = at
}

/** Headers stay where they were given for: at the origin they are sent to. */
function pullFrom(metric: UnitMetric, wanted: Static<typeof GivenPull>, { seal, settings }: Services): void {
  const { headers, ...rest } = wanted
  try {
    outsideUrl(rest.url, settings.allowPrivateAddresses)
  } catch (error) {
    throw badPull('/url', 'address_refused', Fault.from(error).message)
  }
  const pull: Pull = { method: 'GET', rowsPath: '', ...rest }
  if (headers) metric.pullHeaders = seal(headers)
  else if (!metric.pull || new URL(metric.pull.url).origin !== new URL(pull.url).origin) metric.pullHeaders = null
  metric.pull = pull
}

const badPull = (name: string, code: string, message: string): Fault =>
  badInput({ in: 'body', name: `/pull${name}`, code, message })

const scopeOf = ({ providers: named = [], teamIDs = [], tags = {} }: Static<typeof GivenScope>) => ({
  providers: [...new Set(named.map((name) => realName(name) as Provider))],
  teamIDs: [...new Set(teamIDs)],
  tags,
})

/** Runs `work` in a transaction. @throws Fault `conflict` `already_exists` for a key that another metric has */
async function changed<T>({ change }: Services, work: (em: EntityManager, tell: Tell) => Promise<T>): Promise<T> {
  try {
    return await change(work)
  } catch (error) {
    if (isTaken(error)) throw Fault.conflict('already_exists', 'Another unit metric has this key.')
    throw error
  }
}

const fixed = { tags: ['Unit metrics'] } as const
const params = t.Object({ unitMetricID: t.String() })

export const unitMetrics: readonly Route[] = [
  route({
    ...fixed,
    method: 'POST',
    path: '/unit-metrics',
    summary: 'Define a unit metric; its values are pushed, pulled or uploaded',
    permission: 'service.create',
    status: 201,
    headers: { Location: 'where the unit metric is' },
    body: CreateBody,
    reply: Shown,
    handle: ({ caller: { orgId }, body }, services) =>
      changed(services, async (em, tell) => {
        const at = services.now()
        const fresh = {
          orgId,
          id: randomUUID(),
          pull: null,
          pullHeaders: null,
          costScope: null,
          seriesId: randomUUID(),
        }
        const { pull: _pull, costScope: _scope, ...plain } = body
        const made = em.create(UnitMetric, { ...fresh, ...plain, createdAt: at, updatedAt: at })
        apply(made, body, at, services)
        await em.persist(made).flush()
        if (made.pull) await tell(pullChanged, { metricId: made.id, intervalMinutes: made.pull.intervalMinutes })
        return reply(await one(em, made), { headers: { Location: `/unit-metrics/${made.id}` } })
      }),
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/unit-metrics',
    summary: 'The unit metrics, by name',
    permission: 'service.view',
    query: t.Object({
      search: t.Optional(t.String({ description: 'part of the name or the key, in any case' })),
      ...paging(20, 100),
    }),
    reply: pageOf(Shown),
    handle: async ({ caller: { orgId }, query }, { em }) => {
      const like = query.search ? { $ilike: containing(query.search) } : undefined
      const where = { orgId, ...(like && { $or: [{ name: like }, { key: like }] }) }
      const order = { orderBy: { name: 'asc', id: 'asc' }, ...slice(query) } as const
      const [metrics, total] = await em.findAndCount(UnitMetric, where, order)
      return paged({ items: await shown(em, orgId, metrics), total }, query)
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/unit-metrics/:unitMetricID',
    summary: 'One unit metric',
    permission: 'service.view',
    params,
    reply: Shown,
    handle: async ({ caller, params: { unitMetricID } }, { em }) =>
      one(em, await foundMetric(em, caller.orgId, unitMetricID)),
  }),

  route({
    ...fixed,
    method: 'PUT',
    path: '/unit-metrics/:unitMetricID',
    summary: 'Change a unit metric; what is left out stays, its values too',
    permission: 'service.update',
    params,
    body: ChangeBody,
    reply: Shown,
    handle: async ({ caller, params: { unitMetricID }, body }, services) => {
      const metric = await changed(services, async (em, tell) => {
        const found = await foundMetric(em, caller.orgId, unitMetricID)
        const before = found.pull ?? null
        apply(found, body, services.now(), services)
        await em.flush()
        const intervalMinutes = found.pull?.intervalMinutes ?? null
        const isOther = body.pull !== undefined || (before === null) !== (intervalMinutes === null)
        if (isOther) await tell(pullChanged, { metricId: found.id, intervalMinutes })
        return found
      })
      return one(services.em, metric)
    },
  }),

  route({
    ...fixed,
    method: 'DELETE',
    path: '/unit-metrics/:unitMetricID',
    summary: 'Delete a unit metric and its values',
    permission: 'service.delete',
    status: 204,
    params,
    handle: async ({ caller, params: { unitMetricID } }, { change }) => {
      await change(async (em, tell) => {
        const metric = await foundMetric(em, caller.orgId, unitMetricID)
        em.remove(metric)
        await tell(unitMetricRemoved, { metricId: metric.id })
      })
    },
  }),
]

/** A pattern that takes its letters in both cases: JSON Schema knows no flags. */
function caseless(pattern: string): string {
  return pattern.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}
