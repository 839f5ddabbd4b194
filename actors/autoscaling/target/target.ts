/**
 * Looks at the target of a policy, or changes it: one call under one name, made only as long as the policy waits for it, so that
 * what a process left behind long ago changes nothing. What is asked for is absolute: asked twice it is so once.
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
    // What the cloud says is reported, not thrown: only our own stores make it try again.
    retry: retries.recordedCall,
    run: (input, call) => run(tools, input as TargetInput, call).catch(ofStores(call)),
    failed: (input, call, fault) => tell(tools, input as TargetInput, call, failedReport(fault)),
  }
}

async function run(tools: TargetTools, input: TargetInput, call: EffectCall): Promise<void> {
  const target = await targetOf(tools, input, call)
  if (target === 'stale') return
  // Whoever reads the order makes the call, and says what came of it.
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
  /** What its credentials were found to allow last. */
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

/** `stale`: nobody waits for the call any more. Undefined where its account is gone or disabled. */
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

/** The counts as the target tells them; of one that was changed a look that fails is no failure. */
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

/** Without an answer of the store it is estimated: an event does not wait. */
async function averageOf(
  { averageOf: average }: TargetTools,
  { account: { id: cloudAccountId }, resource: { resourceUid: targetUid } }: Pick<Target, 'account' | 'resource'>,
  { orgId, signal }: EffectCall,
): Promise<number | null> {
  const found = await average({ orgId, cloudAccountId, targetUid }).catch(() => null)
  signal.throwIfAborted()
  return found
}

/** What the credentials allow is another than was thought: the account is told, and its policies with it. */
async function verify(tools: TargetTools, { account, verdict: known }: Target, call: EffectCall): Promise<void> {
  const found = await callCloud(tools, account, call, (cloud) => cloud.verify(account)).catch(() => undefined)
  // Told again and again, it would be looked at again and again.
  if (!found || found.verdict === known) return
  const { verdict, missingPermissions, message = null } = found
  const data = { id: account.id, verdict, missingPermissions, message }
  await tools.publisher.publish({ subject: accountVerified, orgId: call.orgId, data, id: `${call.key}/verified` })
}

/** Clouds have their words for it. */
const isDenied = (error: unknown): boolean => ['access_denied', 'permission_missing'].includes(Fault.from(error).code)
