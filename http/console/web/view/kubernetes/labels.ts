/** What clusters cost, in words. */
import type { Reply } from '../../api.ts'
import { count } from '../../figure.ts'

export type Costs = Reply<'GET /reports/kubernetes'>
export type ClusterCostRow = Costs['items'][number]
export type Totals = Costs['totals']
export type Gap = Costs['gaps'][number]

export const groups = [
  { name: 'cluster', title: 'cluster', heading: 'Cluster' },
  { name: 'namespace', title: 'namespace', heading: 'Namespace' },
  { name: 'controller', title: 'workload', heading: 'Workload' },
  { name: 'pod', title: 'pod', heading: 'Pod' },
  { name: 'node', title: 'node', heading: 'Node' },
] as const

const labelPrefix = 'label:'
export const isLabel = (group: string): boolean => group.startsWith(labelPrefix)
export const labelOf = (key: string): string => `${labelPrefix}${key}`
/** Of a group by label; empty: nobody has said which. */
export const keyOf = (group: string): string => (isLabel(group) ? group.slice(labelPrefix.length) : '')

/** Of KEY=VALUE. */
export function labelText(label: string): string {
  const [key, value] = [label.slice(0, label.indexOf('=')), label.slice(label.indexOf('=') + 1)]
  return value === '' ? `no label ${key}` : `label ${key}: ${value}`
}

export const headingOf = (group: string): string =>
  isLabel(group) ? `Label ${keyOf(group)}` : (groups.find(({ name }) => name === group)?.heading ?? 'Group')
export const groupText = (group: string): string =>
  isLabel(group) ? `label ${keyOf(group)}` : (groups.find(({ name }) => name === group)?.title ?? group)

/** What costs are for beside processors and memory. */
export const otherParts = [
  { key: 'gpuUSD', title: 'GPU' },
  { key: 'storageUSD', title: 'storage' },
  { key: 'loadBalancerUSD', title: 'load balancers' },
  { key: 'networkUSD', title: 'network' },
] as const

/** Kind and name, as the API takes it; of pods that stand alone both are empty. */
export const workloadOf = ({ controllerKind = '', controllerName = '' }: ClusterCostRow): string =>
  `${controllerKind}/${controllerName}`

/** To three digits: hours are read, not added up. */
export const hoursText = (hours: number): string => count(Number(hours.toPrecision(3)))
