/** Converts Google Cloud errors to faults. */
import { Fault, type Detail } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { cloudFault, type Bucket } from '#streams/cloud/connector.ts'
import { TooLarge } from '#streams/delivery/outbound.ts'
import { listOf, memberOf, objectOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/** An answer with an error status. */
export class GcpRefusal extends Error {
  readonly status: number
  readonly body: Json
  /** Milliseconds the cloud asks to wait. */
  readonly retryAfterMs: number
  /** Who refuses; packages ask several services in one call. */
  readonly service: string | undefined

  constructor(status: number, body: string, retryAfterMs: number, service?: string) {
    super(`HTTP ${status}`)
    this.status = status
    this.body = bodyOf(body)
    this.retryAfterMs = retryAfterMs
    this.service = service
  }
}

function bodyOf(text: string): Json {
  try {
    const parsed = parseJson(text)
    // Streaming services put the error into a list.
    return objectOf(Array.isArray(parsed) ? parsed[0] : parsed)
  } catch {
    return {}
  }
}

export interface GcpCallInfo {
  /** First part of the host name: `compute`. */
  service: string
  /** The permission for the call. */
  permission: string
  project: string
}

type Meaning =
  | 'throttled'
  | 'cloud_unavailable'
  | 'busy'
  | 'credentials_expired'
  | 'credentials_refused'
  | 'permission_missing'
  | 'service_disabled'
  | 'quota_exceeded'
  | 'already_exists'
  | 'not_found'
  | 'rejected'
  | 'answer_too_large'
  | 'unknown_answer'

/** Google's error reasons by meaning; the first match counts. */
const reasons: readonly (readonly [Meaning, RegExp])[] = [
  // BigQuery sends this with the status of an internal error.
  ['rejected', /^bytesBilledLimitExceeded$/],
  [
    'throttled',
    /^(rateLimitExceeded|userRateLimitExceeded|RATE_LIMIT_EXCEEDED|dailyLimitExceeded|jobRateLimitExceeded|tooManyRequests)$/,
  ],
  ['service_disabled', /^(SERVICE_DISABLED|accessNotConfigured|API_DISABLED)$/],
  ['credentials_expired', /^ACCESS_TOKEN_EXPIRED$/],
  [
    'credentials_refused',
    /^(authError|ACCESS_TOKEN_\w+|CREDENTIALS_MISSING|ACCOUNT_STATE_INVALID|invalid_(grant|client|target|request)|unauthorized_client)$/,
  ],
  ['busy', /^(resourceNotReady|resourceInUseByOperation|operationInProgress|staleData|ABORTED)$/],
  ['cloud_unavailable', /^(backendError|internalError|\w*RESOURCE_POOL_EXHAUSTED\w*|ZONE_RESOURCE_\w+|stockout)$/],
  ['quota_exceeded', /^(quotaExceeded|QUOTA_EXCEEDED|limitExceeded|CPUS_\w+|STORAGE_QUOTA\w*)$/],
  ['already_exists', /^(duplicate|alreadyExists|instanceAlreadyExists|ALREADY_EXISTS)$/],
  ['not_found', /^(notFound|instanceDoesNotExist)$/],
]

const byStatus: Readonly<Record<number, Meaning>> = {
  401: 'credentials_refused',
  403: 'permission_missing',
  404: 'not_found',
  408: 'cloud_unavailable',
  409: 'rejected',
  410: 'not_found',
  429: 'throttled',
}

/** Texts that say that another operation must end first. */
const isBusyText =
  /(operation|operations) .*(in progress|already|running|pending)|incompatible operation|is not ready|another operation|is (currently )?being (created|updated|upgraded|repaired)/i

const bucketsOf = (meaning: Meaning): Bucket => {
  if (meaning === 'throttled' || meaning === 'cloud_unavailable' || meaning === 'busy') return 'transient'
  return meaning === 'unknown_answer' || meaning === 'answer_too_large' ? 'system' : 'user_action'
}

/**
 * Codes: `throttled`, `cloud_unavailable`, `busy` (transient); `permission_missing`, with `permission` in its detail,
 * `service_disabled`, `credentials_expired`, `credentials_refused`, `quota_exceeded`, `already_exists`, `not_found`,
 * `rejected` (user_action); `answer_too_large`, `unknown_answer` (system).
 */
export function gcpFault(thrown: unknown, asked: GcpCallInfo): Fault {
  const error = toldIn(thrown)
  if (error instanceof GcpRefusal) return refusalFault(error, asked)
  if (!(error instanceof Fault))
    return cloudFault('system', 'unknown_answer', `${asked.service}: the response cannot be read`, {}, error)
  if (error.cause instanceof TooLarge)
    return cloudFault('system', 'answer_too_large', `${asked.service}: ${error.message}`, {}, error)
  if (error.code === 'upstream_failed')
    return cloudFault(
      'transient',
      'cloud_unavailable',
      `${asked.service}: the connection to Google failed. ${error.message}`,
      {},
      error,
    )
  return error
}

/** Google's packages wrap what is thrown while they send. */
function toldIn(thrown: unknown): unknown {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (error instanceof GcpRefusal || error instanceof Fault) return error
  return thrown
}

function refusalFault(refusal: GcpRefusal, of: GcpCallInfo): Fault {
  const asked = { ...of, service: refusal.service ?? of.service }
  const { status, body, retryAfterMs } = refusal
  const words = reasonsIn(body)
  const said = saidIn(body)
  const meaning = meaningOf(status, words, said)
  const message = `${asked.service} ${asked.permission}: ${said || `Google rejected the request without giving a reason (HTTP ${status})`}`
  const word = words[0] ?? ''
  return cloudFault(
    bucketsOf(meaning),
    meaning,
    message,
    { word, ...(retryAfterMs > 0 && { retryAfterMs }), ...hintOf(meaning, asked, body) },
    refusal,
  )
}

/** Google's message, in its several forms. */
const saidIn = (body: Json): string =>
  (textAt(body, 'error', 'message') ?? textAt(body, 'error_description') ?? '').slice(0, 500)

function reasonsIn(body: Json): string[] {
  const details = listOf(memberOf(body, 'error', 'details')).map((one) => textAt(one, 'reason'))
  const errors = listOf(memberOf(body, 'error', 'errors')).map((one) => textAt(one, 'reason'))
  const plain = typeof body['error'] === 'string' ? body['error'] : textAt(body, 'error', 'status')
  return [...details, ...errors, plain].filter((one) => one !== undefined)
}

function meaningOf(status: number, words: readonly string[], said: string): Meaning {
  for (const word of words) {
    const found = reasons.find(([, shape]) => shape.test(word))
    if (found) return found[0]
  }
  if ((status === 400 || status === 409 || status === 412) && isBusyText.test(said)) return 'busy'
  const known = byStatus[status]
  if (known) return known
  if (status >= 500) return 'cloud_unavailable'
  return status >= 400 ? 'rejected' : 'unknown_answer'
}

function hintOf(meaning: Meaning, { service, permission, project }: GcpCallInfo, body: Json): Detail {
  if (meaning === 'permission_missing') {
    const named = permissionIn(body) ?? permission
    return {
      permission: named,
      fixHint: `Allow ${named} in the role of the service account. To print the complete role, run tidemark account policy gcp.`,
      consoleUrl: `https://console.cloud.google.com/iam-admin/iam?project=${project}`,
    }
  }
  if (meaning === 'service_disabled')
    return {
      fixHint: `Enable ${service}.googleapis.com in the project: gcloud services enable ${service}.googleapis.com --project ${project}`,
      consoleUrl: `https://console.cloud.google.com/apis/library/${service}.googleapis.com?project=${project}`,
    }
  if (meaning === 'quota_exceeded')
    return {
      fixHint: 'Request a higher quota from Google, or delete resources you do not need.',
      consoleUrl: `https://console.cloud.google.com/iam-admin/quotas?project=${project}`,
    }
  if (meaning === 'credentials_expired' || meaning === 'credentials_refused')
    return {
      fixHint: 'Check the service account and its key (tidemark account policy gcp), then verify the account again.',
    }
  return {}
}

const permissionShape = /^[a-z]+\.[A-Za-z]+\.[A-Za-z]+$/

/** The permission that Google names as missing, in the error's details or its text. */
function permissionIn(body: Json): string | undefined {
  const told = listOf(memberOf(body, 'error', 'details')).map((one) => textAt(one, 'metadata', 'permission'))
  const said =
    /['"]?\b([a-z]+\.[A-Za-z]+\.[A-Za-z]+)\b['"]? (?:permission|denied|access)|ermission ['"]([a-z]+\.[A-Za-z]+\.[A-Za-z]+)['"]/.exec(
      saidIn(body),
    )
  return [...told, said?.[1], said?.[2]].find((one) => one !== undefined && permissionShape.test(one))
}
