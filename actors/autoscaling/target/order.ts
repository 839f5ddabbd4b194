/** Calls to targets: asked for under a name, and told to whoever carries them out elsewhere (decisions G-21 and G-101). */
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { execIntent, intentIdOf, type execResult } from '#streams/action/exec.ts'
import { callTarget, type TargetInput } from '#actors/autoscaling/effect.ts'
import type { AutoscalerPolicy } from '#actors/autoscaling/entity.ts'
import type { targetReported } from '#streams/autoscaling.ts'
import { policyOf } from '#actors/autoscaling/tell.ts'

type Order = Partial<Pick<TargetInput, 'counts' | 'replaceAtCpu' | 'withAverage' | 'until'>> & {
  /** A plan; the policy itself where it is left out. */
  planId?: string
  /** Times the same was asked for before. */
  tries?: number
}

/** Asks for a call, under a name that begins with its kind. What changes counts is an order, too. */
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

/** What an executor says of an order, as the call itself would; undefined while it is not over. */
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
