/** Which deployments follow a branch: requested by our own services for every push (decisions G-18, G-26). */
import { deploymentsFollowing } from '#actors/source/queries.ts'
import { t } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { showDeployment, ShownDeployment } from '#http/source/body.ts'
import { asService } from '#http/store/tenant.ts'
import { repositoryKey } from '#streams/source/repository-url.ts'

export const deploymentLookups: readonly Route[] = [
  route({
    method: 'GET',
    path: '/internal/deployments',
    summary: "List deployments with auto_deploy for a branch of a repository, in the token's organization or in all",
    description: 'Only for internal services. Equivalent URLs of the same repository (ssh, with .git) match.',
    permission: 'internal',
    tags: ['Deployments'],
    query: t.Object({
      repository_url: t.String({ minLength: 1, maxLength: 2048, examples: ['https://example.test/acme/shop.git'] }),
      branch: t.String({ minLength: 1, maxLength: 1024, examples: ['main'] }),
    }),
    reply: t.Array(ShownDeployment),
    handle: async ({ caller: { orgId }, query }, { em }) => {
      const key = repositoryKey(query.repository_url)
      if (key === undefined)
        throw badInput({
          in: 'query',
          name: 'repository_url',
          code: 'format',
          message: 'is not a repository URL',
        })
      const look = () => deploymentsFollowing(em.fork(), key, query.branch)
      const found = orgId === '' ? await asService(look) : await look()
      return found.map(showDeployment)
    },
  }),
]
