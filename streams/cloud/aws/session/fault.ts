/** Converts AWS errors to faults. */
import { Fault, type Detail } from '#engine/value/fault.ts'
import { cloudFault, type Bucket } from '#streams/cloud/connector.ts'

export interface AwsCallInfo {
  service: string
  operation: string
  region: string
}

/** Names of errors of a service or an operation that is not offered in a region, or by what stands in for AWS. */
const notOffered =
  /^(NotImplemented(Error|Exception)?|UnknownOperation(Exception)?|InvalidAction|UnsupportedCommandException)$/

/** AWS error codes by meaning; the first match counts. Some services append `Exception` or `Fault`. */
const words: readonly (readonly [Meaning, RegExp])[] = [
  // Some answer it with a status of 5xx: it is no outage, and would be answered the same again.
  ['rejected', notOffered],
  [
    'throttled',
    /^(.*Throttl.*|RequestLimitExceeded|TooManyRequestsException|SlowDown|PriorRequestNotComplete|ProvisionedThroughputExceeded.*|BandwidthLimitExceeded)$/,
  ],
  ['credentials_expired', /^(ExpiredToken(Exception)?|RequestExpired|TokenRefreshRequired)$/],
  [
    'credentials_refused',
    /^(InvalidClientTokenId|UnrecognizedClientException|InvalidAccessKeyId|SignatureDoesNotMatch|AuthFailure|InvalidSignatureException|IncompleteSignature|MissingAuthenticationToken|CredentialsProviderError|OptInRequired)$/,
  ],
  [
    'permission_missing',
    /^(AccessDenied(Exception)?|UnauthorizedOperation|AuthorizationError(Exception)?|NotAuthorized|UnauthorizedAccess)$/,
  ],
  [
    'cloud_unavailable',
    /^(Internal\w*|ServiceUnavailable\w*|Unavailable|ServerException|Insufficient\w*Capacity\w*|TimeoutError|RequestTimeout\w*|NetworkingError|ECONN\w+|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET\w*)$/,
  ],
  ['not_found', /(NotFound(Exception|Fault|Error)?|NotAttached|DoesNotExist|NoSuch\w+)$/],
  ['quota_exceeded', /(LimitExceeded|QuotaExceeded|^Max\w+Exceeded)/],
]

type Meaning =
  | 'throttled'
  | 'credentials_expired'
  | 'credentials_refused'
  | 'permission_missing'
  | 'cloud_unavailable'
  | 'not_found'
  | 'quota_exceeded'
  | 'rejected'
  | 'unknown_answer'

const bucketsOf = (meaning: Meaning): Bucket => {
  if (meaning === 'throttled' || meaning === 'cloud_unavailable') return 'transient'
  return meaning === 'unknown_answer' ? 'system' : 'user_action'
}

interface Raw {
  name?: string
  Code?: string
  code?: string
  message?: string
  $metadata?: { httpStatusCode?: number }
}

/** The AWS error code: in some services `name`, in others `Code`; some prefix it with `Client.`. */
const wordOf = ({ name, Code, code }: Raw): string =>
  (name && name !== 'Error' ? name : (Code ?? code ?? '')).replace(/^Client\./, '').replace(/:.*$/, '')

/** Some services use one code for all invalid requests. */
const isNamedAbsent = (word: string, message: string): boolean =>
  (word === 'ValidationError' && /\bnot found\b/i.test(message)) ||
  (word === 'ValidationException' && /\bRecordNotFound\b/.test(message))

function meaningOf(word: string, { code = '', message = '', $metadata }: Raw): Meaning {
  const status = $metadata?.httpStatusCode ?? 0
  if (isNamedAbsent(word, message)) return 'not_found'
  const found = words.find(([, shape]) => shape.test(word) || shape.test(code))
  if (found) return found[0]
  if (status === 429) return 'throttled'
  if (status >= 500) return 'cloud_unavailable'
  return status >= 400 ? 'rejected' : 'unknown_answer'
}

/**
 * Codes: `throttled`, `cloud_unavailable` (transient); `permission_missing`, with `permission` in its detail,
 * `credentials_expired`, `credentials_refused`, `quota_exceeded`, `not_found`, `rejected` (user_action);
 * `unknown_answer` (system).
 */
export function awsFault(error: unknown, asked: AwsCallInfo): Fault {
  if (error instanceof Fault) return error
  const raw = (typeof error === 'object' && error !== null ? error : {}) as Raw
  const word = wordOf(raw)
  const meaning = meaningOf(word, raw)
  const { service, operation, region } = asked
  const where = region === '' ? '' : ` in ${region}`
  const said = `${service} ${operation}${where}: ${reasonOf(raw, word)}`
  return cloudFault(bucketsOf(meaning), meaning, said, { word, ...hintOf(meaning, asked) }, error)
}

