/** How to connect to what jobs have created. Only a record: deleting it does not delete its database user. */
import { defineActor, type Waiting } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { connectionForgotten, connectionRemoved, connectionSaved } from '#streams/catalog.ts'
import { ProvisionedConnection, type ProvisionedDatabase } from '#actors/catalog/entity.ts'
import { jobAt, serverOf, type Server } from './server.ts'

type Database = Pick<ProvisionedDatabase, 'id' | 'jobId' | 'name' | 'owner' | 'status' | 'secretRef'>

/** Both by the key of the connection. */
export interface ConnectionNeeds {
  jobs: ReadonlyMap<string, Awaited<ReturnType<typeof jobAt>>>
  databases: ReadonlyMap<string, Database>
}

const ofConnection = ({ connectionId }: { connectionId: string }): string => connectionId

export const connectionActor = defineActor({
  kind: 'connection',
  entity: ProvisionedConnection,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'id' },
  initial: () => ({
    jobId: '',
    databaseId: null,
    name: '',
    host: '',
    port: 0,
    user: '',
    secretRef: '',
    createdBy: '',
    createdAt: new Date(0),
  }),
  needs: connectionNeeds,
  reactions: (on) => [
    // Must see the database as all earlier messages left it.
    on(connectionSaved, ofConnection, save, { barrier: true }),
    on(connectionRemoved, ofConnection, remove),
    on(connectionForgotten, ofConnection, (_row, _data, turn) => turn.remove(), { existing: true }),
  ],
})

const databaseSql = `
  select id, job_id as "jobId", name, owner, status, secret_ref as "secretRef" from provisioned_database
  where org_id = $1 and cloud_account_id = $2 and id = $3`

async function connectionNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<ConnectionNeeds> {
  const jobs = new Map<string, Awaited<ReturnType<typeof jobAt>>>()
  const databases = new Map<string, Database>()
  for (const { subject, address, data } of waiting) {
    if (subject.name !== connectionSaved.name) continue
    const { jobId, databaseId } = data as Static<typeof connectionSaved.schema>
    jobs.set(address.key, await jobAt(reads, address, jobId))
    if (databaseId === null) continue
    const [found] = await reads.rows<Database>(databaseSql, [address.orgId, address.place, databaseId])
    if (found) databases.set(address.key, found)
  }
  return { jobs, databases }
}

/** @throws Fault as `connectionSaved` says; `conflict` `already_exists`, `database_busy` */
function save(
  row: ProvisionedConnection,
  said: Static<typeof connectionSaved.schema>,
  turn: Turn<ConnectionNeeds>,
): void {
  const { jobs, databases } = turn.needs
  const { jobId, databaseId, userId } = said
  const server = serverOf(jobs.get(row.id), jobId)
  if (row.jobId !== '') throw Fault.conflict('already_exists', 'A connection with this ID already exists.')
  const database = databaseId === null ? undefined : checkAvailable(databases.get(row.id), jobId, databaseId)
  const { name, user, secretRef } = { ...(database ? ofOwner(database) : ofAdmin(server)), ...givenBy(said) }
  const { host, port } = server
  Object.assign(row, { jobId, databaseId, name, host, port, user, secretRef, createdBy: userId || 'system' })
  row.createdAt = turn.now
  turn.reply({ connectionId: row.id })
}

const ofAdmin = ({ user, secretRef }: Server) => ({ name: 'server', user, secretRef })

const ofOwner = ({ name, owner, secretRef }: Database) => ({ name, user: owner, secretRef: secretRef ?? '' })

const givenBy = ({ name, user, secretRef }: Static<typeof connectionSaved.schema>) => ({
  ...(name !== undefined && { name }),
  ...(user !== undefined && { user }),
  ...(secretRef !== undefined && { secretRef }),
})

function checkAvailable(database: Database | undefined, jobId: string, databaseId: string): Database {
  if (database?.jobId !== jobId) throw Fault.missing('database', databaseId)
  if (database.status !== 'available')
    throw Fault.conflict('database_busy', `The database is ${database.status}, not available.`)
  return database
}

/** @throws Fault `missing` */
function remove(
  row: ProvisionedConnection,
  { jobId }: Static<typeof connectionRemoved.schema>,
  turn: Turn<ConnectionNeeds>,
): void {
  if (row.jobId === '' || row.jobId !== jobId) throw Fault.missing('connection', row.id)
  turn.reply({ connectionId: row.id })
  turn.remove()
}
