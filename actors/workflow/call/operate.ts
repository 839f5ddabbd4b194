/**
 * Executes one operation of a workflow: checks that it is allowed and still needed, and makes one call. A repeat by
 * another process has the same id; if the cloud does not support ids, the resource is looked up first, so that nothing
 * is repeated blindly.
 */
import { callCloud } from '#actors/account/connection/call-cloud.ts'
import { ofStores, type EffectCall, type EffectWork } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import type { CloudAction, ActionKind } from '#streams/cloud/connector.ts'
import { scheduleSaved } from '#streams/schedule.ts'
import type { OperationReport } from '#streams/workflow.ts'
import { lookAt, targetOf, tellReport, type Target, type WorkflowCallTools } from './call.ts'
import { operate, type CallInput } from './effect.ts'
import { orderOperation } from './order.ts'
import type { Op, PlannedOp, Sight } from '#actors/workflow/entity.ts'
import { scheduleIdOf, scheduleTermsFor } from '#actors/workflow/plan/schedule.ts'
import { matches } from '#actors/workflow/plan/match.ts'
import { findWarrantRefusal, warrantRow, type WarrantRow } from '#actors/workflow/plan/warrant.ts'
import { failedReport } from '#streams/cloud/call/failure.ts'
import { retries } from '#streams/retry.ts'

type CallReport = Pick<OperationReport, 'status'> & Partial<OperationReport>

export const operateWork = (tools: WorkflowCallTools): EffectWork => ({
  name: operate.name,
  pool: 'act',
  // The cloud's answer is reported, not thrown: only failures of our own stores repeat the call.
  retry: retries.recordedCall,
  run: (input, call) => run(tools, input as CallInput, call).catch(ofStores(call)),
  failed: (input, call, fault) =>
    tellReport(tools, input as CallInput, call, { ...failedReport(fault), retryable: true }),
})

async function run(tools: WorkflowCallTools, input: CallInput, call: EffectCall): Promise<void> {
  const said = await carriedOut(tools, input, call)
  if (said) await tellReport(tools, input, call, said)
}

/** Undefined if the call is no longer awaited. */
async function carriedOut(
  tools: WorkflowCallTools,
  input: CallInput,
  call: EffectCall,
): Promise<CallReport | undefined> {
  const warrant = await checkWarrant(tools, input, call)
  if ('refusal' in warrant) return warrant.refusal
  const { row } = warrant
  const [planned, op] = [row.plan.ops[input.index]!, row.ops[input.index]!]
  if (planned.kind === 'schedule') return makeSchedule(tools, input, row, call)
  if (tools.executor === 'stream') {
    await orderOperation(tools, input, row, call)
    return { status: 'ordered' }
  }
  const target = await targetOf(tools, row.plan, input.cloudAccountId, call.orgId)
  if (!target)
    return { status: 'failed', retryable: false, errorMessage: 'The account is disabled or no longer exists.' }
  const about = { planned, target, isRepeat: isRepeat(input, call) }
  const stands = await ofCloud(call, async () => reportFromLook(tools, about, await lookAt(tools, target, call)))
  if (stands) return stands
  // The look-up takes time: the approval is checked once more, right before the call.
  const still = await checkWarrant(tools, input, call)
  if ('refusal' in still) return still.refusal
  return ofCloud(call, () => makeCall(tools, { planned, op, target }, call), toUnansweredReport)
}

/** Converts what the cloud throws to the result of the call. Must not be used for calls to our own stores. */
async function ofCloud<T>(
  call: EffectCall,
  ask: () => Promise<T>,
  failed: (error: unknown) => CallReport = failedReport,
): Promise<T | CallReport> {
  try {
    return await ask()
  } catch (error) {
    call.signal.throwIfAborted()
    return failed(error)
  }
}

/** An unanswered call may have been made all the same. */
const toUnansweredReport = (error: unknown): CallReport => ({
  ...failedReport(error),
  isTaken: Fault.from(error).code === 'no_answer',
})

async function checkWarrant(
  tools: WorkflowCallTools,
  input: CallInput,
  call: EffectCall,
): Promise<{ row: WarrantRow } | { refusal: CallReport | undefined }> {
  const { reads, now } = tools
  const row = await warrantRow((sql, params) => reads.rows(sql, params), { orgId: call.orgId, jobId: input.jobId })
  const lack = findWarrantRefusal(row, input.call, now())
  if (lack === 'stale')
    return { refusal: row && isCutOff(row, input) ? await cutOff(tools, input, row, call) : undefined }
  return lack ? { refusal: { status: 'refused', refusal: lack } } : { row: row! }
}

