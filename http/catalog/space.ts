/** Spaces: places where things may be provisioned and deployed (decision G-25). */
import type { CloudAccount } from '#actors/account/entity.ts'
import { findTargets } from '#actors/autoscaling/target/queries.ts'
import { foundSpace, spaceIdOf, spacePage } from '#actors/catalog/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { showSpace, Space } from '#http/catalog/body.ts'
import { exampleIds } from '#http/catalog/example.ts'
import { accountFound, providerOf } from '#http/catalog/offer.ts'
import { askerOf, record, readSpaceReply, type ProvisioningRequester } from '#http/catalog/record.ts'
import { Name } from '#http/edge/parameter/field.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { reply } from '#http/store/reply.ts'
import { spaceRemoved, spaceSaved, spaceStatuses } from '#streams/catalog.ts'
import { clusterTypes } from '#streams/cloud/resource/resource-type.ts'
import { text } from '#streams/text.ts'

const CreateBody = t.Object(
  {
    name: Name,
    cloudAccountID: text({ minLength: 1, maxLength: 1024, description: 'as in GET /cloud-accounts' }),
    region: text({ pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,127}$', description: "the cloud's own name for the region" }),
    clusterUid: t.Optional(
      text({
        minLength: 1,
        maxLength: 1024,
        description:
          'UID of a managed cluster in the inventory, in this account and region; the space is then that cluster',
      }),
    ),
  },
  { examples: [{ name: 'Production', cloudAccountID: 'acct-1', region: 'us-east-1' }] },
)

const PatchBody = t.Object(
  { name: t.Optional(Name), status: t.Optional(t.Enum(spaceStatuses)) },
  { examples: [{ name: 'Live', status: 'disabled' }] },
)

/** Whether the inventory has the cluster. @throws Fault `missing`, or `invalid` if it is in another region */
async function checkCluster(
  { em }: Services,
  orgId: string,
  { cloudAccountID: cloudAccountId, region, clusterUid }: Static<typeof CreateBody> & { clusterUid: string },
): Promise<void> {
  const [cluster] = await findTargets(em, orgId, { uid: clusterUid, cloudAccountId })
  if (!cluster || !clusterTypes.some((type) => type === cluster.type)) throw Fault.missing('cluster', clusterUid)
  if (cluster.region !== region)
    throw badInput({
      in: 'body',
      name: '/region',
      code: 'region',
      message: `must be ${cluster.region}, the region of the cluster`,
    })
}

/** An account without listed regions has all of them. @throws Fault `invalid` */
function checkRegion({ name, regions }: Pick<CloudAccount, 'name' | 'regions'>, region: string): void {
  if (regions.length > 0 && !regions.includes(region))
    throw badInput({
      in: 'body',
      name: '/region',
      code: 'region',
      message: `must be a region that account ${name} covers`,
    })
}

/** Returns the id of the new space. */
async function createSpace(
  { caller, body }: ProvisioningRequester & { body: Static<typeof CreateBody> },
  services: Services,
) {
  const { orgId } = caller
  const { name, cloudAccountID: cloudAccountId, region, clusterUid = null } = body
  const account = await accountFound(services, orgId, cloudAccountId)
  const provider = providerOf(account)
  checkRegion(account, region)
  if (clusterUid !== null) await checkCluster(services, orgId, { ...body, clusterUid })
  const place = { cloudAccountId, region, clusterUid }
  const kind = clusterUid === null ? ('account_region' as const) : ('cluster' as const)
  const spaceId = spaceIdOf(orgId, place)
  const data = { spaceId, ...place, provider, kind, isNew: true as const, name: name.trim(), userId: askerOf(caller) }
  return readSpaceReply(await services.ask(spaceSaved, data)).spaceId
}

const loadSpaceView = async ({ em }: Services, orgId: string, id: string) => showSpace(await foundSpace(em, orgId, id))

const routeBase = { tags: ['Spaces'] } as const
const params = t.Object({ spaceID: t.String({ description: 'as in GET /spaces', examples: [exampleIds.space] }) })

export const spaces: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/spaces',
    summary: 'Create a space: an account in a region, or a cluster in it',
    description:
      'Returns 404 if the account does not exist, 400 if it does not cover the region, and 409 already_exists if it already ' +
      'has a space in the region. A provisioned cluster becomes a space automatically.',
    permission: 'space.create',
    status: 201,
    headers: { Location: 'URL of the new space' },
    body: CreateBody,
    reply: Space,
    refuses: { 404: ['not_found'], 409: ['already_exists'], 422: ['capability_missing'] },
    handle: async (request, services) => {
      const spaceID = await createSpace(request, services)
      await record(request, services, 'space_changed', { spaceID, change: 'created' })
      return reply(await loadSpaceView(services, request.caller.orgId, spaceID), {
        headers: { Location: `/spaces/${spaceID}` },
      })
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/spaces',
    summary: 'List spaces, sorted by name',
    description:
      'A space is a region of a cloud account, or a cluster, in which you can provision infrastructure. Includes disabled spaces.',
    permission: 'space.view',
    query: t.Object({
      search: t.Optional(
        t.String({ maxLength: 256, description: 'part of the name, the region or the account, case-insensitive' }),
      ),
      ...paging(20, 100),
    }),
    reply: pageOf(Space),
    handle: async ({ caller, query }, { em }) => {
      const { items, total } = await spacePage(em, caller.orgId, query.search, slice(query))
      return toPage({ items: items.map(showSpace), total }, query)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/spaces/:spaceID',
    summary: 'Get a space',
    description: 'Includes its account, its region, and whether new infrastructure can be provisioned in it.',
    permission: 'space.view',
    params,
    reply: Space,
    handle: ({ caller, params: { spaceID } }, services) => loadSpaceView(services, caller.orgId, spaceID),
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/spaces/:spaceID',
    summary: 'Rename, disable or enable a space',
    description: 'Existing infrastructure in a disabled space is kept and can be retried and deleted.',
    permission: 'space.update',
    params,
    body: PatchBody,
    reply: Space,
    handle: async (request, services) => {
      const { caller, body } = request
      const { id: spaceId } = await foundSpace(services.em, caller.orgId, request.params.spaceID)
      const { name, status } = body
      const given = { ...(name !== undefined && { name: name.trim() }), ...(status !== undefined && { status }) }
      await services.ask(spaceSaved, { spaceId, isNew: false, ...given, userId: askerOf(caller) })
      await record(request, services, 'space_changed', { spaceID: spaceId, change: 'changed' })
      return loadSpaceView(services, caller.orgId, spaceId)
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/spaces/:spaceID',
    summary: 'Delete an empty space',
    description: 'Returns 409 space_in_use while it has jobs that are not deleted, or deployments.',
    permission: 'space.delete',
    status: 204,
    params,
    refuses: { 409: ['space_in_use'] },
    handle: async (request, services) => {
      const { id: spaceId } = await foundSpace(services.em, request.caller.orgId, request.params.spaceID)
      await services.ask(spaceRemoved, { spaceId, userId: askerOf(request.caller) })
      await record(request, services, 'space_changed', { spaceID: spaceId, change: 'deleted' })
    },
  }),
]
