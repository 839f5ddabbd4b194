/** Databases that an executor outside this process creates and drops: orders, and what the executor reports. */
import type { DatabaseInput } from '#actors/catalog/effect.ts'
import type { ProvisionedDatabase } from '#actors/catalog/entity.ts'
import { refusalOf } from '#actors/catalog/job/output.ts'
import { executorFailureOf } from '#actors/catalog/job/order.ts'
import type { Tools } from '#actors/tools.ts'
import type { Static } from '#engine/value/schema.ts'
import { execIntent, intentIdOf, type execResult } from '#streams/action/exec.ts'
import type { databaseReported } from '#streams/catalog.ts'
import type { DatabaseRequest } from '#streams/cloud/provision.ts'

interface DatabaseOrder {
  input: DatabaseInput
  /** Without the password of the administrator, which executors have themselves. */
  request: Omit<DatabaseRequest, 'password'>
  isDrop: boolean
  orgId: string
}

/** Puts the call on the stream; a repeat has the same id. Resolves once it is durable. */
export async function orderDatabase(
  { publisher, now }: Pick<Tools, 'publisher' | 'now'>,
  { input: { cloudAccountId, call }, request, isDrop, orgId }: DatabaseOrder,
): Promise<undefined> {
  const { databaseId, jobId, region, name, owner, engine, outputs, token } = request
  const intentId = intentIdOf(`${databaseId}/${call}`, databaseId)
  await publisher.post(execIntent, orgId, intentId, {
    intentId,
    kind: isDrop ? 'drop_database' : 'create_database',
    cloudAccountId,
    resourceUid: databaseId,
    params: { database: { region, name, owner, engine, outputs, token } },
    source: { type: 'provisioning', id: jobId },
    revision: 1,
    dueAt: now().toISOString(),
    attempt: 1,
  })
}

/** The end of the awaited call as the executor reports it; undefined before the end. */
export function endOfDatabaseOrder(
  { cloudAccountId, jobId, id: databaseId }: ProvisionedDatabase,
  call: string,
  { status, retryable, errorMessage, output = {} }: Static<typeof execResult.schema>,
): Static<typeof databaseReported.schema> | undefined {
  if (status === 'accepted' || status === 'running') return undefined
  const result = { cloudAccountId, jobId, databaseId, call }
  if (status === 'failed') return { ...result, status, failure: executorFailureOf(retryable === true, errorMessage) }
  const refusal = refusalOf(output)
  if (refusal) return { ...result, status: 'failed', failure: { bucket: 'system', ...refusal } }
  const { secretRef } = output
  return { ...result, status: 'done', ...(typeof secretRef === 'string' && { secretRef }) }
}