/** Whether the workflow ended while the call was about to be made, or while its result is unknown. */
const isCutOff = ({ stepId, ops }: WarrantRow, { call }: CallInput): boolean =>
  stepId === null && ops.some((op) => op.call === call && op.state === 'running')

const isRepeat = ({ tries }: CallInput, { attempt }: EffectCall): boolean => tries > 1 || attempt > 1

/** No call is made any more. If a process died, a look-up finds out whether it had made the call. */
async function cutOff(
  tools: WorkflowCallTools,
  input: CallInput,
  { plan }: WarrantRow,
  call: EffectCall,
): Promise<CallReport> {
  if (!isRepeat(input, call)) return { status: 'refused', refusal: 'unapproved' }
  if (tools.executor === 'stream') return { status: 'refused', refusal: 'unknown' }
  const { done } = plan.ops[input.index]!
  const target = await targetOf(tools, plan, input.cloudAccountId, call.orgId)
  const seen = target && (await lookAt(tools, target, call).catch(() => undefined))
  call.signal.throwIfAborted()
  const isDone = seen !== undefined && Object.keys(done).length > 0 && matches(done, seen) === 'yes'
  return isDone ? { status: 'succeeded', isSo: true } : { status: 'refused', refusal: 'unknown' }
}

interface PlannedCall {
  planned: PlannedOp
  target: Target
  isRepeat: boolean
}

/**
 * The result, if the look-up already decides it: the resource is in the desired state, it is another resource, or
 * nobody can tell whether an earlier call was made.
 */
function reportFromLook(
  tools: WorkflowCallTools,
  { planned, target, isRepeat }: PlannedCall,
  seen: Sight,
): CallReport | undefined {
  const { done, expect, kind } = planned
  const isDone = Object.keys(done).length > 0 && matches(done, seen, target.inventory) === 'yes'
  if (isDone) return { status: 'succeeded', isSo: true }
  const repeat = tools.cloudOf(target.account).repeats[kind as ActionKind]
  if (repeat === undefined)
    return {
      status: 'failed',
      retryable: false,
      errorMessage: `The cloud does not support ${kind} for ${target.resource.type}.`,
    }
  // Changing after an earlier call of ours: the end shows whether that caused it.
  if (isRepeat && (seen.status === 'stopping' || seen.status === 'starting')) return { status: 'running' }
  const before = matches(expect, seen, target.inventory)
  if (before === 'no') return { status: 'refused', refusal: 'changed' }
  if (isRepeat && repeat === 'look' && !isAtRest(done, seen)) return { status: 'refused', refusal: 'unknown' }
  return undefined
}

/**
 * A value that the cloud does not report is no evidence that no earlier call was made; only a resource that is stable
 * and not in the desired state is.
 */
const isAtRest = (done: Sight, seen: Sight): boolean =>
  Object.keys(done).length > 0 &&
  matches(done, seen) !== 'unknown' &&
  (seen.status === 'running' || seen.status === 'stopped')

interface Making {
  planned: PlannedOp
  op: Op
  target: Target
}

export async function makeCall(
  tools: WorkflowCallTools,
  { planned, op, target }: Making,
  call: EffectCall,
): Promise<CallReport> {
  const { account, resource } = target
  const { kind, size, specs } = planned
  const action: CloudAction = {
    id: op.actionId,
    kind: kind as ActionKind,
    resource,
    ...(size !== undefined && { size }),
    ...(specs && { specs }),
  }
  const { status } = await callCloud(tools, account, call, (cloud) => cloud.act(account, action))
  return { status }
}

/** The id of the schedule is derived from the workflow, so a repeat creates no second one. */
async function makeSchedule(
  tools: WorkflowCallTools,
  { jobId, cloudAccountId }: CallInput,
  { plan }: WarrantRow,
  call: EffectCall,
): Promise<CallReport> {
  const terms = await scheduleTermsFor(tools, call.orgId, plan)
  if (!terms) throw Fault.transient('unavailable', 'The settings of the organization could not be read.')
  const scheduleId = scheduleIdOf(call.orgId, { cloudAccountId, jobId })
  const data = { scheduleId, isNew: true as const, terms }
  await tools.publisher.publish({ subject: scheduleSaved, orgId: call.orgId, data, id: `${call.key}/schedule` })
  return { status: 'succeeded' }
}
