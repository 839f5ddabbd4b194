/** Records of how to connect to a server, or to one database of it; none holds a secret (decision G-88). */
import {
  connectionsOf,
  foundConnection,
  foundDatabase,
  foundJob,
  type ConnectionScope,
} from '#actors/catalog/queries.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { t, type TObject } from '#engine/schema.ts'
import { Connection, showConnection } from '#http/catalog/body.ts'
import { exampleIds } from '#http/catalog/example.ts'
import { jobId } from '#http/catalog/job.ts'
import { askerOf, connectionAnswered, record } from '#http/catalog/record.ts'
import { Name } from '#http/edge/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { reply } from '#http/store/reply.ts'
import { connectionRemoved, connectionSaved } from '#streams/catalog.ts'
import { text } from '#streams/text.ts'

const Body = t.Object(
  {
    name: t.Optional(Name),
    user: t.Optional(
      text({
        minLength: 1,
        maxLength: 256,
        description: 'the owner of the database, or the administrator unless given',
      }),
    ),
    secretRef: t.Optional(
      text({
        pattern: '^secret://.',
        maxLength: 1024,
        description:
          'names the secret of the user, as in secret://JOB/NAME, that of the owner or the administrator unless given; a secret itself ' +
          'is not taken',
      }),
    ),
  },
  { examples: [{ name: 'Shop' }] },
)

const dbID = t.String({ description: 'as the list of databases names it', examples: [exampleIds.database] })
const connID = t.String({ description: 'as the list of connections names it', examples: [exampleIds.connection] })

interface Given {
  jobID: string
  dbID?: string
}

/** The scope that a path names, and where its actors are. @throws Fault `missing` for a database of another job too */
async function placed({ em }: Services, orgId: string, { jobID, dbID: id }: Given) {
  const { cloudAccountId, id: jobId } = await foundJob(em, orgId, jobID)
  const database = id === undefined ? null : await foundDatabase(em, orgId, { jobId, id })
  const scope: ConnectionScope = { jobId, databaseId: database?.id ?? null }
  return { cloudAccountId, scope }
}

interface Scoped {
  path: string
  params: TObject
  /** Of connections, in a sentence. */
  of: string
}

const scopes: readonly Scoped[] = [
  {
    path: '/provisioning-jobs/:jobID',
    params: t.Object({ jobID: jobId }),
    of: 'a server, shared by all its databases',
  },
  {
    path: '/provisioning-jobs/:jobID/databases/:dbID',
    params: t.Object({ jobID: jobId, dbID }),
    of: 'one database',
  },
]

const fixed = { tags: ['Provisioning'] } as const

type OfOne = Given & { connID: string }
const given = (request: { params: unknown }) => request.params as OfOne

const one = ({ params }: Scoped) => t.Object({ ...(params.properties as { jobID: typeof jobId }), connID })

const creation = ({ path, params, of }: Scoped): Route =>
  route({
    ...fixed,
    method: 'POST',
    path: `${path}/connections`,
    summary: `Record how to connect to ${of}`,
    description:
      'Its body may be empty. 409 not_a_datastore for what is no server, job_not_ready before it is there, database_busy for a database ' +
      'that is not available.',
    permission: 'provisioning.create',
    status: 201,
    headers: { Location: 'where the connection is' },
    params,
    body: Body,
    reply: Connection,
    refuses: { 409: ['database_busy', 'job_not_ready', 'not_a_datastore'], 422: ['limit_reached'] },
    handle: async (request, services) => {
      const { orgId } = request.caller
      const { cloudAccountId, scope } = await placed(services, orgId, given(request))
      await checkRowLimit(services.em, 'provisioned_connection', orgId)
      const { name, ...rest } = request.body
      const called = name === undefined ? rest : { ...rest, name: name.trim() }
      const asked = { cloudAccountId, ...scope, connectionId: services.newId(), ...called }
      const answer = await services.ask(connectionSaved, { ...asked, userId: askerOf(request.caller) })
      const { connectionId: id } = connectionAnswered(answer)
      await record(request, services, 'provisioning_connection_created', { jobID: scope.jobId, connectionID: id })
      const connection = await foundConnection(services.em, orgId, { ...scope, id })
      const at = scope.databaseId === null ? '' : `/databases/${scope.databaseId}`
      return reply(showConnection(connection), {
        headers: { Location: `/provisioning-jobs/${scope.jobId}${at}/connections/${id}` },
      })
    },
  })

const listing = ({ path, params, of }: Scoped): Route =>
  route({
    ...fixed,
    method: 'GET',
    path: `${path}/connections`,
    summary: `List how to connect to ${of}; by name`,
    description: 'Addresses, ports, names of users and references to secrets; passwords are never shown.',
    permission: 'provisioning.view',
    params,
    reply: t.Array(Connection),
    handle: async (request, services) => {
      const { orgId } = request.caller
      const { scope } = await placed(services, orgId, given(request))
      return (await connectionsOf(services.em, orgId, scope)).map(showConnection)
    },
  })

const single = (scoped: Scoped): Route =>
  route({
    ...fixed,
    method: 'GET',
    path: `${scoped.path}/connections/:connID`,
    summary: `One way to connect to ${scoped.of}`,
    description: 'The address, the port, the user, and where the secret is kept; the password itself is never shown.',
    permission: 'provisioning.view',
    params: one(scoped),
    reply: Connection,
    handle: async (request, services) => {
      const { orgId } = request.caller
      const { scope } = await placed(services, orgId, given(request))
      return showConnection(await foundConnection(services.em, orgId, { ...scope, id: given(request).connID }))
    },
  })

const removal = (scoped: Scoped): Route =>
  route({
    ...fixed,
    method: 'DELETE',
    path: `${scoped.path}/connections/:connID`,
    summary: `Forget how to connect to ${scoped.of}; the user of the database stays`,
    description:
      'Only what is kept here is removed: the database, its user and the secret at the cloud are not touched.',
    permission: 'provisioning.delete',
    status: 204,
    params: one(scoped),
    handle: async (request, services) => {
      const { caller } = request
      const { cloudAccountId, scope } = await placed(services, caller.orgId, given(request))
      const { id } = await foundConnection(services.em, caller.orgId, { ...scope, id: given(request).connID })
      const { jobId: of } = scope
      const asked = { cloudAccountId, jobId: of, connectionId: id }
      await services.ask(connectionRemoved, { ...asked, userId: askerOf(caller) })
      await record(request, services, 'provisioning_connection_deleted', { jobID: of, connectionID: id })
    },
  })

/** The same four routes of each scope. */
export const connections: readonly Route[] = scopes.flatMap((scope) => [
  creation(scope),
  listing(scope),
  single(scope),
  removal(scope),
])
