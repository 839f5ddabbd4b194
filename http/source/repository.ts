/** Installations at source hosts, and the repositories that they can see. */
import { linkInstallation } from '#actors/source/link.ts'
import { repositoriesOf } from '#actors/source/queries.ts'
import { t } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'

const routeBase = { tags: ['Deployments'] } as const

const Link = {
  pattern: '^[0-9]+$',
  minLength: 1,
  maxLength: 20,
  description: 'installation ID at the host',
  examples: ['957387'],
} as const

export const sourceRepositories: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/source-repositories',
    summary: 'List the repositories that linked installations can access, sorted by name',
    description: 'As last reported by the host.',
    permission: 'deployment.view',
    reply: t.Array(
      t.Object(
        { id: t.String({ description: 'installation ID at the host' }), fullName: t.String(), url: t.String() },
        {
          title: 'SourceRepository',
          examples: [{ id: '186853002', fullName: 'acme/shop', url: 'https://github.com/acme/shop' }],
        },
      ),
    ),
    handle: async ({ caller }, { em }) =>
      (await repositoriesOf(em, caller.orgId)).map(({ id, fullName, url }) => ({ id, fullName, url })),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/source-installations',
    summary: 'Link a source host installation to the organization',
    description:
      "The installation is linked once its host has reported it in a signed webhook and there is proof: an operator's " +
      'confirmation or, in a service with open links, the account name reported by the host, or no request from a second ' +
      'organization within an hour of the installation. Until then it is pending, whether or not the ID exists, and its ' +
      'pushes are ignored. To link a single repository, push a branch tidemark-link-{orgID} to it. Returns 409 ' +
      'already_exists if another organization has linked it, and 422 too_many_claims if 20 are pending.',
    permission: 'deployment.create',
    status: 201,
    body: t.Object(
      {
        installationID: t.Union([t.String(Link), t.Integer({ minimum: 1 })]),
        account: t.Optional(
          t.String({
            minLength: 1,
            maxLength: 256,
            description: 'the account that installed it, by its name at the host',
          }),
        ),
      },
      { examples: [{ installationID: '957387', account: 'acme' }] },
    ),
    reply: t.Object(
      {
        installationID: t.String(),
        status: t.Enum(['linked', 'pending'], {
          description: 'pending: not reported by its host, reported with another account, or not confirmed yet',
        }),
      },
      { title: 'SourceInstallation', examples: [{ installationID: '957387', status: 'linked' }] },
    ),
    refuses: { 409: ['already_exists'], 422: ['too_many_claims'] },
    handle: async ({ caller, client, body }, services) => {
      const installationID = String(body.installationID)
      const { em, now, newId } = services
      const { orgId, userId, principal } = caller
      const happened = {
        id: newId(),
        type: 'installation_linked',
        orgId,
        userId,
        principal,
      } as const
      // No organization sees an installation that is not linked.
      const status = await asService(() =>
        em.fork().transactional(async (tx) => {
          const at = { at: now(), linksAreOpen: services.source.linksAreOpen }
          const linked = await linkInstallation(tx, { orgId, id: installationID, account: body.account }, at)
          const detail = { installationID, status: linked.status }
          if (linked.isNew) await recordEvent(tx, { ...happened, detail }, client, now())
          return linked.status
        }),
      )
      return reply({ installationID, status }, {})
    },
  }),
]
