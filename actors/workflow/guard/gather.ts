/** Collects current facts of one resource right before a change, then asks its audit whether the rule still fires. */
import { sweepSome, type Apart, type SweepTools } from '#actors/recommendation/sweep/sweep.ts'
import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import { Rounds } from '#engine/run/rounds.ts'
import { factsAsked, factsJudged } from '#streams/workflow.ts'
import { lookAt, targetOf, type WorkflowCallTools } from '#actors/workflow/call/call.ts'
import { gatherFresh, type GatherInput } from '#actors/workflow/call/effect.ts'
import { matches } from '#actors/workflow/plan/match.ts'
import { warrantRow } from '#actors/workflow/plan/warrant.ts'
import { retries } from '#streams/retry.ts'

type GatherTools = SweepTools & WorkflowCallTools

interface GatherRequest extends Apart {
  orgId: string
  account: string
}

export function gatherWork(tools: GatherTools): EffectWork {
  // The stores need as many queries for one resource as for hundreds of its account.
  const sweeps = new Rounds<GatherRequest>((all) => sweepSome(tools, all[0]!, all))
  return {
    name: gatherFresh.name,
    pool: 'act',
    // Retries for some minutes, so that an unavailable store or a restarted process does not fail an approved change.
    retry: retries.workflowFacts,
    run: (input, call) => gather(tools, sweeps, input as GatherInput, call),
    failed: async (input, call) => tellJudged(tools, input as GatherInput, call, 'hold'),
  }
}

/** Judges without the rule: nothing is known, it is another resource, or it is already in the desired state. */
async function tellJudged(
  { publisher }: Pick<GatherTools, 'publisher'>,
  { cloudAccountId, jobId, resourceUid, n }: GatherInput,
  { orgId, key }: EffectCall,
  outcome: 'hold' | 'changed' | 'so',
): Promise<void> {
  const data = { cloudAccountId, jobId, resourceUid, n, outcome, targetSpec: null }
  await publisher.publish({ subject: factsJudged, orgId, data, id: `${key}/${outcome}` })
}

/**
 * The judgement by looking at the resource: it is in the desired state, or not what was planned for. If it cannot be
 * observed, the facts decide.
 */
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

/** The question is published after the facts, so it is judged on them. */
async function gather(
  tools: GatherTools,
  sweeps: Rounds<GatherRequest>,
  input: GatherInput,
  call: EffectCall,
): Promise<void> {
  const seen = await seenAs(tools, input, call)
  if (seen) return tellJudged(tools, input, call, seen)
  const { cloudAccountId, jobId, resourceUid, ruleId, n } = input
  const { orgId, key, attempt } = call
  const wanted = { orgId, account: cloudAccountId, uid: resourceUid, runId: `workflow/${jobId}`, key }
  // A failed request runs by itself the next time, so that it does not fail the others again.
  await sweeps.ask(JSON.stringify([orgId, cloudAccountId, ...(attempt > 1 ? [key] : [])]), wanted)
  const data = { cloudAccountId, jobId, resourceUid, ruleId, n }
  await tools.publisher.report({ subject: factsAsked, orgId, data, id: `${key}/ended` })
}
