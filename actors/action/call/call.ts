/** Shared by the calls that start, stop and look up resources in clouds. */
import { openEnabledAccount, type AccountRow } from '#actors/account/connection/cloud.ts'
import type { Tools } from '#actors/tools.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { actionReported, type ActionSource } from '#streams/action/messages.ts'
import type { CloudAccount, ResourceRef } from '#streams/cloud/connector.ts'
import type { TryInput } from './effect.ts'
import type { Report } from '#actors/action/power/try.ts'

export type CallTools = Pick<Tools, 'reads' | 'publisher' | 'cloudOf' | 'open' | 'clock' | 'now' | 'executor'>

/** Reports the state of the try. `end` distinguishes its two reports by id. */
export async function tellReport(
  { publisher }: Pick<Tools, 'publisher'>,
  { intentId, cloudAccountId, resourceUid }: TryInput,
  call: EffectCall,
  end: 'accepted' | 'ended',
  report: Omit<Report, 'intentId'>,
): Promise<void> {
  await publisher.report({
    subject: actionReported,
    orgId: call.orgId,
    data: { intentId, cloudAccountId, resourceUid, ...report },
    id: `${call.key}/${end}`,
  })
}

export interface CallTarget {
  account: CloudAccount
  resource: ResourceRef
  /** The workflow that requested it, if one did. */
  workflow?: NonNullable<ActionSource['workflow']>
}

const calledSql = `
  select p.live ->> 'intentId' as intent, p.live #> '{record,source,workflow}' as workflow, r.specs, r.deleted_at is null as present,
         a.name, a.external_id, a.regions, a.credentials, a.billing_export, a.status
  from power p
  left join resource r on r.org_id = p.org_id and r.cloud_account_id = p.cloud_account_id and r.uid = p.resource_uid
  left join cloud_account a on a.org_id = p.org_id and a.id = p.cloud_account_id
  where p.org_id = $1 and p.cloud_account_id = $2 and p.resource_uid = $3`

interface Row extends AccountRow {
  intent: string | null
  specs: Record<string, unknown> | null
  present: boolean | null
  workflow: NonNullable<ActionSource['workflow']> | null
}

/**
 * The account and resource to call. `stale`: the action no longer waits for this try. `gone`: why no call can be made.
 */
export async function callTargetOf(
  tools: CallTools,
  input: TryInput,
  { orgId }: EffectCall,
): Promise<CallTarget | 'stale' | { gone: string }> {
  const { cloudAccountId, resourceUid, type, region } = input
  const [row] = await tools.reads.rows<Row>(calledSql, [orgId, cloudAccountId, resourceUid])
  if (row?.intent !== input.intentId) return 'stale'
  if (row.present !== true) return { gone: 'the resource no longer exists' }
  const account = openEnabledAccount(row, input, orgId, tools)
  if (!account) return { gone: 'the account is disabled' }
  const resource = { resourceUid, type, region, ...(row.specs && { specs: row.specs }) }
  return { account, resource, ...(row.workflow && { workflow: row.workflow }) }
}
