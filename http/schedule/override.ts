/** Overrides, which keep resources in a state for a time, whatever schedules say (decision G-22). */
import { checkRowLimit } from '#actors/row-limit.ts'
import { Override } from '#actors/schedule/override-entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { pageHeaders, paging, slice } from '#http/edge/parameter/paging.ts'
import { badInput, inputFault } from '#http/edge/problem.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { reply } from '#http/store/reply.ts'
import {
  desiredStates,
  overrideCancelled,
  overrideDaysMax,
  overrideRequested,
  overrideScopes,
  overrideStatuses,
} from '#streams/schedule.ts'
import { text } from '#streams/text.ts'

const OverrideView = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    scopeType: t.Enum(overrideScopes),
    scopeID: t.String({ description: 'resource UID, or resource group ID' }),
    desiredState: t.Enum(desiredStates),
    expiresAt: Timestamp,
    reason: t.Optional(t.String()),
    status: t.Enum(overrideStatuses),
    userID: t.String({ description: 'who requested it, in person or by token' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    endedAt: orNull(Timestamp),
  },
  {
    title: 'Override',
    examples: [
      {
        id: '6e0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01',
        orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
        scopeType: 'resource',
        scopeID: 'i-0a1b2c3d4e5f60718',
        desiredState: 'running',
        expiresAt: '2026-01-16T22:00:00.000Z',
        reason: 'A load test tonight',
        status: 'active',
        userID: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
        endedAt: null,
      },
    ],
  },
)

const Body = t.Object(
  {
    scopeType: t.Enum(overrideScopes),
    scopeID: text({ minLength: 1, maxLength: 1024, description: 'resource UID, or resource group ID' }),
    desiredState: t.Enum(desiredStates),
    expiresAt: t.String({
      format: 'date-time',
      maxLength: 64,
      description: `in the future, at most ${overrideDaysMax} days ahead`,
    }),
    reason: t.Optional(text({ minLength: 1, maxLength: 500, description: 'display text' })),
  },
  {
    examples: [
      {
        scopeType: 'resource',
        scopeID: 'i-1',
        desiredState: 'running',
        expiresAt: '2030-01-08T22:00:00Z',
        reason: 'Load test',
      },
    ],
  },
)

const show = (override: Override): Static<typeof OverrideView> => ({
  id: override.id,
  orgID: override.orgId,
  scopeType: override.scopeType,
  scopeID: override.scopeId,
  desiredState: override.desiredState,
  expiresAt: override.expiresAt.toISOString(),
  ...(override.reason && { reason: override.reason }),
  status: override.status,
  userID: override.userId,
  createdAt: override.createdAt.toISOString(),
  updatedAt: override.updatedAt.toISOString(),
  endedAt: timestamp(override.endedAt),
})

async function getOverride({ em }: Services, orgId: string, id: string): Promise<Override> {
  const override = await em.findOne(Override, { orgId, id }, { refresh: true })
  if (!override) throw Fault.missing('override', id)
  return override
}

/** Requests it for a person. Errors refer to the body. */
async function request(
  body: Static<typeof Body>,
  { orgId, userId }: Caller,
  { em, ask, newId }: Services,
): Promise<string> {
  const { scopeType, scopeID: scopeId, desiredState, reason = null } = body
  const expiresAt = new Date(body.expiresAt)
  // A time such as 24:00:60Z matches the format.
  if (Number.isNaN(expiresAt.getTime()))
    throw badInput({ in: 'body', name: '/expiresAt', code: 'format', message: 'is not a valid time' })
  await checkRowLimit(em, 'override', orgId)
  const terms = { overrideId: newId(), scopeType, scopeId, desiredState, expiresAt: expiresAt.toISOString() }
  try {
    return readReply(await ask(overrideRequested, { ...terms, reason, userId })).id
  } catch (error) {
    throw inputFault(error, 'body')
  }
}

/** A repeat with the same Idempotency-Key records it once. */
async function recordChange(
  { caller: { orgId, userId, principal }, client }: Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>,
  { em, now, newId }: Services,
  type: 'override_created' | 'override_cancelled',
  { id, scopeType, scopeId, desiredState }: Override,
): Promise<void> {
  const detail = { overrideID: id, scopeType, scopeID: scopeId, desiredState }
  const happened = { id: newId(), type, orgId, userId, principal, detail }
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}

const readReply = actorReply(t.Object({ id: t.String() }))
const routeBase = { tags: ['Overrides'] } as const

export const overrides: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/overrides',
    summary: 'List overrides, newest first',
    description: 'Includes expired ones, unless active is given. The X-Total-Count header has the total.',
    permission: 'service.view',
    query: t.Object({
      scope_type: t.Optional(
        t.Enum(overrideScopes, { description: 'only overrides of resources, or of resource groups' }),
      ),
      scope_id: t.Optional(t.String({ maxLength: 1024, description: 'resource UID, or resource group ID' })),
      active: t.Optional(t.Boolean({ description: 'true: only active overrides; false: only expired ones' })),
      ...paging(20, 100),
    }),
    reply: t.Array(OverrideView),
    handle: async ({ caller, query, url }, { em }) => {
      const { scope_type: scopeType, scope_id: scopeId, active } = query
      const where = {
        orgId: caller.orgId,
        ...(scopeType !== undefined && { scopeType }),
        ...(scopeId !== undefined && { scopeId }),
        ...(active !== undefined && { status: active ? ('active' as const) : { $ne: 'active' as const } }),
      }
      const orderBy = { createdAt: 'desc', id: 'asc' } as const
      const [rows, total] = await em.findAndCount(Override, where, { orderBy, ...slice(query) })
      return reply(rows.map(show), { headers: pageHeaders(url, total, query) })
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/overrides',
    summary: 'Start or stop resources now and suspend their schedules for a while',
    description:
      'When the override ends or is deleted, resources are brought into the state that their schedules require at that time. ' +
      'Actions requested by users are still executed. Of several overrides of a resource, the newest applies.',
    permission: 'service.create',
    status: 201,
    body: Body,
    reply: OverrideView,
    refuses: { 404: ['not_found'], 422: ['limit_reached'] },
    handle: async (asked, services) => {
      const { caller, body } = asked
      const id = await request(body, caller, services)
      const override = await getOverride(services, caller.orgId, id)
      await recordChange(asked, services, 'override_created', override)
      return show(override)
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/overrides/:overrideID',
    summary: 'End an override now; returns 409 if it has already ended',
    description: 'The resources follow their schedules again.',
    permission: 'service.delete',
    status: 204,
    params: t.Object({ overrideID: t.String({ description: 'as in GET /overrides' }) }),
    refuses: { 409: ['invalid_transition'] },
    handle: async (asked, services) => {
      const override = await getOverride(services, asked.caller.orgId, asked.params.overrideID)
      await services.ask(overrideCancelled, { overrideId: override.id })
      await recordChange(asked, services, 'override_cancelled', override)
    },
  }),
]
