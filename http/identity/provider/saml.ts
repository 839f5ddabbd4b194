/**
 * Sign-in through an organization's own identity provider (SAML 2.0, decision G-12). Only signed parts are used. A
 * response is valid for its request, for us, for its minutes, and once; there is none without a request. Such a sign-in
 * is valid for that organization only: its provider can vouch for nobody elsewhere. It ends with a code of ours, which
 * only the page that started it can use.
 */
import { randomBytes } from 'node:crypto'
import type { CacheProvider, Profile, SAML } from '@node-saml/node-saml'
import { Fault } from '#engine/value/fault.ts'
import type { User } from '#http/identity/entity.ts'
import { LoginCode, ProviderDomain } from './entity.ts'
import { codeMs, type StartedSignIn } from './login-code.ts'
import { addressOf, domainOf, isSubject, nameOf, userVouchedFor } from './person.ts'
import { hashOf, newSecret } from '#http/identity/token/secret.ts'
import { decryptionKey, isWellEncrypted, publishedKey, type DecryptionKey } from './saml-key.ts'
import { checkAlgorithms, checkResponse } from './saml-check.ts'
import { SamlConnection, SamlRequest } from './saml-entity.ts'
import type { IdentityTools } from '#http/identity/tools.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { reply, type Reply } from '#http/store/reply.ts'

const requestMs = 10 * 60_000
const skewMs = 60_000
/** Maximum characters of an assertion id, so that it fits into an index. */
const idMax = 256

const entityOf = (tools: Pick<IdentityTools, 'publicUrl'>): string => `${tools.publicUrl()}/auth/saml/metadata`
const acsOf = (tools: Pick<IdentityTools, 'publicUrl'>): string => `${tools.publicUrl()}/auth/saml/acs`

/** Waiting requests of one organization. `making` has the verifier of the one that is created or found. */
function requests(tools: IdentityTools, orgId: string, making: Making): CacheProvider {
  return {
    async saveAsync(id, value) {
      const createdAt = tools.now()
      await tools.em().insert(SamlRequest, { orgId, id, verifierHash: making.verifierHash ?? null, createdAt })
      return { value, createdAt: createdAt.getTime() }
    },
    async getAsync(id) {
      const after = new Date(tools.now().getTime() - requestMs)
      const found = await tools.em().findOne(SamlRequest, { orgId, id, createdAt: { $gt: after } })
      making.verifierHash = found?.verifierHash
      // The library expects a time, which it checks by its own clock; ours has already been checked.
      return found ? new Date().toISOString() : null
    },
    async removeAsync(id) {
      if (id === null) return null
      return (await tools.em().nativeDelete(SamlRequest, { orgId, id })) > 0 ? id : null
    },
  }
}

interface Making {
  key?: DecryptionKey | undefined
  /** Id of the next request. */
  requestId?: string
  /** SHA-256 of the verifier of the page that started the sign-in. */
  verifierHash?: string | null | undefined
}

/** Loaded on use: it is large, and most installations do not need it. */
const library = () => import('@node-saml/node-saml')

async function provider(tools: IdentityTools, connection: SamlConnection, making: Making): Promise<SAML> {
  const { key, requestId } = making
  const { SAML, ValidateInResponseTo } = await library()
  return new SAML({
    issuer: entityOf(tools),
    audience: entityOf(tools),
    callbackUrl: acsOf(tools),
    entryPoint: connection.ssoUrl,
    idpIssuer: connection.entityId,
    idpCert: connection.certificatePem,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: requestMs,
    acceptedClockSkewMs: skewMs,
    cacheProvider: requests(tools, connection.orgId, making),
    ...(key && { decryptionPvk: key.privatePem }),
    ...(requestId !== undefined && { generateUniqueId: () => requestId }),
  })
}

/** The metadata for configuring a provider: our names, addresses and encryption certificate, as XML. */
export async function metadata(tools: IdentityTools): Promise<string> {
  const key = await publishedKey(tools)
  const { SAML } = await library()
  return new SAML({
    issuer: entityOf(tools),
    callbackUrl: acsOf(tools),
    // The library requires one; metadata contains no certificate of the provider.
    idpCert: 'unused',
    identifierFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    wantAssertionsSigned: true,
    // Makes the text the same at each request.
    generateUniqueId: () => `_${hashOf(entityOf(tools))}`,
    decryptionPvk: key.privatePem,
  }).generateServiceProviderMetadata(key.certificatePem, null)
}

