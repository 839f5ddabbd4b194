/** Refusal codes of requests that call a cloud. Connectors use these codes, whatever their cloud returns. */
import type { Refusals } from '#http/edge/problem.ts'

/** Errors that the customer can fix. */
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

/** Temporary errors. */
const passing = ['busy', 'cloud_timeout', 'cloud_unavailable', 'no_answer', 'throttled'] as const

/** For a route that returns fixable errors as a normal response. */
export const cloudPasses: Refusals = { 503: passing }

/** The refusals of a route that calls a cloud before it responds, plus `own`. */
export const asksCloud = (own: Refusals = {}): Refusals => ({
  ...own,
  422: [...(own[422] ?? []), ...toMend],
  503: [...new Set([...(own[503] ?? []), ...passing])],
})
