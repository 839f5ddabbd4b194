/** How a build ends. Deployment and revision compute the same answer from the same rows. */
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { buildEnded, RevisionStatus } from '#streams/source/messages.ts'
import { repositoryKey } from '#streams/source/repository-url.ts'

/** The parts of a revision that decide which one is newer. */
export interface Build {
  id: string
  createdAt: Date
  /** Missing if the source host does not report it. */
  pushedAt?: Date | null | undefined
}

/** The branch and repository of a push. */
export interface PushTarget {
  ref: string
  repositoryUrl: string
}

/** What a deployment follows now, and the revision it has promoted; `missing` if the deployment was deleted. */
export type Stand = { branch: string; repositoryKey: string; promoted: Build | undefined } | 'missing'

export type BuildEnd = Static<typeof buildEnded.schema>

const finishedStatuses: readonly RevisionStatus[] = ['promoted', 'superseded', 'failed']
export const isFinished = (status: RevisionStatus): boolean => finishedStatuses.includes(status)

/** Compares the times of the push, then those of receipt, since deliveries may arrive out of order. */
function isNewer(a: Build, b: Build): boolean {
  const times = ({ pushedAt, createdAt }: Build) => [(pushedAt ?? createdAt).getTime(), createdAt.getTime()] as const
  const [[pushedA, takenA], [pushedB, takenB]] = [times(a), times(b)]
  if (pushedA !== pushedB) return pushedA > pushedB
  return takenA === takenB ? a.id > b.id : takenA > takenB
}

/**
 * The outcome of a revision. The newest push wins, whichever build ends first. A revision that no deployment follows
 * any more is not promoted.
 */
export function outcomeOf(
  build: Build & PushTarget,
  stand: Stand,
  { status }: Pick<BuildEnd, 'status'>,
): RevisionStatus {
  if (status === 'failed') return 'failed'
  if (stand === 'missing' || !isFollowed(build, stand)) return 'superseded'
  return stand.promoted && isNewer(stand.promoted, build) ? 'superseded' : 'promoted'
}

const isFollowed = ({ ref, repositoryUrl }: PushTarget, stand: Exclude<Stand, 'missing'>): boolean =>
  ref === `refs/heads/${stand.branch}` && repositoryKey(repositoryUrl) === stand.repositoryKey

interface FinishedBuild {
  status: RevisionStatus
  imageRef?: string | null | undefined
}

/** @throws Fault `conflict` `revision_finished` if the build has already ended with another result */
export function checkSame({ status, imageRef }: FinishedBuild, ended: BuildEnd): void {
  const was = status === 'failed' ? 'failed' : 'succeeded'
  const isSame = was === ended.status && (was === 'failed' || (imageRef ?? null) === (ended.imageRef ?? null))
  if (!isSame) throw Fault.conflict('revision_finished', `The build already ${was}, with a different result.`)
}
