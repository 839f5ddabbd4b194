/**
 * Checks whether the cloud has finished an action that it accepted. An executor outside this process reports that
 * itself.
 */
import { ofStores, type EffectCall, type EffectWork } from '#engine/run/effect.ts'
import { callCloud } from '#actors/account/connection/call-cloud.ts'
import { callTargetOf, tellReport, type CallTarget, type CallTools } from './call.ts'
import { lookAction, type TryInput } from './effect.ts'
import { stateOf } from '#actors/action/power/record.ts'
import type { Report } from '#actors/action/power/try.ts'
import { retries } from '#streams/retry.ts'

export function lookWork(tools: CallTools): EffectWork {
  return {
    name: lookAction.name,
    pool: 'act',
    retry: retries.recordedCall,
    run: (input, call) => look(tools, input as TryInput, call).catch(ofStores(call)),
    failed: (input, call) => tellReport(tools, input as TryInput, call, 'ended', { status: 'running' }),
  }
}

async function look(tools: CallTools, input: TryInput, call: EffectCall): Promise<void> {
  if (tools.executor === 'stream') return
  const called = await callTargetOf(tools, input, call)
  if (called === 'stale') return
  const report = 'gone' in called ? toGoneReport(called.gone) : await readState(tools, called, input, call)
  await tellReport(tools, input, call, 'ended', report)
}

const toGoneReport = (errorMessage: string): Omit<Report, 'intentId'> => ({
  status: 'failed',
  retryable: false,
  errorMessage,
})

/** If the cloud does not answer, the action counts as running and is checked again, up to the time limit of the try. */
async function readState(
  tools: CallTools,
  { account, resource }: CallTarget,
  { action }: TryInput,
  call: EffectCall,
): Promise<Omit<Report, 'intentId'>> {
  try {
    const { exists, status } = await callCloud(tools, account, call, (cloud) => cloud.look(account, resource))
    if (!exists) return toGoneReport('the resource no longer exists')
    return status === stateOf[action] ? { status: 'succeeded', observedState: status } : { status: 'running' }
  } catch {
    call.signal.throwIfAborted()
    return { status: 'running' }
  }
}
