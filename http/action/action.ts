/** Starting and stopping single resources. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { foundAction, foundPlaced } from '#actors/action/queries.ts'
import type { Resource } from '#actors/resource/entity.ts'
import { t, type Static } from '#engine/schema.ts'
import { recordSubmission } from '#http/action/submit.ts'
import { actorReply } from '#http/edge/decode.ts'
import { orNull, ProviderName, Timestamp } from '#http/edge/field.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { actionStatuses, actionWanted, powerActions } from '#streams/action.ts'
import { ProviderGiven, realName } from '#streams/names.ts'
import { text } from '#streams/text.ts'

const Shown = t.Object(
  {
    id: t.String(),
    resourceUID: t.String(),
    provider: ProviderName,
    cloudAccountID: t.String(),
    region: t.String(),
    action: t.Enum(powerActions),
    reason: orNull(t.String({ description: 'what asked for it, where that was no person' })),
    status: t.Enum(actionStatuses, {
      description: 'pending also between two tries; at most three, when the cloud says that another may help',
    }),
    startedAt: orNull(Timestamp),
    completedAt: orNull(Timestamp),
    createdAt: Timestamp,
    errorMessage: t.Optional(t.String({ description: 'of a failure: why' })),
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
    resourceUID: text({ minLength: 1, maxLength: 1024, description: 'its uid, as GET /resources has it' }),
    provider: ProviderGiven,
    resourceType: text({
      minLength: 1,
      description: 'its type there; another one is refused, as are provider and region',
    }),
    cloudAccountID: text({ minLength: 1, maxLength: 1024, description: 'the account that has it' }),
    region: text({ description: 'empty where it has none' }),
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

const Submitted = t.Object(
  { actionID: t.String(), status: t.Literal('queued') },
  { examples: [{ actionID: '3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01', status: 'queued' }] },
)
const taken = actorReply(t.Object({ actionId: t.String() }))

/** @throws Fault `invalid` naming each field that says otherwise than the inventory */
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

/** An action as people see it. @throws Fault `missing` */
export async function shownAction(em: EntityManager, orgId: string, id: string): Promise<Static<typeof Shown>> {
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

const fixed = { tags: ['Actions'] } as const

export const actions: readonly Route[] = [
  route({
    ...fixed,
    method: 'POST',
    path: '/actions',
    summary: 'Start or stop a resource',
    description:
      'Answers as soon as it is taken; GET /actions/{actionID} tells the rest. A resource that is so already succeeds ' +
      'without a call to its cloud. 409 action_in_progress while it is being started or stopped; 422 not_schedulable for ' +
      'what cannot be, capability_missing where the account is disabled or its credentials only read.',
    permission: 'service.create',
    status: 202,
    body: Body,
    reply: Submitted,
    refuses: { 404: ['not_found'], 409: ['action_in_progress'], 422: ['not_schedulable', 'capability_missing'] },
    handle: async (request, services) => {
      const { caller, body } = request
      const { type: action, resourceUID: resourceUid, cloudAccountID: cloudAccountId } = body
      checkAgainst(await foundPlaced(services.em, caller.orgId, cloudAccountId, resourceUid), body)
      const by = { type: 'manual' as const, id: caller.userId || caller.principal }
      const source = { ...by, ...(caller.userId && { userId: caller.userId }) }
      const asked = { actionId: services.newId(), cloudAccountId, resourceUid, action, reason: null, source }
      const { actionId } = taken(await services.ask(actionWanted, asked))
      const detail = { actionID: actionId, action, resourceUID: resourceUid, cloudAccountID: cloudAccountId }
      await recordSubmission(request, services, detail)
      return { actionID: actionId, status: 'queued' as const }
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/actions/:actionID',
    summary: 'How far an action has come',
    description: 'For ninety days after its end.',
    permission: 'service.view',
    params: t.Object({ actionID: t.String({ description: 'as POST /actions and GET /state-history name it' }) }),
    reply: Shown,
    handle: ({ caller, params: { actionID } }, { em }) => shownAction(em, caller.orgId, actionID),
  }),
]
