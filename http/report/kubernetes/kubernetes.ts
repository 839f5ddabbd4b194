/** What clusters cost, by who used them: bills of machines, disks and load balancers, divided hour by hour. */
import { clusterNames } from '#actors/kubernetes/queries.ts'
import {
  componentCosts,
  idleModes,
  kubernetesCosts,
  kubernetesTotals,
  partKinds,
  podLabels,
} from '#analytics/kubernetes/questions.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { didYouMean } from '#http/edge/request/nearest.ts'
import { askPage, list, toPage, pageOf, paging } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { range, rangeOf, type Range } from '#http/edge/parameter/range.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { costQuestion, valuesAsked, whichCost } from '#http/report/filter/filter.ts'
import { Gap, gapsOf } from './gap.ts'
import { plainOf, units } from '#streams/figure.ts'

const kubernetesGroups = ['cluster', 'namespace', 'controller', 'pod', 'node'] as const
const labelPrefix = 'label:'

const text = { maxLength: 1024 }
const many = { maxItems: 1000 }

/** What every question about clusters is narrowed by. */
export const kubernetesNarrowing = {
  ...range,
  cloud_account_id: t.Optional(list(t.String(text), many)),
  cluster: t.Optional(list(t.String({ ...text, description: 'cluster UID' }), many)),
  cost: whichCost.cost,
}

/** What leaves out some workloads, and what is of none. */
export const workloadNarrowing = {
  namespace: t.Optional(list(t.String(text), many)),
  controller: t.Optional(
    list(t.String({ ...text, pattern: '/', examples: ['deployment/api'] }), {
      ...many,
      description: 'kind/name, as in deployment/api; / for pods without a controller',
    }),
  ),
  label: t.Optional(
    list(t.String({ ...text, pattern: '^[^=]+=', examples: ['team=shop'] }), {
      maxItems: 100,
      description: 'KEY=VALUE; several values of one key are combined with OR, an empty value means without this label',
    }),
  ),
}

const Query = t.Object({
  ...kubernetesNarrowing,
  ...workloadNarrowing,
  group_by: t.String({
    default: 'namespace',
    maxLength: 516,
    description: `${kubernetesGroups.join(', ')}, or label:KEY: the pods' value of this label`,
    examples: ['namespace', 'label:team'],
  }),
  idle: t.Enum(idleModes, {
    default: 'shown',
    description:
      'shown: as separate items; shared: idle costs of each day are added to the workloads of their cluster, separately for processors, memory and accelerators, in proportion to their costs on that day; apart: only in the totals',
  }),
  sort_order: t.Enum(['asc', 'desc'], { default: 'desc', description: 'by cost' }),
  ...paging(20, 500),
})
type Query = Static<typeof Query>

const amount = (description: string) => t.String({ description: `${description}, US dollars, exact decimal string` })
const hours = (description: string) => t.Number({ description })

const Item = t.Object(
  {
    kind: t.Enum(partKinds, {
      description:
        'workload: used; idle: unused; overhead: of the cluster as a whole; unmeasured: hours without usage data',
    }),
    label: t.String({ description: 'display name' }),
    clusterUID: t.Optional(t.String()),
    clusterName: t.Optional(t.String()),
    namespace: t.Optional(t.String()),
    controllerKind: t.Optional(t.String({ description: 'empty: pods without a controller' })),
    controllerName: t.Optional(t.String()),
    pod: t.Optional(t.String()),
    node: t.Optional(t.String()),
    labelValue: t.Optional(t.String({ description: 'empty: without this label' })),
    costUSD: amount('total cost'),
    cpuUSD: amount('for processors'),
    memoryUSD: amount('for memory'),
    gpuUSD: amount('for accelerators'),
    storageUSD: amount('for disks'),
    loadBalancerUSD: amount('for load balancers'),
    networkUSD: amount('for traffic'),
    idleUSD: amount('shared idle cost included in costUSD'),
    estimatedUSD: amount('part of costUSD from price tables, because there is no bill yet'),
    cpuCoreHours: t.Object({
      requested: hours('core-hours'),
      used: hours('core-hours, where measured'),
      allocated: hours('the greater of requested and used, hour by hour'),
      measured: hours('requested in hours with usage data: compare it with used'),
    }),
    memoryGibHours: t.Object({
      requested: hours('GiB-hours'),
      used: hours('GiB-hours, where measured'),
      allocated: hours('the greater of requested and used, hour by hour'),
      measured: hours('requested in hours with usage data: compare it with used'),
    }),
  },
  {
    title: 'KubernetesCost',
    examples: [
      {
        kind: 'workload',
        label: 'shop',
        clusterUID: 'arn:aws:eks:us-east-1:123456789012:cluster/shop',
        clusterName: 'shop',
        namespace: 'shop',
        costUSD: '186.40',
        cpuUSD: '112.20',
        memoryUSD: '58.10',
        gpuUSD: '0',
        storageUSD: '12.60',
        loadBalancerUSD: '3.50',
        networkUSD: '0',
        idleUSD: '21.35',
        estimatedUSD: '0',
        cpuCoreHours: { requested: 2976, used: 1240.5, allocated: 2990.2, measured: 2976 },
        memoryGibHours: { requested: 5952, used: 3410.8, allocated: 5960.4, measured: 5952 },
      },
    ],
  },
)

