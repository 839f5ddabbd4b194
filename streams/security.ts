import { t } from '#engine/schema.ts'
import { orgWide, subject } from '#engine/subject.ts'
import { text } from '#streams/text.ts'

/** What is written down about who did, or tried, what. */
export const securityEventTypes = [
  'login',
  'login_failed',
  'logout',
  'refresh_reused',
  'session_ended',
  'password_reset',
  'password_changed',
  'second_factor_enabled',
  'second_factor_disabled',
  'recovery_code_used',
  'organization_created',
  'member_invited',
  'member_changed',
  'member_removed',
  'role_created',
  'role_changed',
  'role_deleted',
  'token_created',
  'token_revoked',
  'stream_user_created',
  'stream_user_revoked',
  'saml_changed',
  'saml_removed',
  'settings_changed',
  'saml_domain_verified',
  'saml_domain_lost',
  'credentials_changed',
  'export_requested',
  'export_downloaded',
  'access_refused',
  'schedule_changed',
  'channel_changed',
  'override_created',
  'override_cancelled',
  'action_submitted',
  'policy_created',
  'policy_changed',
  'policy_deleted',
  'suggestion_decided',
  'smart_tags_decided',
  'smart_tags_accept_all',
  'recommendation_decided',
] as const
export type SecurityEventType = (typeof securityEventTypes)[number]

/** A security event of one organization, on its way to the analysts' table. The edge has stored it already. */
export const securityRecorded = subject({
  name: 'security.recorded',
  kind: 'actor',
  summary: 'A security event was written down.',
  place: () => orgWide,
  schema: t.Object({
    eventId: text({ minLength: 1 }),
    type: t.Enum(securityEventTypes),
    at: t.String({ format: 'date-time' }),
    userId: text(),
    principal: text(),
    email: text(),
    ip: text(),
    userAgent: text(),
    requestId: text(),
    detail: t.Record(t.String(), t.String()),
  }),
  examples: [
    {
      eventId: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
      type: 'login',
      at: '2026-01-15T10:00:00.000Z',
      userId: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
      principal: 'session:7c9e6679-7425-40de-944b-e07fc1f90ae7',
      email: 'ana@example.com',
      ip: '203.0.113.9',
      userAgent: 'curl/8.5.0',
      requestId: 'r-1',
      detail: { method: 'email' },
    },
  ],
})

export const securityMessages = [securityRecorded]
