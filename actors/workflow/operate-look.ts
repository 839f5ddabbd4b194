/** Looks whether a call that the cloud has taken is done, or at the end whether all of a plan is so. */
import { ofStores, type EffectCall, type EffectWork } from '#engine/effect.ts'
import { lookAt, targetOf, tellReport, type WorkflowCallTools } from './call.ts'
import { lookOperation, type LookInput } from './effect.ts'
import type { Sight } from './entity.ts'
import { isScheduled } from './schedule.ts'
import { matches } from './sight.ts'
import { warrantRow, type WarrantRow } from './warrant.ts'

export const lookWork = (tools: WorkflowCallTools): EffectWork => ({
  name: lookOperation.name,
  pool: 'act',
  triesMax: 4,
  pauseMs: 500,
  run: (input, call) => look(tools, input as LookInput, call).catch(ofStores(call)),
  // The next look comes by itself.
  failed: async () => {},
})

/** Only that it is so is told: what is not yet is looked at again. */
async function look(tools: WorkflowCallTools, input: LookInput, call: EffectCall): Promise<void> {
  const { orgId } = call
  const row = await warrantRow((sql, params) => tools.reads.rows(sql, params), { orgId, jobId: input.jobId })
  if (row?.status === 'running' && (await isSo(tools, input, row, call)))
    await tellReport(tools, input, call, { status: 'succeeded' })
}

async function isSo(
  tools: WorkflowCallTools,
  input: LookInput,
  { plan }: WarrantRow,
  call: EffectCall,
): Promise<boolean> {
  const wanted = input.index === null ? plan.target : plan.ops[input.index]!.done
  if (plan.template === 'schedule') return isScheduled(tools, call.orgId, plan.resource.uid)
  const target = await targetOf(tools, plan, input.cloudAccountId, call.orgId)
  if (!target) return false
  const seen = tools.executor === 'stream' ? unseen : await lookAt(tools, target, call).catch(() => undefined)
  call.signal.throwIfAborted()
  return seen !== undefined && matches(wanted, seen, target.inventory) === 'yes'
}

/** Whoever carries actions out elsewhere tells the inventory. */
const unseen: Sight = { exists: true }
