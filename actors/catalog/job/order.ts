/** Steps of provisioning that an executor outside this process makes: orders, and what the executor reports. */
import type { ProvisioningJob } from '#actors/catalog/entity.ts'
import type { StepInput } from '#actors/catalog/effect.ts'
import type { Tools } from '#actors/tools.ts'
import type { Static } from '#engine/value/schema.ts'
import { execIntent, intentIdOf, jobCallOf, type execResult } from '#streams/action/exec.ts'
import type { provisionReported, StepFailure } from '#streams/catalog.ts'
import type { ProvisionRequest } from '#streams/cloud/provision.ts'
import { refusalOf } from './output.ts'
import { jobOf, stepOf } from './step.ts'

interface StepOrder {
  input: StepInput
  request: ProvisionRequest
  isUndo: boolean
  orgId: string
}

/** Puts the step on the stream; a repeat has the same id. Resolves once it is durable. */
export async function orderStep(
  { publisher, now }: Pick<Tools, 'publisher' | 'now'>,
  { input: { cloudAccountId, jobId, attempt, call }, request, isUndo, orgId }: StepOrder,
): Promise<undefined> {
  const { jobId: _, objects, ...provision } = request
  const intentId = intentIdOf(`${jobId}/${call}`, jobId)
  await publisher.post(execIntent, orgId, intentId, {
    intentId,
    kind: isUndo ? 'unprovision' : 'provision',
    cloudAccountId,
    resourceUid: jobId,
    params: { provision: { ...provision, ...(objects && { objects: objects.map((one) => ({ ...one })) }) } },
    source: { type: 'provisioning', id: jobId },
    revision: attempt,
    dueAt: now().toISOString(),
    attempt,
  })
}

/** The end of the awaited step as the executor reports it; undefined before the end. */
export function endOfExecutor(
  row: ProvisioningJob,
  { intentId, status, retryable, errorMessage, output, gone }: Static<typeof execResult.schema>,
): Static<typeof provisionReported.schema> | undefined {
  if (status === 'accepted' || status === 'running') return undefined
  const { call } = jobCallOf(intentId)
  const step = row.awaited?.step ?? ''
  const result = { ...jobOf(row), step, attempt: stepOf(row, step)?.attempts ?? 1, call }
  if (status === 'failed') return { ...result, status, failure: executorFailureOf(retryable === true, errorMessage) }
  const refusal = output && refusalOf(output)
  if (refusal) return { ...result, status: 'failed', failure: { bucket: 'system', ...refusal } }
  return { ...result, status: 'done', ...(output && { output }), ...(gone && { gone }) }
}

/** An executor says itself whether another try may help; otherwise people have to. */
export const executorFailureOf = (isRetryable: boolean, errorMessage = ''): StepFailure => ({
  bucket: isRetryable ? 'transient' : 'user_action',
  code: 'executor_failed',
  message: errorMessage.slice(0, 2000) || 'The executor gave no reason.',
  ...(!isRetryable && { fixHint: 'Fix the problem that the executor reports, then retry the job.' }),
})
