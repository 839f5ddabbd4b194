/** Gathers what is known of one resource right before something is done to it, then asks its audit what the rule says. */
import { sweepOne, type SweepTools } from '#actors/recommendation/sweep.ts'
import type { EffectCall, EffectWork } from '#engine/effect.ts'
import { factsAsked, factsJudged } from '#streams/workflow.ts'
import { gatherFresh, type GatherInput } from './effect.ts'

export const gatherWork = (tools: SweepTools): EffectWork => ({
  name: gatherFresh.name,
  pool: 'act',
  // Some minutes in all: a store that is away for a while, or a process that ends, is no reason to fail what was approved.
  triesMax: 12,
  pauseMs: 500,
  run: (input, call) => gather(tools, input as GatherInput, call),
  failed: async (input, call) => unknown(tools, input as GatherInput, call),
})

/** Nothing is known now, so nothing is done. */
async function unknown(
  { publisher }: Pick<SweepTools, 'publisher'>,
  { cloudAccountId, jobId, resourceUid, n }: GatherInput,
  { orgId, key }: EffectCall,
): Promise<void> {
  const data = { cloudAccountId, jobId, resourceUid, n, outcome: 'hold' as const, targetSpec: null }
  await publisher.publish({ subject: factsJudged, orgId, data, id: `${key}/unknown` })
}

/** The question is published behind the facts, so it is judged by them. */
async function gather(tools: SweepTools, input: GatherInput, call: EffectCall): Promise<void> {
  const { cloudAccountId, jobId, resourceUid, ruleId, n } = input
  await sweepOne(tools, { account: cloudAccountId, uid: resourceUid, runId: `workflow/${jobId}` }, call)
  const data = { cloudAccountId, jobId, resourceUid, ruleId, n }
  await tools.publisher.report({ subject: factsAsked, orgId: call.orgId, data, id: `${call.key}/ended` })
}
