import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { providers } from '#streams/names.ts'
import { text } from '#streams/text.ts'

const name = text({ minLength: 1, maxLength: 512 })
const uid = text({ minLength: 1, maxLength: 1024 })
const Cores = t.Number({ minimum: 0, maximum: 4000 })
const Bytes = t.Number({ minimum: 0, maximum: 1e16 })
const Gpus = t.Number({ minimum: 0, maximum: 1000 })
const Seconds = t.Integer({
  minimum: 0,
  maximum: 3600,
  description: 'of the interval during which it existed; default: all',
})

/** Maximum entries per list and message. */
export const usageMax = 1000

export const UsedNode = t.Object({
  name: text({ minLength: 1, maxLength: 512, description: 'name in the cluster' }),
  resourceUid: t.Optional(
    text({ maxLength: 1024, description: 'resource UID of the machine in bills; default: derived from providerID' }),
  ),
  providerID: t.Optional(text({ maxLength: 1024, description: 'spec.providerID of the node' })),
  instanceType: t.Optional(text({ maxLength: 256 })),
  region: t.Optional(text({ maxLength: 256 })),
  seconds: t.Optional(Seconds),
  cpuCores: t.Number({ minimum: 0, maximum: 4000, description: 'capacity' }),
  memoryBytes: t.Number({ minimum: 0, maximum: 1e16, description: 'capacity' }),
  gpus: t.Optional(Gpus),
  usdHour: t.Optional(
    t.Number({
      minimum: 0,
      maximum: 100_000,
      description: 'its price per hour where no bill has it; default: the on-demand price of its instance type',
    }),
  ),
  cpuUsdHour: t.Optional(
    t.Number({
      minimum: 0,
      maximum: 100_000,
      description: 'part of usdHour for processors; without it, usdHour is split like all other prices',
    }),
  ),
  gpuUsdHour: t.Optional(
    t.Number({
      minimum: 0,
      maximum: 100_000,
      description: 'part of usdHour for accelerators, with cpuUsdHour; the rest is for memory',
    }),
  ),
})
export type UsedNode = Static<typeof UsedNode>

export const UsedPod = t.Object({
  namespace: name,
  name,
  node: text({ minLength: 1, maxLength: 512, description: 'name of the node the pod ran on' }),
  controllerKind: t.Optional(
    text({ maxLength: 256, description: 'kind of its top-level controller, for example deployment' }),
  ),
  controllerName: t.Optional(text({ maxLength: 512 })),
  labels: t.Optional(t.Record(text({ maxLength: 512 }), text({ maxLength: 1024 }), { maxProperties: 100 })),
  seconds: t.Optional(Seconds),
  cpuRequest: t.Optional(t.Number({ ...Cores, description: 'cores, total of all containers' })),
  cpuUsed: t.Optional(t.Number({ ...Cores, description: 'cores, average while running; default: not measured' })),
  memoryRequest: t.Optional(Bytes),
  memoryUsed: t.Optional(t.Number({ ...Bytes, description: 'average while running; default: not measured' })),
  gpus: t.Optional(Gpus),
  networkBytes: t.Optional(t.Number({ ...Bytes, description: 'traffic charged by the cloud; default: not metered' })),
})
export type UsedPod = Static<typeof UsedPod>

export const UsedClaim = t.Object({
  namespace: name,
  name,
  volumeUid: text({ minLength: 1, maxLength: 1024, description: 'resource UID of the disk in bills' }),
  pods: t.Optional(t.Array(name, { maxItems: 100, description: 'pods in its namespace that mount it' })),
  seconds: t.Optional(Seconds),
})

export type UsedClaim = Static<typeof UsedClaim>

export const UsedBalancer = t.Object({
  namespace: name,
  service: name,
  resourceUid: text({ minLength: 1, maxLength: 1024, description: 'resource UID of the load balancer in bills' }),
  seconds: t.Optional(Seconds),
})
export type UsedBalancer = Static<typeof UsedBalancer>

/**
 * Usage of a cluster in one interval of an hour, by which the bills of its machines are distributed. Each node, pod,
 * claim and load balancer is identified by (cluster, from, its name): sent again it replaces itself. A large interval
 * may be sent in parts.
 */