/**
 * Where to send the browser for this address, the state it returns with, and the verifier that the page must present in
 * the end.
 * @throws Fault `missing` if no organization has that domain
 */
export async function initiate(tools: IdentityTools, email: string): Promise<StartedSignIn> {
  const { orgId } =
    (await tools.em().findOne(ProviderDomain, { domain: domainOf(email), verifiedAt: { $ne: null } })) ?? {}
  const connection = orgId === undefined ? null : await tools.em().findOne(SamlConnection, { orgId, enabled: true })
  if (!connection) throw Fault.missing('identity provider for this address', domainOf(email))
  const [state, codeVerifier] = [`_${randomBytes(20).toString('hex')}`, newSecret()]
  const asking = await provider(tools, connection, { requestId: state, verifierHash: hashOf(codeVerifier) })
  return { redirectURL: await asking.getAuthorizeUrlAsync(connection.orgId, undefined, {}), state, codeVerifier }
}

/**
 * Handles a provider's response. Sends the browser to the application, with a code that is valid once and for a minute.
 */
export async function takeSamlAnswer(
  tools: IdentityTools,
  answer: { SAMLResponse: string; RelayState?: string },
): Promise<Reply<string>> {
  const orgId = answer.RelayState ?? ''
  const connection = await tools.em().findOne(SamlConnection, { orgId, enabled: true })
  if (!connection) throw refusedFault('no such identity provider')
  const { profile, verifierHash } = await validateAnswer(tools, connection, answer.SAMLResponse)
  const user = await userOf(tools, connection, profile)
  const code = newSecret()
  const expiresAt = new Date(tools.now().getTime() + codeMs)
  const to = new URL(tools.appUrl())
  to.searchParams.set('code', code)
  // The request of the response, by which the page that started it recognizes it.
  to.searchParams.set('state', String(profile['inResponseTo']))
  return transaction(tools.em(), async (em) => {
    await em.insert(LoginCode, {
      hash: hashOf(code),
      userId: user.id,
      orgId,
      purpose: 'saml',
      verifierHash,
      expiresAt,
    })
    return reply('', { headers: { Location: to.href } })
  })
}

/** The organization that a response says it is for, if that has a provider. */
export const providerNamed = async (tools: IdentityTools, orgId = ''): Promise<string> =>
  (await tools.em().count(SamlConnection, { orgId })) > 0 ? orgId : ''

const refusedFault = (why: unknown): Fault =>
  new Fault(
    'unauthenticated',
    'invalid_credentials',
    'The response of the identity provider is not acceptable.',
    {},
    why,
  )

/** Refuses a failed validation, keeping faults of ours that have codes of their own. */
function unacceptable(error: unknown): never {
  throw error instanceof Fault ? error : refusedFault(error)
}

interface SignedAnswer {
  profile: Profile
  /** SHA-256 of the verifier that the page must present. */
  verifierHash: string | null
}

/**
 * The person, from what is signed for us and for a waiting request.
 * @throws Fault `provider_refused`; `weak_signature`; `invalid_credentials` with the reason in its cause
 */
async function validateAnswer(
  tools: IdentityTools,
  connection: SamlConnection,
  response: string,
): Promise<SignedAnswer> {
  const answered = await verifySignature(tools, connection, response)
  const { profile } = answered
  const parts = signedParts(profile)
  const { id, version, issuers, names } = parts
  if (version !== '2.0') throw refusedFault('another version')
  if (issuers.length !== 1 || issuers[0] !== connection.entityId) throw refusedFault('another issuer')
  // Without a name the library uses an attribute called so.
  if (names.length !== 1 || names[0] !== profile.nameID) throw refusedFault('no name')
  checkConfirmed(parts, { requestId: profile['inResponseTo'], recipient: acsOf(tools) })
  const earliest = tools.now().getTime() - skewMs
  if (parts.sessionEnds.some((end) => end !== undefined && !(Date.parse(end) > earliest)))
    throw refusedFault('session ended')
  if (id === undefined || id.length > idMax) throw refusedFault('no identifier')
  await once(tools, connection.orgId, id)
  return answered
}

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'

