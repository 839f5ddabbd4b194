/** Databases on the servers of datastore jobs (decision G-88). */
import { hasServer } from '#actors/catalog/database/server.ts'
import type { ProvisioningJob } from '#actors/catalog/entity.ts'
import { databasesOf, foundDatabase, foundJob } from '#actors/catalog/queries.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { Database, showDatabase } from '#http/catalog/body.ts'
import { exampleIds } from '#http/catalog/example.ts'
import { jobId, keyOf } from '#http/catalog/job.ts'
import { askerOf, readDatabaseReply, record } from '#http/catalog/record.ts'
import { route, type Route } from '#http/edge/route.ts'
import { reply } from '#http/store/reply.ts'
import { databaseBegun, databaseRemoved } from '#streams/catalog.ts'
import { text } from '#streams/text.ts'

const sqlName = (description: string) => text({ pattern: '^[a-z][a-z0-9_]{0,62}$', description })

const Body = t.Object(
  { name: sqlName('of the database'), owner: sqlName('a user that is created with it and owns it') },
  { examples: [{ name: 'shop', owner: 'shop_app' }] },
)

/** @throws Fault `conflict` `not_a_datastore` */
function checkParent(job: ProvisioningJob): void {
  const { kind, name, config } = job
  if (!hasServer(job)) throw Fault.conflict('not_a_datastore', `${name} is a ${kind}. Only datastores have databases.`)
  if (config['engine'] === 'redis')
    throw Fault.conflict('not_a_datastore', `${name} is a redis server, which has no databases with owners.`)
}

const routeBase = { tags: ['Provisioning'] } as const
const params = t.Object({ jobID: jobId })
const one = t.Object({
  jobID: jobId,
  dbID: t.String({ description: 'as in the list of databases', examples: [exampleIds.database] }),
})
const path = '/provisioning-jobs/:jobID/databases'

export const databases: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path,
    summary: 'Create a database and its owner on a provisioned server',
    description:
      'The status is creating until it exists on the server. Returns 409 not_a_datastore if the job is not a server, 409 ' +
      'job_not_ready until the server is ready, and 409 already_exists if the name is taken.',
    permission: 'provisioning.create',
    status: 201,
    headers: { Location: 'URL of the new database' },
    params,
    body: Body,
    reply: Database,
    refuses: { 409: ['already_exists', 'job_not_ready', 'not_a_datastore'], 422: ['limit_reached'] },
    handle: async (request, services) => {
      const { caller, body } = request
      const job = await foundJob(services.em, caller.orgId, request.params.jobID)
      checkParent(job)
      await checkRowLimit(services.em, 'provisioned_database', caller.orgId)
      const asked = { ...keyOf(job), databaseId: services.newId(), ...body, userId: askerOf(caller) }
      const { databaseId: id } = readDatabaseReply(await services.ask(databaseBegun, asked))
      await record(request, services, 'provisioning_database_created', { jobID: job.id, databaseID: id })
      const database = await foundDatabase(services.em, caller.orgId, { jobId: job.id, id })
      return reply(showDatabase(database), {
        headers: { Location: `/provisioning-jobs/${job.id}/databases/${id}` },
      })
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path,
    summary: 'List the databases of a server, sorted by name',
    description:
      'Includes only databases that were created through this API on the server of this job; other databases are unknown.',
    permission: 'provisioning.view',
    params,
    reply: t.Array(Database),
    handle: async ({ caller: { orgId }, params: { jobID } }, { em }) => {
      const { id } = await foundJob(em, orgId, jobID)
      return (await databasesOf(em, orgId, id)).map(showDatabase)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: `${path}/:dbID`,
    summary: 'Get a database and its connection details; its secret is a reference',
    description: 'The secret is referenced by its name in the cloud; the password itself is never returned.',
    permission: 'provisioning.view',
    params: one,
    reply: Database,
    handle: async ({ caller, params: { jobID, dbID } }, { em }) =>
      showDatabase(await foundDatabase(em, caller.orgId, { jobId: jobID, id: dbID })),
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: `${path}/:dbID`,
    summary: 'Drop a database, revoke its owner and delete its connections',
    description: 'Returns 409 database_busy while it is being created or dropped.',
    permission: 'provisioning.delete',
    status: 204,
    params: one,
    refuses: { 409: ['database_busy'] },
    handle: async (request, services) => {
      const { caller } = request
      const { jobID: jobId, dbID } = request.params
      const { cloudAccountId, id } = await foundDatabase(services.em, caller.orgId, { jobId, id: dbID })
      await services.ask(databaseRemoved, { cloudAccountId, jobId, databaseId: id, userId: askerOf(caller) })
      await record(request, services, 'provisioning_database_deleted', { jobID: jobId, databaseID: id })
    },
  }),
]
