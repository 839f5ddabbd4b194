/** What comes of a webhook that is believed: revisions, an analysis, a list of repositories. All of it may be done again. */
import { randomUUID } from 'node:crypto'
import { hearInstallation } from '#actors/source/change.ts'
import { deploymentsFollowing, firstDeployment } from '#actors/source/queries.ts'
import { Fault } from '#engine/fault.ts'
import { uuid5, uuidOf } from '#engine/id.ts'
import { t } from '#engine/schema.ts'
import { actorReply } from '#http/edge/decode.ts'
import type { Services } from '#http/edge/services.ts'
import { asOrganization, asService } from '#http/store/tenant.ts'
import { pullRequestReceived, revisionPushed } from '#streams/source.ts'
import type { Delivery, Pushed, SourceEvent, SourceHost } from '#streams/source/event.ts'
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
      return pushed(event.pushes, delivery, services)
    case 'pull-request':
      return looked(event, host, delivery, services)
    case 'installation': {
      const { em, now } = services
      await asService(() => em.fork().transactional((tx) => hearInstallation(tx, event, now())))
      return { result: 'accepted', revisionIDs: [] }
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

/** Deployments of all organizations: a repository belongs to none. */
async function followersOf(pushes: readonly Pushed[], { em }: Services): Promise<Follower[]> {
  const found: Follower[] = []
  for (const push of pushes) {
    const key = repositoryKey(push.repositoryUrl)
    const own = key === undefined ? [] : await asService(() => deploymentsFollowing(em.fork(), key, push.branch))
    found.push(...own.map(({ orgId, id }) => ({ orgId, id, push })))
  }
  return found
}

async function pushed(pushes: readonly Pushed[], { deliveryId }: Delivery, services: Services): Promise<Taken> {
  const followers = await followersOf(pushes, services)
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

/** Undefined for a deployment that was removed a moment ago. */
function ask({ orgId, id, push }: Follower, deliveryId: string, services: Services): Promise<Made | undefined> {
  const { ref, commitSha, repositoryUrl } = push
  const data = { deploymentId: id, revisionId: uuid5(id, deliveryId), deliveryId, commitSha, ref, repositoryUrl }
  return asOrganization(orgId, async () => {
    try {
      return pushedReply(await services.actingFor(orgId).ask(revisionPushed, data))
    } catch (error) {
      if (error instanceof Fault && error.kind === 'missing') return undefined
      throw error
    }
  })
}

const lookedReply = actorReply(t.Object({ asking: t.String() }))

/** Of a repository that nobody deploys nothing is said, nor where nobody could be told. */
async function looked(
  event: Extract<SourceEvent, { kind: 'pull-request' }>,
  host: SourceHost,
  { deliveryId }: Delivery,
  services: Services,
): Promise<Taken> {
  const key = repositoryKey(event.repositoryUrl)
  if (key === undefined || services.source.apiUrl === undefined) return ignored()
  const found = await asService(() => firstDeployment(services.em.fork(), key))
  if (!found) return ignored()
  const { orgId, id: deploymentId } = found
  const { fullName, headSha, number } = event
  const data = { deploymentId, host, deliveryId, fullName, headSha, number, asking: randomUUID() }
  const { asking } = await asOrganization(orgId, async () =>
    lookedReply(
      await services.actingFor(orgId).ask(pullRequestReceived, data, uuidOf('pull-request', host, deliveryId)),
    ),
  )
  return { result: asking === data.asking ? 'accepted' : 'duplicate', revisionIDs: [] }
}
