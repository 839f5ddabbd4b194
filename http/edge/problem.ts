/** Errors as problem documents (RFC 9457): inputs, codes and HTTP statuses. */
import { Fault, type Detail, type FaultKind, type Problem } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'

/** One invalid input. `name` is a JSON pointer for bodies and the plain name for everything else. */
export interface InputError {
  in: 'body' | 'query' | 'path' | 'header'
  name: string
  code: string
  message: string
}

/** The body of every response of 400 and above (RFC 9457, decision G-01). */
export const ProblemBody = t.Object(
  {
    type: t.String({ description: 'urn:tidemark:problem:<code>' }),
    title: t.String(),
    status: t.Integer(),
    detail: t.String(),
    instance: t.String({ description: 'the requested path' }),
    code: t.String({ description: 'stable error code for programs' }),
    requestId: t.String(),
    errors: t.Optional(
      t.Array(
        t.Object(
          {
            in: t.Enum(['body', 'query', 'path', 'header']),
            name: t.String({ description: 'JSON pointer for bodies, otherwise the plain name' }),
            code: t.String(),
            message: t.String(),
          },
          { title: 'ProblemInput' },
        ),
      ),
    ),
  },
  { title: 'Problem' },
)

/** Statuses with which an operation can be refused. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 408 | 409 | 412 | 413 | 415 | 422 | 429 | 500 | 502 | 503
/** Codes by HTTP status. */
export type Refusals = Readonly<Partial<Record<RefusalStatus, readonly string[]>>>

/** The code for a number above its maximum in a strict request, which is otherwise reduced to it. */
export const limitTooLarge = 'limit_too_large'

/** Codes for unknown parameters and members. */
const strange: ReadonlySet<string> = new Set(['unknown_parameter', 'additionalProperties'])

/** A request with invalid inputs: 400, naming each. Unknown names have a code of their own (G-114). */
export const badInput = (...errors: readonly InputError[]): Fault =>
  Fault.invalid(codeOf(errors), errors.map((e) => `${e.in} ${e.name || 'as a whole'}: ${e.message}`).join('; '), {
    errors,
  })

function codeOf(errors: readonly InputError[]): string {
  if (errors.some(({ code }) => strange.has(code))) return 'invalid_parameter'
  return errors.every(({ code }) => code === limitTooLarge) ? limitTooLarge : 'validation_failed'
}

/**
 * `fault` of a decoder with the location of the input, and preceded by the errors in `besides`; any other fault
 * unchanged.
 */
export function inputFault(fault: unknown, where: InputError['in'], besides: readonly InputError[] = []): unknown {
  if (!(fault instanceof Fault) || fault.code !== 'validation_failed' || !fault.detail.problems) return fault
  return badInput(...besides, ...fault.detail.problems.map((p) => inputError(p, where)))
}

const inputError = ({ path, code, message }: Problem, where: InputError['in']): InputError => ({
  in: where,
  name: where === 'body' ? path : (path.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~'),
  code,
  message,
})

const statusOfKind: Readonly<Record<FaultKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  conflict: 409,
  refused: 422,
  transient: 503,
  defect: 500,
}

/** Codes with another status than that of their kind. */
const statusOfCode: Readonly<Record<string, number>> = {
  method_not_allowed: 405,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  too_many_streams: 429,
  too_many_keys: 429,
  too_many_exports: 429,
  too_many_organizations: 429,
  export_quota_exceeded: 429,
  too_many_attempts: 429,
  too_many_uploads: 429,
  too_many_mails: 429,
  upstream_failed: 502,
}

/** The HTTP status of a fault. */
export const statusOf = ({ code, kind }: Pick<Fault, 'code' | 'kind'>): number =>
  statusOfCode[code] ?? statusOfKind[kind]

/** Seconds to wait before a retry, unless the fault has its own value. */
const retryAfterSeconds = 5

export interface ProblemResponse {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown>
}

/**
 * The response for `fault`. `detail.allow`, `.retryAfter`, `.isSecret`, `.setCookie` and `.members` are for headers and
 * additional members.
 */
export function problemOf(given: Fault, instance: string, requestId: string): ProblemResponse {
  const fault = given.kind === 'defect' ? Fault.defect(undefined) : given
  const status = statusOf(fault)
  const { members, errors, problems } = fault.detail
  const named = errors ?? problems?.map((p) => inputError(p, 'body'))
  return {
    status,
    headers: {
      ...headersOf(status, fault.detail),
      ...(fault.detail['replayed'] === true && { 'Idempotency-Replayed': 'true' }),
      ...(fault.detail['isSecret'] === true && { 'Cache-Control': 'no-store' }),
      ...(typeof fault.detail['setCookie'] === 'string' && { 'Set-Cookie': fault.detail['setCookie'] }),
    },
    body: {
      type: `urn:tidemark:problem:${fault.code}`,
      title: title(fault.code),
      status,
      detail: fault.message,
      instance,
      code: fault.code,
      requestId,
      ...(named !== undefined && { errors: named }),
      ...cloudMembers(fault.detail),
      ...(members as object | undefined),
    },
  }
}

function headersOf(status: number, { allow, retryAfter }: Detail): Record<string, string> {
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' }
  if (status === 405) return { Allow: String(allow) }
  if (status === 429 || status === 503)
    return { 'Retry-After': String(typeof retryAfter === 'number' ? retryAfter : retryAfterSeconds) }
  return {}
}

/** Additional members for a cloud's fault: who can act on it, and how. */
function cloudMembers(detail: Detail): Record<string, unknown> {
  const { bucket, fixHint, consoleUrl } = detail
  if (bucket === undefined) return {}
  return {
    bucket,
    retryable: bucket === 'transient',
    ...(fixHint !== undefined && { fixHint }),
    ...(consoleUrl !== undefined && { consoleUrl }),
  }
}

const title = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')
