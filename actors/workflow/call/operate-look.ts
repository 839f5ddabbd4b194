/** Checks whether a call that the cloud accepted is done, or at the end whether all of a plan is. */
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
  // The next check comes by itself.
  failed: async () => {},
})

/**
 * Only reports success; otherwise it is checked again. The final state is also reported to the inventory. An executor
 * outside this process reports each operation itself, and is believed.
 */
async function look(tools: WorkflowCallTools, input: LookInput, call: EffectCall): Promise<void> {
  const row = await warranting(tools, input, call)
  if (row?.status !== 'running') return
  if (tools.executor === 'stream' && input.index !== null) return
  if (isUnseen(row, input) ? await isToldSo(tools, input, row.plan, call) : await isSo(tools, input, row, call))
    await tellReport(tools, input, call, { status: 'succeeded' })
}

const warranting = ({ reads }: WorkflowCallTools, { jobId }: LookInput, { orgId }: EffectCall) =>
  warrantRow((sql, params) => reads.rows(sql, params), { orgId, jobId })

/** A snapshot does not change the resource. */
const isUnseen = ({ plan }: WarrantRow, { index }: LookInput): boolean =>
  index !== null && plan.ops[index]!.kind === 'snapshot'

/**
 * Repeats the call with the same id: a cloud that knows the id reports its progress. For other clouds nothing can be
 * learned.
 */
async function isToldSo(
  tools: WorkflowCallTools,
  input: LookInput,
  plan: WorkflowPlan,
  call: EffectCall,
): Promise<boolean> {
  const target = await targetOf(tools, plan, input.cloudAccountId, call.orgId)
  if (!target || tools.cloudOf(target.account).repeats.snapshot !== 'token') return false
  // A cloud that has forgotten the id would execute the call again, which needs the same approval as the first time.
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
  const seen = tools.executor === 'stream' ? plan.target : await lookAt(tools, target, call).catch(() => undefined)
  call.signal.throwIfAborted()
  if (seen === undefined || matches(wanted, seen, target.inventory) !== 'yes') return false
  if (input.index === null && seen.exists !== false) await tellInventory(tools, input, { plan, seen }, call)
  return true
}

/**
 * What the cloud does not report counts as planned. A deleted resource leaves the inventory with the next scan, or when
 * its producer reports it.
 */
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
