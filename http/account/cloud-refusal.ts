/** What clouds refuse where they are asked within a request. Connectors say these words, whatever their cloud says. */
import type { Refusals } from '#http/edge/problem.ts'

/** The customer can mend these. */
const toMend = [
  'access_denied',
  'address_refused',
  'cluster_credentials_refused',
  'credentials_expired',
  'credentials_refused',
  'not_found',
  'permission_missing',
  'project_invalid',
  'quota_exceeded',
  'region_unknown',
  'rejected',
  'resource_not_found',
  'service_disabled',
  'tls_refused',
  'unsupported_action',
] as const

/** These pass. */
const passing = ['busy', 'cloud_timeout', 'cloud_unavailable', 'no_answer', 'throttled'] as const

/** Of a route to which what can be mended is an answer. */
export const cloudPasses: Refusals = { 503: passing }

/** The refusals of a route that asks a cloud before it answers, and `own` beside them. */
export const asksCloud = (own: Refusals = {}): Refusals => ({
  ...own,
  422: [...(own[422] ?? []), ...toMend],
  503: [...new Set([...(own[503] ?? []), ...passing])],
})