/** Every confirmation in the assertion must be of kind bearer, for this request and for us. */
function checkConfirmed(
  { methods, requestIds, recipients }: SignedParts,
  { requestId, recipient }: { requestId: unknown; recipient: string },
): void {
  if (methods.some((method) => method !== bearer)) throw refusedFault('another confirmation')
  if (requestIds.some((id) => id === undefined || id !== requestId)) throw refusedFault('another request')
  if (recipients.length === 0 || recipients.some((to) => to !== recipient)) throw refusedFault('another recipient')
}

/** The signed parts. @throws Fault as `validateAnswer` */
async function verifySignature(
  tools: IdentityTools,
  connection: SamlConnection,
  response: string,
): Promise<SignedAnswer> {
  const xml = Buffer.from(response, 'base64').toString('utf8')
  await checkResponse(xml, { destination: acsOf(tools), issuer: connection.entityId }).catch(unacceptable)
  // Requires exactly one assertion and one id, so that only one reading is possible.
  if ((xml.match(/<(?:[\w.-]+:)?(?:Encrypted)?Assertion[\s>]/g) ?? []).length !== 1)
    throw refusedFault('not one assertion')
  if (!isWellEncrypted(xml)) throw refusedFault('encrypted by a way that is not allowed')
  const making: Making = { key: await decryptionKey(tools) }
  await checkAlgorithms(xml, making.key?.privatePem).catch(unacceptable)
  const asked = await provider(tools, connection, making)
  const { profile } = await asked.validatePostResponseAsync({ SAMLResponse: response }).catch(unacceptable)
  if (!profile) throw refusedFault('no profile')
  return { profile, verifierHash: making.verifierHash ?? null }
}

interface XmlNode {
  $?: Record<string, string>
  [child: string]: unknown
}

interface SignedParts {
  id: string | undefined
  version: string | undefined
  issuers: (string | undefined)[]
  names: (string | undefined)[]
  methods: (string | undefined)[]
  sessionEnds: (string | undefined)[]
  recipients: (string | undefined)[]
  requestIds: (string | undefined)[]
}

/**
 * Issuer and subject of the assertion, the methods, recipients and requests of its confirmations, and the end of the
 * person's session.
 */
function signedParts(profile: Profile): SignedParts {
  const assertion = (profile.getAssertion?.() as { Assertion?: XmlNode } | undefined)?.Assertion
  const children = (node: XmlNode | undefined, name: string): XmlNode[] => (node?.[name] as XmlNode[]) ?? []
  const textsOf = (nodes: XmlNode[]) => nodes.map((node) => node['_'] as string | undefined)
  const subjects = children(assertion, 'Subject')
  const confirmations = subjects.flatMap((subject) => children(subject, 'SubjectConfirmation'))
  const confirmed = confirmations
    .flatMap((confirmation) => children(confirmation, 'SubjectConfirmationData'))
    .map((data) => data.$)
  return {
    id: assertion?.$?.['ID'],
    version: assertion?.$?.['Version'],
    issuers: textsOf(children(assertion, 'Issuer')),
    names: textsOf(subjects.flatMap((subject) => children(subject, 'NameID'))),
    methods: confirmations.map((confirmation) => confirmation.$?.['Method']),
    sessionEnds: children(assertion, 'AuthnStatement').map((statement) => statement.$?.['SessionNotOnOrAfter']),
    recipients: confirmed.map((data) => data?.['Recipient']),
    requestIds: confirmed.map((data) => data?.['InResponseTo']),
  }
}

/** Marks an assertion as used; each can be used once. */
async function once(tools: IdentityTools, orgId: string, id: string): Promise<void> {
  const rows = await tools
    .em()
    .execute<{ id: string }[]>(
      'insert into saml_assertion (org_id, id, used_at) values (?, ?, ?) on conflict do nothing returning id',
      [orgId, id, tools.now().toISOString()],
    )
  if (rows.length === 0) throw refusedFault('used before')
}

/** The user that the provider names. @throws Fault `invalid_credentials` */
async function userOf(tools: IdentityTools, { orgId, entityId }: SamlConnection, profile: Profile): Promise<User> {
  const subject = profile.nameID
  if (!isSubject(subject)) throw refusedFault('no name')
  const email = [profile.email, profile.mail, subject].map(addressOf).find((address) => address !== undefined)
  if (email === undefined) throw refusedFault('no address')
  const name = nameOf(profile['displayName'] ?? profile['name'], email)
  return userVouchedFor(tools, { orgId, issuer: `saml:${orgId}:${entityId}`, subject, email, name }, refusedFault)
}
