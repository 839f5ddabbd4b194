/** Spaces, jobs, databases and connections as rows, for what only reads them, and somebody who answers for their actors. */
import { randomUUID } from 'node:crypto'
import { decoder } from '#engine/value/schema.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { stepsOf, type ProvisioningKind } from '#streams/cloud/provision.ts'
import { configExample } from '#http/catalog/example.ts'
import { provisioningKinds } from '#streams/cloud/provision.ts'
import type { Asked } from '#test/harness/autoscaler-row.ts'
import { ask, type Founder } from '#test/harness/people.ts'
import { connected } from '#test/harness/workflow.ts'
import { testProduct, type Tenant } from '#test/harness/product.ts'

export type { Asked } from '#test/harness/autoscaler-row.ts'

export const at = '2030-01-07T13:00:00.000Z'

type Kept = Pick<Tenant, 'orgId' | 'connections'>

const space = {
  name: 'Production',
  cloud_account_id: 'acct-1',
  provider: 'aws',
  region: 'us-east-1',
  kind: 'account_region',
  cluster_uid: null as string | null,
  status: 'active',
  created_at: at,
  updated_at: at,
}

/** Steps of a job that is ready. */
export const doneSteps = (kind: ProvisioningKind) =>
  stepsOf[kind].map((name) => ({ id: name, name, status: 'succeeded', attempts: 1, startedAt: at, completedAt: at }))

export const postgres = {
  engine: 'postgres',
  version: '16.3',
  instanceClass: 'db.m5.large',
  allocatedStorageGB: 100,
  multiAZ: false,
  backupRetentionDays: 7,
}

const job = {
  cloud_account_id: 'acct-1',
  space_id: 'space-1',
  provider: 'aws',
  region: 'us-east-1',
  cluster_uid: null as string | null,
  kind: 'datastore' as ProvisioningKind,
  name: 'orders',
  config: postgres as object,
  tags: {} as Record<string, string>,
  phase: 'ready',
  current_step: null as string | null,
  steps: doneSteps('datastore') as object[],
  error: null as object | null,
  attempts: 1,
  awaited: null as object | null,
  calls: 7,
  undo: null as string[] | null,
  defects: [] as object[],
  secrets: null as string | null,
  expires_at: null as string | null,
  created_by: 'u-1',
  created_at: at,
  updated_at: at,
  completed_at: at as string | null,
}

const database = {
  cloud_account_id: 'acct-1',
  job_id: 'job-1',
  name: 'shop',
  owner: 'shop_app',
  status: 'available',
  server: 'orders.example',
  port: 5432,
  secret_ref: 'secret://job-1/shop_app' as string | null,
  secret: null as string | null,
  error: null as object | null,
  call: '',
  created_by: 'u-1',
  created_at: at,
  updated_at: at,
}

const connection = {
  cloud_account_id: 'acct-1',
  job_id: 'job-1',
  database_id: null as string | null,
  name: 'orders',
  host: 'orders.example',
  port: 5432,
  user: 'admin',
  secret_ref: 'secret://job-1/admin',
  created_by: 'u-1',
  created_at: at,
}

