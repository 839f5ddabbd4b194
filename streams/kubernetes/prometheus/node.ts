/** Nodes, from kube-state-metrics. */
import type { UsedNode } from '#streams/kubernetes/messages.ts'
import { machineOf } from '#streams/kubernetes/machine.ts'
import { byLabels, labelIn, newest, type HourBook } from './hour-series.ts'
import type { PrometheusSeries } from './series.ts'
import { latestOf, secondsOf, spansOf, together } from './time-span.ts'

const capacities = 'cpu|memory|nvidia_com_gpu'

/** Nodes with known capacity. */
export async function nodesIn(book: HourBook): Promise<UsedNode[]> {
  const infos = byLabels(await book.all('kube_node_info'), 'node')
  const matchers = [{ label: 'resource', operator: '=~' as const, value: capacities }]
  const capacity = byLabels(await book.all('kube_node_status_capacity', matchers), 'node')
  const labels = byLabels(await book.all('kube_node_labels'), 'node')
  return [...capacity].flatMap(([name, own]) => nodeOf(book, name, { own, infos, labels }) ?? [])
}

interface NodeSeries {
  own: readonly PrometheusSeries[]
  infos: ReadonlyMap<string, readonly PrometheusSeries[]>
  labels: ReadonlyMap<string, readonly PrometheusSeries[]>
}

function nodeOf({ hour }: HourBook, name: string, { own, infos, labels }: NodeSeries): UsedNode | undefined {
  const of = byLabels(own, 'resource')
  const has = (resource: string) => latestOf(together(of.get(resource) ?? []))
  const [cpuCores, memoryBytes, gpus] = [has('cpu'), has('memory'), has('nvidia_com_gpu')]
  const info = infos.get(name)
  const seconds = Math.round(secondsOf(spansOf(together(info ?? own), hour)))
  if (cpuCores === undefined || memoryBytes === undefined || seconds === 0) return undefined
  return {
    name,
    ...machineIn(newest(info)),
    ...readNodeLabels(newest(labels.get(name))),
    ...(seconds < 3600 && { seconds }),
    cpuCores,
    memoryBytes,
    ...(gpus !== undefined && gpus > 0 && { gpus }),
  }
}

function machineIn(info: PrometheusSeries): Pick<UsedNode, 'resourceUid' | 'providerID'> {
  const providerID = labelIn(info, 'provider_id')
  const machine = machineOf(providerID)
  return { ...(machine && { resourceUid: machine.uid }), ...(providerID !== '' && { providerID }) }
}

function readNodeLabels(labels: PrometheusSeries): Pick<UsedNode, 'instanceType' | 'region'> {
  const instanceType =
    labelIn(labels, 'label_node_kubernetes_io_instance_type') ||
    labelIn(labels, 'label_beta_kubernetes_io_instance_type')
  const region = labelIn(labels, 'label_topology_kubernetes_io_region')
  return { ...(instanceType !== '' && { instanceType }), ...(region !== '' && { region }) }
}
