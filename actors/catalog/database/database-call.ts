/**
 * Creates a database with its owner, or drops both, while its row waits for that. The cloud recognizes a repeated call
 * by its token.
 */
import { callCloud } from '#actors/account/connection/call-cloud.ts'
import type { AccountRow } from '#actors/account/connection/cloud.ts'
import { ofStores, type EffectCall, type EffectWork } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static } from '#engine/value/schema.ts'
import { databaseReported } from '#streams/catalog.ts'
import { retries } from '#streams/retry.ts'
import type { DatabaseRequest } from '#streams/cloud/provision.ts'
import { accountOf, stepFailureOf, unsupportedFault, type CallTools } from '#actors/catalog/call.ts'
import { callDatabase, type DatabaseInput } from '#actors/catalog/effect.ts'
import { databaseSealed, secretsSealed, type JobStep, type ProvisionedDatabase } from '#actors/catalog/entity.ts'
import { orderDatabase } from './order.ts'
import { secretRef } from './server.ts'
import { findOutput, outputsOf } from '#actors/catalog/job/step.ts'

type DatabaseReport = Pick<Static<typeof databaseReported.schema>, 'status' | 'secretRef' | 'secret' | 'failure'>

export const databaseWork = (tools: CallTools): EffectWork => ({
  name: callDatabase.name,
  pool: 'act',
  retry: retries.databaseCall,
  run: (input, call) => run(tools, input as DatabaseInput, call),
  failed: (input, call, fault) =>
    tell(tools, input as DatabaseInput, call, {
      status: 'failed',
      failure: stepFailureOf(fault, tools, input as DatabaseInput),
    }),
})

async function run(tools: CallTools, input: DatabaseInput, call: EffectCall): Promise<void> {
  const row = await awaitedDatabase(tools, input, call).catch(ofStores(call))
  if (!row) return
  const said = await carriedOut(tools, row, input, call)
  if (said) await tell(tools, input, call, said).catch(ofStores(call))
}

async function tell(
  { publisher }: Pick<CallTools, 'publisher'>,
  { cloudAccountId, jobId, databaseId, call: name }: DatabaseInput,
  call: EffectCall,
  said: DatabaseReport,
): Promise<void> {
  const data = { cloudAccountId, jobId, databaseId, call: name, ...said }
  await publisher.report({ subject: databaseReported, orgId: call.orgId, data, id: `${call.key}/ended` })
}

type DatabaseRow = Pick<ProvisionedDatabase, 'name' | 'owner' | 'status'> &
  Omit<AccountRow, 'name' | 'status'> & {
    accountName: string
    accountStatus: string
    region: string
    provider: string
    steps: JobStep[]
    engine: string | null
    secrets: string | null
  }

const databaseSql = `
  select d.name, d.owner, d.status, j.region, j.provider, j.steps, j.secrets, j.config ->> 'engine' as engine,
    a.name as "accountName", a.external_id, a.regions, a.credentials, a.billing_export, a.status as "accountStatus"
  from provisioned_database d
  join provisioning_job j on j.org_id = d.org_id and j.cloud_account_id = d.cloud_account_id and j.id = d.job_id
  left join cloud_account a on a.org_id = d.org_id and a.id = d.cloud_account_id
  where d.org_id = $1 and d.cloud_account_id = $2 and d.id = $3 and d.call = $4`

/** Undefined if the call is no longer awaited. */
async function awaitedDatabase(
  { reads }: CallTools,
  { cloudAccountId, databaseId, call }: DatabaseInput,
  { orgId }: EffectCall,
): Promise<DatabaseRow | undefined> {
  return (await reads.rows<DatabaseRow>(databaseSql, [orgId, cloudAccountId, databaseId, call]))[0]
}

/** Undefined if an executor outside this process makes the call: it reports the end itself. @throws temporary errors */
async function carriedOut(
  tools: CallTools,
  row: DatabaseRow,
  input: DatabaseInput,
  call: EffectCall,
): Promise<DatabaseReport | undefined> {
  try {
    return await callProvider(tools, row, input, call)
  } catch (error) {
    call.signal.throwIfAborted()
    const { cloudAccountId } = input
    const failure = stepFailureOf(error, tools, { cloudAccountId, provider: row.provider })
    if (failure.bucket === 'transient' && call.attempt < retries.databaseRefused.tries)
      throw Fault.transient(failure.code, failure.message, error)
    if (failure.bucket === 'system')
      tools.report.error(
        { database: input.databaseId, err: error },
        'a database call failed because of an internal error',
      )
    return { status: 'failed', failure }
  }
}

async function callProvider(
  tools: CallTools,
  row: DatabaseRow,
  input: DatabaseInput,
  call: EffectCall,
): Promise<DatabaseReport | undefined> {
  const { cloudAccountId, jobId, databaseId } = input
  const { name, owner, region, steps, accountName, accountStatus } = row
  const account = accountOf({ ...row, name: accountName, status: accountStatus }, cloudAccountId, call.orgId, tools)
  const token = uuidOf('database', databaseId)
  const isDrop = row.status === 'deleting'
  const engine = findOutput(steps, 'engine')
  const order = {
    jobId,
    databaseId,
    region,
    name,
    owner,
    token,
    engine: row.engine ?? (typeof engine === 'string' ? engine : ''),
    outputs: outputsOf(steps),
  }
  if (tools.executor === 'stream')
    return await orderDatabase(tools, { input, request: order, isDrop, orgId: call.orgId }).catch(ofStores(call))
  const request: DatabaseRequest = { ...order, password: administratorPassword(tools, row, call) }
  return callCloud<DatabaseReport>(tools, account, call, async (cloud) => {
    if (!cloud.provisions.includes('datastore')) throw unsupportedFault('datastore')
    if (isDrop) {
      await cloud.dropDatabase(account, request)
      return { status: 'done' }
    }
    const { secrets } = await cloud.createDatabase(account, request)
    const secret = tools.seal(databaseSealed, call.orgId, secrets)
    return { status: 'done', secretRef: secretRef(jobId, owner), secret }
  })
}

/** The first secret of a datastore belongs to its administrator. */
function administratorPassword({ open }: CallTools, { secrets }: DatabaseRow, { orgId }: EffectCall): string | null {
  const [password] =
    secrets === null ? [] : Object.values(open(secretsSealed, orgId, secrets) as Record<string, string>)
  return password ?? null
}
