/** Starting and stopping single resources. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { foundAction, foundPlaced } from '#actors/action/queries.ts'
import type { Resource } from '#actors/resource/entity.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { recordSubmission } from '#http/action/record.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { orNull, ProviderName, Timestamp } from '#http/edge/parameter/field.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { actionStatuses, actionWanted, powerActions } from '#streams/action/messages.ts'
import { ProviderGiven, realName } from '#streams/names.ts'
import { text } from '#streams/text.ts'

const ActionView = t.Object(
  {
    id: t.String(),
    resourceUID: t.String(),
    provider: ProviderName,
    cloudAccountID: t.String(),
    region: t.String(),
    action: t.Enum(powerActions),
    reason: orNull(t.String({ description: 'what requested the action, if it was not a person' })),
    status: t.Enum(actionStatuses, {
      description:
        'also pending between two attempts; at most three attempts, if the cloud reports that retrying may help',
    }),
    startedAt: orNull(Timestamp),
    completedAt: orNull(Timestamp),
    createdAt: Timestamp,
    errorMessage: t.Optional(t.String({ description: 'why it failed' })),
  },
  {
    title: 'Action',
    examples: [
      {
        id: '3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01',
        resourceUID: 'i-0a1b2c3d4e5f60718',
        provider: 'aws',
        cloudAccountID: 'acct-1',
        region: 'us-east-1',
        action: 'stop',
        reason: null,
        status: 'succeeded',
        startedAt: '2026-01-15T10:00:00.000Z',
        completedAt: '2026-01-15T10:00:41.000Z',
        createdAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

const Body = t.Object(
  {
    type: t.Enum(powerActions),
    resourceUID: text({ minLength: 1, maxLength: 1024, description: 'resource UID, as in GET /resources' }),
    provider: ProviderGiven,
    resourceType: text({
      minLength: 1,
      description: 'must match the type in the inventory, as must provider and region; a mismatch is rejected',
    }),
    cloudAccountID: text({ minLength: 1, maxLength: 1024, description: 'the account that owns the resource' }),
    region: text({ description: 'empty if it has none' }),
  },
  {
    examples: [
      {
        type: 'stop',
        resourceUID: 'i-0a1b2c3d4e5f60718',
        provider: 'aws',
        resourceType: 'aws-ec2',
        cloudAccountID: 'acct-1',
        region: 'us-east-1',
      },
    ],
  },
)

const SubmitReply = t.Object(
  { actionID: t.String(), status: t.Literal('queued') },
  { examples: [{ actionID: '3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01', status: 'queued' }] },
)
const readReply = actorReply(t.Object({ actionId: t.String() }))

/** @throws Fault `invalid` with each field that differs from the inventory */
function checkAgainst({ provider, type, region }: Resource, body: Static<typeof Body>): void {
  const known = { provider, resourceType: type, region }
  const wrong = Object.entries(known).filter(([field, value]) => realName(body[field as keyof typeof known]) !== value)
  if (wrong.length === 0) return
  throw badInput(
    ...wrong.map(([field, value]) => ({
      in: 'body' as const,
      name: `/${field}`,
      code: 'mismatch',
      message: `the resource has ${value === '' ? 'none' : value}`,
    })),
  )
}

/** An action as the API shows it. @throws Fault `missing` */
export async function shownAction(em: EntityManager, orgId: string, id: string): Promise<Static<typeof ActionView>> {
  const found = await foundAction(em, orgId, id)
  const { resourceUid, cloudAccountId, region, action, reason, status, errorMessage } = found
  return {
    id: found.actionId,
    resourceUID: resourceUid,
    provider: found.provider,
    cloudAccountID: cloudAccountId,
    region,
    action,
    reason,
    status,
    startedAt: found.startedAt,
    completedAt: found.endedAt,
    createdAt: found.createdAt,
    ...(errorMessage !== null && { errorMessage }),
  }
}

const routeBase = { tags: ['Actions'] } as const

export const actions: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/actions',
    summary: 'Start or stop a resource',
    description:
      'Responds as soon as the action is accepted; GET /actions/{actionID} reports its progress. If the resource is already ' +
      'in the requested state, the action succeeds without calling the cloud. Returns 409 action_in_progress while the ' +
      'resource is being started or stopped, 422 not_schedulable for resources that cannot be started or stopped, and 422 ' +
      'capability_missing if the account is disabled or its credentials are read-only.',
    permission: 'service.create',
    status: 202,
    body: Body,
    reply: SubmitReply,
    refuses: { 404: ['not_found'], 409: ['action_in_progress'], 422: ['not_schedulable', 'capability_missing'] },
    handle: async (request, services) => {
      const { caller, body } = request
      const { type: action, resourceUID: resourceUid, cloudAccountID: cloudAccountId } = body
      checkAgainst(await foundPlaced(services.em, caller.orgId, cloudAccountId, resourceUid), body)
      const by = { type: 'manual' as const, id: caller.userId || caller.principal }
      const source = { ...by, ...(caller.userId && { userId: caller.userId }) }
      const asked = { actionId: services.newId(), cloudAccountId, resourceUid, action, reason: null, source }
      const { actionId } = readReply(await services.ask(actionWanted, asked))
      const detail = { actionID: actionId, action, resourceUID: resourceUid, cloudAccountID: cloudAccountId }
      await recordSubmission(request, services, detail)
      return { actionID: actionId, status: 'queued' as const }
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/actions/:actionID',
    summary: 'Get the status of an action',
    description: 'Available for 90 days after the action ends.',
    permission: 'service.view',
    params: t.Object({ actionID: t.String({ description: 'as in POST /actions and GET /state-history' }) }),
    reply: ActionView,
    handle: ({ caller, params: { actionID } }, { em }) => shownAction(em, caller.orgId, actionID),
  }),
]
