/**
 * Deletes what a job has created: its steps in reverse order, without those that never started. What is gone already
 * counts as deleted.
 */
import type { ProvisioningNeeds } from '#actors/catalog/needs.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { connectionForgotten, databaseForgotten, spaceUnregistered, type provisionReported } from '#streams/catalog.ts'
import { makingSteps } from '#streams/cloud/provision.ts'
import type { Provider } from '#streams/names.ts'
import { resourceDeleted } from '#streams/resource/messages.ts'
import { awaitStep, clusterOf, refresh, rest, spaceIdOf } from './advance.ts'
import type { ProvisioningJob } from '#actors/catalog/entity.ts'
import { enter, jobOf, remind, stepOf } from './step.ts'

/** The user id of deletions after expiry. */
export const expiry = 'expiry'

/** Milliseconds until a job that expired while busy is checked again. */
const againMs = 5 * 60_000

/** @throws Fault `conflict` `databases_exist`: a server that no job has created stays, and so would its databases */
export function remove(row: ProvisioningJob, _: object, turn: Turn<ProvisioningNeeds>): void {
  if (hasForeignDatabases(row, turn))
    throw Fault.conflict('databases_exist', 'Delete the databases of the job first: the server is not deleted.')
  row.undo ??= row.steps
    .filter(({ name, attempts }) => attempts > 0 && makingSteps.has(name))
    .map(({ name }) => name)
    .toReversed()
  row.error = null
  row.completedAt = null
  enter(row, 'deleting', turn)
  forgetWithin(row, turn)
  closeSpace(row, true, turn)
  undoNext(row, turn)
  turn.reply({ jobId: row.id })
}

const hasForeignDatabases = ({ kind }: ProvisioningJob, { needs }: Turn<ProvisioningNeeds>): boolean =>
  kind === 'existing_datastore' && needs.databases.length > 0

/** An expired job that cannot be deleted yet is checked again later. */
export const removeExpired = (row: ProvisioningJob, message: object, turn: Turn<ProvisioningNeeds>): void =>
  hasForeignDatabases(row, turn) ? expireLater(row, message, turn) : remove(row, message, turn)

export const expireLater = (row: ProvisioningJob, _: object, turn: Turn): void =>
  remind(row, 'expired', new Date(turn.now.getTime() + againMs), turn)

/** Databases and all connections are deleted with their server. */
function forgetWithin(row: ProvisioningJob, turn: Turn<ProvisioningNeeds>): void {
  const { databases, connections } = turn.needs
  for (const databaseId of databases) turn.emit(databaseForgotten, { ...jobOf(row), databaseId })
  for (const connectionId of connections) turn.emit(connectionForgotten, { ...jobOf(row), connectionId })
}

function undoNext(row: ProvisioningJob, turn: Turn): void {
  const [step] = row.undo ?? []
  if (step === undefined) return finishUndo(row, turn)
  row.currentStep = step
  awaitStep(row, { step, isUndo: true }, turn)
}

/** Deleted resources leave the inventory at once: for accounts fed by producers no scan would report them. */
export function undone(
  row: ProvisioningJob,
  { step, gone: uids = [] }: Pick<Static<typeof provisionReported.schema>, 'step' | 'gone'>,
  turn: Turn,
): void {
  const { cloudAccountId, provider } = row
  for (const resourceUid of uids)
    turn.emit(resourceDeleted, { resourceUid, provider: provider as Provider, cloudAccountId })
  row.undo = (row.undo ?? []).filter((left) => left !== step)
  undoNext(row, turn)
}

function finishUndo(row: ProvisioningJob, turn: Turn): void {
  rest(row, turn)
  turn.forget('warn')
  turn.forget('expired')
  row.currentStep = null
  row.secrets = null
  row.completedAt = turn.now
  enter(row, 'deleted', turn)
  if (closeSpace(row, false, turn)) refresh(row, turn)
}

/**
 * Disables or removes the space of the cluster that the job created, so that nothing new starts in it. False if it
 * created none.
 */
function closeSpace(row: ProvisioningJob, isGoing: boolean, turn: Turn): boolean {
  const { cloudAccountId, region, id: jobId } = row
  const clusterUid = clusterOf(row)
  if (stepOf(row, 'register_space')?.status !== 'succeeded' || clusterUid === undefined) return false
  const spaceId = spaceIdOf(turn.address.orgId, cloudAccountId, region, clusterUid)
  turn.emit(spaceUnregistered, { spaceId, jobId, ...(isGoing && { isGoing }) })
  return true
}
