/** Node pools of AKS. Azure takes them as a whole alone, and one change at a time. */
import type { Capacity } from '#streams/cloud/connector.ts'
import { clusterVersion } from '#streams/cloud/azure/discover/kubernetes.ts'
import { pool as poolOf } from '#streams/cloud/azure/map/kubernetes.ts'
import { numberAt, propertiesOf } from '#streams/cloud/azure/map/resource.ts'
import { parentOf } from '#streams/cloud/azure/session/path.ts'
import { textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { wholeCounts } from '#streams/cloud/resource/verb/units.ts'
import { deleteResource, itemAt, put, seenAs, type At, type AzureKind, type AzureState } from './kind.ts'

/** What Azure tells and does not take. */
const readOnlyProperties = new Set([
  'provisioningState',
  'currentOrchestratorVersion',
  'nodeImageVersion',
  'eTag',
  'powerState',
])

const nodesMax = 1000

async function look(at: At): Promise<AzureState> {
  const item = await itemAt(at, clusterVersion)
  if (!item) return seenAs(undefined, () => [])
  const seen = seenAs(item, (one) => poolOf(one, parentOf(at.id), undefined))
  const properties = propertiesOf(item)
  // While it is changed it is on its way to what it was told to be.
  const isChanging = ['Updating', 'Scaling', 'Creating', 'Upgrading'].includes(
    textAt(properties, 'provisioningState') ?? '',
  )
  return { ...seen, capacity: capacityOf(properties), ...(isChanging && { status: 'pending' as const }) }
}

/** The first pools of a cluster keep a node; without what scales them pools have no bounds but Azure's. */
function capacityOf(properties: Json): Capacity {
  const desired = numberAt(properties, 'count') ?? 0
  if (properties['enableAutoScaling'] !== true) return { ...bare(properties), desired }
  return { min: numberAt(properties, 'minCount') ?? 0, max: numberAt(properties, 'maxCount') ?? nodesMax, desired }
}

const bare = (properties: Json) => ({ min: properties['mode'] === 'System' ? 1 : 0, max: nodesMax })

const fit = (wanted: Capacity, { item }: AzureState): Capacity => {
  const properties = propertiesOf(item ?? {})
  return properties['enableAutoScaling'] === true ? wanted : { ...bare(properties), desired: wanted.desired }
}

const changePool = (at: At, { item }: AzureState, change: object) => {
  const properties = Object.entries(propertiesOf(item ?? {})).filter(([name]) => !readOnlyProperties.has(name))
  return put(at, clusterVersion, { properties: { ...Object.fromEntries(properties), ...change } })
}

const setCount = (at: At, { min, max, desired }: Capacity, seen: AzureState) => {
  const isScaled = propertiesOf(seen.item ?? {})['enableAutoScaling'] === true
  return changePool(at, seen, { count: desired, ...(isScaled && { minCount: min, maxCount: max }) })
}

const power = (code: 'Running' | 'Stopped') => (at: At, seen: AzureState) =>
  changePool(at, seen, { powerState: { code } })

export const pool: AzureKind = {
  look,
  sets: ['count', 'min_count', 'max_count', 'autoscaling'],
  start: power('Running'),
  stop: power('Stopped'),
  scale: wholeCounts(setCount, fit),
  set: (at, specs, seen) => {
    const names = { count: 'count', min_count: 'minCount', max_count: 'maxCount', autoscaling: 'enableAutoScaling' }
    const change = Object.entries(specs).map(([name, value]) => [names[name as keyof typeof names], value])
    return changePool(at, seen, Object.fromEntries(change) as object)
  },
  delete: (at) => deleteResource(at, clusterVersion),
}
