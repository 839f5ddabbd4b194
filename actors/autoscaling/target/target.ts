/**
 * Reads the target of a policy, or changes it: one call under one id, made only while the policy waits for it, so that
 * old calls of a dead process change nothing. Counts are absolute, so a repeated call has the same result.
 */
import { callCloud, type AskingTools } from '#actors/account/connection/call-cloud.ts'
import { openEnabledAccount, type AccountRow } from '#actors/account/connection/cloud.ts'
import type { Tools } from '#actors/tools.ts'
import { ofStores, type EffectCall, type EffectWork } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { accountVerified } from '#streams/account/messages.ts'
import { targetReported, type Counts } from '#streams/autoscaling.ts'
import type { CloudAccount, ResourceRef } from '#streams/cloud/connector.ts'
import type { Provider } from '#streams/names.ts'
import { averages, type AverageOf } from './average.ts'
import { callTarget, type TargetInput } from '#actors/autoscaling/effect.ts'
import type { Report } from './report.ts'
import { failureOf } from '#streams/cloud/call/failure.ts'
import { retries } from '#streams/retry.ts'

type TargetTools = AskingTools & Pick<Tools, 'open' | 'executor'> & { averageOf: AverageOf }

type TargetReport = Pick<Report, 'status'> & Partial<Report>

export function targetWork(given: AskingTools & Pick<Tools, 'open' | 'ask' | 'executor'>): EffectWork {
  const tools: TargetTools = { ...given, averageOf: averages(given) }
  return {
    name: callTarget.name,
    pool: 'act',
    // The cloud's answer is reported, not thrown: only failures of our own stores repeat the call.
    retry: retries.recordedCall,
    run: (input, call) => run(tools, input as TargetInput, call).catch(ofStores(call)),
    failed: (input, call, fault) => tell(tools, input as TargetInput, call, failedReport(fault)),
  }
}

async function run(tools: TargetTools, input: TargetInput, call: EffectCall): Promise<void> {
  const target = await targetOf(tools, input, call)
  if (target === 'stale') return
  // The executor that reads the order makes the call and reports its result.
  if (target && input.counts && tools.executor === 'stream' && input.replaceAtCpu === undefined) return
  const said = target ? await carriedOut(tools, target, input, call) : goneReport
  await tell(tools, input, call, said)
}

const goneReport: TargetReport = {
  status: 'failed',
  retryable: false,
  code: 'gone',
  message: 'The account is disabled or no longer exists.',
}

async function tell(
  { publisher }: Pick<Tools, 'publisher'>,
  { cloudAccountId, targetUid, policyId, call: name }: TargetInput,
  call: EffectCall,
  said: TargetReport,
): Promise<void> {
  const data = { ...said, cloudAccountId, targetUid, policyId, call: name }
  await publisher.report({ subject: targetReported, orgId: call.orgId, data, id: `${call.key}/ended` })
}

function failedReport(error: unknown): TargetReport {
  const { retryable, code, message } = failureOf(error, ['no_answer', 'unavailable'])
  return { status: 'failed', retryable, code, message }
}

interface Target {
  account: CloudAccount
  resource: ResourceRef
  name: string
  /** The last verdict on its credentials. */
  verdict: string
}

const targetSql = `
  select p.target_type as type, p.name as policy, r.region, r.specs,
    p.in_flight ->> 'call' = $4 or p.hold ->> 'call' = $4
      or exists (select from jsonb_array_elements(p.plans) one where one ->> 'call' = $4) as awaited,
    a.permission_verdict as verdict, a.name, a.external_id, a.regions, a.credentials, a.billing_export, a.status
  from autoscaler_policy p
  left join cloud_account a on a.org_id = p.org_id and a.id = p.cloud_account_id
  left join resource r on r.org_id = p.org_id and r.cloud_account_id = p.cloud_account_id and r.uid = p.target_uid
  where p.org_id = $1 and p.cloud_account_id = $2 and p.target_uid = $3 and p.policy_id = $5`

interface TargetRow extends AccountRow {
  type: string
  policy: string
  region: string | null
  specs: Record<string, unknown> | null
  awaited: boolean | null
  verdict: string | null
}