const Totals = t.Object(
  {
    costUSD: amount('sum of the four'),
    workloadUSD: amount('used by workloads'),
    idleUSD: amount('unused'),
    overheadUSD: amount('of clusters as a whole'),
    unmeasuredUSD: amount('of hours without usage data'),
    estimatedUSD: amount('part of costUSD from price tables, because there is no bill yet'),
    itemsUSD: amount('cost of all items on all pages, including their shared idle costs'),
  },
  {
    title: 'KubernetesTotals',
    description: 'of all matches, not only this page',
    examples: [
      {
        costUSD: '240.00',
        workloadUSD: '186.40',
        idleUSD: '41.20',
        overheadUSD: '12.40',
        unmeasuredUSD: '0',
        estimatedUSD: '0',
        itemsUSD: '240.00',
      },
    ],
  },
)

type Row = Static<(typeof kubernetesCosts)['row']>

export const kubernetesReports: readonly Route[] = [
  report({
    path: '/reports/kubernetes',
    summary: 'Get Kubernetes costs by cluster, namespace, workload, pod, node or label, with idle and unmeasured costs',
    description:
      'Workloads, idle, overhead and unmeasured add up exactly to the bills of the machines, disks, load balancers and control planes of the clusters, plus costs from price tables where there is no bill yet. Requests are compared with usage. Roles with a report scope see the clusters of their accounts.',
    query: Query,
    reply: t.Object({
      ...pageOf(Item).properties,
      totals: Totals,
      gaps: t.Array(Gap, { description: 'clusters with missing hours, most missing hours first' }),
    }),
    handle: async ({ caller, query }, services) => {
      const days = rangeOf(query, services.now())
      const question = kubernetesQuestion(caller, query, days, services)
      const workloads = workloadsAsked(query)
      const isFine = workloads.controllers.length > 0 || workloads.label_keys.length > 0
      const group = { ...columnsOf(query.group_by), ...(isFine && { coarse: 0 }) }
      const ask = (page: { limit: number; offset: number }) =>
        services.analytics(kubernetesCosts, {
          ...question,
          ...componentCosts(question.cost),
          ...group,
          ...workloads,
          idle: query.idle,
          shares: Number(query.idle === 'shared'),
          asc: Number(query.sort_order === 'asc'),
          ...page,
        })
      const [{ rows, first, total }, sums, names, gaps] = await Promise.all([
        askPage(query, ask),
        services.analytics(kubernetesTotals, { ...question, ...workloads }),
        clusterNames(services.em, caller.orgId),
        gapsOf(question, days, caller, services),
      ])
      const items = rows.map((row) => toItem(row, query.group_by, names))
      return {
        ...toPage({ items, total }, query),
        totals: totalsOf(sums, first?.total_usd ?? '0'),
        gaps,
      }
    },
  }),
]

type Narrowing = Pick<Query, 'from' | 'to' | 'cloud_account_id' | 'cluster' | 'cost'>

/** What every question about clusters is asked with. */
export function kubernetesQuestion(caller: Caller, query: Narrowing, days: Range, services: Services) {
  const { cost, from, to, accounts, scoped, scope_accounts } = costQuestion(caller, query, days, services)
  return { cost, from, to, accounts, scoped, scope_accounts, clusters: query.cluster ?? [] }
}

/** The workloads that are asked for; all where nothing is named. */
function workloadsAsked({ namespace, controller = [], label = [] }: Pick<Query, keyof typeof workloadNarrowing>) {
  const values = Map.groupBy(label, (one) => one.slice(0, one.indexOf('=')))
  for (const key of values.keys()) refusePodLabel(key, 'label')
  return {
    namespaces: valuesAsked(namespace),
    controllers: controller,
    label_keys: [...values.keys()],
    label_values: [...values].map(([key, all]) => all.map((one) => one.slice(key.length + 1))),
  }
}

/** @throws Fault `invalid` for a label that says nothing of a workload */
function refusePodLabel(key: string, name: string): void {
  if (podLabels.includes(key))
    throw badInput({ in: 'query', name, code: 'enum', message: `${key} differs between pods of one workload` })
}

/** Every workload there is. */
export const allWorkloads = workloadsAsked({})

