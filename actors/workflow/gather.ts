/** Gathers what is known of one resource right before something is done to it, then asks its audit what the rule says. */
import { sweepOne, type SweepTools } from '#actors/recommendation/sweep.ts'
import type { EffectCall, EffectWork } from '#engine/effect.ts'
import { factsAsked, factsJudged } from '#streams/workflow.ts'
import { lookAt, targetOf, type WorkflowCallTools } from './call.ts'
import { gatherFresh, type GatherInput } from './effect.ts'
import { matches } from './sight.ts'
import { warrantRow } from './warrant.ts'

type GatherTools = SweepTools & WorkflowCallTools

export const gatherWork = (tools: GatherTools): EffectWork => ({
  name: gatherFresh.name,
  pool: 'act',
  // Some minutes in all: a store that is away for a while, or a process that ends, is no reason to fail what was approved.
  triesMax: 12,
  pauseMs: 500,
  run: (input, call) => gather(tools, input as GatherInput, call),
  failed: async (input, call) => tellJudged(tools, input as GatherInput, call, 'hold'),
})

/** Judged without the rule: nothing is known now, it is another resource, or it is so already. */
async function tellJudged(
  { publisher }: Pick<GatherTools, 'publisher'>,
  { cloudAccountId, jobId, resourceUid, n }: GatherInput,
  { orgId, key }: EffectCall,
  outcome: 'hold' | 'changed' | 'so',
): Promise<void> {
  const data = { cloudAccountId, jobId, resourceUid, n, outcome, targetSpec: null }
  await publisher.publish({ subject: factsJudged, orgId, data, id: `${key}/${outcome}` })
}

/** Whether a look says that it is what it is to be, or not what was planned for. What nobody can see is judged by facts. */
async function seenAs(
  tools: GatherTools,
  { jobId, cloudAccountId }: GatherInput,
  call: EffectCall,
): Promise<'so' | 'changed' | undefined> {
  const row = await warrantRow((sql, params) => tools.reads.rows(sql, params), { orgId: call.orgId, jobId })
  const [first] = row?.plan.ops ?? []
  const target = row && (await targetOf(tools, row.plan, cloudAccountId, call.orgId))
  if (!first || !target) return undefined
  const seen = tools.executor === 'stream' ? {} : await lookAt(tools, target, call).catch(() => ({}))
  call.signal.throwIfAborted()
  if (Object.keys(row!.plan.target).length > 0 && matches(row!.plan.target, seen, target.inventory) === 'yes')
    return 'so'
  return matches(first.expect, seen, target.inventory) === 'no' ? 'changed' : undefined
}

/** The question is published behind the facts, so it is judged by them. */
async function gather(tools: GatherTools, input: GatherInput, call: EffectCall): Promise<void> {
  const seen = await seenAs(tools, input, call)
  if (seen) return tellJudged(tools, input, call, seen)
  const { cloudAccountId, jobId, resourceUid, ruleId, n } = input
  await sweepOne(tools, { account: cloudAccountId, uid: resourceUid, runId: `workflow/${jobId}` }, call)
  const data = { cloudAccountId, jobId, resourceUid, ruleId, n }
  await tools.publisher.report({ subject: factsAsked, orgId: call.orgId, data, id: `${call.key}/ended` })
}
