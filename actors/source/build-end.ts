/** How a build ends: one answer for the deployment and for the revision, worked out from the same rows. */
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { buildEnded, RevisionStatus } from '#streams/source/messages.ts'
import { repositoryKey } from '#streams/source/repository-url.ts'

/** A revision as far as which is newer goes. */
export interface Build {
  id: string
  createdAt: Date
  /** None where the host of the sources does not say. */
  pushedAt?: Date | null | undefined
}

/** What a revision was pushed to. */
export interface PushTarget {
  ref: string
  repositoryUrl: string
}

/** What a deployment follows now, and what it has promoted; `missing` where there is no deployment any more. */
export type Stand = { branch: string; repositoryKey: string; promoted: Build | undefined } | 'missing'

export type BuildEnd = Static<typeof buildEnded.schema>

const finishedStatuses: readonly RevisionStatus[] = ['promoted', 'superseded', 'failed']
export const isFinished = (status: RevisionStatus): boolean => finishedStatuses.includes(status)

/** By when it was pushed, then by when it was taken: deliveries overtake each other. */
function isNewer(a: Build, b: Build): boolean {
  const times = ({ pushedAt, createdAt }: Build) => [(pushedAt ?? createdAt).getTime(), createdAt.getTime()] as const
  const [[pushedA, takenA], [pushedB, takenB]] = [times(a), times(b)]
  if (pushedA !== pushedB) return pushedA > pushedB
  return takenA === takenB ? a.id > b.id : takenA > takenB
}

/**
 * What a revision becomes. The newest push wins, whichever build ends first; what nothing deploys any more, or not from there, is
 * promoted nowhere.
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

/** @throws Fault conflict `revision_finished` where a build that has ended is said to have ended otherwise */
export function checkSame({ status, imageRef }: FinishedBuild, ended: BuildEnd): void {
  const was = status === 'failed' ? 'failed' : 'succeeded'
  const isSame = was === ended.status && (was === 'failed' || (imageRef ?? null) === (ended.imageRef ?? null))
  if (!isSame) throw Fault.conflict('revision_finished', `The build already ${was}, with a different result.`)
}
