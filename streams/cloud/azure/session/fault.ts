/** Converts Azure errors to faults. */
import { Fault, type Detail } from '#engine/value/fault.ts'
import { cloudFault, type Bucket } from '#streams/cloud/connector.ts'
import { TooLarge } from '#streams/delivery/outbound.ts'
import { azureClouds, publicCloud } from './cloud.ts'

export interface AzureCallInfo {
  /** For people: `GET Microsoft.Compute/virtualMachines`. */
  operation: string
  /** The Azure permission for the call. */
  permission: string
  /** The portal of the account's cloud; that of the public cloud if missing. */
  portal?: string
}

/** An answer with an error status. */
export class AzureRefusal extends Error {
  readonly status: number
  /** Azure's error code; empty if there is none. */
  readonly word: string
  readonly retryAfterMs: number

  constructor(status: number, word: string, said: string, retryAfterMs = 0) {
    super(said)
    this.status = status
    this.word = word
    this.retryAfterMs = retryAfterMs
  }
}

type Meaning =
  | 'throttled'
  | 'credentials_expired'
  | 'credentials_refused'
  | 'permission_missing'
  | 'cloud_unavailable'
  | 'busy'
  | 'not_registered'
  | 'not_found'
  | 'quota_exceeded'
  | 'replaced'
  | 'rejected'
  | 'unknown_answer'

/** Azure error codes by meaning; the first match counts. */
const words: readonly (readonly [Meaning, RegExp])[] = [
  ['throttled', /^(TooManyRequests|.*Throttl\w*|RateLimit\w*|429|SlowDown|temporarily_unavailable)$/i],
  ['credentials_expired', /^(ExpiredAuthenticationToken|AADSTS7000222|AADSTS700082)$/],
  [
    'credentials_refused',
    /^(InvalidAuthenticationToken\w*|AuthenticationFailed|InvalidAuthenticationInfo|NoAuthenticationInformation|Unauthorized|AADSTS\d+|invalid_client|invalid_grant|invalid_request|unauthorized_client)$/,
  ],
  [
    'not_registered',
    /^(MissingSubscriptionRegistration|SubscriptionNotRegistered|NoRegisteredProviderFound|InvalidResourceNamespace|InvalidResourceType)$/,
  ],
  [
    'rejected',
    /^(RequestDisallowed\w*|ScopeLocked|DisallowedProvider|AccountIsDisabled|ReadOnlyDisabledSubscription)$/,
  ],
  [
    'permission_missing',
    /^(AuthorizationFailed|LinkedAuthorizationFailed|Authorization\w*Mismatch|AuthorizationFailure|InsufficientAccountPermissions|Forbidden\w*|DenyAssignmentAuthorizationFailed)$/,
  ],
  [
    'cloud_unavailable',
    /^(Internal\w*|ServerTimeout|ServerBusy|ServiceUnavailable|GatewayTimeout|BadGateway|OperationTimedOut|RetryableError\w*|\w*AllocationFailed|OverconstrainedAllocationRequest)$/,
  ],
  [
    'busy',
    /^(AnotherOperationInProgress|INVALID_STATE|OperationPreempted|ConcurrentModification\w*|\w*OperationInProgress|\w*IsBusy|ServerIsBusy|PutNicOperationInProgress|RetryableConflict|ReferencedResourceNotProvisioned|ResourceGroupBeingDeleted)$/,
  ],
  ['quota_exceeded', /(QuotaExceeded|LimitExceeded|LimitReached|InsufficientVCPUQuota)$/],
  ['not_found', /(NotFound|DoesNotExist|NotExist|DOES_NOT_EXIST)$/],
  ['replaced', /^(ConditionNotMet|PreconditionFailed)$/],
]

const bucketsOf = (meaning: Meaning): Bucket => {
  if (['throttled', 'cloud_unavailable', 'busy', 'replaced'].includes(meaning)) return 'transient'
  return meaning === 'unknown_answer' ? 'system' : 'user_action'
}

const byStatus: Readonly<Record<number, Meaning>> = {
  401: 'credentials_refused',
  403: 'permission_missing',
  404: 'not_found',
  412: 'replaced',
  429: 'throttled',
}

