/** Looks whether a call that the cloud has taken is done, or at the end whether all of a plan is so. */
import { ofStores, type EffectCall, type EffectWork } from '#engine/run/effect.ts'
import { lookAt, targetOf, tellReport, type WorkflowCallTools } from './call.ts'
import { lookOperation, type LookInput } from './effect.ts'
import type { WorkflowPlan, Sight } from '#actors/workflow/entity.ts'
import { resourceLooked } from '#streams/resource/messages.ts'
import { makeCall } from './operate.ts'
import { isScheduled, scheduleIdOf } from '#actors/workflow/plan/schedule.ts'
import { matches } from '#actors/workflow/plan/match.ts'
import { findWarrantRefusal, warrantRow, type WarrantRow } from '#actors/workflow/plan/warrant.ts'
import { retries } from '#streams/retry.ts'

export const lookWork = (tools: WorkflowCallTools): EffectWork => ({
  name: lookOperation.name,
  pool: 'act',
  retry: retries.workflowLook,
  run: (input, call) => look(tools, input as LookInput, call).catch(ofStores(call)),
  // The next look comes by itself.
  failed: async () => {},
})

/** Only that it is so is told: what is not yet is looked at again. What is seen at the end the inventory shows too. */
async function look(tools: WorkflowCallTools, input: LookInput, call: EffectCall): Promise<void> {
  const row = await warranting(tools, input, call)
  if (row?.status !== 'running') return
  if (isUnseen(row, input) ? await isToldSo(tools, input, row.plan, call) : await isSo(tools, input, row, call))
    await tellReport(tools, input, call, { status: 'succeeded' })
}

const warranting = ({ reads }: WorkflowCallTools, { jobId }: LookInput, { orgId }: EffectCall) =>
  warrantRow((sql, params) => reads.rows(sql, params), { orgId, jobId })

/** Of a snapshot nothing is to be seen at the resource. */
const isUnseen = ({ plan }: WarrantRow, { index }: LookInput): boolean =>
  index !== null && plan.ops[index]!.kind === 'snapshot'

/** Asked again under the same id, a cloud that knows it says how far it is; of another nobody learns it. */
async function isToldSo(
  tools: WorkflowCallTools,
  input: LookInput,
  plan: WorkflowPlan,
  call: EffectCall,
): Promise<boolean> {
  const target = await targetOf(tools, plan, input.cloudAccountId, call.orgId)
  if (!target || tools.cloudOf(target.account).repeats.snapshot !== 'token') return false
  // One that has forgotten it would take another: that has to be allowed as the first.
  const row = await warranting(tools, input, call)
  if (!row || findWarrantRefusal(row, input.call, tools.now()) !== undefined) return false
  const [planned, op] = [plan.ops[input.index!]!, row.ops[input.index!]!]
  const said = await makeCall(tools, { planned, op, target }, call).catch(() => undefined)
  call.signal.throwIfAborted()
  return said?.status === 'succeeded'
}

async function isSo(
  tools: WorkflowCallTools,
  input: LookInput,
  { plan }: WarrantRow,
  call: EffectCall,
): Promise<boolean> {
  const wanted = input.index === null ? plan.target : plan.ops[input.index]!.done
  if (plan.template === 'schedule') return isScheduled(tools, call.orgId, scheduleIdOf(call.orgId, input))
  const target = await targetOf(tools, plan, input.cloudAccountId, call.orgId)
  if (!target) return false
  const seen = tools.executor === 'stream' ? unseen : await lookAt(tools, target, call).catch(() => undefined)
  call.signal.throwIfAborted()
  if (seen === undefined || matches(wanted, seen, target.inventory) !== 'yes') return false
  if (input.index === null && seen.exists !== false) await tellInventory(tools, input, { plan, seen }, call)
  return true
}

/** What the cloud does not tell is as it was to be. What is gone leaves the inventory by the next scan, or its producer's word. */
async function tellInventory(
  { publisher, now }: WorkflowCallTools,
  { cloudAccountId }: LookInput,
  { plan, seen }: { plan: WorkflowPlan; seen: Sight },
  call: EffectCall,
): Promise<void> {
  const { status = plan.target.status, instanceType = plan.target.instanceType } = seen
  const data = {
    cloudAccountId,
    resourceUid: plan.resource.uid,
    at: now().toISOString(),
    ...(status && { status }),
    ...(instanceType && { instanceType }),
    specs: plan.target.specs ?? {},
  }
  await publisher.report({ subject: resourceLooked, orgId: call.orgId, data, id: `${call.key}/looked` })
}

/** Whoever carries actions out elsewhere tells the inventory. */
const unseen: Sight = { exists: true }
