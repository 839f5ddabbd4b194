/** Finds what runs in a project's clusters. */
import { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused, type Discovery } from '#streams/cloud/connector.ts'
import type { Cluster } from '#streams/cloud/gcp/answer/service.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import { kubernetesKinds } from '#streams/cloud/resource/resource-type.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { permissionIn, type Pages } from '#streams/cloud/scan/scan.ts'
import { seenBut, type Finder, type ProjectScan } from './finder.ts'

/**
 * Scans one cluster. `seen` is read after the pages: it covers only this cluster (by `parents`), or nothing if the
 * cluster is out of reach, which is not an error.
 */
export type ChildrenOf = (
  session: GcpSession,
  cluster: Cluster,
) => Omit<Discovery, 'seen'> & { seen: readonly ScanCoverage[] }

const childTypes = Object.keys(kubernetesKinds).map((kind) => `gcp-gke-${kind}`)

/**
 * Runs after the finder of clusters. Reports no coverage of the whole project if that finder did not see all clusters.
 */
export function children(childrenOf: ChildrenOf): Finder {
  const seen: ScanCoverage[] = []
  let isWhole = true
  return {
    types: childTypes,
    async *find(place) {
      for (const cluster of place.known.clusters ?? []) {
        const part: ScanCoverage[] = []
        yield* inCluster(place, childrenOf, cluster, part)
        seen.push(...part)
        isWhole &&= isAll(part)
      }
    },
    // If all clusters were seen completely, a resource of none of them belonged to a deleted cluster.
    seen: ({ known, session }) =>
      known.clusters && isWhole ? seenBut(childTypes, new Set(), session.account.regions) : seen,
  }
}

/** A cluster that fails does not keep the others from being scanned. */
async function* inCluster(place: ProjectScan, childrenOf: ChildrenOf, cluster: Cluster, seen: ScanCoverage[]): Pages {
  try {
    const found = childrenOf(place.session, cluster)
    yield* found.pages
    for (const permission of found.missingPermissions ?? []) place.notes.missing(permission)
    if (found.message !== undefined) place.notes.told(found.message)
    seen.push(...found.seen)
  } catch (error) {
    if (!(error instanceof Fault) || isCredentialsRefused(error)) throw error
    const permission = permissionIn(error)
    if (permission === undefined)
      place.notes.told(`The cluster ${cluster.name} could not be discovered: ${error.message}`)
    else place.notes.missing(permission)
  }
}

const isAll = (seen: readonly ScanCoverage[]): boolean =>
  childTypes.every((type) => seen.some((part) => part.types.length === 0 || part.types.includes(type)))
