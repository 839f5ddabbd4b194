/**
 * The effects of a verified webhook: revisions, an analysis, a list of repositories. All of it may safely be repeated.
 */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { hearInstallation } from '#actors/source/change.ts'
import { linkBranch, linkRepository } from '#actors/source/link.ts'
import { deploymentsFollowing, firstDeployment, isShared, organizationOf, ownersOf } from '#actors/source/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuid5, uuidOf } from '#engine/value/id.ts'
import { t } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Client } from '#http/identity/tools.ts'
import { asOrganization, asService } from '#http/store/tenant.ts'
import { pullRequestReceived, revisionPushed } from '#streams/source/messages.ts'
import type { Delivery, PushEvent, SourceEvent, SourceHost } from '#streams/source/event.ts'
import { isServedBy, maySpeakOf } from '#streams/source/owner.ts'
import { repositoryKey } from '#streams/source/repository-url.ts'

export interface WebhookResult {
  result: 'accepted' | 'duplicate' | 'ignored' | 'pending_link'
  revisionIDs: string[]
}

const ignoredResult = (): WebhookResult => ({ result: 'ignored', revisionIDs: [] })
const pendingLinkResult = (): WebhookResult => ({ result: 'pending_link', revisionIDs: [] })

/** Deployments notified about one push at once. */
const togetherMax = 32

/**
 * Executes an event.
 * @throws Fault `transient` `unavailable` if an actor has not answered: the host delivers the event again, and what is
 * done stays done
 */
export async function takeEvent(
  event: SourceEvent,
  host: SourceHost,
  delivery: Delivery,
  client: Client,
  services: Services,
): Promise<WebhookResult> {
  switch (event.kind) {
    case 'push':
      return takePush(event, host, delivery, client, services)
    case 'pull-request':
      return takePullRequest(event, host, delivery, services)
    case 'installation': {
      const { em, now } = services
      const { deliveryId } = delivery
      const told = { at: now(), linksAreOpen: services.source.linksAreOpen }
      const hear = () => em.fork().transactional((tx) => hearInstallation(tx, event, deliveryId, told))
      return { result: await asService(hear), revisionIDs: [] }
    }
    case 'none':
      return ignoredResult()
  }
}

const readPushReply = actorReply(t.Object({ revisionId: t.String(), isNew: t.Boolean() }))

interface PushedRevision {
  revisionId: string
  isNew: boolean
}

interface Follower {
  orgId: string
  id: string
  push: PushEvent
}

type Push = Extract<SourceEvent, { kind: 'push' }>
type PullRequest = Extract<SourceEvent, { kind: 'pull-request' }>

/** The organizations whose deployments a webhook may affect: some, or all. */
type Reach = readonly string[] | 'all'

/**
 * The organizations that have linked the installation, otherwise those that have linked the repository; nobody else,
 * because a deployment may name any repository. Without an installation, if nobody has linked the repository and the
 * operator has opened links: all.
 */
async function reachOf({ installationId }: Push | PullRequest, key: string, { em, source }: Services): Promise<Reach> {
  return asService(async () => {
    const linked = installationId === undefined ? undefined : await organizationOf(em.fork(), installationId)
    if (linked !== undefined) return [linked]
    const owners = await ownersOf(em.fork(), key)
    return owners.length === 0 && installationId === undefined && source.linksAreOpen ? 'all' : owners
  })
}

const isNobody = (reach: Reach): boolean => reach.length === 0

/** The key of a repository, if the host may report about it. */
function spokenOf(host: SourceHost, repositoryUrl: string): string | undefined {
  const key = repositoryKey(repositoryUrl)
  return key !== undefined && maySpeakOf(host, key) ? key : undefined
}

/**
 * The deployments that follow what was pushed, among those that the event may affect; undefined if it may affect none.
 */
async function followersOf(event: Push, host: SourceHost, services: Services): Promise<Follower[] | undefined> {
  const found: Follower[] = []
  let isPending = false
  for (const push of event.pushes) {
    const key = spokenOf(host, push.repositoryUrl)
    if (key === undefined) continue
    const reach = await reachOf(event, key, services)
    isPending ||= isNobody(reach)
    const all = await asService(() => deploymentsFollowing(services.em.fork(), key, push.branch))
    const own = all.filter(({ orgId }) => reach === 'all' || reach.includes(orgId))
    found.push(...own.map(({ orgId, id }) => ({ orgId, id, push })))
  }
  return isPending && found.length === 0 ? undefined : found
}

