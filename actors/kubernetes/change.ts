/** Changes of usage sources. The one writer of KubernetesSource. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { findAccount } from '#actors/account/queries.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import type { Seal } from '#engine/seal.ts'
import { isTaken, type RecordChange } from '#engine/run/tell.ts'
import { outsideUrl } from '#streams/delivery/outbound.ts'
import { jobWanted } from '#streams/job.ts'
import { sourceRemoved } from '#streams/kubernetes/messages.ts'
import { matcherOf } from '#streams/kubernetes/prometheus/series.ts'
import { realName, type Provider } from '#streams/names.ts'
import { headersSealed, KubernetesSource } from './source.ts'

/** What a request may set. Missing fields stay unchanged. */
export interface SourceGiven {
  cloudAccountID?: string
  clusterUID?: string
  clusterName?: string | null
  /** May be a simulated provider. */
  provider?: string | null
  url?: string
  /** Never shown again. */
  headers?: Readonly<Record<string, string>>
  matchers?: readonly string[]
  enabled?: boolean
}
export type NewSource = SourceGiven & Required<Pick<SourceGiven, 'cloudAccountID' | 'clusterUID' | 'url'>>

export interface SourceTools {
  seal: Seal
  /** Whether addresses given by customers may lead into private networks. */
  allowPrivate: boolean
}

/** @throws Fault `missing` */
export async function foundSource(em: EntityManager, orgId: string, id: string): Promise<KubernetesSource> {
  const source = isUuid(id) ? await em.findOne(KubernetesSource, { orgId, id }, { refresh: true }) : null
  if (!source) throw Fault.missing('kubernetes source', id)
  return source
}

/**
 * @throws Fault `missing` for an unknown account, `conflict` `already_exists` if the cluster has a source, `invalid`
 * for fields that cannot be used
 */
export async function makeSource(
  change: RecordChange,
  given: NewSource,
  tools: SourceTools,
): Promise<KubernetesSource> {
  const { em, tell, orgId, now } = change
  const at = now()
  await checkRowLimit(em, 'kubernetes_source', orgId)
  const made = em.create(KubernetesSource, {
    orgId,
    id: randomUUID(),
    cloudAccountId: given.cloudAccountID,
    clusterUid: given.clusterUID,
    clusterName: null,
    provider: null,
    url: given.url,
    headers: null,
    matchers: [],
    enabled: true,
    readingId: randomUUID(),
    createdAt: at,
    updatedAt: at,
  })
  await apply(made, given, change, tools)
  await flushUnique(em.persist(made))
  await tell(jobWanted, { job: 'kubernetes-pull' })
  return made
}

/**
 * With another cluster, account or matchers it is read from the start again.
 * @throws as `makeSource`; Fault `missing` for an unknown source
 */
export async function editSource(
  change: RecordChange,
  id: string,
  given: SourceGiven,
  tools: SourceTools,
): Promise<KubernetesSource> {
  const source = await foundSource(change.em, change.orgId, id)
  const before = readingOf(source)
  await apply(source, given, change, tools)
  if (readingOf(source) !== before) source.readingId = randomUUID()
  source.updatedAt = change.now()
  await flushUnique(change.em)
  return source
}

/** Usage that it has reported stays. @throws Fault `missing` */
export async function removeSource({ em, tell, orgId }: RecordChange, id: string): Promise<void> {
  const source = await foundSource(em, orgId, id)
  em.remove(source)
  await tell(sourceRemoved, { sourceId: source.id })
}

const readingOf = ({ cloudAccountId, clusterUid, matchers }: KubernetesSource): string =>
  JSON.stringify([cloudAccountId, clusterUid, matchers])

async function apply(
  source: KubernetesSource,
  given: SourceGiven,
  change: RecordChange,
  tools: SourceTools,
): Promise<void> {
  const { cloudAccountID, clusterUID, clusterName, provider, enabled, matchers } = given
  if (cloudAccountID !== undefined) {
    const account = await findAccount(change.em, change.orgId, cloudAccountID)
    if (!account) throw Fault.missing('cloud account', cloudAccountID)
    source.cloudAccountId = account.id
  }
  if (clusterUID !== undefined) source.clusterUid = clusterUID
  if (clusterName !== undefined) source.clusterName = clusterName
  if (provider !== undefined) source.provider = provider === null ? null : (realName(provider) as Provider)
  if (matchers !== undefined) source.matchers = checkMatchers(matchers)
  if (enabled !== undefined) source.enabled = enabled
  reach(source, given, tools)
}

function checkMatchers(matchers: readonly string[]): string[] {
  const wrong = matchers.findIndex((one) => matcherOf(one) === undefined)
  if (wrong >= 0)
    throw Fault.invalidAt({
      path: `/matchers/${wrong}`,
      code: 'format',
      message: 'must be a label matcher, for example cluster="prod"',
    })
  return [...matchers]
}

/** Headers are kept only while the origin they were given for stays the same. */
function reach(source: KubernetesSource, given: SourceGiven, { seal, allowPrivate }: SourceTools): void {
  const { url = source.url, headers } = given
  const before = source.url
  if (given.url !== undefined) checkUrl(url, allowPrivate)
  source.url = url
  if (headers) source.headers = Object.keys(headers).length === 0 ? null : seal(headersSealed, source.orgId, headers)
  else if (new URL(before).origin !== new URL(url).origin) source.headers = null
}

function checkUrl(url: string, allowPrivate: boolean): void {
  const refused = (message: string) => Fault.invalidAt({ path: '/url', code: 'address_refused', message })
  try {
    const { search, hash } = outsideUrl(url, allowPrivate)
    if (search === '' && hash === '') return
  } catch (error) {
    throw refused(Fault.from(error).message)
  }
  throw refused('The URL must not have a query string or fragment.')
}

async function flushUnique(em: Pick<EntityManager, 'flush'>): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    if (isTaken(error))
      throw Fault.conflict('already_exists', 'The cluster already has a source in this cloud account.')
    throw error
  }
}
