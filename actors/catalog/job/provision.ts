/**
 * Runs one step of a job, or undoes it: one call to the cloud under one id, made only while the job waits for it. The
 * cloud recognizes a step by its token, so a repeated step exists only once.
 */
import { callCloud } from '#actors/account/connection/call-cloud.ts'
import type { AccountRow } from '#actors/account/connection/cloud.ts'
import { ofStores, type EffectCall, type EffectWork } from '#engine/run/effect.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static } from '#engine/value/schema.ts'
import { provisionReported, type SpaceStatus } from '#streams/catalog.ts'
import { cloudFault, type Connector } from '#streams/cloud/connector.ts'
import {
  stepsOf,
  type ProvisionAnswer,
  type ProvisionRequest,
  type UnprovisionAnswer,
} from '#streams/cloud/provision.ts'
import { accountOf, stepFailureOf, unsupportedFault, type CallTools } from '#actors/catalog/call.ts'
import { objectsOf } from '#actors/catalog/components/render.ts'
import { provisionStep, type StepInput } from '#actors/catalog/effect.ts'
import { secretsSealed, type ProvisioningJob } from '#actors/catalog/entity.ts'
import { secretRef } from '#actors/catalog/database/server.ts'
import { orderStep } from './order.ts'
import { refusalOf } from './output.ts'
import { outputsOf } from './step.ts'
import { retries } from '#streams/retry.ts'

type StepResult = Pick<Static<typeof provisionReported.schema>, 'status' | 'output' | 'secrets' | 'failure' | 'gone'>

export const provisionWork = (tools: CallTools): EffectWork => ({
  name: provisionStep.name,
  pool: 'act',
  // The cloud's answer is reported, not thrown: only failures of our own stores repeat the call.
  retry: retries.recordedCall,
  run: (input, call) => run(tools, input as StepInput, call).catch(ofStores(call)),
  failed: (input, call, fault) =>
    tell(tools, input as StepInput, call, {
      status: 'failed',
      failure: stepFailureOf(fault, tools, input as StepInput),
    }),
})

async function run(tools: CallTools, input: StepInput, call: EffectCall): Promise<void> {
  const row = await awaitedJob(tools, input, call)
  const result = row && (await carriedOut(tools, row, input, call))
  if (result) await tell(tools, input, call, result)
}

async function tell(
  { publisher }: Pick<CallTools, 'publisher'>,
  { cloudAccountId, jobId, step, attempt, call: name }: StepInput,
  call: EffectCall,
  said: StepResult,
): Promise<void> {
  const data = { cloudAccountId, jobId, step, attempt, call: name, ...said }
  await publisher.report({ subject: provisionReported, orgId: call.orgId, data, id: `${call.key}/ended` })
}

type JobRow = Pick<ProvisioningJob, 'kind' | 'config' | 'tags' | 'steps' | 'secrets' | 'clusterUid' | 'provider'> &
  AccountRow & {
    region: string
    isUndo: boolean
    progress: ProvisionRequest['progress'] | null
    spaceStatus: SpaceStatus | null
  }

const jobSql = `
  select j.kind, j.region, j.config, j.tags, j.steps, j.secrets, j.provider, j.cluster_uid as "clusterUid",
    (j.awaited ->> 'isUndo')::boolean as "isUndo", j.awaited -> 'progress' as progress,
    a.name, a.external_id, a.regions, a.credentials, a.billing_export, a.status, s.status as "spaceStatus"
  from provisioning_job j
  left join space s on s.org_id = j.org_id and s.id = j.space_id
  left join cloud_account a on a.org_id = j.org_id and a.id = j.cloud_account_id
  where j.org_id = $1 and j.cloud_account_id = $2 and j.id = $3 and j.awaited ->> 'call' = $4`

/** Undefined if the call is no longer awaited. */
async function awaitedJob({ reads }: CallTools, input: StepInput, { orgId }: EffectCall): Promise<JobRow | undefined> {
  const { cloudAccountId, jobId, call } = input
  return (await reads.rows<JobRow>(jobSql, [orgId, cloudAccountId, jobId, call]))[0]
}

