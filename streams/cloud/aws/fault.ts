/** What an error of AWS means to us. */
import { Fault } from '#engine/fault.ts'
import { cloudFault } from '#streams/cloud/connector.ts'

export interface AskedOf {
  service: string
  operation: string
  region: string
}

const throttled =
  /^(Throttling|ThrottlingException|ThrottledException|RequestThrottled|RequestThrottledException|RequestLimitExceeded|TooManyRequestsException|SlowDown|PriorRequestNotComplete|ProvisionedThroughputExceededException|BandwidthLimitExceeded|EC2ThrottledException|LimitExceededException\.Rate)$/
const denied =
  /^(AccessDenied|AccessDeniedException|UnauthorizedOperation|AuthorizationError|AuthorizationErrorException|NotAuthorized|UnauthorizedAccess|Client\.UnauthorizedOperation)$/
const expired = /^(ExpiredToken|ExpiredTokenException|RequestExpired|TokenRefreshRequired)$/
const unknownIdentity =
  /^(InvalidClientTokenId|UnrecognizedClientException|InvalidAccessKeyId|SignatureDoesNotMatch|AuthFailure|InvalidSignatureException|IncompleteSignature|MissingAuthenticationToken|CredentialsProviderError|OptInRequired)$/
const quota =
  /^(.*LimitExceeded.*|.*QuotaExceeded.*|ServiceQuotaExceededException|InsufficientInstanceCapacity|VcpuLimitExceeded|Max\w+Exceeded)$/
const absent =
  /(NotFound|NotFoundException|NotFoundFault|DoesNotExist|NoSuchBucket|NoSuchKey|NoSuchEntity|ResourceNotFoundException)$/
const away =
  /^(InternalError|InternalFailure|InternalServerError|InternalServiceError|ServiceUnavailable|Unavailable|ServerException|InternalServerException|TimeoutError|RequestTimeout|RequestTimeoutException|NetworkingError)$/
const socket = /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET\w*|UND_ERR\w*)$/

interface Raw {
  name?: string
  Code?: string
  code?: string
  message?: string
  $metadata?: { httpStatusCode?: number }
}

/** The word AWS has for the error: some services write it as name, some as Code, some put `Client.` before it. */
const wordOf = ({ name, Code, code }: Raw): string =>
  (name && name !== 'Error' ? name : (Code ?? code ?? '')).replace(/^Client\./, '').replace(/:.*$/, '')

/**
 * Codes: `throttled`, `cloud_unavailable` (transient); `permission_missing`, with `permission` in its detail, `credentials_expired`,
 * `credentials_refused`, `quota_exceeded`, `not_found`, `rejected` (user_action); `unknown_answer` (system).
 */
export function awsFault(error: unknown, asked: AskedOf): Fault {
  if (error instanceof Fault) return error
  const raw = (typeof error === 'object' && error !== null ? error : {}) as Raw
  const word = wordOf(raw)
  const status = raw.$metadata?.httpStatusCode ?? 0
  const said = `${asked.service} ${asked.operation}${asked.region === '' ? '' : ` in ${asked.region}`}: ${raw.message ?? (word || 'no answer')}`
  if (throttled.test(word) || status === 429) return cloudFault('transient', 'throttled', said, {}, error)
  if (expired.test(word)) return cloudFault('user_action', 'credentials_expired', said, { fixHint: reconnect }, error)
  if (unknownIdentity.test(word))
    return cloudFault('user_action', 'credentials_refused', said, { fixHint: reconnect }, error)
  if (denied.test(word)) return missing(said, asked, error)
  if (status >= 500 || away.test(word) || socket.test(raw.code ?? '') || socket.test(word))
    return cloudFault('transient', 'cloud_unavailable', said, {}, error)
  if (absent.test(word)) return cloudFault('user_action', 'not_found', said, {}, error)
  if (quota.test(word)) return quotaFault(said, asked, error)
  if (status >= 400) return cloudFault('user_action', 'rejected', said, { word }, error)
  return cloudFault('system', 'unknown_answer', said, { word }, error)
}

const reconnect = 'Check the role and its trust policy (tidemark account policy aws), then verify the account again.'

function missing(said: string, { service, operation }: AskedOf, error: unknown): Fault {
  const permission = `${prefixes[service] ?? service}:${operation}`
  return cloudFault(
    'user_action',
    'permission_missing',
    said,
    {
      permission,
      fixHint: `Allow ${permission} in the policy of the role: tidemark account policy aws prints it whole.`,
      consoleUrl: 'https://console.aws.amazon.com/iam/home#/roles',
    },
    error,
  )
}

const quotaFault = (said: string, { region }: AskedOf, error: unknown): Fault =>
  cloudFault(
    'user_action',
    'quota_exceeded',
    said,
    {
      fixHint: 'Ask AWS for a higher quota, or free what is not needed.',
      consoleUrl: `https://${region || 'us-east-1'}.console.aws.amazon.com/servicequotas/home`,
    },
    error,
  )

/** How policies call a service, where its package is called otherwise. */
const prefixes: Readonly<Record<string, string>> = {
  'auto-scaling': 'autoscaling',
  'application-auto-scaling': 'application-autoscaling',
  'cloudwatch-logs': 'logs',
  'cost-explorer': 'ce',
  'elastic-load-balancing-v2': 'elasticloadbalancing',
  eventbridge: 'events',
  'service-quotas': 'servicequotas',
}
