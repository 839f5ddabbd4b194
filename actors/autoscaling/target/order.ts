/**
 * Calls to targets: requested under an id, and also posted for executors outside this process (decisions G-21 and
 * G-101).
 */
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { execIntent, intentIdOf, type execResult } from '#streams/action/exec.ts'
import { callTarget, type TargetInput } from '#actors/autoscaling/effect.ts'
import type { AutoscalerPolicy } from '#actors/autoscaling/entity.ts'
import type { targetReported } from '#streams/autoscaling.ts'
import { policyOf } from '#actors/autoscaling/tell.ts'

type Order = Partial<Pick<TargetInput, 'counts' | 'replaceAtCpu' | 'withAverage' | 'until'>> & {
  /** Missing if the policy itself requests the call. */
  planId?: string
  /** How often the same call was requested before. */
  tries?: number
}

/** Requests a call, under an id that begins with its kind. A call that changes counts is also posted as an order. */
export function order(row: AutoscalerPolicy, kind: string, asked: Order, turn: Turn): string {
  row.calls += 1
  const call = `${kind}/${row.calls}`
  const { planId, tries = 0, ...input } = asked
  const key = `scale/${turn.address.orgId}/${row.policyId}/${call}`
  turn.call(callTarget, key, { ...policyOf(row), call, provider: row.provider, ...input })
  if (!input.counts) return call
  const { cloudAccountId, targetUid: resourceUid, policyId, calls: revision } = row
  const intentId = intentIdOf(`${policyId}/${call}`, resourceUid)
  const source = planId === undefined ? { type: 'autoscaler_policy', id: policyId } : { type: 'plan', id: planId }
  turn.post(execIntent, intentId, {
    intentId,
    kind: 'scale',
    cloudAccountId,
    resourceUid,
    params: input.counts,
    source,
    revision,
    dueAt: turn.now.toISOString(),
    attempt: tries + 1,
  })
  return call
}

/** Converts an executor's result to the report that the call itself would send; undefined while it is not finished. */
export function reportOf(
  row: AutoscalerPolicy,
  said: Static<typeof execResult.schema>,
): Static<typeof targetReported.schema> | undefined {
  const { intentId, status, retryable = false, errorMessage } = said
  const [policyId, ...call] = intentId.slice(0, intentId.indexOf('.')).split('/')
  if (policyId !== row.policyId || (status !== 'succeeded' && status !== 'failed')) return undefined
  const failure = { retryable, message: errorMessage || 'The executor rejected the call without giving a reason.' }
  return { ...policyOf(row), call: call.join('/'), status, ...(status === 'failed' && failure) }
}
