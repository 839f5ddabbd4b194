/** What comes of a webhook that is believed: revisions, an analysis, a list of repositories. All of it may be done again. */
import { randomUUID } from 'node:crypto'
import { hearInstallation } from '#actors/source/change.ts'
import { deploymentsFollowing, firstDeployment, isShared, organizationOf } from '#actors/source/queries.ts'
import { Fault } from '#engine/fault.ts'
import { uuid5, uuidOf } from '#engine/id.ts'
import { t } from '#engine/schema.ts'
import { actorReply } from '#http/edge/decode.ts'
import type { Services } from '#http/edge/services.ts'
import { asOrganization, asService } from '#http/store/tenant.ts'
import { pullRequestReceived, revisionPushed } from '#streams/source.ts'
import type { Delivery, Pushed, SourceEvent, SourceHost } from '#streams/source/event.ts'
import { isServedBy, maySpeakOf } from '#streams/source/owner.ts'
import { repositoryKey } from '#streams/source/repository-url.ts'

export interface Taken {
  result: 'accepted' | 'duplicate' | 'ignored'
  revisionIDs: string[]
}

const ignored = (): Taken => ({ result: 'ignored', revisionIDs: [] })

/** Deployments that are told of one push at once. */
const togetherMax = 32

/**
 * Does what an event asks for.
 * @throws Fault `transient` `unavailable` where somebody has not answered: the host delivers it again, and what is done stays done
 */
export async function taken(
  event: SourceEvent,
  host: SourceHost,
  delivery: Delivery,
  services: Services,
): Promise<Taken> {
  switch (event.kind) {
    case 'push':
      return pushed(event, host, delivery, services)
    case 'pull-request':
      return looked(event, host, delivery, services)
    case 'installation': {
      const { em, now } = services
      const { deliveryId } = delivery
      const hear = () => em.fork().transactional((tx) => hearInstallation(tx, event, deliveryId, now()))
      return { result: await asService(hear), revisionIDs: [] }
    }
    case 'none':
      return ignored()
  }
}

const pushedReply = actorReply(t.Object({ revisionId: t.String(), isNew: t.Boolean() }))

interface Made {
  revisionId: string
  isNew: boolean
}

interface Follower {
  orgId: string
  id: string
  push: Pushed
}

type Push = Extract<SourceEvent, { kind: 'push' }>
type PullRequest = Extract<SourceEvent, { kind: 'pull-request' }>

/** The one that the host tells; undefined where it names no installation, or one that nobody has linked. */
async function linkedTo({ installationId }: Push | PullRequest, { em }: Services): Promise<string | undefined> {
  return installationId === undefined ? undefined : asService(() => organizationOf(em.fork(), installationId))
}

/** Of a repository that the host may speak of. */
function spokenOf(host: SourceHost, repositoryUrl: string): string | undefined {
  const key = repositoryKey(repositoryUrl)
  return key !== undefined && maySpeakOf(host, key) ? key : undefined
}

/** Deployments of the organization that the installation is linked to; of all where none is: a repository belongs to none. */
async function followersOf(event: Push, host: SourceHost, services: Services): Promise<Follower[]> {
  const linked = await linkedTo(event, services)
  const found: Follower[] = []
  for (const push of event.pushes) {
    const key = spokenOf(host, push.repositoryUrl)
    const all =
      key === undefined ? [] : await asService(() => deploymentsFollowing(services.em.fork(), key, push.branch))
    const own = all.filter(({ orgId }) => linked === undefined || orgId === linked)
    found.push(...own.map(({ orgId, id }) => ({ orgId, id, push })))
  }
  return found
}

async function pushed(event: Push, host: SourceHost, { deliveryId }: Delivery, services: Services): Promise<Taken> {
  const followers = await followersOf(event, host, services)
  const made: Made[] = []
  for (let from = 0; from < followers.length; from += togetherMax) {
    const some = followers.slice(from, from + togetherMax)
    const told = await Promise.all(some.map((follower) => ask(follower, deliveryId, services)))
    made.push(...told.filter((one) => one !== undefined))
  }
  if (made.length === 0) return ignored()
  const result = made.some(({ isNew }) => isNew) ? 'accepted' : 'duplicate'
  return { result, revisionIDs: made.map(({ revisionId }) => revisionId) }
}

function ask({ orgId, id, push }: Follower, deliveryId: string, services: Services): Promise<Made | undefined> {
  const { branch: _, ...said } = push
  const data = { ...said, deploymentId: id, revisionId: uuid5(id, deliveryId), deliveryId }
  return unlessGone(orgId, async () => pushedReply(await services.actingFor(orgId).ask(revisionPushed, data)))
}

/** Undefined for a deployment that was removed a moment ago. */
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

const lookedReply = actorReply(t.Object({ asking: t.String() }))

/** Of a repository that nobody deploys nothing is said, nor where nobody could be told. */
async function looked(
  event: PullRequest,
  host: SourceHost,
  { deliveryId }: Delivery,
  services: Services,
): Promise<Taken> {
  const key = spokenOf(host, event.repositoryUrl)
  const { apiUrl } = services.source
  if (key === undefined || apiUrl === undefined || !isServedBy(apiUrl, key)) return ignored()
  const linked = await linkedTo(event, services)
  const found = await asService(() => firstDeployment(services.em.fork(), key, linked))
  if (!found) return ignored()
  const { orgId, id: deploymentId } = found
  const { fullName, headSha, number } = event
  const showsCost = await mayTell(event, key, { orgId, linked }, services)
  const data = { deploymentId, host, deliveryId, fullName, headSha, number, showsCost, asking: randomUUID() }
  const id = uuidOf('pull-request', host, deliveryId)
  const told = await unlessGone(orgId, async () =>
    lookedReply(await services.actingFor(orgId).ask(pullRequestReceived, data, id)),
  )
  if (!told) return ignored()
  return { result: told.asking === data.asking ? 'accepted' : 'duplicate', revisionIDs: [] }
}

/**
 * Whether who reads the repository may be told the cost of an organization: where the installation is linked to it, or where the
 * operator has set up the repository itself and nobody else deploys it.
 */
async function mayTell(
  { installationId }: PullRequest,
  key: string,
  { orgId, linked }: { orgId: string; linked: string | undefined },
  { em }: Services,
): Promise<boolean> {
  if (installationId !== undefined) return linked === orgId
  return !(await asService(() => isShared(em.fork(), key, orgId)))
}
