/**
 * Credentials of a Google Cloud account: a service account key, a workload identity federation configuration, or the
 * service account of the machine that this installation runs on. Documents may name files, programs and addresses for
 * getting tokens, so only listed members are accepted, and addresses must be Google's.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { Fault, type Problem } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'

/** Signs its own requests for tokens. */
export interface ServiceKey {
  kind: 'key'
  email: string
  /** PEM. */
  key: string
}

/** Uses a token of this installation. */
export interface Federation {
  kind: 'federation'
  /** The provider of a workload identity pool, as tokens name it. */
  audience: string
  tokenType: string
  /** The service account to impersonate, and the address that does it; if missing, the identity itself is used. */
  email: string | undefined
  impersonation: string | undefined
}

/** Uses the service account of this machine. */
interface AttachedIdentity {
  kind: 'attached'
}

export type GcpCredentials = ServiceKey | Federation | AttachedIdentity

const tokenAddress = 'https://oauth2.googleapis.com/token'
export const exchangeAddress = 'https://sts.googleapis.com/v1/token'

const lengthMax = 16_384

type Document = Readonly<Record<string, unknown>>
/** Allowed form of each member; `isNeeded`: required. */
type Members = Readonly<Record<string, { shape: RegExp; is: string; isNeeded?: true }>>

const universe = { shape: /^googleapis\.com$/, is: 'must be googleapis.com' }

const keyMembers: Members = {
  type: { shape: /^service_account$/, is: 'must be service_account', isNeeded: true },
  client_email: {
    shape: /^[a-z0-9][a-z0-9.-]{0,99}@[a-z0-9][a-z0-9.:-]{0,199}\.gserviceaccount\.com$/,
    is: 'must be the address of a service account',
    isNeeded: true,
  },
  private_key: { shape: /^-----BEGIN (RSA )?PRIVATE KEY-----\n/, is: 'must be a private key', isNeeded: true },
  private_key_id: { shape: /^[\w-]{1,128}$/, is: 'must be a key ID' },
  project_id: { shape: /^[a-z0-9.:-]{1,128}$/, is: 'must be a project ID' },
  client_id: { shape: /^[\w.-]{0,128}$/, is: 'must be an ID' },
  auth_uri: { shape: /^https:\/\/accounts\.google\.com\/o\/oauth2\/(v2\/)?auth$/, is: 'must be the address of Google' },
  token_uri: { shape: /^https:\/\/oauth2\.googleapis\.com\/token$/, is: `must be ${tokenAddress}` },
  auth_provider_x509_cert_url: {
    shape: /^https:\/\/www\.googleapis\.com\/oauth2\/v1\/certs$/,
    is: 'must be the address of Google',
  },
  client_x509_cert_url: {
    shape: /^https:\/\/www\.googleapis\.com\/robot\/v1\/metadata\/x509\/[\w%.@-]+$/,
    is: 'must be the address of Google',
  },
  universe_domain: universe,
}

const impersonation =
  /^https:\/\/iamcredentials\.googleapis\.com\/v1\/projects\/-\/serviceAccounts\/([a-z0-9][a-z0-9.-]{0,99}@[a-z0-9][a-z0-9.:-]{0,199}\.gserviceaccount\.com):generateAccessToken$/

const federationMembers: Members = {
  type: { shape: /^external_account$/, is: 'must be external_account', isNeeded: true },
  audience: {
    shape:
      /^\/\/iam\.googleapis\.com\/projects\/\d{1,20}\/locations\/global\/workloadIdentityPools\/[a-z0-9-]{4,32}\/providers\/[a-z0-9-]{4,32}$/,
    is: 'must be a workload identity pool provider',
    isNeeded: true,
  },
  subject_token_type: {
    shape: /^urn:ietf:params:oauth:token-type:(jwt|id_token)$/,
    is: 'must be urn:ietf:params:oauth:token-type:jwt',
    isNeeded: true,
  },
  token_url: { shape: /^https:\/\/sts\.googleapis\.com\/v1\/token$/, is: `must be ${exchangeAddress}` },
  service_account_impersonation_url: { shape: impersonation, is: 'must be the address of a Google service account' },
  universe_domain: universe,
}

