/** Sources of cluster usage: Prometheus servers with the metrics of kube-state-metrics and kubelets. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { editSource, foundSource, makeSource, removeSource, type SourceTools } from '#actors/kubernetes/change.ts'
import { KubernetesSource, KubernetesSourceState } from '#actors/kubernetes/source.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull, ProviderName, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { GivenHeaders } from '#http/edge/request/given-headers.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { reply } from '#http/store/reply.ts'
import { ProviderGiven } from '#streams/names.ts'

const ClusterUid = t.String({
  minLength: 1,
  maxLength: 1024,
  pattern: '\\S',
  description: 'the cluster, as in bills and the inventory',
})
const ClusterName = t.String({ minLength: 1, maxLength: 512, pattern: '\\S' })
const Url = t.String({
  minLength: 1,
  maxLength: 2048,
  description: 'base URL before /api/v1; https, not in a private network',
})
const Matchers = t.Array(t.String({ minLength: 1, maxLength: 1024 }), {
  maxItems: 20,
  description: 'label matchers that select this cluster on the server, as in queries: cluster="prod"',
})

const example = {
  cloudAccountID: 'acct-1',
  clusterUID: 'arn:aws:eks:us-east-1:111122223333:cluster/shop',
  clusterName: 'shop',
  provider: 'aws' as const,
  url: 'https://prometheus.example.com',
  matchers: ['cluster="shop"'],
}

const KubernetesSourceView = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    cloudAccountID: t.String({ description: 'the account whose bills are split by it' }),
    clusterUID: t.String(),
    clusterName: orNull(t.String()),
    provider: orNull(ProviderName),
    url: t.String(),
    hasHeaders: t.Boolean({ description: 'whether headers are sent; their values are never returned' }),
    matchers: t.Array(t.String()),
    enabled: t.Boolean(),
    state: t.Object({
      through: orNull(t.String({ format: 'date-time', description: 'every hour before this one has been read' })),
      failure: orNull(t.String({ description: 'error of the last read; retried an hour later' })),
      gaps: t.Array(t.Object({ from: Timestamp, until: Timestamp, series: t.Array(t.String()) }), {
        description: 'hours without these series, newest first; without a node no usage was reported',
      }),
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'KubernetesSource',
    examples: [
      {
        id: 'fc9e6679-7425-40de-944b-e07fc1f90ae7',
        orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
        cloudAccountID: 'acct-1',
        clusterUID: 'arn:aws:eks:us-east-1:123456789012:cluster/shop',
        clusterName: 'shop',
        provider: 'aws',
        url: 'https://prometheus.example.com',
        hasHeaders: true,
        matchers: ['cluster="shop"'],
        enabled: true,
        state: { through: '2026-01-15T10:00:00.000Z', failure: null, gaps: [] },
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

const optional = {
  clusterName: t.Optional(orNull(ClusterName)),
  provider: t.Optional(orNull(ProviderGiven)),
  headers: t.Optional(GivenHeaders),
  matchers: t.Optional(Matchers),
  enabled: t.Optional(t.Boolean()),
}
const account = t.String({ minLength: 1, maxLength: 1024 })
const CreateBody = t.Object(
  { cloudAccountID: account, clusterUID: ClusterUid, url: Url, ...optional },
  { examples: [{ ...example, headers: { Authorization: 'Bearer secret' } }] },
)
const ChangeBody = t.Partial(CreateBody, { examples: [{ enabled: false }] })

async function toSourceViews(
  em: EntityManager,
  orgId: string,
  sources: readonly KubernetesSource[],
): Promise<Static<typeof KubernetesSourceView>[]> {
  const ids = sources.map(({ id }) => id)
  const states = await em.find(KubernetesSourceState, { orgId, sourceId: { $in: ids } }, { refresh: true })
  const stateOf = new Map(states.map((one) => [one.sourceId, one]))
  return sources.map((source) => show(source, stateOf.get(source.id)))
}

/** The state of an earlier reading is not shown. */
function show(source: KubernetesSource, known: KubernetesSourceState | undefined): Static<typeof KubernetesSourceView> {
  const state = known?.readingId === source.readingId ? known : undefined
  return {
    id: source.id,
    orgID: source.orgId,
    cloudAccountID: source.cloudAccountId,
    clusterUID: source.clusterUid,
    clusterName: source.clusterName ?? null,
    provider: source.provider ?? null,
    url: source.url,
    hasHeaders: source.headers !== null && source.headers !== undefined,
    matchers: source.matchers,
    enabled: source.enabled,
    state: {
      through: timestamp(state?.through),
      failure: state?.failure ?? null,
      gaps: (state?.gaps ?? []).map((gap) => ({ ...gap })),
    },
    createdAt: source.createdAt.toISOString(),
    updatedAt: source.updatedAt.toISOString(),
  }
}

