/** Databases on servers of jobs: one call creates a database with its owner, one drops both. */
import { defineActor, type Waiting } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  connectionForgotten,
  databaseBegun,
  databaseForgotten,
  databaseRemoved,
  databaseReported,
  databaseResealed,
} from '#streams/catalog.ts'
import { execResult, jobCallOf } from '#streams/action/exec.ts'
import { callDatabase } from '#actors/catalog/effect.ts'
import { ProvisionedDatabase } from '#actors/catalog/entity.ts'
import { errorOf } from '#actors/catalog/job/fail.ts'
import { abandonedMs } from '#actors/catalog/job/advance.ts'
import { endOfDatabaseOrder } from './order.ts'
import { jobAt, secretRef, serverOf } from './server.ts'

/** Both by the key of the database. */
export interface DatabaseNeeds {
  jobs: ReadonlyMap<string, Awaited<ReturnType<typeof jobAt>>>
  /** Names in use on the server. */
  names: ReadonlyMap<string, readonly string[]>
  connections: ReadonlyMap<string, readonly string[]>
}

const ofDatabase = ({ databaseId }: { databaseId: string }): string => databaseId

export const databaseActor = defineActor({
  kind: 'database',
  entity: ProvisionedDatabase,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'id' },
  initial: () => ({
    jobId: '',
    name: '',
    owner: '',
    status: 'creating' as const,
    server: '',
    port: 0,
    secretRef: null,
    secret: null,
    error: null,
    call: '',
    createdBy: '',
    createdAt: new Date(0),
    updatedAt: new Date(0),
  }),
  needs: databaseNeeds,
  reactions: (on) => [
    // Must see the names of all earlier requests.
    on(databaseBegun, ofDatabase, begin, { barrier: true }),
    on(databaseRemoved, ofDatabase, remove),
    on(databaseReported, ofDatabase, report, { existing: true }),
    on(
      execResult,
      ({ intentId }) => jobCallOf(intentId).jobId,
      (row, said, turn) => {
        const end = endOfDatabaseOrder(row, jobCallOf(said.intentId).call, said)
        if (end) report(row, end, turn)
      },
      { existing: true },
    ),
    on(databaseForgotten, ofDatabase, (_row, _data, turn) => turn.remove(), { existing: true }),
    on(databaseResealed, ofDatabase, reseal, { existing: true }),
  ],
})

const namesSql = 'select name from provisioned_database where org_id = $1 and job_id = $2'
const connectionsSql = 'select id from provisioned_connection where org_id = $1 and database_id = $2 order by id'

async function databaseNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<DatabaseNeeds> {
  const needs = {
    jobs: new Map<string, Awaited<ReturnType<typeof jobAt>>>(),
    names: new Map<string, readonly string[]>(),
    connections: new Map<string, readonly string[]>(),
  }
  for (const { subject, address, data } of waiting) {
    const { orgId, key } = address
    if (subject.name === databaseBegun.name) {
      const { jobId } = data as { jobId: string }
      needs.jobs.set(key, await jobAt(reads, address, jobId))
      const names = await reads.rows<{ name: string }>(namesSql, [orgId, jobId])
      needs.names.set(
        key,
        names.map(({ name }) => name),
      )
    } else if (subject.name === databaseReported.name || subject.name === execResult.name) {
      const rows = await reads.rows<{ id: string }>(connectionsSql, [orgId, key])
      needs.connections.set(
        key,
        rows.map(({ id }) => id),
      )
    }
  }
  return needs
}

/** @throws Fault as `databaseBegun` says */
function begin(row: ProvisionedDatabase, said: Static<typeof databaseBegun.schema>, turn: Turn<DatabaseNeeds>): void {
  const { jobId, name, owner, userId } = said
  const { jobs, names } = turn.needs
  const server = serverOf(jobs.get(row.id), jobId)
  const { host, port } = server
  if (row.jobId !== '' || names.get(row.id)?.includes(name))
    throw Fault.conflict('already_exists', `The server already has a database named ${name}.`)
  // Otherwise its password would have the reference of another secret.
  if (owner === server.user || secretRef(jobId, owner) === server.secretRef)
    throw Fault.conflict('already_exists', `The server already has a user named ${owner}.`)
  Object.assign(row, { jobId, name, owner, server: host, port, createdBy: userId || 'system' })
  row.createdAt = turn.now
  call(row, 'creating', turn)
  turn.reply({ databaseId: row.id })
}

function call(row: ProvisionedDatabase, status: 'creating' | 'deleting', turn: Turn<DatabaseNeeds>): void {
  row.status = status
  row.error = null
  row.updatedAt = turn.now
  row.call = `${status}/${turn.id()}`
  const { cloudAccountId, jobId, id: databaseId } = row
  const key = `provision/${turn.address.orgId}/${databaseId}/${row.call}`
  turn.call(callDatabase, key, { cloudAccountId, jobId, databaseId, call: row.call })
  const failure = { bucket: 'system', code: 'abandoned', message: 'The call did not finish within six hours.' } as const
  const end = { cloudAccountId, jobId, databaseId, call: row.call, status: 'failed', failure } as const
  turn.remind('abandoned', new Date(turn.now.getTime() + abandonedMs), databaseReported, end)
}

/** @throws Fault `missing`, `conflict` `database_busy` */
function remove(
  row: ProvisionedDatabase,
  { jobId }: Static<typeof databaseRemoved.schema>,
  turn: Turn<DatabaseNeeds>,
): void {
  if (row.jobId === '' || row.jobId !== jobId) throw Fault.missing('database', row.id)
  if (row.call !== '')
    throw Fault.conflict('database_busy', `The database is ${row.status}. Wait until that has finished.`)
  call(row, 'deleting', turn)
  turn.reply({ databaseId: row.id })
}

/** Reports of any other call than the awaited one are ignored. */
function report(
  row: ProvisionedDatabase,
  data: Static<typeof databaseReported.schema>,
  turn: Turn<DatabaseNeeds>,
): void {
  if (row.call === '' || row.call !== data.call) return
  const wasDeleting = row.status === 'deleting'
  row.call = ''
  row.updatedAt = turn.now
  turn.forget('abandoned')
  if (data.status === 'failed') {
    const failure = data.failure ?? { bucket: 'system', code: 'unexplained', message: 'The call failed.' }
    row.status = 'failed'
    row.error = { ...errorOf(failure, wasDeleting ? 'drop_database' : 'create_database'), code: failure.code }
    return
  }
  if (wasDeleting) return finishRemoval(row, turn)
  row.status = 'available'
  row.secretRef = data.secretRef ?? null
  row.secret = data.secret ?? null
}

function finishRemoval({ cloudAccountId, jobId, id }: ProvisionedDatabase, turn: Turn<DatabaseNeeds>): void {
  for (const connectionId of turn.needs.connections.get(id) ?? [])
    turn.emit(connectionForgotten, { cloudAccountId, jobId, connectionId })
  turn.remove()
}

function reseal(row: ProvisionedDatabase, { was, sealed }: Static<typeof databaseResealed.schema>): void {
  if (row.secret === was) row.secret = sealed
}
