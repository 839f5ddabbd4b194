/** Finds what runs in a region's clusters. */
import type { Cluster } from '@aws-sdk/client-eks'
import { Fault } from '#engine/value/fault.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import type { Discovery } from '#streams/cloud/connector.ts'
import { kubernetesKinds } from '#streams/cloud/resource/resource-type.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { permissionIn, type Pages } from '#streams/cloud/scan/scan.ts'
import type { Finder, RegionScan } from './finder.ts'

/** A cluster as EKS describes it. */
interface FoundCluster {
  uid: string
  region: string
  cluster: Cluster
}

/**
 * Scans one cluster. `seen` is read after the pages: it covers only this cluster (by `parents`), or nothing if the
 * cluster is out of reach, which is not an error.
 */
export type ChildrenOf = (
  session: AwsSession,
  cluster: FoundCluster,
) => Omit<Discovery, 'seen'> & { seen: readonly ScanCoverage[] }

const types = Object.keys(kubernetesKinds).map((kind) => `aws-eks-${kind}`)

/**
 * Runs after the finder of clusters. Reports no coverage of the whole region if that finder did not see all clusters.
 */
export function children(childrenOf: ChildrenOf): Finder {
  const seen: ScanCoverage[] = []
  let isWhole = true
  return {
    types,
    service: 'eks',
    scope: 'region',
    async *find(place) {
      for (const cluster of place.known.clusters ?? []) {
        const part: ScanCoverage[] = []
        if (cluster.arn) yield* inCluster(place, childrenOf, { uid: cluster.arn, region: place.region, cluster }, part)
        seen.push(...part)
        isWhole &&= isAll(part)
      }
    },
    // If all clusters were seen completely, a resource of none of them belonged to a deleted cluster.
    seen: ({ known, region }) => (known.clusters && isWhole ? [{ types, regions: [region] }] : seen),
  }
}

/** A cluster that fails does not keep the others from being scanned. */
async function* inCluster(
  place: RegionScan,
  childrenOf: ChildrenOf,
  cluster: FoundCluster,
  seen: ScanCoverage[],
): Pages {
  try {
    const found = childrenOf(place.session, cluster)
    yield* found.pages
    for (const permission of found.missingPermissions ?? []) place.notes.missing(permission)
    if (found.message !== undefined) place.notes.told(found.message)
    seen.push(...found.seen)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const permission = permissionIn(error)
    if (permission === undefined) place.notes.lost(types, error)
    else place.notes.missing(permission)
  }
}

const isAll = (seen: readonly ScanCoverage[]): boolean =>
  types.every((type) => seen.some((part) => part.types.length === 0 || part.types.includes(type)))
