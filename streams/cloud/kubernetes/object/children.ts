/** Lists what runs in a cluster from its API server, kind by kind. */
import { Fault } from '#engine/value/fault.ts'
import { cloudFault, isCredentialsRefused, type DiscoveredResource } from '#streams/cloud/connector.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import type { KubernetesApi } from '#streams/cloud/kubernetes/api/api.ts'
import { isClosed } from '#streams/cloud/kubernetes/api/fault.ts'
import { listedKinds, pathOf, resourceName, type Cluster, type ListedKind } from './kind.ts'
import { resourceOf } from './map.ts'
import { Tally } from './tally.ts'
import { listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/** Read the other members after the pages. */
export interface Children {
  readonly pages: AsyncIterable<DiscoveredResource[]>
  /** Empty for a cluster that cannot be reached: its children keep their last state. */
  readonly seen: () => readonly ScanCoverage[]
  /** For example `list secrets`; each once. */
  readonly missingPermissions: () => readonly string[]
  /** What could not be seen and why, for people. */
  readonly message: () => string | undefined
}

/** Objects per page; a server may return more. */
const limit = 500
/** Maximum pages of one kind. */
const pagesMax = 20_000
const restartsMax = 3
const childrenMax = 1_000_000
/** Maximum characters. */
const messageMax = 2000

/** State of a cluster's scan. */
interface Scan {
  api: KubernetesApi
  cluster: Cluster
  tally: Tally
  now: Date
  /** Types that were read completely. */
  types: string[]
  missing: string[]
  told: string[]
  found: number
  isOver: boolean
}

/**
 * Collects all missing permissions; an unreachable server is not an error. With a namespace, only that namespace is
 * read, and no objects without one.
 * @throws while paging, only refused credentials of the account, and the abort of the signal
 */
export function kubernetesChildren(api: KubernetesApi, cluster: Cluster): Children {
  const now = api.now()
  const scan: Scan = {
    api,
    cluster,
    tally: new Tally(now),
    now,
    types: [],
    missing: [],
    told:
      api.namespace === undefined
        ? []
        : [`Only the namespace ${api.namespace} of the cluster ${api.place.cluster} is discovered.`],
    found: 0,
    isOver: false,
  }
  return {
    pages: pagesOf(scan),
    seen: () => (scan.types.length === 0 ? [] : [{ types: scan.types, regions: [], parents: [cluster.uid] }]),
    missingPermissions: () => scan.missing,
    message: () => (scan.told.length === 0 ? undefined : scan.told.join(' ').slice(0, messageMax)),
  }
}

async function* pagesOf(scan: Scan): AsyncGenerator<DiscoveredResource[]> {
  let hasAnswered = false
  for (const kind of listedKinds) {
    if (scan.api.namespace !== undefined && !kind.namespaced) continue
    try {
      yield* kindOf(scan, kind)
      hasAnswered = true
      finishKind(scan, kind)
    } catch (error) {
      if (!(error instanceof Fault) || isCredentialsRefused(error)) throw error
      scan.isOver ||= hopeless.includes(error.code) || (isClosed(error) && !hasAnswered)
      hasAnswered ||= !isClosed(error)
      noteLoss(scan, kind, error)
    }
    if (scan.isOver) return
  }
}

/** With these codes every further call would fail too. */
const hopeless: readonly string[] = ['cluster_credentials_refused', 'cloud_unreachable']

function finishKind({ types, tally, cluster }: Scan, { kind, aside }: ListedKind): void {
  tally.close(kind)
  if (!aside) types.push(`${cluster.type}-${kind}`)
}

function noteLoss(scan: Scan, kind: ListedKind, fault: Fault): void {
  if (fault.code === 'not_found' && kind.optional) {
    finishKind(scan, kind)
    return
  }
  const { permission } = fault.detail
  if (typeof permission === 'string') scan.missing.push(permission)
  else if (scan.isOver) scan.told.push(`${unseen(scan)}: ${fault.message}`)
  else scan.told.push(fault.message)
}

const unseen = ({ api, types }: Scan): string =>
  `The cluster ${api.place.cluster} ${types.length === 0 ? 'could not be discovered' : 'was only partly discovered'}`

async function* kindOf(scan: Scan, kind: ListedKind): AsyncGenerator<DiscoveredResource[]> {
  for await (const objects of objectsOf(scan.api, kind)) {
    for (const object of objects) scan.tally.take(kind.kind, object)
    scan.found += objects.length
    if (scan.found > childrenMax) {
      scan.isOver = true
      throw cloudFault('system', 'too_many', `${scan.api.place.cluster} has more than ${childrenMax} objects.`)
    }
    if (kind.aside) continue
    const page = objects.flatMap((object) => resourceOf(kind, object, scan.cluster, scan) ?? [])
    if (page.length > 0) yield page
  }
}

/** All objects of a kind, each once. If a list expires while it is read, reading starts again. */
export async function* objectsOf(
  api: KubernetesApi,
  kind: ListedKind,
  namespace = api.namespace,
): AsyncGenerator<readonly Json[]> {
  const before = new Set<string>()
  for (let restarts = 0; ; restarts++) {
    try {
      for await (const objects of pagesOnce(api, kind, namespace))
        yield objects.filter((object) => isNew(before, object))
      return
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'page_expired') throw error
      if (restarts >= restartsMax)
        throw cloudFault(
          'transient',
          'cloud_unavailable',
          `${error.message} The list expired while it was being read.`,
          {},
          error,
        )
    }
  }
}

function isNew(before: Set<string>, object: Json): boolean {
  const key = `${textAt(object, 'metadata', 'namespace') ?? ''}/${textAt(object, 'metadata', 'name') ?? ''}`
  if (before.has(key)) return false
  before.add(key)
  return true
}

async function* pagesOnce(
  api: KubernetesApi,
  kind: ListedKind,
  namespace: string | undefined,
): AsyncGenerator<readonly Json[]> {
  let token: string | undefined
  for (let pages = 0; pages < pagesMax; pages++) {
    const answer = await api.ask({
      permission: `list ${resourceName(kind)}`,
      path: pathOf(kind, namespace),
      query: { limit: String(limit), ...(token !== undefined && { continue: token }) },
      ...(kind.metadataOnly && { accept: metadataOnly }),
    })
    yield itemsOf(answer, kind, api)
    const next = memberOf(answer, 'metadata', 'continue')
    token = typeof next === 'string' && next !== '' ? next : undefined
    if (token === undefined) return
  }
  throw cloudFault('system', 'unknown_answer', `The list of ${kind.plural} in ${api.place.cluster} does not end.`)
}

/** Requests only metadata; a server without support refuses. */
const metadataOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'

/** Items have no kind; their list does. */
function itemsOf(answer: Json, kind: ListedKind, api: KubernetesApi): readonly Json[] {
  const { items, kind: said } = answer
  if ((Array.isArray(items) || items === null) && typeof said === 'string' && said.endsWith('List'))
    return listOf(items)
  throw cloudFault('system', 'unknown_answer', `${api.place.cluster} did not return a list of ${kind.plural}.`)
}
