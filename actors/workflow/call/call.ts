/** Shared by the calls of workflows to clouds. */
import { openEnabledAccount, type AccountRow } from '#actors/account/connection/cloud.ts'
import { callCloud } from '#actors/account/connection/call-cloud.ts'
import type { Tools } from '#actors/tools.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import type { CloudAccount, ResourceRef } from '#streams/cloud/connector.ts'
import type { Provider } from '#streams/names.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { operationReported, type OperationReport } from '#streams/workflow.ts'
import type { WorkflowPlan, Sight } from '#actors/workflow/entity.ts'

export type WorkflowCallTools = Pick<Tools, 'reads' | 'publisher' | 'cloudOf' | 'open' | 'clock' | 'now' | 'executor'>

interface CallRef {
  cloudAccountId: string
  jobId: string
  call: string
}

/** Sends a report to the workflow, with an id derived from the key of the call, so that a repeat counts once. */
export async function tellReport(
  { publisher }: Pick<Tools, 'publisher'>,
  { cloudAccountId, jobId, call: name }: CallRef,
  call: EffectCall,
  report: Pick<OperationReport, 'status'> & Partial<OperationReport>,
): Promise<void> {
  const data = { cloudAccountId, jobId, call: name, ...report }
  await publisher.report({ subject: operationReported, orgId: call.orgId, data, id: `${call.key}/ended` })
}

/** The account and resource to call, with facts from the inventory. */
export interface Target {
  account: CloudAccount
  resource: ResourceRef
  inventory: Sight
}

const targetSql = `
  select r.specs, r.observed_status as "observedStatus", r.instance_type as "instanceType", r.deleted_at is null as present,
    a.name, a.external_id, a.regions, a.credentials, a.billing_export, a.status
  from cloud_account a
  left join resource r on r.org_id = a.org_id and r.cloud_account_id = a.id and r.uid = $3
  where a.org_id = $1 and a.id = $2`

interface TargetRow extends AccountRow {
  specs: Record<string, unknown> | null
  observedStatus: ResourceStatus | null
  instanceType: string | null
  present: boolean | null
}

/** Undefined if its account is gone or disabled. */
export async function targetOf(
  tools: WorkflowCallTools,
  { resource: { uid, type, region, provider } }: WorkflowPlan,
  cloudAccountId: string,
  orgId: string,
): Promise<Target | undefined> {
  const [row] = await tools.reads.rows<TargetRow>(targetSql, [orgId, cloudAccountId, uid])
  const account = row && openEnabledAccount(row, { cloudAccountId, provider: provider as Provider }, orgId, tools)
  if (!account) return undefined
  const { specs, observedStatus: status, instanceType } = row
  return {
    account,
    resource: { resourceUid: uid, type, region, ...(specs && { specs }) },
    inventory: {
      ...(status && { status }),
      ...(instanceType && { instanceType }),
      ...(specs && { specs }),
    },
  }
}

/** @throws what the cloud throws */
export const lookAt = (tools: WorkflowCallTools, { account, resource }: Target, call: EffectCall): Promise<Sight> =>
  callCloud(tools, account, call, (cloud) => cloud.look(account, resource))