/** `stale`: the policy no longer waits for the call. Undefined if the account is gone or disabled. */
async function targetOf(
  tools: TargetTools,
  { cloudAccountId, targetUid, policyId, call: name, provider }: TargetInput,
  { orgId }: EffectCall,
): Promise<Target | 'stale' | undefined> {
  const params = [orgId, cloudAccountId, targetUid, name, policyId]
  const [row] = await tools.reads.rows<TargetRow>(targetSql, params)
  if (!row?.awaited) return 'stale'
  const account = openEnabledAccount(row, { cloudAccountId, provider: provider as Provider }, orgId, tools)
  if (!account) return undefined
  const { type, region, specs } = row
  return {
    account,
    name: row.policy,
    verdict: row.verdict ?? 'unknown',
    resource: { resourceUid: targetUid, type, region: region ?? '', ...(specs && { specs }) },
  }
}

async function carriedOut(
  tools: TargetTools,
  target: Target,
  input: TargetInput,
  call: EffectCall,
): Promise<TargetReport> {
  try {
    if (input.until !== undefined && Date.parse(input.until) <= tools.now().getTime())
      return { status: 'failed', retryable: false, code: 'window_passed', message: 'The time window has passed.' }
    if (input.counts || input.replaceAtCpu !== undefined) await changeTarget(tools, target, input, call)
    return { status: 'succeeded', ...(await readCounts(tools, target, input, call)) }
  } catch (error) {
    call.signal.throwIfAborted()
    if (isDenied(error)) await verify(tools, target, call)
    return failedReport(error)
  }
}

/** @throws what the cloud throws */
async function changeTarget(
  tools: TargetTools,
  { account, resource, name }: Target,
  { counts, replaceAtCpu }: TargetInput,
  call: EffectCall,
): Promise<void> {
  if (tools.executor === 'stream')
    throw Fault.refused(
      'unsupported_action',
      'The executor of this installation cannot replace scaling policies of a target.',
    )
  if (replaceAtCpu !== undefined) {
    const ours = { id: uuidOf('replace', call.key), policyName: name, metric: 'cpu_percent', target: replaceAtCpu }
    await callCloud(tools, account, call, (cloud) => cloud.replacePolicies(account, resource, ours))
  }
  if (!counts) return
  const action = { id: uuidOf('scale', call.key), kind: 'scale', resource, params: counts } as const
  await callCloud(tools, account, call, (cloud) => cloud.act(account, action))
}

/** The counts that the target reports. After a change, a failed read is not an error. */
async function readCounts(
  tools: TargetTools,
  { account, resource }: Target,
  { counts, withAverage }: TargetInput,
  call: EffectCall,
): Promise<{ counts?: Counts; averageCpu?: number | null }> {
  const look = callCloud(tools, account, call, (cloud) => cloud.look(account, resource))
  const seen = await (counts ? look.catch(() => undefined) : look)
  call.signal.throwIfAborted()
  if (seen && !seen.exists) throw Fault.refused('resource_not_found', 'The target no longer exists in the cloud.')
  return {
    ...(seen?.capacity && { counts: seen.capacity }),
    ...(withAverage && { averageCpu: await averageOf(tools, { account, resource }, call) }),
  }
}

/** If the store does not answer, the average counts as not measured: an event does not wait. */
async function averageOf(
  { averageOf: average }: TargetTools,
  { account: { id: cloudAccountId }, resource: { resourceUid: targetUid } }: Pick<Target, 'account' | 'resource'>,
  { orgId, signal }: EffectCall,
): Promise<number | null> {
  const found = await average({ orgId, cloudAccountId, targetUid }).catch(() => null)
  signal.throwIfAborted()
  return found
}

/**
 * Verifies the credentials after a denied call. If the verdict has changed, the account is notified, and through it its
 * policies.
 */
async function verify(tools: TargetTools, { account, verdict: known }: Target, call: EffectCall): Promise<void> {
  const found = await callCloud(tools, account, call, (cloud) => cloud.verify(account)).catch(() => undefined)
  // Reporting the same verdict again would cause another evaluation each time.
  if (!found || found.verdict === known) return
  const { verdict, missingPermissions, message = null } = found
  const data = { id: account.id, verdict, missingPermissions, message }
  await tools.publisher.publish({ subject: accountVerified, orgId: call.orgId, data, id: `${call.key}/verified` })
}

/** Each cloud has its own error codes for it. */
const isDenied = (error: unknown): boolean => ['access_denied', 'permission_missing'].includes(Fault.from(error).code)
