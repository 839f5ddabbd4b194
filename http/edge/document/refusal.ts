/** The possible refusals of an operation: those that follow from its declaration, and those it declares in addition. */
import { isClamped, type Keywords } from '#http/edge/request/keywords.ts'
import { limitTooLarge, type Refusals, type RefusalStatus } from '#http/edge/problem.ts'
import { isKeyed, takesBody, type Route } from '#http/edge/route.ts'

/** Every code a route can return, by status, without duplicates. */
export function refusalsOf(r: Route): Refusals {
  const found = [ofInput(r), ofCaller(r), ofBody(r), ofAny, r.refuses ?? {}]
  const statuses = new Set(found.flatMap((one) => Object.keys(one)).map((status) => Number(status) as RefusalStatus))
  const codesOf = (status: RefusalStatus) => [...new Set(found.flatMap((one) => one[status] ?? []))]
  const all = [...statuses].map((status) => [status, codesOf(status)] as const)
  return Object.fromEntries(all.filter(([, codes]) => codes.length > 0))
}

/** Any caller can exceed a limit, and any store can be unavailable or full. */
const ofAny: Refusals = { 429: ['rate_limited'], 500: ['internal'], 503: ['unavailable', 'storage_full'] }

function ofInput(r: Route): Refusals {
  const isOpen = (r.query as Keywords | undefined)?.additionalProperties === true
  const isChecked = r.params !== undefined || r.query !== undefined || r.body !== undefined || isKeyed(r)
  return {
    400: [
      ...(isOpen ? [] : ['invalid_parameter']),
      ...(isChecked ? ['validation_failed'] : []),
      ...(isClamped(r.query as Keywords | undefined) ? [limitTooLarge] : []),
    ],
    404: r.params ? ['not_found'] : [],
    409: isKeyed(r) ? ['answer_not_kept'] : [],
    422: isKeyed(r) ? ['idempotency_mismatch'] : [],
    429: isKeyed(r) ? ['too_many_keys'] : [],
  }
}

function ofCaller({ permission, orgOptional, unscoped }: Route): Refusals {
  if (permission === 'public') return {}
  const ofOrganization =
    orgOptional || permission === 'internal' ? [] : ['organization_required', 'second_factor_required']
  // For tokens of an organization that is scheduled for deletion, on any route.
  const closed = permission === 'internal' ? [] : ['organization_closed']
  return {
    401: ['unauthenticated', 'invalid_token'],
    403: [
      'forbidden',
      'not_a_member',
      'wrong_scope',
      ...ofOrganization,
      ...closed,
      ...(unscoped ? ['report_scope'] : []),
    ],
  }
}

/** A body is read before the route's schema is applied, so this includes routes without a body. */
function ofBody(r: Route): Refusals {
  if (!takesBody(r)) return {}
  return {
    400: ['validation_failed', 'malformed_request', ...(r.upload || r.form ? [] : ['malformed_json'])],
    408: ['request_timeout'],
    413: ['body_too_large'],
    415: ['unsupported_media_type'],
  }
}
