/** The record of an action, and who is notified of it: its own actor, the resource, and the requester. */
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  actionTold,
  bulkMemberEnded,
  powerTold,
  schedulerMemberEnded,
  type ActionRecord,
  type ActionSource,
  type actionWanted,
  type memberOutcomes,
} from '#streams/action/messages.ts'
import { operationReported, type OperationReport } from '#streams/workflow.ts'
import type { Power } from '#actors/action/entity.ts'
import type { ResourceFacts } from './needs.ts'

export type ActionRequest = Static<typeof actionWanted.schema>
export type ActionResult = (typeof memberOutcomes)[number]

/** The state that an action leads to. Below: what the resource shows in the meantime. */
export const stateOf = { start: 'running', stop: 'stopped' } as const
export const shownDuring = { start: 'starting', stop: 'stopping' } as const

/** Milliseconds for which a resource shows an action without further news of it. */
export const shownMs = 15 * 60_000

/** The workflow that has exclusive use of the resource now. */
export const holderOf = ({ held }: Pick<Power, 'held'>, { now }: Turn): string | undefined =>
  held && Date.parse(held.until) > now.getTime() ? held.jobId : undefined

/** A record that has not been sent to its actor yet. */
export const newRecord = (
  wanted: ActionRequest,
  { provider, type, region }: ResourceFacts,
  now: Date,
): ActionRecord => ({
  actionId: wanted.actionId,
  cloudAccountId: wanted.cloudAccountId,
  resourceUid: wanted.resourceUid,
  provider,
  resourceType: type,
  region,
  action: wanted.action,
  reason: wanted.reason,
  status: 'pending',
  errorMessage: null,
  source: wanted.source,
  attempt: 0,
  nextAttemptAt: null,
  createdAt: now.toISOString(),
  startedAt: null,
  endedAt: null,
  revision: 1,
})

/** Sends an ended record to its own actor, since it leaves this row soon. Until it ends, readers find it here. */
export function tellRecord(record: ActionRecord, turn: Turn): void {
  if (record.endedAt !== null) turn.emit(actionTold, record)
  record.revision += 1
}

/** Details that a workflow gets in addition to the outcome. */
export type OutcomeDetails = Pick<OperationReport, 'isSo' | 'isTaken' | 'isUnmade' | 'retryable' | 'refusal'>

/**
 * Reports the outcome to the requester: a workflow, bulk action or schedule event. People, who have had their answer,
 * and overrides get no report.
 */
export function tellSource(
  { actionId, source }: { actionId: string; source: ActionSource },
  outcome: ActionResult,
  message: string | null,
  turn: Turn,
  heard: OutcomeDetails = {},
): void {
  const { place: cloudAccountId, key: resourceUid } = turn.address
  if (source.workflow) return tellWorkflow(source.workflow, outcome, message, turn, heard)
  const ended = { actionId, cloudAccountId, resourceUid, outcome, ...(message !== null && { message }) }
  if (source.bulkId !== undefined) turn.emit(bulkMemberEnded, { bulkId: source.bulkId, ...ended })
  else if (source.type === 'schedule' && source.eventId !== undefined)
    turn.emit(schedulerMemberEnded, { scheduleId: source.id, eventId: source.eventId, ...ended })
}

function tellWorkflow(
  { jobId, call }: NonNullable<ActionSource['workflow']>,
  outcome: ActionResult,
  message: string | null,
  turn: Turn,
  heard: OutcomeDetails,
): void {
  turn.emit(operationReported, {
    cloudAccountId: turn.address.place,
    jobId,
    call,
    status: heard.refusal ? 'refused' : outcome === 'succeeded' ? 'succeeded' : 'failed',
    ...(message !== null && { errorMessage: message.slice(0, 2000) }),
    ...heard,
  })
}

/** Notifies the resource which state to show. */
export function tellResource(
  row: Power,
  actionId: string,
  word: Pick<Static<typeof powerTold.schema>, 'shows' | 'until' | 'observed'>,
  turn: Turn,
): void {
  const { place: cloudAccountId, key: resourceUid } = turn.address
  row.n += 1
  turn.emit(powerTold, { cloudAccountId, resourceUid, actionId, at: turn.now.toISOString(), n: row.n, ...word })
}
