/** Sources of the usage of clusters: servers that keep what kube-state-metrics and kubelets told. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { editSource, foundSource, makeSource, removeSource, type SourceTools } from '#actors/kubernetes/change.ts'
import { KubernetesSource, KubernetesSourceState } from '#actors/kubernetes/source.ts'
import { t, type Static } from '#engine/schema.ts'
import { orNull, ProviderName, Timestamp, timestamp } from '#http/edge/field.ts'
import { GivenHeaders } from '#http/edge/given-headers.ts'
import { paged, pageOf, paging, slice } from '#http/edge/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { reply } from '#http/store/reply.ts'
import { ProviderGiven } from '#streams/names.ts'

const ClusterUid = t.String({
  minLength: 1,
  maxLength: 1024,
  pattern: '\\S',
  description: 'the cluster, as bills and the inventory name it',
})
const ClusterName = t.String({ minLength: 1, maxLength: 512, pattern: '\\S' })
const Url = t.String({
  minLength: 1,
  maxLength: 2048,
  description: 'https, and not in a private network: what comes before /api/v1',
})
const Matchers = t.Array(t.String({ minLength: 1, maxLength: 1024 }), {
  maxItems: 20,
  description: 'what of the server is of this cluster, as queries write it: cluster="prod"',
})

const example = {
  cloudAccountID: 'acct-1',
  clusterUID: 'arn:aws:eks:us-east-1:111122223333:cluster/shop',
  clusterName: 'shop',
  provider: 'aws' as const,
  url: 'https://prometheus.example.com',
  matchers: ['cluster="shop"'],
}

const Shown = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    cloudAccountID: t.String({ description: 'whose bills are divided by it' }),
    clusterUID: t.String(),
    clusterName: orNull(t.String()),
    provider: orNull(ProviderName),
    url: t.String(),
    hasHeaders: t.Boolean({ description: 'whether headers are sent; they are never shown' }),
    matchers: t.Array(t.String()),
    enabled: t.Boolean(),
    state: t.Object({
      through: orNull(t.String({ format: 'date-time', description: 'every hour before it has been read' })),
      failure: orNull(t.String({ description: 'what the last read ended by; it goes on there an hour later' })),
      gaps: t.Array(t.Object({ from: Timestamp, until: Timestamp, series: t.Array(t.String()) }), {
        description:
          'hours in which these series were missing, the newest first; without a node nothing was told of them',
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

async function shown(
  em: EntityManager,
  orgId: string,
  sources: readonly KubernetesSource[],
): Promise<Static<typeof Shown>[]> {
  const ids = sources.map(({ id }) => id)
  const states = await em.find(KubernetesSourceState, { orgId, sourceId: { $in: ids } }, { refresh: true })
  const stateOf = new Map(states.map((one) => [one.sourceId, one]))
  return sources.map((source) => show(source, stateOf.get(source.id)))
}

/** What is known of another reading is of no use. */
function show(source: KubernetesSource, known: KubernetesSourceState | undefined): Static<typeof Shown> {
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

const one = async (em: EntityManager, source: KubernetesSource) => (await shown(em, source.orgId, [source]))[0]!

const toolsOf = ({ seal, settings }: Services): SourceTools => ({ seal, allowPrivate: settings.allowPrivateAddresses })

const fixed = { tags: ['Kubernetes'] } as const
const params = t.Object({ sourceID: t.String() })

export const kubernetesSources: readonly Route[] = [
  route({
    ...fixed,
    method: 'GET',
    path: '/kubernetes/sources',
    summary: 'The servers that the usage of clusters is read from, the oldest first',
    description:
      'Each with how far it was read, what its last read failed by, and hours in which series were missing. Headers that are sent are never shown.',
    permission: 'space.view',
    query: t.Object({
      cloudAccountID: t.Optional(t.String({ description: 'those of one cloud account' })),
      ...paging(20, 100),
    }),
    reply: pageOf(Shown),
    handle: async ({ caller: { orgId }, query }, { em }) => {
      const { cloudAccountID } = query
      const where = { orgId, ...(cloudAccountID !== undefined && { cloudAccountId: cloudAccountID }) }
      const order = { orderBy: { createdAt: 'asc', id: 'asc' }, ...slice(query) } as const
      const [sources, total] = await em.findAndCount(KubernetesSource, where, order)
      return paged({ items: await shown(em, orgId, sources), total }, query)
    },
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/kubernetes/sources',
    summary: 'Have the usage of a cluster read from a Prometheus, hour by hour: the last two days first',
    description:
      'A cluster has one source in a cloud account. The server is asked by this service with the headers given, which are sealed and never shown again. Whether it answers is seen in state, not here.',
    permission: 'space.create',
    unscoped: true,
    status: 201,
    headers: { Location: 'where the source is' },
    body: CreateBody,
    reply: Shown,
    refuses: { 404: ['not_found'], 409: ['already_exists'], 422: ['limit_reached'] },
    handle: ({ body }, services) =>
      services.change(async (tx) => {
        const made = await makeSource(tx, body, toolsOf(services))
        return reply(await one(tx.em, made), { headers: { Location: `/kubernetes/sources/${made.id}` } })
      }),
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/kubernetes/sources/:sourceID',
    summary: 'One source of usage, how far it was read, and what was missing',
    description: 'Hours before state.through have been read. Headers that are sent are never shown.',
    permission: 'space.view',
    params,
    reply: Shown,
    handle: async ({ caller, params: { sourceID } }, { em }) => one(em, await foundSource(em, caller.orgId, sourceID)),
  }),

  route({
    ...fixed,
    method: 'PATCH',
    path: '/kubernetes/sources/:sourceID',
    summary:
      'Change a source of usage; what is left out stays, and of another cluster or account, or by other matchers, it is read anew',
    description: 'Headers given replace those that were sent before; enabled=false pauses reading.',
    permission: 'space.update',
    unscoped: true,
    params,
    body: ChangeBody,
    reply: Shown,
    handle: async ({ params: { sourceID }, body }, services) => {
      const source = await services.change((tx) => editSource(tx, sourceID, body, toolsOf(services)))
      return one(services.em, source)
    },
  }),

  route({
    ...fixed,
    method: 'DELETE',
    path: '/kubernetes/sources/:sourceID',
    summary: 'Read a source of usage no more; what it has told stays',
    description: 'Costs that were divided by it stay divided. The server itself is not told.',
    permission: 'space.delete',
    unscoped: true,
    status: 204,
    params,
    handle: ({ params: { sourceID } }, { change }) => change((tx) => removeSource(tx, sourceID)),
  }),
]
