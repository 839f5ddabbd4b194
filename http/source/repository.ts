/** Installations at hosts of sources, and the repositories that they can see. */
import { linkInstallation } from '#actors/source/change.ts'
import { repositoriesOf } from '#actors/source/queries.ts'
import { t } from '#engine/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { recordEvent } from '#http/identity/audit.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'

const fixed = { tags: ['Deployments'] } as const

const Link = {
  pattern: '^[0-9]+$',
  minLength: 1,
  maxLength: 20,
  description: 'as the host numbers it',
  examples: ['957387'],
} as const

export const sourceRepositories: readonly Route[] = [
  route({
    ...fixed,
    method: 'GET',
    path: '/source-repositories',
    summary: 'The repositories that the linked installations can see, by name',
    description: 'As the host has told of them last.',
    permission: 'deployment.view',
    reply: t.Array(
      t.Object(
        { id: t.String({ description: 'as the host numbers it' }), fullName: t.String(), url: t.String() },
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
    ...fixed,
    method: 'POST',
    path: '/source-installations',
    summary: 'Link an installation at a host of sources to the organization',
    description:
      'Once its host has told of it by a signed webhook, to the first organization that names it and its account: 404 for any other, ' +
      'whatever is wrong. The account may be left out where the host named none, and while there is one organization alone. Linked again ' +
      'by the same one it answers 201 too.',
    refuses: [404],
    permission: 'deployment.create',
    status: 201,
    body: t.Object(
      {
        installationID: t.Union([t.String(Link), t.Integer({ minimum: 1 })]),
        account: t.Optional(
          t.String({ minLength: 1, maxLength: 256, description: 'who has installed it, as the host calls them' }),
        ),
      },
      { examples: [{ installationID: '957387', account: 'acme' }] },
    ),
    reply: t.Object({ installationID: t.String() }, { title: 'SourceInstallation' }),
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
        detail: { installationID },
      } as const
      // No organization sees one that nobody has linked.
      await asService(() =>
        em.fork().transactional(async (tx) => {
          const isNew = await linkInstallation(tx, { orgId, id: installationID, account: body.account }, now())
          if (isNew) await recordEvent(tx, happened, client, now())
        }),
      )
      return reply({ installationID }, {})
    },
  }),
]
