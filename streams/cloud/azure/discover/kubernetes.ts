import { cluster, pools } from '#streams/cloud/azure/map/kubernetes.ts'
import type { AzureSession, Item } from '#streams/cloud/azure/session/session.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Discovery } from '#streams/cloud/connector.ts'
import { kubernetesKinds } from '#streams/cloud/resource/resource-type.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { permissionIn, type Pages } from '#streams/cloud/scan/scan.ts'
import type { Finder, SubscriptionScan } from './finder.ts'

export const clusterVersion = '2024-09-01'

/** Answers about clusters contain their node pools, so both are found together, a cluster before its pools. */
export const clusterFinder: Finder = {
  types: ['azure-aks', 'azure-aks-nodepool'],
  async *find(place) {
    const all: Item[] = []
    for await (const page of place.list('Microsoft.ContainerService/managedClusters', clusterVersion)) {
      all.push(...page)
      yield page.flatMap((one) => [...cluster(one), ...pools(one)])
    }
    place.known.clusters = all
  },
}

/**
 * Scans one cluster. `seen` is read after the pages: it covers only this cluster (by `parents`), or nothing if the
 * cluster is out of reach, which is not an error.
 */
export type ChildrenOf = (
  session: AzureSession,
  cluster: Item,
) => Omit<Discovery, 'seen'> & { seen: readonly ScanCoverage[] }

const childTypes: readonly string[] = Object.keys(kubernetesKinds).map((kind) => `azure-aks-${kind}`)

/**
 * Runs after the finder of clusters. Reports no coverage of the whole subscription if that finder did not see all
 * clusters.
 */
export function children(childrenOf: ChildrenOf): Finder {
  const seen: ScanCoverage[] = []
  let isWhole = true
  return {
    types: childTypes,
    async *find(place) {
      for (const one of place.known.clusters ?? []) {
        const part: ScanCoverage[] = []
        yield* inCluster(place, childrenOf, one, part)
        seen.push(...part)
        isWhole &&= isAll(part)
      }
    },
    // If all clusters were seen completely, a resource of none of them belonged to a deleted cluster.
    seen: ({ known }) => (known.clusters && isWhole ? [{ types: [...childTypes], regions: [] }] : seen),
  }
}

/** A cluster that fails does not keep the others from being scanned. */
async function* inCluster(place: SubscriptionScan, childrenOf: ChildrenOf, of: Item, seen: ScanCoverage[]): Pages {
  try {
    const found = childrenOf(place.session, of)
    yield* found.pages
    for (const permission of found.missingPermissions ?? []) place.notes.missing(permission)
    if (found.message !== undefined) place.notes.told(found.message)
    seen.push(...found.seen)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const permission = permissionIn(error)
    if (permission === undefined) place.notes.lost(childTypes, error)
    else place.notes.missing(permission)
  }
}

const isAll = (seen: readonly ScanCoverage[]): boolean =>
  childTypes.every((type) => seen.some((part) => part.types.length === 0 || part.types.includes(type)))
