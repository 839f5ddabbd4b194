/** Databases on the servers that datastore jobs have made (decision G-88). */
import type { ProvisioningJob } from '#actors/catalog/entity.ts'
import { databasesOf, foundDatabase, foundJob } from '#actors/catalog/queries.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { Database, showDatabase } from '#http/catalog/body.ts'
import { exampleIds } from '#http/catalog/example.ts'
import { jobId, keyOf } from '#http/catalog/job.ts'
import { askerOf, databaseAnswered, record } from '#http/catalog/record.ts'
import { route, type Route } from '#http/edge/route.ts'
import { reply } from '#http/store/reply.ts'
import { databaseBegun, databaseRemoved } from '#streams/catalog.ts'
import { text } from '#streams/text.ts'

const sqlName = (description: string) => text({ pattern: '^[a-z][a-z0-9_]{0,62}$', description })

const Body = t.Object(
  { name: sqlName('of the database'), owner: sqlName('a user that is made with it, and owns it') },
  { examples: [{ name: 'shop', owner: 'shop_app' }] },
)

/** @throws Fault `conflict` `not_a_datastore` */
function checkParent({ kind, name, config }: ProvisioningJob): void {
  if (kind !== 'datastore')
    throw Fault.conflict('not_a_datastore', `${name} is a ${kind}: databases are of datastores alone.`)
  if (config['engine'] === 'redis')
    throw Fault.conflict('not_a_datastore', `${name} is a redis, which has no databases with owners.`)
}

const fixed = { tags: ['Provisioning'] } as const
const params = t.Object({ jobID: jobId })
const one = t.Object({
  jobID: jobId,
  dbID: t.String({ description: 'as the list of databases names it', examples: [exampleIds.database] }),
})
const path = '/provisioning-jobs/:jobID/databases'

export const databases: readonly Route[] = [
  route({
    ...fixed,
    method: 'POST',
    path,
    summary: 'Make a database and its owner on a provisioned server',
    description:
      'It is creating until the server has it. 409 not_a_datastore, job_not_ready before the server is there, already_exists for a ' +
      'name that is taken.',
    permission: 'provisioning.create',
    status: 201,
    headers: { Location: 'where the database is' },
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
      const { databaseId: id } = databaseAnswered(await services.ask(databaseBegun, asked))
      await record(request, services, 'provisioning_database_created', { jobID: job.id, databaseID: id })
      const database = await foundDatabase(services.em, caller.orgId, { jobId: job.id, id })
      return reply(showDatabase(database), {
        headers: { Location: `/provisioning-jobs/${job.id}/databases/${id}` },
      })
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path,
    summary: 'List the databases of a server, by name',
    description:
      'Those that were made here, on the server that this job has made; databases that were made otherwise are not known.',
    permission: 'provisioning.view',
    params,
    reply: t.Array(Database),
    handle: async ({ caller: { orgId }, params: { jobID } }, { em }) => {
      const { id } = await foundJob(em, orgId, jobID)
      return (await databasesOf(em, orgId, id)).map(showDatabase)
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path: `${path}/:dbID`,
    summary: 'One database, and how it is reached: its secret by reference alone',
    description: 'The secret is named as the cloud keeps it; the password itself is never shown.',
    permission: 'provisioning.view',
    params: one,
    reply: Database,
    handle: async ({ caller, params: { jobID, dbID } }, { em }) =>
      showDatabase(await foundDatabase(em, caller.orgId, { jobId: jobID, id: dbID })),
  }),

  route({
    ...fixed,
    method: 'DELETE',
    path: `${path}/:dbID`,
    summary: 'Drop a database and revoke its owner; its connections are removed',
    description: '409 database_busy while it is being made or dropped.',
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