function meaningOf(word: string, status: number, said: string): Meaning {
  // Databricks' answer for an unknown id.
  if (word === 'INVALID_PARAMETER_VALUE' && /\bdoes not exist\b/i.test(said)) return 'not_found'
  // Compute has one code for everything that is not allowed.
  if (word === 'OperationNotAllowed' && /\bquota\b/i.test(said)) return 'quota_exceeded'
  // Azure has several codes for changes that are still in progress.
  if (/^(OperationNotAllowed|Conflict)$/.test(word) && /\bin progress\b/i.test(said)) return 'busy'
  const found = words.find(([, shape]) => shape.test(word))
  if (found) return found[0]
  if (status >= 500) return 'cloud_unavailable'
  return byStatus[status] ?? (status >= 400 ? 'rejected' : 'unknown_answer')
}

/**
 * Codes: `throttled`, `cloud_unavailable`, `busy`, `replaced` (transient); `permission_missing`, with `permission` in
 * its detail, `credentials_expired`, `credentials_refused`, `quota_exceeded`, `not_registered`, `not_found`, `rejected`
 * (user_action); `unknown_answer` (system).
 */
export function azureFault(error: unknown, asked: AzureCallInfo): Fault {
  if (error instanceof Fault && error.code !== 'upstream_failed') return error
  if (error instanceof Error && error.cause instanceof TooLarge)
    return cloudFault(
      'system',
      'answer_too_large',
      `${asked.operation}: the response of Azure is too large.`,
      {},
      error,
    )
  const { status, word, said, retryAfterMs } = toldBy(error)
  const meaning = meaningOf(word, status, said)
  const because = said || word || (status === 0 ? 'no response' : `HTTP ${status}`)
  const detail: Detail = {
    word,
    ...(retryAfterMs > 0 && { retryAfterMs }),
    ...hintOf(meaning, said, asked),
  }
  return cloudFault(bucketsOf(meaning), meaning, `${asked.operation}: ${because}`, detail, error)
}

interface ErrorDetails {
  status: number
  word: string
  said: string
  retryAfterMs: number
}

function toldBy(error: unknown): ErrorDetails {
  if (error instanceof AzureRefusal) {
    const { status, word, message, retryAfterMs } = error
    return { status, word, said: message, retryAfterMs }
  }
  const isUnreached = error instanceof Fault && error.code === 'upstream_failed'
  // No answer was received.
  if (isUnreached) return { status: 503, word: '', said: `Cannot reach Azure: ${error.message}`, retryAfterMs: 0 }
  return { status: 0, word: '', said: error instanceof Error ? error.message : '', retryAfterMs: 0 }
}

function hintOf(
  meaning: Meaning,
  said: string,
  { permission, portal = azureClouds[publicCloud].portal }: AzureCallInfo,
): Detail {
  if (meaning === 'permission_missing') {
    // The permission that Azure names as missing, which may differ from that of the call: for a subnet or a disk.
    const lacking = /perform (?:the )?action '(Microsoft\.[\w./]+)'/i.exec(said)?.[1] ?? permission
    return {
      permission: lacking,
      fixHint: lacking.startsWith('databricks ')
        ? 'Add the application to the workspace as a service principal that can manage its resources.'
        : `Allow ${lacking} in the role of the application. To print the complete role, run tidemark account policy azure.`,
      consoleUrl: `${portal}/#view/Microsoft_Azure_Billing/SubscriptionsBladeV2`,
    }
  }
  if (meaning === 'quota_exceeded')
    return {
      fixHint: 'Request a higher quota from Azure, or delete resources you do not need.',
      consoleUrl: `${portal}/#view/Microsoft_Azure_Capacity/QuotaMenuBlade/~/overview`,
    }
  if (meaning === 'credentials_expired')
    return {
      fixHint:
        'Create a new client secret or certificate for the application and set it on the account: PATCH /cloud-accounts/{cloudAccountID}.',
    }
  if (meaning === 'credentials_refused')
    return {
      fixHint:
        'Check the tenant, the client ID, and the client secret (its value, not its ID), the certificate, or the token issuer that the application trusts. Then verify the account again.',
    }
  if (meaning === 'not_registered')
    return { fixHint: 'Register the resource provider in the subscription: az provider register --namespace.' }
  return {}
}
