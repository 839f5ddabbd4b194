/** Maps other types that can be started and stopped: containers, analytics, machine learning. */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { isTrueAt, listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { statusOf } from '#streams/cloud/resource/status.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { numberAt, propertiesOf, resource } from './resource.ts'

/** Where each type's state is, and how Azure spells it if the list of types has another spelling. */
const stateIn: Readonly<Record<string, (properties: Json) => string | undefined>> = {
  'azure-container-group': (of) => textAt(of, 'instanceView', 'state') ?? textAt(of, 'provisioningState'),
  'azure-container-app': (of) => toOurState('runningStatus Running', 'Running', textAt(of, 'runningStatus')),
  'azure-synapse-sql-pool': (of) => textAt(of, 'status'),
  'azure-adf-ssis-ir': (of) => textAt(of, 'state'),
  'azure-kusto': (of) => textAt(of, 'state'),
  'azure-stream-analytics': (of) => textAt(of, 'jobState'),
  'azure-ml-compute-instance': (of) => textAt(of, 'properties', 'state'),
  'azure-fabric-capacity': (of) => textAt(of, 'state'),
  'azure-analysis-services': (of) => textAt(of, 'state'),
}

/** In the list of types the member's name precedes the first state. */
const toOurState = (ours: string, theirs: string, state: string | undefined): string | undefined =>
  state === theirs ? ours : state

/** Types of which no more is mapped than a size and, as far as it is known, a state. */
export const switchableTypes = Object.keys(stateIn)

/** Undefined if Azure does not send a state. */
export function statusIn(type: string, properties: Json): ResourceStatus | undefined {
  const state = stateIn[type]?.(properties)
  // Missing in the list of types.
  return type === 'azure-container-app' && state === 'Progressing' ? 'starting' : statusOf(type, state)
}

type SpecsOf = (properties: Json, item: Item) => Record<string, unknown>

const skuOf: SpecsOf = (_, item) => ({ sku: textAt(item, 'sku', 'name') })

/** What is mapped besides the state. */
const specsIn: Readonly<Record<string, SpecsOf>> = {
  'azure-synapse-sql-pool': (_, item) => {
    const [, units] = /^DW(\d+)c?$/i.exec(textAt(item, 'sku', 'name') ?? '') ?? []
    return { dwu: units === undefined ? undefined : Number(units) }
  },
  'azure-kusto': (of, item) => ({
    capacity: numberAt(item, 'sku', 'capacity'),
    optimized_autoscale: isTrueAt(of, 'optimizedAutoscale', 'isEnabled'),
    dev_sku: textAt(item, 'sku', 'name')?.startsWith('Dev'),
  }),
  'azure-stream-analytics': (of) => ({
    streaming_units: numberAt(of, 'transformation', 'properties', 'streamingUnits'),
  }),
  'azure-fabric-capacity': skuOf,
  'azure-analysis-services': skuOf,
}

export const plain =
  (type: string, specsOf: SpecsOf = specsIn[type] ?? (() => ({}))) =>
  (item: Item): DiscoveredResource[] => {
    const properties = propertiesOf(item)
    const state = stateIn[type]?.(properties)
    return resource(type, item, {
      instanceType: textAt(item, 'sku', 'name'),
      ...(stateIn[type] && { status: statusIn(type, properties) ?? null }),
      specs: { ...(state !== undefined && { state: state.split(' ').at(-1) }), ...specsOf(properties, item) },
    })
  }

const sumRequests = (properties: Json, name: string): number =>
  listOf(properties['containers']).reduce(
    (sum, one) => sum + (numberAt(one, 'properties', 'resources', 'requests', name) ?? 0),
    0,
  )

export const containerGroup = plain('azure-container-group', (of) => ({
  cpu: sumRequests(of, 'cpu'),
  memory_gb: sumRequests(of, 'memoryInGB'),
}))

export const containerApp = plain('azure-container-app', (of) => ({
  min_replicas: numberAt(of, 'template', 'scale', 'minReplicas') ?? 0,
  cpu: listOf(memberOf(of, 'template', 'containers')).reduce(
    (sum, one) => sum + (numberAt(one, 'resources', 'cpu') ?? 0),
    0,
  ),
}))