/** Undefined if an executor outside this process makes the step: it reports the end itself. */
async function carriedOut(
  tools: CallTools,
  row: JobRow,
  input: StepInput,
  call: EffectCall,
): Promise<StepResult | undefined> {
  try {
    const account = accountOf(row, input.cloudAccountId, call.orgId, tools)
    checkSpace(row, input, tools)
    const request = requestOf(row, input)
    if (tools.executor === 'stream')
      return await orderStep(tools, { input, request, isUndo: row.isUndo, orgId: call.orgId })
    const ask = <A>(work: (cloud: Connector) => Promise<A>): Promise<A> =>
      callCloud(tools, account, call, async (cloud) => {
        if (!cloud.provisions.includes(row.kind)) throw unsupportedFault(row.kind)
        return work(cloud)
      })
    if (row.isUndo) return unmade(await ask((cloud) => cloud.unprovision(account, request)))
    return toStepResult(tools, row, input, call, await ask((cloud) => cloud.provision(account, request)))
  } catch (error) {
    call.signal.throwIfAborted()
    const { cloudAccountId } = input
    const failure = stepFailureOf(error, tools, { cloudAccountId, provider: row.provider })
    if (failure.bucket === 'system')
      tools.report.error(
        { job: input.jobId, step: input.step, err: error },
        'a provisioning step failed because of an internal error',
      )
    return { status: 'failed', failure }
  }
}

const unmade = ({ status, gone = [], output }: UnprovisionAnswer): StepResult => ({
  status,
  ...(output && { output }),
  ...(gone.length > 0 && { gone: gone.slice(0, 256) }),
})

/**
 * Spaces and jobs are in different lanes: a space that is removed or disabled while a job starts in it does not know of
 * the job. So the first step checks the space again, before anything is created.
 * @throws a `user_action` fault
 */
function checkSpace({ kind, isUndo, spaceStatus }: JobRow, { step }: StepInput, { publicUrl }: CallTools): void {
  if (isUndo || step !== stepsOf[kind][0] || spaceStatus === 'active') return
  throw cloudFault('user_action', 'space_unavailable', 'The space is disabled or no longer exists.', {
    fixHint: 'Enable the space and retry, or delete the job.',
    consoleUrl: `${publicUrl()}/spaces`,
  })
}

/** The token identifies the step, whichever try it is. */
function requestOf(row: JobRow, { jobId, step }: StepInput): ProvisionRequest {
  const { kind, region, clusterUid, config, tags, steps, progress } = row
  return {
    jobId,
    kind,
    step,
    region,
    clusterUid: clusterUid ?? null,
    config,
    ...objectsOf(row),
    tags,
    outputs: outputsOf(steps),
    ...(progress && { progress }),
    token: uuidOf('provision', jobId, step),
  }
}

/** @throws a fault of ours if an answer contains a secret, is too large, or has invalid text */
function toStepResult(
  tools: CallTools,
  row: JobRow,
  { jobId }: StepInput,
  { orgId }: EffectCall,
  { status, output = {}, secrets = {} }: ProvisionAnswer,
): StepResult {
  const [first] = Object.keys(secrets)
  const shown = { ...output, ...(first !== undefined && { secretRef: secretRef(jobId, first) }) }
  const text = JSON.stringify(shown)
  if (Object.values(secrets).some((secret) => text.includes(JSON.stringify(secret).slice(1, -1))))
    throw cloudFault('system', 'secret_in_output', 'The output of the step contains one of its secrets.')
  const refusal = refusalOf(shown)
  if (refusal) throw cloudFault('system', refusal.code, refusal.message)
  return {
    status,
    ...(Object.keys(shown).length > 0 && { output: shown }),
    ...(first !== undefined && { secrets: sealedWith(tools, row, orgId, secrets) }),
  }
}

/** All secrets of the job, including the new ones. */
function sealedWith({ open, seal }: CallTools, { secrets: kept }: JobRow, orgId: string, secrets: object): string {
  const before = kept === null || kept === undefined ? {} : (open(secretsSealed, orgId, kept) as object)
  return seal(secretsSealed, orgId, { ...before, ...secrets })
}
