/** Revisions: one for each push that a deployment follows, from the order of its build to its end. */
import type { SourceNeeds } from './needs.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { buildEnded, buildOrdered, revisionPushed } from '#streams/source/messages.ts'
import { orderBuild } from './effect.ts'
import { checkSame, isFinished, outcomeOf, type BuildEnd } from './build-end.ts'
import { Revision } from './entity.ts'
import { deploymentKey, sourceNeeds } from './needs.ts'

/**
 * Milliseconds after the order of a build: the half hour for which its token is valid, plus a margin for differing
 * clocks.
 */
const overdueMs = 35 * 60_000
/** Milliseconds by which the clock of a host may be ahead. */
const aheadMsMax = 60 * 60_000

const ofRevision = ({ revisionId }: { revisionId: string }): string => revisionId

const isThere = ({ commitSha }: Revision): boolean => commitSha !== ''

/** A repeated push changes nothing. */
function push(row: Revision, said: Static<typeof revisionPushed.schema>, turn: Turn<SourceNeeds>): void {
  const { deploymentId, revisionId, deliveryId, commitSha, ref, repositoryUrl, pushedAt } = said
  const isNew = !isThere(row)
  if (isNew && !turn.needs.deployments.has(deploymentKey(turn.address.orgId, deploymentId)))
    throw Fault.missing('deployment', deploymentId)
  turn.reply({ revisionId, isNew })
  if (!isNew) return
  const times = { createdAt: turn.now, pushedAt: parsePastTime(pushedAt, turn.now) }
  Object.assign(row, { deliveryId, commitSha, ref, repositoryUrl, status: 'queued', ...times })
  // The order is signed when it is sent: turns do not know the secret, and the token's validity starts then.
  turn.call(orderBuild, `build/${turn.address.orgId}/${revisionId}`, {
    deploymentId,
    revisionId,
    commitSha,
    repositoryUrl,
  })
}

/** A push with a time in the far future would always be the newest. */
function parsePastTime(given: string | undefined, now: Date): Date | null {
  const at = given === undefined ? undefined : new Date(given)
  return at && at.getTime() <= now.getTime() + aheadMsMax ? at : null
}

const overdue = 'overdue'

/**
 * A builder may have finished before this is processed. At the time of the reminder the token has expired, so nobody
 * can report any more.
 */
function startBuilding(
  row: Revision,
  { deploymentId, revisionId }: Static<typeof buildOrdered.schema>,
  turn: Turn,
): void {
  if (row.status !== 'queued' || !isThere(row)) return
  row.status = 'building'
  const data = {
    deploymentId,
    revisionId,
    status: 'failed',
    failureReason: 'The builder did not report a result.',
  } as const
  turn.remind(overdue, new Date(turn.now.getTime() + overdueMs), buildEnded, data)
}

function end(row: Revision, ended: BuildEnd, turn: Turn<SourceNeeds>): void {
  if (!isThere(row)) throw Fault.missing('revision', ended.revisionId)
  if (isFinished(row.status)) checkSame(row, ended)
  else finish(row, ended, turn)
  turn.reply({ revisionId: row.id, status: row.status })
}

function finish(row: Revision, ended: BuildEnd, turn: Turn<SourceNeeds>): void {
  const { imageRef = null, logsUrl = null, failureReason = null, completedAt } = ended
  const status = outcomeOf(row, turn.needs.end!.stand, ended)
  Object.assign(row, { status, imageRef, logsUrl, failureReason: status === 'failed' ? failureReason : null })
  row.completedAt = completedAt === undefined ? turn.now : new Date(completedAt)
  turn.forget(overdue)
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
    pushedAt: null,
    completedAt: null,
  }),
  needs: sourceNeeds,
  reactions: (on) => [
    on(revisionPushed, ofRevision, push),
    on(buildOrdered, ofRevision, startBuilding, { existing: true }),
    on(buildEnded, ofRevision, end, { barrier: true }),
  ],
})