/** Texts of SDK clients about unreadable or missing answers. */
const unread = /Deserialization error|\$response/
const connectionErrorCodes = /^(E[A-Z_]+|ERR_SOCKET\w*)$/

/** The reason in AWS's words; in our words if AWS gave none or the text is an SDK message for programmers. */
function reasonOf({ message = '', code = '', $metadata }: Raw, word: string): string {
  const status = $metadata?.httpStatusCode
  const behind = status === undefined ? '' : ` (HTTP ${status})`
  if (connectionErrorCodes.test(code)) return `the connection to AWS failed (${code})`
  if (unread.test(message)) return `its response cannot be read${behind}`
  if (/^Unknown(Error)?$/.test(message)) return `AWS rejected the request without giving a reason${behind}`
  return message || word || 'no response'
}

function hintOf(meaning: Meaning, { service, operation, region }: AwsCallInfo): Detail {
  const permission = permissionOf(service, operation)
  if (meaning === 'permission_missing')
    return {
      permission,
      fixHint: `Allow ${permission} in the policy of the role. To print the complete policy, run tidemark account policy aws.`,
      consoleUrl: 'https://console.aws.amazon.com/iam/home#/roles',
    }
  if (meaning === 'quota_exceeded')
    return {
      fixHint: 'Request a higher quota from AWS, or delete resources you do not need.',
      consoleUrl: `https://${region || 'us-east-1'}.console.aws.amazon.com/servicequotas/home`,
    }
  if (meaning === 'credentials_expired' || meaning === 'credentials_refused')
    return {
      fixHint: 'Check the role and its trust policy (tidemark account policy aws), then verify the account again.',
    }
  return {}
}

/** The name of an operation in policies. */
export function permissionOf(service: string, operation: string): string {
  // Permissions of API Gateway are the methods of its requests.
  if (service === 'api-gateway' && operation.startsWith('Get')) return 'apigateway:GET'
  const asked = `${prefixes[service] ?? service}:${operation}`
  return actions[asked] ?? asked
}

/** Operations whose names in policies differ. */
const actions: Readonly<Record<string, string>> = {
  's3:PutBucketLifecycleConfiguration': 's3:PutLifecycleConfiguration',
  's3:DeleteBucketLifecycle': 's3:PutLifecycleConfiguration',
  's3:PutBucketEncryption': 's3:PutEncryptionConfiguration',
  's3:ListBuckets': 's3:ListAllMyBuckets',
  's3:ListObjectsV2': 's3:ListBucket',
  's3:HeadBucket': 's3:ListBucket',
  's3:HeadObject': 's3:GetObject',
  's3:GetBucketLifecycleConfiguration': 's3:GetLifecycleConfiguration',
  's3:GetBucketEncryption': 's3:GetEncryptionConfiguration',
  'lambda:Invoke': 'lambda:InvokeFunction',
  'budgets:DescribeBudgets': 'budgets:ViewBudget',
  's3:GetPublicAccessBlock': 's3:GetAccountPublicAccessBlock',
}

/** Whether AWS's own name of the error matches. */
export const isWord = (error: unknown, word: RegExp): boolean =>
  error instanceof Fault && typeof error.detail['word'] === 'string' && word.test(error.detail['word'])

/**
 * Whether a service, or an operation of it, is not offered: there is nothing of it then. Told by the name of the error: a status
 * of 5xx alone may be an outage.
 */
export const isNotOffered = (error: unknown): boolean => isWord(error, notOffered)

/** Services whose names in policies differ from their package names. */
const prefixes: Readonly<Record<string, string>> = {
  'auto-scaling': 'autoscaling',
  'application-auto-scaling': 'application-autoscaling',
  'cloudwatch-logs': 'logs',
  'cost-explorer': 'ce',
  'elastic-load-balancing-v2': 'elasticloadbalancing',
  eventbridge: 'events',
  'service-quotas': 'servicequotas',
  'api-gateway': 'apigateway',
  'config-service': 'config',
  'database-migration-service': 'dms',
  'direct-connect': 'directconnect',
  efs: 'elasticfilesystem',
  'elastic-load-balancing': 'elasticloadbalancing',
  emr: 'elasticmapreduce',
  'global-accelerator': 'globalaccelerator',
  'kinesis-analytics-v2': 'kinesisanalytics',
  opensearch: 'es',
  'route-53': 'route53',
  's3-control': 's3',
  'secrets-manager': 'secretsmanager',
}
