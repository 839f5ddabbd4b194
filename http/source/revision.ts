/** Revisions: pushes that deployments followed, and the results of their builds. */
import { foundDeployment, foundRevision, revisionPage } from '#actors/source/queries.ts'
import { t } from '#engine/value/schema.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import { deploymentParams, showRevision, ShownRevision } from '#http/source/body.ts'
import { exampleIds } from '#http/source/example.ts'

const routeBase = { method: 'GET', permission: 'deployment.view', tags: ['Deployments'] } as const

export const revisions: readonly Route[] = [
  route({
    ...routeBase,
    path: '/deployments/:deploymentID/revisions',
    summary: 'List the revisions of a deployment, newest first',
    description: 'One for each accepted push, with its commit and its build status.',
    params: deploymentParams,
    query: t.Object(paging(20, 100)),
    reply: pageOf(ShownRevision),
    handle: async ({ caller: { orgId }, params, query }, { em }) => {
      const { id } = await foundDeployment(em, orgId, params.deploymentID)
      const found = await revisionPage(em, orgId, id, slice(query))
      return toPage({ items: found.items.map(showRevision), total: found.total }, query)
    },
  }),

  route({
    ...routeBase,
    path: '/revisions/:revisionID',
    summary: 'Get a revision, also of a deleted deployment',
    description: 'Includes its commit, its build status, and the error of a failed build.',
    params: t.Object({ revisionID: t.String({ examples: [exampleIds.revision] }) }),
    reply: ShownRevision,
    handle: async ({ caller, params }, { em }) =>
      showRevision(await foundRevision(em, caller.orgId, params.revisionID)),
  }),
]
