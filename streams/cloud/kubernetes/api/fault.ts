/** Converts errors of an API server to faults. */
import { Fault, type Detail } from '#engine/value/fault.ts'
import { cloudFault, type Bucket } from '#streams/cloud/connector.ts'
import { TooLarge } from '#streams/delivery/outbound.ts'

/** An answer with an error status. */
export class KubernetesRefusal extends Error {
  readonly status: number
  /** Milliseconds the server asks to wait. */
  readonly retryAfterMs: number

  constructor(status: number, said: string, retryAfterMs: number) {
    super(said)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

export interface ClusterCallInfo {
  /** In the form of `kubectl auth can-i`: `list deployments.apps`. */
  permission: string
  /** Name for people. */
  cluster: string
  isWholeAccount?: true
}

/** The refusal of one of several clusters says nothing about the account. */
export const refusalCode = ({ isWholeAccount }: Pick<ClusterCallInfo, 'isWholeAccount'>): string =>
  isWholeAccount ? 'credentials_refused' : 'cluster_credentials_refused'

interface Meaning {
  bucket: Bucket
  code: string
}

const userAction = (code: string): Meaning => ({ bucket: 'user_action', code })
const transient = (code: string): Meaning => ({ bucket: 'transient', code })

const meanings: Readonly<Record<number, Meaning>> = {
  403: userAction('permission_missing'),
  404: userAction('not_found'),
  408: transient('cloud_unavailable'),
  409: transient('conflict'),
  // Requesting the same page again would not help.
  410: { bucket: 'system', code: 'page_expired' },
  429: transient('throttled'),
}

const meaningOf = (status: number, asked: ClusterCallInfo): Meaning => {
  if (status === 401) return userAction(refusalCode(asked))
  const known = meanings[status]
  if (known) return known
  if (status >= 500) return transient('cloud_unavailable')
  return userAction('rejected')
}

const tlsCodes =
  /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_(VERIFY|GET|DECRYPT)|SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED|INVALID_CA|EPROTO$|HOSTNAME_MISMATCH)/

/**
 * Codes: `throttled`, `cloud_unavailable`, `cloud_timeout`, `conflict` (transient); `cluster_credentials_refused` or
 * `credentials_refused`, `permission_missing` with `permission` in its detail, `not_found`, `rejected`, `tls_refused`, `address_refused`
 * (user_action); `page_expired`, `answer_too_large`, `unknown_answer` (system).
 */
export function kubernetesFault(error: unknown, asked: ClusterCallInfo): Fault {
  if (error instanceof KubernetesRefusal) return refusalFault(error, asked)
  if (error instanceof Fault) return connectionFault(error, asked)
  return cloudFault('system', 'unknown_answer', `${where(asked)}: the response cannot be read.`, {}, error)
}

const where = ({ permission, cluster }: ClusterCallInfo): string => `Kubernetes ${permission} in ${cluster}`

function refusalFault(refusal: KubernetesRefusal, asked: ClusterCallInfo): Fault {
  const { status, message, retryAfterMs } = refusal
  const { bucket, code } = meaningOf(status, asked)
  const said = `${where(asked)}: ${message === '' ? `HTTP ${status}` : message}`
  const detail = { status, ...(retryAfterMs > 0 && { retryAfterMs }), ...hintOf(code, asked) }
  return cloudFault(bucket, code, said, detail, refusal)
}

function hintOf(code: string, { permission }: ClusterCallInfo): Detail {
  if (code === 'permission_missing')
    return {
      permission,
      fixHint: `Allow ${permission} in the cluster role. To print the complete role, run tidemark account policy kubernetes.`,
    }
  if (code === 'cluster_credentials_refused')
    return { fixHint: 'Give Tidemark access to the cluster: add an access entry in its cloud, or set a new token.' }
  if (code === 'credentials_refused')
    return { fixHint: 'Set a new token or client certificate: PATCH /cloud-accounts/{cloudAccountID}.' }
  return {}
}

/** There was no answer, or an unusable one. */
function connectionFault(fault: Fault, asked: ClusterCallInfo): Fault {
  if (fault.code === 'address_refused')
    return cloudFault('user_action', 'address_refused', `${where(asked)}: ${fault.message}`, {}, fault)
  if (fault.code !== 'upstream_failed') return fault
  if (fault.cause instanceof TooLarge)
    return cloudFault('system', 'answer_too_large', `${where(asked)}: ${fault.message}`, {}, fault)
  const { code } = (fault.cause ?? {}) as { code?: unknown }
  if (typeof code === 'string' && tlsCodes.test(code)) {
    const fixHint = 'The server certificate must be issued by the certificate authority of the cluster.'
    return cloudFault('user_action', 'tls_refused', `${where(asked)}: ${fault.message}`, { fixHint }, fault)
  }
  return cloudFault('transient', 'cloud_unavailable', `${where(asked)}: ${fault.message}`, {}, fault)
}

/** Codes for a server that cannot be reached, or that refuses all requests. */
const unreachableCodes: readonly string[] = [
  'address_refused',
  'tls_refused',
  'cluster_credentials_refused',
  'cloud_unavailable',
  'cloud_unreachable',
  'cloud_timeout',
]
export const isClosed = ({ code }: Fault): boolean => unreachableCodes.includes(code)
