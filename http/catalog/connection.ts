/** Records of how to connect to a server, or to one of its databases; none contains a secret (decision G-88). */
import {
  connectionsOf,
  foundConnection,
  foundDatabase,
  foundJob,
  type ConnectionScope,
} from '#actors/catalog/queries.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { t, type TObject } from '#engine/value/schema.ts'
import { Connection, showConnection } from '#http/catalog/body.ts'
import { exampleIds } from '#http/catalog/example.ts'
import { jobId } from '#http/catalog/job.ts'
import { askerOf, readConnectionReply, record } from '#http/catalog/record.ts'
import { Name } from '#http/edge/parameter/field.ts'
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
        description: 'default: the owner of the database, or the administrator',
      }),
    ),
    secretRef: t.Optional(
      text({
        pattern: '^secret://.',
        maxLength: 1024,
        description:
          "reference to the user's secret, as in secret://JOB/NAME; default: that of the owner or the administrator; a plain " +
          'secret is rejected',
      }),
    ),
  },
  { examples: [{ name: 'Shop' }] },
)

const dbID = t.String({ description: 'as in the list of databases', examples: [exampleIds.database] })
const connID = t.String({ description: 'as in the list of connections', examples: [exampleIds.connection] })

interface ScopeParams {
  jobID: string
  dbID?: string
}

/**
 * The scope in a path, and the address of its actors.
 * @throws Fault `missing`, also if the database belongs to another job
 */
async function getScope({ em }: Services, orgId: string, { jobID, dbID: id }: ScopeParams) {
  const { cloudAccountId, id: jobId } = await foundJob(em, orgId, jobID)
  const database = id === undefined ? null : await foundDatabase(em, orgId, { jobId, id })
  const scope: ConnectionScope = { jobId, databaseId: database?.id ?? null }
  return { cloudAccountId, scope }
}

interface RouteScope {
  path: string
  params: TObject
  /** Name of the scope in a sentence. */
  of: string
}

const scopes: readonly RouteScope[] = [
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

const routeBase = { tags: ['Provisioning'] } as const

type OfOne = ScopeParams & { connID: string }
const getParams = (request: { params: unknown }) => request.params as OfOne

const one = ({ params }: RouteScope) => t.Object({ ...(params.properties as { jobID: typeof jobId }), connID })

const creation = ({ path, params, of }: RouteScope): Route =>
  route({
    ...routeBase,
    method: 'POST',
    path: `${path}/connections`,
    summary: `Create a connection to ${of}`,
    description:
      'The body may be empty. Returns 409 not_a_datastore if the job is not a server, 409 job_not_ready until the server is ' +
      'ready, and 409 database_busy if the database is not available.',
    permission: 'provisioning.create',
    status: 201,
    headers: { Location: 'URL of the new connection' },
    params,
    body: Body,
    reply: Connection,
    refuses: { 409: ['database_busy', 'job_not_ready', 'not_a_datastore'], 422: ['limit_reached'] },
    handle: async (request, services) => {
      const { orgId } = request.caller
      const { cloudAccountId, scope } = await getScope(services, orgId, getParams(request))
      await checkRowLimit(services.em, 'provisioned_connection', orgId)
      const { name, ...rest } = request.body
      const called = name === undefined ? rest : { ...rest, name: name.trim() }
      const asked = { cloudAccountId, ...scope, connectionId: services.newId(), ...called }
      const answer = await services.ask(connectionSaved, { ...asked, userId: askerOf(request.caller) })
      const { connectionId: id } = readConnectionReply(answer)
      await record(request, services, 'provisioning_connection_created', { jobID: scope.jobId, connectionID: id })
      const connection = await foundConnection(services.em, orgId, { ...scope, id })
      const at = scope.databaseId === null ? '' : `/databases/${scope.databaseId}`
      return reply(showConnection(connection), {
        headers: { Location: `/provisioning-jobs/${scope.jobId}${at}/connections/${id}` },
      })
    },
  })

const listing = ({ path, params, of }: RouteScope): Route =>
  route({
    ...routeBase,
    method: 'GET',
    path: `${path}/connections`,
    summary: `List the connections to ${of}, sorted by name`,
    description: 'Includes hosts, ports, user names and references to secrets; passwords are never returned.',
    permission: 'provisioning.view',
    params,
    reply: t.Array(Connection),
    handle: async (request, services) => {
      const { orgId } = request.caller
      const { scope } = await getScope(services, orgId, getParams(request))
      return (await connectionsOf(services.em, orgId, scope)).map(showConnection)
    },
  })

const single = (scoped: RouteScope): Route =>
  route({
    ...routeBase,
    method: 'GET',
    path: `${scoped.path}/connections/:connID`,
    summary: `Get a connection to ${scoped.of}`,
    description:
      'Includes the host, the port, the user, and the reference to the secret; the password itself is never returned.',
    permission: 'provisioning.view',
    params: one(scoped),
    reply: Connection,
    handle: async (request, services) => {
      const { orgId } = request.caller
      const { scope } = await getScope(services, orgId, getParams(request))
      return showConnection(await foundConnection(services.em, orgId, { ...scope, id: getParams(request).connID }))
    },
  })

const removal = (scoped: RouteScope): Route =>
  route({
    ...routeBase,
    method: 'DELETE',
    path: `${scoped.path}/connections/:connID`,
    summary: `Delete a connection to ${scoped.of}; the database user is kept`,
    description:
      'Removes only the stored connection: the database, its user and the secret in the cloud are not changed.',
    permission: 'provisioning.delete',
    status: 204,
    params: one(scoped),
    handle: async (request, services) => {
      const { caller } = request
      const { cloudAccountId, scope } = await getScope(services, caller.orgId, getParams(request))
      const { id } = await foundConnection(services.em, caller.orgId, { ...scope, id: getParams(request).connID })
      const { jobId: of } = scope
      const asked = { cloudAccountId, jobId: of, connectionId: id }
      await services.ask(connectionRemoved, { ...asked, userId: askerOf(caller) })
      await record(request, services, 'provisioning_connection_deleted', { jobID: of, connectionID: id })
    },
  })

/** The same four routes for each scope. */
export const connections: readonly Route[] = scopes.flatMap((scope) => [
  creation(scope),
  listing(scope),
  single(scope),
  removal(scope),
])