/**
 * Handles pushes of link branches, which claim their repository for an organization: anyone who may push to it, with a
 * webhook from its host, proves it.
 */
async function isLinkPush(event: Push, host: SourceHost, client: Client, { em, now }: Services): Promise<boolean> {
  let isOne = false
  for (const { branch, repositoryUrl } of event.pushes) {
    const key = spokenOf(host, repositoryUrl)
    if (key === undefined || !branch.startsWith(linkBranch)) continue
    const orgId = branch.slice(linkBranch.length)
    const link = async (tx: EntityManager): Promise<boolean> => {
      const { installationId } = event
      const owner = installationId === undefined ? undefined : await organizationOf(tx, installationId)
      const linked = owner === undefined || owner === orgId ? await linkRepository(tx, orgId, key, now()) : undefined
      const happened = { type: 'installation_linked', orgId, detail: { repository: key } } as const
      if (linked === 'new') await recordEvent(tx, happened, client, now())
      return linked !== undefined
    }
    isOne = (await asService(() => em.fork().transactional(link))) || isOne
  }
  return isOne
}

async function takePush(
  event: Push,
  host: SourceHost,
  { deliveryId }: Delivery,
  client: Client,
  services: Services,
): Promise<WebhookResult> {
  if (await isLinkPush(event, host, client, services)) return { result: 'accepted', revisionIDs: [] }
  const followers = await followersOf(event, host, services)
  if (!followers) return pendingLinkResult()
  const made: PushedRevision[] = []
  for (let from = 0; from < followers.length; from += togetherMax) {
    const some = followers.slice(from, from + togetherMax)
    const told = await Promise.all(some.map((follower) => ask(follower, deliveryId, services)))
    made.push(...told.filter((one) => one !== undefined))
  }
  if (made.length === 0) return ignoredResult()
  const result = made.some(({ isNew }) => isNew) ? 'accepted' : 'duplicate'
  return { result, revisionIDs: made.map(({ revisionId }) => revisionId) }
}

function ask(
  { orgId, id, push }: Follower,
  deliveryId: string,
  services: Services,
): Promise<PushedRevision | undefined> {
  const { branch: _, ...said } = push
  const data = { ...said, deploymentId: id, revisionId: uuid5(id, deliveryId), deliveryId }
  return unlessGone(orgId, async () => readPushReply(await services.actingFor(orgId).ask(revisionPushed, data)))
}

/** Undefined for a deployment that was deleted a moment ago. */
function unlessGone<T>(orgId: string, tell: () => Promise<T>): Promise<T | undefined> {
  return asOrganization(orgId, async () => {
    try {
      return await tell()
    } catch (error) {
      if (error instanceof Fault && error.kind === 'missing') return undefined
      throw error
    }
  })
}

const readPullRequestReply = actorReply(t.Object({ asking: t.String() }))

/** Nothing is reported for a repository without deployments, or if no status could be posted. */
async function takePullRequest(
  event: PullRequest,
  host: SourceHost,
  { deliveryId }: Delivery,
  services: Services,
): Promise<WebhookResult> {
  const key = spokenOf(host, event.repositoryUrl)
  const { apiUrl } = services.source
  if (key === undefined || apiUrl === undefined || !isServedBy(apiUrl, key)) return ignoredResult()
  const reach = await reachOf(event, key, services)
  if (isNobody(reach)) return pendingLinkResult()
  const found = await asService(() => firstDeployment(services.em.fork(), key, reach === 'all' ? undefined : reach))
  if (!found) return ignoredResult()
  const { orgId, id: deploymentId } = found
  const { fullName, headSha, number } = event
  // Everyone who reads the repository sees the cost, so if nobody has linked it, it is shown only if a single
  // organization deploys it.
  const showsCost = reach !== 'all' || !(await asService(() => isShared(services.em.fork(), key, orgId)))
  const data = { deploymentId, host, deliveryId, fullName, headSha, number, showsCost, asking: randomUUID() }
  const id = uuidOf('pull-request', host, deliveryId)
  const told = await unlessGone(orgId, async () =>
    readPullRequestReply(await services.actingFor(orgId).ask(pullRequestReceived, data, id)),
  )
  if (!told) return ignoredResult()
  return { result: told.asking === data.asking ? 'accepted' : 'duplicate', revisionIDs: [] }
}