const none = { by_cluster: 0, by_namespace: 0, by_controller: 0, by_pod: 0, by_node: 0, label: '', coarse: 0 }
const columns: Readonly<Record<(typeof kubernetesGroups)[number], typeof none>> = {
  cluster: { ...none, by_cluster: 1, coarse: 1 },
  namespace: { ...none, by_cluster: 1, by_namespace: 1, coarse: 1 },
  controller: { ...none, by_cluster: 1, by_namespace: 1, by_controller: 1 },
  pod: { ...none, by_cluster: 1, by_namespace: 1, by_controller: 1, by_pod: 1 },
  // Nodes stand with pods alone.
  node: { ...none, by_cluster: 1, by_node: 1 },
}

/** @throws Fault `invalid` for what is no group, with the nearest one */
function columnsOf(group: string): typeof none {
  if (Object.hasOwn(columns, group)) return columns[group as keyof typeof columns]
  if (group.startsWith(labelPrefix) && group.length > labelPrefix.length) {
    const label = group.slice(labelPrefix.length)
    refusePodLabel(label, 'group_by')
    return { ...none, label }
  }
  const known = [...kubernetesGroups, 'label:KEY']
  const message = `must be one of ${known.join(', ')}${didYouMean(group, known)}`
  throw badInput({ in: 'query', name: 'group_by', code: 'enum', message })
}

const kindLabels: Readonly<Record<string, string>> = { idle: 'Idle', overhead: 'Overhead', unmeasured: 'Unmeasured' }

function toItem(row: Row, group: string, names: ReadonlyMap<string, string>): Static<typeof Item> {
  const by = columnsOf(group)
  const isWorkload = row.kind === 'workload'
  const clusterName = names.get(row.cluster)
  return {
    kind: row.kind,
    label: labelOf(row, group, clusterName),
    ...(by.by_cluster && { clusterUID: row.cluster, ...(clusterName !== undefined && { clusterName }) }),
    ...(by.by_namespace && isWorkload && { namespace: row.of_namespace }),
    ...(by.by_controller && isWorkload && { controllerKind: row.controller_kind, controllerName: row.controller }),
    ...(by.by_pod && isWorkload && { pod: row.pod }),
    ...(by.by_node && { node: row.node }),
    ...(by.label !== '' && isWorkload && { labelValue: row.label_value }),
    costUSD: row.cost_usd,
    cpuUSD: row.cpu_usd,
    memoryUSD: row.memory_usd,
    gpuUSD: row.gpu_usd,
    storageUSD: row.storage_usd,
    loadBalancerUSD: row.load_balancer_usd,
    networkUSD: row.network_usd,
    idleUSD: row.idle_usd,
    estimatedUSD: row.estimated_usd,
    cpuCoreHours: {
      requested: row.cpu_requested,
      used: row.cpu_used,
      allocated: row.cpu_allocated,
      measured: row.cpu_measured,
    },
    memoryGibHours: {
      requested: row.memory_requested,
      used: row.memory_used,
      allocated: row.memory_allocated,
      measured: row.memory_measured,
    },
  }
}

const orNone = (value: string, none: string): string => (value === '' ? none : value)
const workloadOf = ({ controller, controller_kind: kind }: Row): string =>
  controller === '' ? '(no controller)' : `${kind}/${controller}`

/** What workloads are called, by what they are grouped by. */
const workloads: Readonly<Record<string, (row: Row) => string>> = {
  node: (row) => orNone(row.node, '(none)'),
  namespace: (row) => row.of_namespace,
  controller: workloadOf,
  pod: (row) => orNone(row.pod, workloadOf(row)),
}

function labelOf(row: Row, group: string, clusterName: string | undefined): string {
  const cluster = clusterName ?? row.cluster
  const kind = kindLabels[row.kind]
  if (kind !== undefined) {
    const place = orNone(row.node, cluster)
    return place === '' ? kind : `${kind} of ${place}`
  }
  if (group === 'cluster') return cluster
  return workloads[group]?.(row) ?? orNone(row.label_value, '(none)')
}

type Sum = Static<(typeof kubernetesTotals)['row']>

const sumAmounts = (amounts: readonly string[]): string => plainOf(amounts.reduce((sum, one) => sum + units(one), 0n))

function totalsOf(sums: readonly Sum[], itemsUSD: string): Static<typeof Totals> {
  const of = (kind: Sum['kind']) => sums.find((one) => one.kind === kind)?.cost_usd ?? '0'
  return {
    costUSD: sumAmounts(sums.map((one) => one.cost_usd)),
    workloadUSD: of('workload'),
    idleUSD: of('idle'),
    overheadUSD: of('overhead'),
    unmeasuredUSD: of('unmeasured'),
    estimatedUSD: sumAmounts(sums.map((one) => one.estimated_usd)),
    itemsUSD,
  }
}
