/** Revisions: one of each push that a deployment follows, from its build's order to its end. */
import { defineActor } from '#engine/actor.ts'
import { Fault } from '#engine/fault.ts'
import type { Static } from '#engine/schema.ts'
import type { Turn } from '#engine/turn.ts'
import { buildEnded, buildOrdered, revisionPushed } from '#streams/source.ts'
import { orderBuild } from './effect.ts'
import { checkSame, isFinished, outcomeOf, type Ended } from './end.ts'
import { Revision } from './entity.ts'
import { deploymentKey, needsOf, sourceNeeds } from './needs.ts'

const ofRevision = ({ revisionId }: { revisionId: string }): string => revisionId

const isThere = ({ commitSha }: Revision): boolean => commitSha !== ''

/** A push that is told again, by whatever way, makes nothing. */
function push(row: Revision, said: Static<typeof revisionPushed.schema>, turn: Turn): void {
  const { deploymentId, revisionId, deliveryId, commitSha, ref, repositoryUrl } = said
  const isNew = !isThere(row)
  if (isNew && !needsOf(turn).deployments.has(deploymentKey(turn.address.orgId, deploymentId)))
    throw Fault.missing('deployment', deploymentId)
  turn.reply({ revisionId, isNew })
  if (!isNew) return
  Object.assign(row, { deliveryId, commitSha, ref, repositoryUrl, status: 'queued', createdAt: turn.now })
  // Signed as it goes out: no turn knows the secret, and the time that the token is good for begins then.
  turn.call(orderBuild, `build/${turn.address.orgId}/${revisionId}`, {
    deploymentId,
    revisionId,
    commitSha,
    repositoryUrl,
  })
}

/** A builder may be done before this is heard. */
function ordered(row: Revision): void {
  if (row.status === 'queued' && isThere(row)) row.status = 'building'
}

function end(row: Revision, ended: Ended, turn: Turn): void {
  if (!isThere(row)) throw Fault.missing('revision', ended.revisionId)
  if (isFinished(row.status)) checkSame(row, ended)
  else finish(row, ended, turn)
  turn.reply({ revisionId: row.id, status: row.status })
}

function finish(row: Revision, ended: Ended, turn: Turn): void {
  const { imageRef = null, logsUrl = null, failureReason = null, completedAt } = ended
  const status = outcomeOf(row, needsOf(turn).end!.stand, ended)
  Object.assign(row, { status, imageRef, logsUrl, failureReason: status === 'failed' ? failureReason : null })
  row.completedAt = completedAt === undefined ? turn.now : new Date(completedAt)
}

export const revisionActor = defineActor({
  kind: 'revision',
  entity: Revision,
  address: { orgId: 'orgId', place: 'deploymentId', key: 'id' },
  initial: () => ({
    deliveryId: '',
    commitSha: '',
    ref: '',
    repositoryUrl: '',
    status: 'queued' as const,
    imageRef: null,
    logsUrl: null,
    failureReason: null,
    createdAt: new Date(0),
    completedAt: null,
  }),
  needs: sourceNeeds,
  reactions: (on) => [
    on(revisionPushed, ofRevision, push),
    on(buildOrdered, ofRevision, ordered, { existing: true }),
    on(buildEnded, ofRevision, end, { barrier: true }),
  ],
})
