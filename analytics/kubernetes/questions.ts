/** Cluster costs by user. Costs are US dollars, exact decimal text; hours are of a core or GiB. */
import { questions } from '#analytics/store/query.ts'
import { costColumns, type CostColumn } from '#analytics/store/slice.ts'
import { t } from '#engine/value/schema.ts'

const query = questions(import.meta.url)

const money = t.String({ description: 'US dollars, exact' })
const list = t.Array(t.String())
const flag = t.Integer({ minimum: 0, maximum: 1 })

export const partKinds = ['workload', 'idle', 'overhead', 'unmeasured'] as const
export const idleModes = ['shown', 'shared', 'apart'] as const

const rangeParams = {
  org: t.String(),
  from: t.String(),
  to: t.String(),
  accounts: list,
  clusters: list,
  scoped: flag,
  scope_accounts: list,
}
const january = {
  org: 'o1',
  from: '2026-01-01',
  to: '2026-01-31',
  accounts: [] as string[],
  clusters: [] as string[],
  scoped: 0,
  scope_accounts: [] as string[],
}
const inside = { namespaces: list, cost: t.Enum(costColumns) }
const inJanuary = { ...january, namespaces: [] as string[], cost: 'billed_cost' as const }
/**
 * Controllers are `kind/name`; of the labels `label_keys` one of the `label_values` at the same position, empty if
 * there is none.
 */
const workloads = { controllers: list, label_keys: list, label_values: t.Array(list) }
const allWorkloads = { controllers: [] as string[], label_keys: [] as string[], label_values: [] as string[][] }
const costParams = { ...rangeParams, ...inside, ...workloads }
const all = { ...inJanuary, ...allWorkloads }
const page = { limit: t.Integer({ minimum: 1 }), offset: t.Integer({ minimum: 0 }) }

/** The columns of one cost by component, and of distributed idle costs, as parameters of `kubernetesCosts`. */
export const componentCosts = (cost: CostColumn) => ({
  cpu_cost: `cpu_${cost}`,
  memory_cost: `memory_${cost}`,
  gpu_cost: `gpu_${cost}`,
  storage_cost: `storage_${cost}`,
  load_balancer_cost: `load_balancer_${cost}`,
  network_cost: `network_${cost}`,
  cpu_idle: `cpu_idle_${cost}`,
  memory_idle: `memory_idle_${cost}`,
  gpu_idle: `gpu_idle_${cost}`,
})
const column = t.String({ pattern: '^[a-z_]+$' })

/**
 * `total` is the number of rows, `total_usd` the cost of all of them. Columns that are not requested are empty. It is
 * fastest with `coarse`: by nothing finer than namespaces.
 */
export const kubernetesCosts = query(
  'kubernetes_costs',
  t.Object({
    ...costParams,
    cpu_cost: column,
    memory_cost: column,
    gpu_cost: column,
    storage_cost: column,
    load_balancer_cost: column,
    network_cost: column,
    cpu_idle: column,
    memory_idle: column,
    gpu_idle: column,
    by_cluster: flag,
    by_namespace: flag,
    by_controller: flag,
    by_pod: flag,
    by_node: flag,
    label: t.String(),
    idle: t.Enum(idleModes),
    shares: flag,
    asc: flag,
    ...page,
  }),
  t.Object({
    cluster: t.String(),
    of_namespace: t.String(),
    controller_kind: t.String(),
    controller: t.String(),
    pod: t.String(),
    node: t.String(),
    label_value: t.String(),
    kind: t.Enum(partKinds),
    cost_usd: money,
    cpu_usd: money,
    memory_usd: money,
    gpu_usd: money,
    storage_usd: money,
    load_balancer_usd: money,
    network_usd: money,
    idle_usd: money,
    estimated_usd: money,
    cpu_requested: t.Number(),
    cpu_used: t.Number(),
    cpu_allocated: t.Number(),
    cpu_measured: t.Number(),
    memory_requested: t.Number(),
    memory_used: t.Number(),
    memory_allocated: t.Number(),
    memory_measured: t.Number(),
    total: t.Integer(),
    total_usd: money,
  }),
  {
    ...all,
    ...componentCosts('billed_cost'),
    by_cluster: 1,
    by_namespace: 1,
    by_controller: 0,
    by_pod: 0,
    by_node: 0,
    label: '',
    idle: 'shown',
    shares: 0,
    asc: 0,
    limit: 20,
    offset: 0,
  },
)

export const kubernetesTotals = query(
  'kubernetes_totals',
  t.Object(costParams),
  t.Object({ kind: t.Enum(partKinds), cost_usd: money, estimated_usd: money }),
  all,
)

/** Labels that differ between pods of a workload, which kubernetes_workload.sql leaves out: there are no costs by them. */
export const podLabels: readonly string[] = [
  'pod-template-hash',
  'controller-revision-hash',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'job-name',
  'pod-template-generation',
  'batch.kubernetes.io/job-completion-index',
]

/**
 * `values` is the number of different values, `cost_usd` the cost of workloads that have the key; `total` is the number
 * of keys.
 */
export const kubernetesLabels = query(
  'kubernetes_labels',
  t.Object({ ...rangeParams, ...inside, search: t.String(), ...page }),
  t.Object({ key: t.String(), values: t.Integer(), cost_usd: money, total: t.Integer() }),
  { ...inJanuary, search: '', limit: 20, offset: 0 },
)

export const kubernetesHours = query(
  'kubernetes_hours',
  t.Object(rangeParams),
  t.Object({ cloud_account_id: t.String(), cluster_uid: t.String(), day: t.String(), hours: t.Integer() }),
  january,
)

const { clusters: _, ...placed } = rangeParams
const { clusters: _all, ...placedJanuary } = january

/** `total` and `total_usd` are of all rows, not of the page. */
export const kubernetesReceipt = query(
  'kubernetes_receipt',
  t.Object({
    ...placed,
    cost: t.Enum(costColumns),
    cluster: t.String(),
    namespace: t.String(),
    controller: t.String(),
    pod: t.String(),
    kinds: list,
    ...page,
  }),
  t.Object({
    day: t.String(),
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    provider: t.String(),
    service_name: t.String(),
    region: t.String(),
    purchase_type: t.String(),
    charge_category: t.String(),
    kind: t.Enum(partKinds),
    component: t.String(),
    node: t.String(),
    namespace: t.String(),
    controller_kind: t.String(),
    controller: t.String(),
    pod: t.String(),
    estimated: flag,
    cost_usd: money,
    line_usd: money,
    total: t.Integer(),
    total_usd: money,
  }),
  {
    ...placedJanuary,
    cost: 'billed_cost',
    cluster: 'arn:aws:eks:us-east-1:111122223333:cluster/shop',
    namespace: '',
    controller: '',
    pod: '',
    kinds: [],
    limit: 20,
    offset: 0,
  },
)

export const kubernetesQuestions = [
  kubernetesCosts,
  kubernetesTotals,
  kubernetesLabels,
  kubernetesHours,
  kubernetesReceipt,
]
