/**
 * Starts or stops a resource with one call to its cloud. It is reported before and after the call. If another process
 * repeats the call, it has the same id, so that the cloud does it once.
 */
import { ofStores, type EffectCall, type EffectWork } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Capacity } from '#streams/action/messages.ts'
import { isCounted } from '#streams/cloud/resource/resource-type.ts'
import { callCloud } from '#actors/account/connection/call-cloud.ts'
import { callTargetOf, tellReport, type CallTarget, type CallTools } from './call.ts'
import { findWarrantRefusal, warrantRow } from '#actors/workflow/plan/warrant.ts'
import { lacking } from '#actors/action/power/approval.ts'
import { shownDuring, stateOf } from '#actors/action/power/record.ts'
import { executeAction, type TryInput } from './effect.ts'
import type { Report } from '#actors/action/power/try.ts'
import { failedReport } from '#streams/cloud/call/failure.ts'
import { retries } from '#streams/retry.ts'

export function executeWork(tools: CallTools): EffectWork {
  return {
    name: executeAction.name,
    pool: 'act',
    // The cloud's answer is reported, not thrown: only failures of our own stores repeat the call.
    retry: retries.recordedCall,
    run: (input, call) => execute(tools, input as TryInput, call).catch(ofStores(call)),
    failed: (input, call, fault) =>
      tellReport(tools, input as TryInput, call, 'ended', { ...failedReport(fault), retryable: true }),
  }
}

async function execute(tools: CallTools, input: TryInput, call: EffectCall): Promise<void> {
  if (tools.executor === 'stream') return
  const called = await callTargetOf(tools, input, call)
  if (called === 'stale') return
  if ('gone' in called) {
    const report = { status: 'failed', retryable: false, errorMessage: called.gone, isUnmade: true } as const
    return tellReport(tools, input, call, 'ended', report)
  }
  const refused = await refusedReport(tools, called, input, call)
  if (refused) return tellReport(tools, input, call, 'ended', refused)
  const found = await capacity(tools, called, input, call)
  if (!(found instanceof Error)) await accept(tools, input, call, found)
  // Reading the capacity takes time: the approval is checked once more, right before the call.
  const late = isCounted(input.type) ? await refusedReport(tools, called, input, call) : undefined
  const report = late ?? (found instanceof Error ? failedReport(found) : await act(tools, called, input, call))
  await tellReport(tools, input, call, 'ended', report)
}

type ActionReport = Omit<Report, 'intentId'>

/**
 * Why a workflow may no longer do it. If a process that died may have made the call, the resource is looked up first.
 */
async function refusedReport(
  tools: CallTools,
  called: CallTarget,
  input: TryInput,
  call: EffectCall,
): Promise<ActionReport | undefined> {
  const refusal = await refusalOf(tools, called, call)
  if (!refusal) return undefined
  const made = call.attempt > 1 ? await madeBefore(tools, called, input, call) : undefined
  return made ?? { status: 'failed', retryable: false, errorMessage: lacking[refusal], isUnmade: true, refusal }
}

async function madeBefore(
  tools: CallTools,
  { account, resource }: CallTarget,
  { action }: TryInput,
  call: EffectCall,
): Promise<ActionReport | undefined> {
  const seen = await callCloud(tools, account, call, (cloud) => cloud.look(account, resource)).catch(() => undefined)
  call.signal.throwIfAborted()
  if (seen?.status === stateOf[action]) return { status: 'succeeded', observedState: stateOf[action] }
  return seen?.status === shownDuring[action] ? { status: 'running' } : undefined
}

/** For a workflow: whether it may still act, read right before the call. */
async function refusalOf(
  { reads, now }: CallTools,
  { workflow }: CallTarget,
  { orgId }: EffectCall,
): Promise<'unapproved' | 'halted' | undefined> {
  if (!workflow) return undefined
  const row = await warrantRow((sql, params) => reads.rows(sql, params), { orgId, jobId: workflow.jobId })
  const lack = findWarrantRefusal(row, workflow.call, now())
  return lack === 'stale' ? 'unapproved' : lack
}

/**
 * Reports that the call is about to be made. A later report implies this one, so it is awaited only if it has the
 * capacity, which must not be lost.
 */
async function accept(
  tools: CallTools,
  input: TryInput,
  call: EffectCall,
  found: { before?: Capacity },
): Promise<void> {
  const told = tellReport(tools, input, call, 'accepted', { status: 'accepted', ...found })
  if (found.before) return told
  told.catch(() => {})
}

/**
 * For a stop of a resource with a unit count: its current capacity, read before the call because none is left
 * afterwards. Returns what the cloud threw if it cannot be read.
 */
async function capacity(
  tools: CallTools,
  { account, resource }: CallTarget,
  { action, type }: TryInput,
  call: EffectCall,
): Promise<{ before?: Capacity } | Error> {
  if (action !== 'stop' || !isCounted(type)) return {}
  try {
    const { capacity: before } = await callCloud(tools, account, call, (cloud) => cloud.look(account, resource))
    return before ? { before } : {}
  } catch (error) {
    call.signal.throwIfAborted()
    return error instanceof Error ? error : Fault.defect(error)
  }
}

async function act(
  tools: CallTools,
  called: CallTarget,
  input: TryInput,
  call: EffectCall,
): Promise<Omit<Report, 'intentId'>> {
  const { account, resource } = called
  const { intentId: id, action: kind, before } = input
  try {
    const action = { id, kind, resource, ...(before && { params: before }) }
    const { status, observedState } = await callCloud(tools, account, call, (cloud) => cloud.act(account, action))
    const isKnown = observedState === 'running' || observedState === 'stopped'
    return { status, ...(isKnown && { observedState }) }
  } catch (error) {
    call.signal.throwIfAborted()
    return failedReport(error)
  }
}
