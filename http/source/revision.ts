/** Revisions: pushes that deployments followed, and the results of their builds. */
import { foundDeployment, foundRevision, promotedRevisions, revisionPage } from '#actors/source/queries.ts'
import { t } from '#engine/value/schema.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { range, rangeOf } from '#http/edge/parameter/range.ts'
import { route, type Route } from '#http/edge/route.ts'
import { deploymentParams, showRevision, ShownRevision } from '#http/source/body.ts'
import { exampleIds } from '#http/source/example.ts'

const promotedMax = 500

const PromotedRevision = t.Object(
  {
    id: t.String(),
    deploymentID: t.String(),
    deploymentName: t.String({ description: 'empty if the deployment was deleted' }),
    commitSHA: t.String(),
    imageRef: t.Optional(t.String()),
    completedAt: t.String({ format: 'date-time', description: 'when the build was promoted' }),
  },
  {
    title: 'PromotedRevision',
    examples: [
      {
        id: exampleIds.revision,
        deploymentID: exampleIds.deployment,
        deploymentName: 'Shop',
        commitSHA: '1111111111111111111111111111111111111111',
        imageRef: 'registry.example.test/shop@sha256:1111',
        completedAt: '2030-01-07T13:04:00.000Z',
      },
    ],
  },
)

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
    path: '/revisions',
    summary: 'List the revisions that went live, by time',
    description: `Of all deployments: those whose build was promoted in the range; the newest ${promotedMax}.`,
    query: t.Object(range),
    reply: t.Array(PromotedRevision),
    handle: async ({ caller: { orgId }, query }, { em, now }) =>
      (await promotedRevisions(em, orgId, rangeOf(query, now()), promotedMax)).map(
        ({ id, deploymentId, deploymentName, commitSha, imageRef, completedAt }) => ({
          id,
          deploymentID: deploymentId,
          deploymentName: deploymentName ?? '',
          commitSHA: commitSha,
          ...(imageRef && { imageRef }),
          completedAt: completedAt.toISOString(),
        }),
      ),
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
