/** Whether the console shows the first steps of a new organization. */
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { OrganizationSetting } from '#http/identity/organization/setting-entity.ts'

const members = { isHidden: t.Boolean({ description: 'true once they are all done, or someone has hidden them' }) }
const Body = t.Object(members, { examples: [{ isHidden: true }] })
const View = t.Object(members, { title: 'FirstSteps', examples: [{ isHidden: true }] })

export const firstSteps: readonly Route[] = [
  route({
    method: 'PUT',
    path: '/organisations/:orgID/first-steps',
    summary: 'Hide or show the first steps of the organization in the console',
    description: 'Applies to everyone in the organization. GET /auth/me says it as hidesFirstSteps.',
    permission: 'service.update',
    tags: ['Organizations'],
    params: t.Object({ orgID: t.String() }),
    body: Body,
    reply: View,
    handle: async ({ caller, params: { orgID: orgId }, body }, { change, now }) => {
      if (caller.orgId !== orgId) throw Fault.missing('organization', orgId)
      await change(({ em }) =>
        em.upsert(OrganizationSetting, { orgId, hidesFirstSteps: body.isHidden, updatedAt: now() }),
      )
      return { isHidden: body.isHidden }
    },
  }),
]