async function planted<R extends object>(
  table: string,
  { orgId, connections }: Kept,
  row: R,
  list: readonly Partial<R & { id: string }>[],
): Promise<string[]> {
  const rows = list.map((fields) => ({ org_id: orgId, id: randomUUID() as string, ...row, ...fields }))
  await connections.store.pool.query(
    `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(rows)],
  )
  return rows.map(({ id }) => id)
}

/** Makes one of each; their ids, in this order. */
export const plantedSpaces = (of: Kept, ...list: Partial<typeof space & { id: string }>[]): Promise<string[]> =>
  planted('space', of, space, list)
export const plantedProvisionings = (of: Kept, ...list: Partial<typeof job & { id: string }>[]): Promise<string[]> =>
  planted('provisioning_job', of, job, list)
export const plantedDatabases = (of: Kept, ...list: Partial<typeof database & { id: string }>[]): Promise<string[]> =>
  planted('provisioned_database', of, database, list)
export const plantedConnections = (
  of: Kept,
  ...list: Partial<typeof connection & { id: string }>[]
): Promise<string[]> => planted('provisioned_connection', of, connection, list)

export type RowTable = 'space' | 'provisioning_job' | 'provisioned_database' | 'provisioned_connection'

/** Sets columns of one row. */
export async function changedRow(
  { orgId, connections }: Kept,
  table: RowTable,
  id: string,
  fields: object,
): Promise<void> {
  const names = Object.keys(fields)
  await connections.store.pool.query(
    `update ${table} p set ${names.map((name) => `"${name}" = r."${name}"`).join(', ')}
     from jsonb_populate_record(null::${table}, $3) r where p.org_id = $1 and p.id = $2`,
    [orgId, id, JSON.stringify(fields)],
  )
}

export const takenRow = async ({ orgId, connections }: Kept, table: RowTable, id: string): Promise<void> =>
  void (await connections.store.pool.query(`delete from ${table} where org_id = $1 and id = $2`, [orgId, id]))

const own = /^(?:space|provisioning|database|connection)\./

/** Answers for the actors of the catalog until `end`: what the edge makes of what they say is seen without a cloud. */
export async function answeringCatalog(
  work: (asked: Asked) => Promise<unknown>,
): Promise<{ asked: Asked[]; end: () => void }> {
  const { product } = await testProduct()
  const asker = product.get(tokens.asker)
  const asked: Asked[] = []
  const ask = asker.ask.bind(asker)
  asker.ask = async (subject, orgId, data, id) => {
    if (!own.test(subject.name)) return ask(subject, orgId, data, id)
    const one = { name: subject.name, data: decoder(subject.schema)(data) }
    asked.push(one)
    return work(one)
  }
  return { asked, end: () => void (asker.ask = ask) }
}

/** What clouds offer until `end`, where the simulated one is asked. */
export async function offering(offer: object): Promise<() => void> {
  const { product } = await testProduct()
  const { simulated } = product.get(tokens.clouds)
  const before = Object.getOwnPropertyDescriptors(simulated)
  const names = Object.keys(offer)
  for (const name of names)
    Object.defineProperty(simulated, name, {
      value: (offer as Record<string, unknown>)[name],
      configurable: true,
      writable: true,
      enumerable: true,
    })
  return () => {
    for (const name of names) {
      const was = before[name]
      if (was) Object.defineProperty(simulated, name, was)
      else delete (simulated as unknown as Record<string, unknown>)[name]
    }
  }
}

/** One of everything, at an account of which something is known; the ids by the paths that name them. */
export async function plantedCatalog(of: Kept, ids: Partial<Record<'space' | 'job', string>> = {}) {
  const [spaceID] = (await plantedSpaces(of, { ...(ids.space && { id: ids.space }) })) as [string]
  const [jobID] = (await plantedProvisionings(of, { ...(ids.job && { id: ids.job }), space_id: spaceID })) as [string]
  const [dbID] = (await plantedDatabases(of, { job_id: jobID })) as [string]
  const [ofJob, ofDatabase] = (await plantedConnections(
    of,
    { job_id: jobID },
    { job_id: jobID, database_id: dbID, name: 'shop' },
  )) as [string, string]
  const path = '/provisioning-jobs/:jobID'
  return {
    spaceID,
    dbID,
    connID: ofJob,
    '/provisioning-jobs/:id': jobID,
    [path]: jobID,
    [`${path}/connections/:connID`]: ofJob,
    [`${path}/databases/:dbID/connections/:connID`]: ofDatabase,
  }
}

/** Asks for one of everything, and for what becomes of it: what is written down of it, the oldest first. Actors say yes to all. */
export async function decidedProvisioning(who: Founder): Promise<[type: string, detail: object][]> {
  const { connections } = await testProduct()
  const of = { orgId: who.orgId, connections }
  const cloudAccountID = await connected(who.accessToken)
  const withdraw = await offering({ provisions: provisioningKinds })
  const { end } = await answeringCatalog(async ({ name, data }) => {
    const { spaceId, jobId, databaseId, connectionId } = data
    if (name === 'space.saved' && data.isNew)
      await plantedSpaces(of, { id: spaceId, cloud_account_id: data.cloudAccountId })
    if (name === 'provisioning.begun')
      await plantedProvisionings(of, { id: jobId, cloud_account_id: data.cloudAccountId, space_id: spaceId })
    if (name === 'database.begun') await plantedDatabases(of, { id: databaseId, job_id: jobId })
    if (name === 'connection.saved') await plantedConnections(of, { id: connectionId, job_id: jobId })
    return { spaceId, jobId, databaseId, connectionId }
  })
  const send = async (method: string, path: string, body?: object): Promise<any> => {
    const answer = await ask(method, path, { token: who.accessToken, ...(body && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body?.data
  }
  try {
    const place = { name: 'Told', cloudAccountID, region: 'us-east-1' }
    const { id: spaceID } = await send('POST', '/spaces', place)
    const wanted = { spaceID, kind: 'datastore', config: configExample('datastore') }
    const { id: jobID } = await send('POST', '/provisioning-jobs', wanted)
    const job = `/provisioning-jobs/${jobID}`
    await send('PATCH', job, { name: 'Told' })
    const { id: databaseID } = await send('POST', `${job}/databases`, { name: 'shop', owner: 'shop_app' })
    const { id: connectionID } = await send('POST', `${job}/connections`, {})
    await send('DELETE', `${job}/connections/${connectionID}`)
    await send('DELETE', `${job}/databases/${databaseID}`)
    await send('POST', `${job}/retry`)
    await send('DELETE', job)
    return [
      ['space_changed', { spaceID, change: 'created' }],
      ['provisioning_created', { jobID, spaceID, kind: 'datastore' }],
      ['provisioning_changed', { jobID }],
      ['provisioning_database_created', { jobID, databaseID }],
      ['provisioning_connection_created', { jobID, connectionID }],
      ['provisioning_connection_deleted', { jobID, connectionID }],
      ['provisioning_database_deleted', { jobID, databaseID }],
      ['provisioning_retried', { jobID }],
      ['provisioning_deleted', { jobID }],
    ]
  } finally {
    end()
    withdraw()
  }
}