export const kubernetesUsage = subject({
  name: 'kubernetes.usage',
  kind: 'metric',
  summary:
    'Nodes, pods, volume claims and load balancers of a cluster in an interval within one hour. The subject contains the cloud account.',
  schema: t.Object({
    clusterUid: uid,
    clusterName: t.Optional(text({ maxLength: 512 })),
    provider: t.Optional(t.Enum(providers)),
    from: t.String({
      format: 'date-time',
      description: 'start of the interval, a whole second, at most one day in the future',
    }),
    seconds: t.Integer({
      minimum: 1,
      maximum: 3600,
      description: 'length of the interval; it must end in the hour in which it starts',
    }),
    nodes: t.Optional(
      t.Array(UsedNode, { maxItems: usageMax, description: 'an empty list means there were none; it is not a gap' }),
    ),
    pods: t.Optional(t.Array(UsedPod, { maxItems: usageMax })),
    claims: t.Optional(t.Array(UsedClaim, { maxItems: usageMax })),
    loadBalancers: t.Optional(t.Array(UsedBalancer, { maxItems: usageMax })),
  }),
  examples: [
    {
      clusterUid: 'arn:aws:eks:us-east-1:111122223333:cluster/shop',
      clusterName: 'shop',
      provider: 'aws',
      from: '2026-01-15T10:00:00Z',
      seconds: 3600,
      nodes: [
        {
          name: 'ip-10-0-1-7',
          providerID: 'aws:///us-east-1a/i-0a1b2c3d4e5f60718',
          instanceType: 'm5.large',
          region: 'us-east-1',
          cpuCores: 2,
          memoryBytes: 8589934592,
        },
      ],
      pods: [
        {
          namespace: 'orders',
          name: 'api-7f9c-x2x4q',
          node: 'ip-10-0-1-7',
          controllerKind: 'deployment',
          controllerName: 'api',
          labels: { app: 'api', team: 'shop' },
          cpuRequest: 0.5,
          cpuUsed: 0.2,
          memoryRequest: 1073741824,
          memoryUsed: 1610612736,
        },
      ],
      claims: [{ namespace: 'orders', name: 'data', volumeUid: 'vol-0a1b2c3d4e5f60718', pods: ['api-7f9c-x2x4q'] }],
      loadBalancers: [
        {
          namespace: 'orders',
          service: 'api',
          resourceUid: 'arn:aws:elasticloadbalancing:us-east-1:111122223333:loadbalancer/net/a1/b2',
        },
      ],
    },
  ],
})
export type KubernetesUsage = Static<typeof kubernetesUsage.schema>

/** Reminder: distribute the costs of days again whose usage arrived in parts. */
export const kubernetesDue = subject({
  name: 'kubernetes.due',
  kind: 'actor',
  summary: 'Allocate the costs of a cluster by the usage that arrived.',
  schema: t.Object({ clusterUid: uid }),
  examples: [{ clusterUid: 'arn:aws:eks:us-east-1:111122223333:cluster/shop' }],
})

/** Names of series. */
const series = t.Array(text({ maxLength: 256 }), { maxItems: 50 })
const moment = t.String({ format: 'date-time' })

/**
 * A usage source was read: up to `through`, or nothing new without it. `gap` is the hour ending then in which series
 * were missing; `failure` is the error that ended the read. `readingId` names the reading; results of another one no
 * longer count.
 */
export const sourceRead = subject({
  name: 'kubernetes.source_read',
  kind: 'actor',
  place: () => orgWide,
  summary: 'A cluster usage source was read.',
  once: true,
  schema: t.Object({
    sourceId: text({ minLength: 1 }),
    readingId: text({ minLength: 1 }),
    through: t.Optional(moment),
    gap: t.Optional(t.Object({ from: moment, series })),
    failure: t.Union([text(), t.Null()]),
  }),
  examples: [{ sourceId: 's-1', readingId: 'r-1', through: '2026-01-15T11:00:00.000Z', failure: null }],
})

/** A usage source was deleted. */
export const sourceRemoved = subject({
  name: 'kubernetes.source_removed',
  kind: 'actor',
  place: () => orgWide,
  summary: 'A cluster usage source was deleted.',
  once: true,
  schema: t.Object({ sourceId: text({ minLength: 1 }) }),
  examples: [{ sourceId: 's-1' }],
})

export const kubernetesMessages = [kubernetesUsage, kubernetesDue, sourceRead, sourceRemoved]