/** @throws Fault `invalid` whose problems name the members that are not allowed */
export function readGcpCredentials(credentials: unknown): GcpCredentials {
  const { serviceAccount, workloadIdentity, attachedIdentity } = objectOf(credentials) ?? {}
  if ([serviceAccount, workloadIdentity, attachedIdentity].filter((one) => one !== undefined).length !== 1)
    throw wrong({
      path: '',
      code: 'oneOf',
      message: 'must be either serviceAccount, workloadIdentity or attachedIdentity',
    })
  if (serviceAccount !== undefined) return keyIn(documentOf(serviceAccount, '/serviceAccount'), '/serviceAccount')
  if (workloadIdentity !== undefined)
    return federationIn(documentOf(workloadIdentity, '/workloadIdentity'), '/workloadIdentity')
  if (attachedIdentity === true) return { kind: 'attached' }
  throw wrong({ path: '/attachedIdentity', code: 'value', message: 'must be true' })
}

/** @throws a `user_action` fault for invalid credentials */
export function credentialsOf({ credentials }: CloudAccount): GcpCredentials {
  try {
    return readGcpCredentials(credentials)
  } catch (error) {
    const fixHint =
      'Set the credentials { serviceAccount }, { workloadIdentity } or { attachedIdentity } of the account.'
    throw cloudFault(
      'user_action',
      'credentials_refused',
      'The account has no Google Cloud credentials.',
      { fixHint },
      error,
    )
  }
}

/** The identity used in Google Cloud. */
export function principalOf(credentials: GcpCredentials): string {
  if (credentials.kind === 'attached') return 'service account of this machine'
  return credentials.email ?? (credentials.kind === 'federation' ? credentials.audience : '')
}

const wrong = (...problems: readonly Problem[]): Fault => Fault.invalidAt(...problems)

const objectOf = (value: unknown): Document | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Document) : undefined

/** A document may be an object or its JSON text. */
function documentOf(given: unknown, path: string): Document {
  const read = typeof given === 'string' ? parseDocument(given) : given
  const found = objectOf(read)
  if (!found) throw wrong({ path, code: 'json', message: 'must be a JSON document' })
  return found
}

function parseDocument(text: string): unknown {
  if (text.length > lengthMax) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function keyIn(document: Document, path: string): ServiceKey {
  const found = checkMembers(document, keyMembers, path)
  return {
    kind: 'key',
    email: found['client_email']!,
    key: checkedKey(found['private_key']!, path),
  }
}

function checkedKey(pem: string, path: string): string {
  const problem = { path: `${path}/private_key`, code: 'key', message: 'must be an RSA key of 2048 bits or more' }
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw wrong(problem)
  }
  if (key.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) throw wrong(problem)
  return pem
}

function federationIn(document: Document, path: string): Federation {
  const found = checkMembers(document, federationMembers, path)
  const [address, email] = impersonation.exec(found['service_account_impersonation_url'] ?? '') ?? []
  const [audience, tokenType] = [found['audience']!, found['subject_token_type']!]
  return { kind: 'federation', audience, tokenType, email, impersonation: address }
}

/** The document must not decide where tokens come from. */
const forbiddenMembers: Readonly<Record<string, string>> = {
  credential_source: 'is not allowed: credentials cannot be read from files, programs, URLs or environments',
}

function checkMembers(document: Document, members: Members, path: string): Partial<Record<string, string>> {
  const problems: Problem[] = []
  const told = (name: string, code: string, message: string) =>
    problems.push({ path: `${path}/${escapePointer(name)}`, code, message })
  for (const [name, value] of Object.entries(document)) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined
    if (!member) told(name, 'additionalProperties', forbiddenMembers[name] ?? 'is not allowed')
    else if (typeof value !== 'string' || value.length > lengthMax || !member.shape.test(value))
      told(name, 'pattern', member.is)
  }
  for (const [name, { isNeeded, is }] of Object.entries(members))
    if (isNeeded && !Object.hasOwn(document, name)) told(name, 'required', is)
  if (problems.length > 0) throw wrong(...problems.slice(0, 20))
  return document as Partial<Record<string, string>>
}

/** Escaped as in a JSON pointer, and shortened. */
const escapePointer = (name: string): string => name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')
