/** How a build ends: one answer for the deployment and for the revision, worked out from the same rows. */
import { Fault } from '#engine/fault.ts'
import type { Static } from '#engine/schema.ts'
import type { buildEnded, RevisionStatus } from '#streams/source.ts'

/** A revision as far as which is newer goes. */
export interface Build {
  id: string
  createdAt: Date
}

/** What a deployment has promoted: one revision, or none; `missing` where there is no deployment any more. */
export type Stand = Build | 'empty' | 'missing'

export type Ended = Static<typeof buildEnded.schema>

const finished: readonly RevisionStatus[] = ['promoted', 'superseded', 'failed']
export const isFinished = (status: RevisionStatus): boolean => finished.includes(status)

const isNewer = (a: Build, b: Build): boolean =>
  a.createdAt.getTime() === b.createdAt.getTime() ? a.id > b.id : a.createdAt > b.createdAt

/** What a revision becomes. The newest push wins, whichever build ends first; what nothing deploys any more is promoted nowhere. */
export function outcomeOf(build: Build, stand: Stand, { status }: Pick<Ended, 'status'>): RevisionStatus {
  if (status === 'failed') return 'failed'
  if (stand === 'missing') return 'superseded'
  return stand !== 'empty' && isNewer(stand, build) ? 'superseded' : 'promoted'
}

interface Finished {
  status: RevisionStatus
  imageRef?: string | null | undefined
}

/** @throws Fault conflict `revision_finished` where a build that has ended is said to have ended otherwise */
export function checkSame({ status, imageRef }: Finished, ended: Ended): void {
  const was = status === 'failed' ? 'failed' : 'succeeded'
  const isSame = was === ended.status && (was === 'failed' || (imageRef ?? null) === (ended.imageRef ?? null))
  if (!isSame) throw Fault.conflict('revision_finished', `The build has ${was} already, with another result.`)
}
