import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'

const of = { org_id: t.String(), cloud_account_id: t.String(), day: t.String(), cluster_uid: t.String() }
/** ISO 8601 UTC of a whole second, and the seconds that it existed from then on. */
const interval = { from: t.String(), seconds: t.Integer() }
const orNull = t.Union([t.Integer(), t.Null()])

/**
 * Nodes by interval, with the parts of their price in millionths; the newest version counts. `price` is US dollars per
 * hour, 0 if unknown.
 */
export const kubernetesNodeTable = table({
  name: 'kubernetes_node',
  row: t.Object({
    ...of,
    node: t.String(),
    ...interval,
    resource_uid: t.String(),
    provider: t.String(),
    region: t.String(),
    instance_type: t.String(),
    cpu_millicores: t.Integer(),
    memory_kib: t.Integer(),
    gpu_millis: t.Integer(),
    cpu_ppm: t.Integer(),
    gpu_ppm: t.Integer(),
    price: t.String(),
  }),
})

/** Pods by interval; the newest version counts. Cores are in thousandths, memory in KiB. */
export const kubernetesPodTable = table({
  name: 'kubernetes_pod',
  row: t.Object({
    ...of,
    namespace: t.String(),
    pod: t.String(),
    node: t.String(),
    ...interval,
    controller_kind: t.String(),
    controller: t.String(),
    labels: t.Record(t.String(), t.String()),
    cpu_request: t.Integer(),
    cpu_used: orNull,
    memory_request: t.Integer(),
    memory_used: orNull,
    gpu_request: t.Integer(),
    network_bytes: orNull,
  }),
})

/** Volume claims, and services with a load balancer, by interval; the newest version counts. */
export const kubernetesObjectTable = table({
  name: 'kubernetes_object',
  row: t.Object({
    ...of,
    kind: t.Enum(['claim', 'service']),
    namespace: t.String(),
    name: t.String(),
    ...interval,
    resource_uid: t.String(),
    pods: t.Array(t.String()),
  }),
})

export const kubernetesTables = [kubernetesNodeTable, kubernetesPodTable, kubernetesObjectTable]
