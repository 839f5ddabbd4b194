/** What connectors find of each resource type: computed from what they declare and run, never from a list beside them. */
import { once } from '#engine/value/once.ts'
import { chains as awsChains, globalFinders } from '#streams/cloud/aws/discover/index.ts'
import { listedTypes as awsListed } from '#streams/cloud/aws/discover/listed/index.ts'
import { mappedAttributes as awsAttributes } from '#streams/cloud/aws/map/attributes.ts'
import { chains as azureChains } from '#streams/cloud/azure/discover/index.ts'
import { mappedAttributes as azureAttributes } from '#streams/cloud/azure/map/attributes.ts'
import { chains as gcpChains } from '#streams/cloud/gcp/discover/index.ts'
import { listedTypes as gcpListed } from '#streams/cloud/gcp/discover/listed/index.ts'
import { mappedAttributes as gcpAttributes } from '#streams/cloud/gcp/map/attributes.ts'
import { kindAttributes } from '#streams/cloud/kubernetes/object/attributes.ts'
import { poolMetrics, poolTypes } from '#streams/cloud/kubernetes/pod/reserve.ts'
import { metricsOfKind } from '#streams/cloud/kubernetes/usage/measure.ts'
import { metricsOf } from '#streams/cloud/simulated/measure/metrics-by-type.ts'
import { buildWorld } from '#streams/cloud/simulated/world/world.ts'
import { sourcesOf } from '#streams/metric/source.ts'
import { olderNameOf } from './older-metric.ts'
import { clusterTypes, kubernetesKinds } from './resource-type.ts'
import { ruleMetrics } from '#streams/metric/messages.ts'

/** What is known of resources of a type, where the cloud says it. */
export interface TypeReach {
  /** Attributes, without `specs.`. */
  readonly attributes: ReadonlySet<string>
  /** Names for rules. */
  readonly metrics: ReadonlySet<string>
}

export type Reach = ReadonlyMap<string, TypeReach>

/** Of real accounts. */
export const realReach: () => Reach = once(() => {
  const finders = [awsChains.flat(), globalFinders, gcpChains.flat(), azureChains().flat()].flat()
  const mapped = [awsAttributes(), gcpAttributes(), azureAttributes()]
  const listed = new Map([...awsListed, ...gcpListed].map(({ types, attributes }) => [types[0], attributes]))
  const attributesOf = (type: string): Iterable<string> =>
    listed.get(type)?.map((path) => path.replace('specs.', '')) ?? mapped.flatMap((one) => [...(one.get(type) ?? [])])
  const found = finders
    .flatMap(({ types }) => types)
    .map((type): [string, TypeReach] => {
      const inCluster = poolTypes.includes(type) ? poolMetrics : []
      const metrics = [...sourcesOf(type).map(({ metric }) => metric), ...inCluster]
      return [type, { attributes: new Set(attributesOf(type)), metrics: new Set(metrics) }]
    })
  return new Map([...found, ...inClusters()])
})

const inClusters = (): [string, TypeReach][] =>
  clusterTypes.flatMap((cluster) =>
    Object.keys(kubernetesKinds).map((kind): [string, TypeReach] => {
      const type = `${cluster}-${kind}`
      return [
        type,
        {
          attributes: kindAttributes().get(kind) ?? new Set(),
          metrics: namesForRules(type, [...metricsOfKind(kind), ...sourcesOf(type).map(({ metric }) => metric)]),
        },
      ]
    }),
  )

/** Of the simulated cloud: what any of its resources has. */
export const simulatedReach: () => Reach = once(() => {
  const { byUid } = buildWorld('tidemark', '2026-03-16')
  const byType = Map.groupBy(byUid.values(), ({ type }) => type)
  return new Map(
    [...byType].map(([type, of]) => {
      const attributes = new Set(of.flatMap(({ specs }) => Object.keys(specs)))
      return [
        type,
        {
          attributes,
          metrics: namesForRules(
            type,
            of.flatMap((one) => metricsOf(one)),
          ),
        },
      ]
    }),
  )
})

/** Samples may have older names. */
function namesForRules(type: string, names: readonly string[]): ReadonlySet<string> {
  const older = ruleMetrics.filter((metric) => names.includes(olderNameOf(metric, type) ?? metric))
  return new Set([...names, ...older])
}
