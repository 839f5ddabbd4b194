/** What the address asks of clusters: days, filters, groups and where idle costs stand. */
import type { Query } from '../../address.ts'
import { chipsOf, dimOf, type Chip } from '../../filter.ts'
import { periodAsked, type Period } from '../../part/period.tsx'
import { hrefOf, param, params, currentRoute, withParams } from '../../router.ts'
import { isLabel, keyOf, workloadOf, type ClusterCostRow } from './labels.ts'

export const pageSize = 50

/** What the report may be narrowed by. */
export const narrowedBy = ['cluster', 'namespace', 'cloud_account_id']

export interface KubernetesQuery {
  period: Period
  group: string
  idle: string
  isAscending: boolean
  page: number
  /** Filters that count here. */
  chips: readonly Chip[]
  /** Filters of the address that clusters know nothing of. */
  others: readonly Chip[]
  clusters: readonly string[]
  namespaces: readonly string[]
  /** KEY=VALUE: workloads have one of the values of each key. */
  labels: readonly string[]
  /** The workload whose pods are shown: kind/name, within the one cluster and namespace. */
  workload: string | undefined
  /** Days, cost and filters: what every question of the view has in common. */
  of: Query
}

export function readKubernetesQuery(): KubernetesQuery {
  const all = chipsOf(currentRoute.value.query)
  const chips = all.filter((chip) => narrowedBy.includes(dimOf(chip)))
  const valuesOf = (dim: string) => chips.filter((chip) => dimOf(chip) === dim).map(({ value }) => value)
  const [clusters, namespaces] = [valuesOf('cluster'), valuesOf('namespace')]
  const labels = params('label').filter((one) => one.indexOf('=') > 0)
  const period = periodAsked()
  return {
    period,
    group: param('group_by') ?? 'namespace',
    idle: param('idle') ?? 'shown',
    isAscending: param('sort_order') === 'asc',
    page: Math.max(1, Math.trunc(Number(param('page'))) || 1),
    chips,
    others: all.filter((chip) => !chips.includes(chip)),
    clusters,
    namespaces,
    labels,
    workload: clusters.length === 1 && namespaces.length === 1 ? param('workload') : undefined,
    of: {
      ...period,
      cost: param('cost'),
      cloud_account_id: valuesOf('cloud_account_id'),
      cluster: clusters,
      namespace: namespaces,
      label: labels,
    },
  }
}

/** What belongs to what is shown now, and not to what is asked for next. */
const passing = ['page', 'receipt', 'figure', 'workload']
const none = Object.fromEntries(passing.map((name) => [name, null]))

/** The address with other filters, and other labels where they are given. */
export function hrefWith(chips: readonly Chip[], changes: Query = {}): string {
  const query = withParams({ ...none, ...changes })
  for (const { name } of chipsOf(currentRoute.value.query)) query.delete(name)
  for (const { name, value } of chips) query.append(name, value)
  return hrefOf('kubernetes', query)
}

/** The address of the workloads that have this value of a label: others of the same key would let more in. */
function withLabel(key: string, value: string): URLSearchParams {
  const others = params('label').filter((one) => !one.startsWith(`${key}=`))
  return withParams({ ...none, group_by: 'controller', label: [...others, `${key}=${value}`] })
}

/** What lies behind a row: namespaces of a cluster, workloads of a namespace or of a label, pods of a workload; undefined behind others. */
export function behind(row: ClusterCostRow, group: string): string | undefined {
  const { kind, clusterUID, namespace, labelValue } = row
  if (kind !== 'workload') return undefined
  if (labelValue !== undefined) return hrefOf('kubernetes', withLabel(keyOf(group), labelValue))
  if (clusterUID === undefined) return undefined
  const to = (changes: Query) =>
    hrefOf('kubernetes', withParams({ ...none, 'filter[cluster]': clusterUID, ...changes }))
  if (group === 'cluster') return to({ group_by: 'namespace' })
  if (namespace === undefined) return undefined
  if (group === 'namespace') return to({ 'filter[namespace]': namespace, group_by: 'controller' })
  return group === 'controller' ? to({ 'filter[namespace]': namespace, workload: workloadOf(row) }) : undefined
}

/** The receipt of a kind of costs of one cluster, within what is asked for; undefined where none can be asked so, as of labels. */
export function receiptOf(
  { of, namespaces, labels }: KubernetesQuery,
  cluster: string | undefined,
  more: Query = {},
): Query | undefined {
  if (labels.length > 0) return undefined
  const { cluster: _cluster, namespace: _namespace, label: _label, ...common } = of
  const isNarrowed = 'filter[namespace]' in more
  if (cluster === undefined || (!isNarrowed && namespaces.length > 1)) return undefined
  return { ...common, 'filter[cluster]': cluster, 'filter[namespace]': namespaces, ...more }
}

/** The receipt of a row, without what of idle costs is shared; rows of nodes and labels have none. */
export function receiptOfRow(now: KubernetesQuery, row: ClusterCostRow, group: string): Query | undefined {
  if (group === 'node' || isLabel(group)) return undefined
  const { kind, clusterUID, namespace, pod } = row
  if (kind !== 'workload' || group === 'cluster') return receiptOf(now, clusterUID, { kind })
  return receiptOf(now, clusterUID, {
    kind,
    'filter[namespace]': namespace,
    ...(group !== 'namespace' && { controller: workloadOf(row) }),
    ...(group === 'pod' && { pod }),
  })
}
