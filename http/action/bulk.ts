/** Starting and stopping resource groups. */
import { bulkStatuses, type BulkAction } from '#actors/action/entity.ts'
import { foundBulk, latestBulk } from '#actors/action/queries.ts'
import { foundGroup } from '#actors/attribution/group/queries.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { recordSubmission } from '#http/action/record.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { bulkRequested, powerActions } from '#streams/action/messages.ts'
import { text } from '#streams/text.ts'

const BulkActionView = t.Object(
  {
    id: t.String(),
    groupID: t.String(),
    type: t.Enum(powerActions),
    status: t.Enum(bulkStatuses, { description: 'completed if at least one member succeeded or there are no members' }),
    total: t.Integer({ description: 'number of members in the group at the start' }),
    completed: t.Integer({ description: 'number of members that succeeded' }),
    failed: t.Integer(),
    createdAt: Timestamp,
  },
  {
    title: 'BulkAction',
    examples: [
      {
        id: '3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01',
        groupID: '2b7e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33',
        type: 'start',
        status: 'running',
        total: 5,
        completed: 3,
        failed: 0,
        createdAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

const show = ({
  id,
  groupId,
  type,
  status,
  total,
  completed,
  failed,
  createdAt,
}: BulkAction): Static<typeof BulkActionView> => ({
  id,
  groupID: groupId,
  type,
  status,
  total,
  completed,
  failed,
  createdAt: createdAt.toISOString(),
})

const Body = t.Object(
  {
    type: t.Enum(powerActions),
    groupID: text({ minLength: 1, maxLength: 256, description: 'ID of the resource group' }),
  },
  { examples: [{ type: 'start', groupID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01' }] },
)

const SubmitReply = t.Object(
  { bulkActionID: t.String(), status: t.Literal('queued'), total: t.Integer({ description: 'members of the group' }) },
  { examples: [{ bulkActionID: '3f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01', status: 'queued', total: 5 }] },
)
const readReply = actorReply(t.Object({ bulkActionId: t.String(), total: t.Integer() }))

const routeBase = { tags: ['Actions'] } as const

export const bulkActions: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/actions/bulk',
    summary: 'Start or stop the members of a resource group in tier order',
    description:
      'Members start by tier and order; members with the same order start together, up to ten at a time. They stop in ' +
      'reverse order. The next step starts when all members of the previous step have finished, including failed ones. A ' +
      'member that is unknown, cannot be started or stopped, or is already being started or stopped counts as failed.',
    permission: 'service.create',
    status: 202,
    body: Body,
    reply: SubmitReply,
    refuses: { 404: ['not_found'] },
    handle: async (request, services) => {
      const { caller, body } = request
      const { id: groupID } = await foundGroup(services.em, caller.orgId, body.groupID)
      const bulkId = services.newId()
      const source = { type: 'bulk' as const, id: bulkId, bulkId, ...(caller.userId && { userId: caller.userId }) }
      const asked = { bulkId, groupIds: [groupID], except: [], action: body.type, reason: null, source }
      const { bulkActionId, total } = readReply(await services.ask(bulkRequested, asked))
      await recordSubmission(request, services, { bulkActionID: bulkActionId, action: body.type, groupID })
      return { bulkActionID: bulkActionId, status: 'queued' as const, total }
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/actions/bulk/latest',
    summary: 'Get the latest bulk action',
    description:
      'The most recently requested one in the organization, by any user, running or finished. Returns 404 if there is none; bulk actions are kept for 90 days after they end.',
    permission: 'service.view',
    reply: BulkActionView,
    refuses: { 404: ['not_found'] },
    handle: async ({ caller }, { em }) => show(await latestBulk(em, caller.orgId)),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/actions/bulk/:bulkActionID',
    summary: 'Get the status of a bulk action',
    description: 'Available for 90 days after the bulk action ends.',
    permission: 'service.view',
    params: t.Object({ bulkActionID: t.String({ description: 'as in POST /actions/bulk' }) }),
    reply: BulkActionView,
    handle: async ({ caller, params: { bulkActionID } }, { em }) =>
      show(await foundBulk(em, caller.orgId, bulkActionID)),
  }),
]