const one = async (em: EntityManager, source: KubernetesSource) => (await toSourceViews(em, source.orgId, [source]))[0]!

const toolsOf = ({ seal, settings }: Services): SourceTools => ({ seal, allowPrivate: settings.allowPrivateAddresses })

const routeBase = { tags: ['Kubernetes'] } as const
const params = t.Object({ sourceID: t.String() })

export const kubernetesSources: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/kubernetes/sources',
    summary: 'List Kubernetes usage sources (Prometheus servers), oldest first',
    description:
      'Each with its read position, the error of its last read, and hours with missing series. Header values are never returned.',
    permission: 'space.view',
    query: t.Object({
      cloudAccountID: t.Optional(t.String({ description: 'only sources of this cloud account' })),
      ...paging(20, 100),
    }),
    reply: pageOf(KubernetesSourceView),
    handle: async ({ caller: { orgId }, query }, { em }) => {
      const { cloudAccountID } = query
      const where = { orgId, ...(cloudAccountID !== undefined && { cloudAccountId: cloudAccountID }) }
      const order = { orderBy: { createdAt: 'asc', id: 'asc' }, ...slice(query) } as const
      const [sources, total] = await em.findAndCount(KubernetesSource, where, order)
      return toPage({ items: await toSourceViews(em, orgId, sources), total }, query)
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/kubernetes/sources',
    summary: 'Read the usage of a cluster from a Prometheus server every hour, starting with the last two days',
    description:
      'A cluster has one source per cloud account. This service queries the server with the given headers, which are encrypted and never returned. The connection is not tested here; state shows whether it works.',
    permission: 'space.create',
    unscoped: true,
    status: 201,
    headers: { Location: 'URL of the new source' },
    body: CreateBody,
    reply: KubernetesSourceView,
    refuses: { 404: ['not_found'], 409: ['already_exists'], 422: ['limit_reached'] },
    handle: ({ body }, services) =>
      services.change(async (tx) => {
        const made = await makeSource(tx, body, toolsOf(services))
        return reply(await one(tx.em, made), { headers: { Location: `/kubernetes/sources/${made.id}` } })
      }),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/kubernetes/sources/:sourceID',
    summary: 'Get a usage source with its read position and missing series',
    description: 'All hours before state.through have been read. Header values are never returned.',
    permission: 'space.view',
    params,
    reply: KubernetesSourceView,
    handle: async ({ caller, params: { sourceID } }, { em }) => one(em, await foundSource(em, caller.orgId, sourceID)),
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/kubernetes/sources/:sourceID',
    summary:
      'Update a usage source; omitted fields are unchanged, and a new cluster, account or matchers start reading from the beginning',
    description: 'Given headers replace the existing ones; enabled=false pauses reading.',
    permission: 'space.update',
    unscoped: true,
    params,
    body: ChangeBody,
    reply: KubernetesSourceView,
    handle: async ({ params: { sourceID }, body }, services) => {
      const source = await services.change((tx) => editSource(tx, sourceID, body, toolsOf(services)))
      return one(services.em, source)
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/kubernetes/sources/:sourceID',
    summary: 'Delete a usage source; its data is kept',
    description: 'Costs that were split with its data stay split. The server itself is not contacted.',
    permission: 'space.delete',
    unscoped: true,
    status: 204,
    params,
    handle: ({ params: { sourceID } }, { change }) => change((tx) => removeSource(tx, sourceID)),
  }),
]
