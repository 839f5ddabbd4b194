/** Deployments: what is built from a branch of a repository, and where it runs (decision G-26). */
import { Space } from '#actors/catalog/entity.ts'
import { linkBranch } from '#actors/source/link.ts'
import { checkRoom, deploymentPage, foundDeployment, ownersOf } from '#actors/source/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { reportScopeFault, seesAccount, type Caller } from '#http/identity/organization/caller.ts'
import { CreateBody, deploymentParams, PatchBody, showDeployment, ShownDeployment, termsOf } from '#http/source/body.ts'
import { askerOf, recordSource } from '#http/source/record.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'
import { deploymentRemoved, deploymentSaved, type DeploymentTerms } from '#streams/source/messages.ts'

const readReply = actorReply(t.Object({ deploymentId: t.String() }))

/**
 * Pull requests of the repository show the cost of the space, so the caller must be allowed to see it.
 * @throws Fault `invalid` for a space that the organization does not have, `forbidden` `report_scope`
 */
async function checkSpace({ orgId, reportScope }: Caller, id: string, { em }: Services): Promise<void> {
  const space = await em.findOne(Space, { orgId, id })
  if (!space && reportScope.all)
    throw badInput({ in: 'body', name: '/spaceID', code: 'unknown', message: 'is not a space of the organization' })
  if (!space || !seesAccount(reportScope, space.cloudAccountId))
    throw reportScopeFault('Your role cannot see the costs of this space.')
}

/**
 * A deployment gets no webhooks of a repository that is not linked, and must not get those of another organization's.
 * @throws Fault `refused` `repository_not_linked`
 */
async function checkRepository({ orgId }: Caller, key: string, { em, source }: Services): Promise<void> {
  const owners = await asService(() => ownersOf(em.fork(), key))
  if (owners.includes(orgId) || (owners.length === 0 && source.linksAreOpen)) return
  const branch = `${linkBranch}${orgId}`
  throw Fault.refused(
    'repository_not_linked',
    `The repository is not linked to the organization. Push a branch ${branch} to it, or link an installation with access to it.`,
    { members: { branch } },
  )
}

const routeBase = { tags: ['Deployments'] } as const
const one = { ...routeBase, path: '/deployments/:deploymentID', params: deploymentParams } as const

export const deployments: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/deployments',
    summary: 'Create a deployment: a branch of a repository, and the space that it runs in',
    description:
      'URLs of the same repository are equivalent: https or ssh, with or without .git. The organization must have linked the ' +
      'repository, through an installation or by itself (422 repository_not_linked, with the branch to push). An ' +
      'organization can have at most 1000 deployments (422 too_many_deployments).',
    permission: 'deployment.create',
    status: 201,
    headers: { Location: 'URL of the new deployment' },
    body: CreateBody,
    reply: ShownDeployment,
    refuses: { 403: ['report_scope'], 404: ['not_found'], 422: ['too_many_deployments', 'repository_not_linked'] },
    handle: async (request, services) => {
      const { caller, body } = request
      const terms = termsOf({ auto_deploy: true, ...body }) as DeploymentTerms
      await checkSpace(caller, terms.spaceId, services)
      await checkRoom(services.em, caller.orgId)
      await checkRepository(caller, terms.repositoryKey, services)
      const asked = { deploymentId: services.newId(), isNew: true as const, terms, userId: askerOf(caller) }
      const { deploymentId } = readReply(await services.ask(deploymentSaved, asked))
      await recordSource(request, services, 'deployment_created', { deploymentID: deploymentId })
      const shown = showDeployment(await foundDeployment(services.em, caller.orgId, deploymentId))
      return reply(shown, { headers: { Location: `/deployments/${deploymentId}` } })
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/deployments',
    summary: 'List deployments, newest first',
    description: 'Each with its repository, its branch and whether pushes are built.',
    permission: 'deployment.view',
    query: t.Object({
      search: t.Optional(
        t.String({ maxLength: 256, description: 'part of the name, the URL or the branch, case-insensitive' }),
      ),
      ...paging(20, 100),
    }),
    reply: pageOf(ShownDeployment),
    handle: async ({ caller, query }, { em }) => {
      const found = await deploymentPage(em, caller.orgId, query.search, slice(query))
      return toPage({ items: found.items.map(showDeployment), total: found.total }, query)
    },
  }),

  route({
    ...one,
    method: 'GET',
    summary: 'Get a deployment',
    description:
      'Includes its repository, its branch and whether pushes are built. For its revisions, use GET /deployments/{deploymentID}/revisions.',
    permission: 'deployment.view',
    reply: ShownDeployment,
    handle: async ({ caller, params }, { em }) =>
      showDeployment(await foundDeployment(em, caller.orgId, params.deploymentID)),
  }),

  route({
    ...one,
    method: 'PATCH',
    summary: 'Update a deployment; omitted fields are unchanged',
    description:
      'Existing revisions are kept. A running build of a repository or branch that the deployment no longer follows is not ' +
      'promoted when it finishes: superseded.',
    permission: 'deployment.update',
    body: PatchBody,
    reply: ShownDeployment,
    refuses: { 403: ['report_scope'], 422: ['repository_not_linked'] },
    handle: async (request, services) => {
      const { caller, params, body } = request
      const before = await foundDeployment(services.em, caller.orgId, params.deploymentID)
      const { id: deploymentId, spaceId } = before
      const terms = termsOf(body)
      const { repositoryKey: key = before.repositoryKey } = terms
      if (key !== before.repositoryKey) await checkRepository(caller, key, services)
      if (terms.spaceId !== undefined || !caller.reportScope.all)
        await checkSpace(caller, terms.spaceId ?? spaceId, services)
      await services.ask(deploymentSaved, { deploymentId, isNew: false, terms, userId: askerOf(caller) })
      await recordSource(request, services, 'deployment_changed', { deploymentID: deploymentId })
      return showDeployment(await foundDeployment(services.em, caller.orgId, deploymentId))
    },
  }),

  route({
    ...one,
    method: 'DELETE',
    summary: 'Delete a deployment; its revisions remain readable',
    description: 'Pushes to its branch no longer create revisions. What is deployed is not changed.',
    permission: 'deployment.delete',
    status: 204,
    handle: async (request, services) => {
      const { caller, params } = request
      const { id: deploymentId } = await foundDeployment(services.em, caller.orgId, params.deploymentID)
      await services.ask(deploymentRemoved, { deploymentId, userId: askerOf(caller) })
      await recordSource(request, services, 'deployment_deleted', { deploymentID: deploymentId })
    },
  }),
]
