import { t } from '#engine/value/schema.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { SecurityEvent } from '#http/identity/organization/record-entity.ts'
import { list, toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { range, rangeOf } from '#http/edge/parameter/range.ts'
import { route, type Route } from '#http/edge/route.ts'
import { securityEventTypes } from '#streams/security.ts'

const SecurityEventView = t.Object(
  {
    id: t.String(),
    type: t.String({ enum: [...securityEventTypes] }),
    at: Timestamp,
    userID: orNull(t.String()),
    principal: t.String({ description: 'session:<id>, pat:<id>, operator; empty if unknown' }),
    email: orNull(t.String({ description: 'the email address that was entered or is affected' })),
    ip: t.String(),
    userAgent: t.String(),
    requestID: t.String(),
    detail: t.Record(t.String(), t.String()),
  },
  {
    title: 'SecurityEvent',
    examples: [
      {
        id: 'dc9e6679-7425-40de-944b-e07fc1f90ae7',
        type: 'login',
        at: '2026-01-15T10:00:00.000Z',
        userID: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
        principal: 'session:bc9e6679-7425-40de-944b-e07fc1f90ae7',
        email: 'ana@example.com',
        ip: '198.51.100.24',
        userAgent: 'Mozilla/5.0',
        requestID: 'ec9e6679-7425-40de-944b-e07fc1f90ae7',
        detail: { method: 'email' },
      },
    ],
  },
)

export const securityEvents: readonly Route[] = [
  route({
    method: 'GET',
    path: '/security-events',
    summary: 'List security events: sign-ins, rejections, token and role changes; newest first',
    description: 'Analysts find the same events in ClickHouse, in security_events.',
    permission: 'admin',
    tags: ['Organizations'],
    query: t.Object({
      ...range,
      type: t.Optional(list(t.Enum(securityEventTypes))),
      user_id: t.Optional(t.String({ maxLength: 64 })),
      ...paging(50, 200),
    }),
    reply: pageOf(SecurityEventView),
    handle: async ({ caller, query }, { em, now }) => {
      const { from, to } = rangeOf(query, now())
      const where = {
        orgId: caller.orgId,
        at: { $gte: from, $lt: to },
        ...(query.type?.length && { type: { $in: query.type } }),
        ...(query.user_id !== undefined && { userId: query.user_id }),
      }
      const [rows, total] = await em.findAndCount(SecurityEvent, where, {
        orderBy: { at: 'desc', id: 'asc' },
        ...slice(query),
      })
      const items = rows.map((row) => ({
        id: row.id,
        type: row.type,
        at: row.at.toISOString(),
        userID: row.userId ?? null,
        principal: row.principal,
        email: row.email ?? null,
        ip: row.ip,
        userAgent: row.userAgent,
        requestID: row.requestId,
        detail: row.detail,
      }))
      return toPage({ items, total }, query)
    },
  }),
]
