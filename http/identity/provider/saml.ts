/**
 * Sign-in through an organization's own identity provider (SAML 2.0, decision G-12). Only what the provider has signed is
 * looked at; an answer is good for the request it answers, for us, for its minutes, and once: there is none without a request.
 * Whoever signs in so is signed in to that organization alone: its provider can vouch for nobody elsewhere. A code of ours ends
 * it, which only the page that began it can use.
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
/** Characters of what an assertion is called: an index holds it. */
const idMax = 256

const entityOf = (tools: Pick<IdentityTools, 'publicUrl'>): string => `${tools.publicUrl()}/auth/saml/metadata`
const acsOf = (tools: Pick<IdentityTools, 'publicUrl'>): string => `${tools.publicUrl()}/auth/saml/acs`

/** Requests that wait for their answer, of one organization. `making` holds the verifier of the one that is made or found. */
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
      // The library asks for the time by its own clock; ours has spoken already.
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
  /** What the next request is called. */
  requestId?: string
  /** SHA-256 of what the page that began the sign-in keeps. */
  verifierHash?: string | null | undefined
}

/** Large, and nothing that most installations need. */
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

/** What a provider is configured with: our names and addresses and what to encrypt for, as XML. */
export async function metadata(tools: IdentityTools): Promise<string> {
  const key = await publishedKey(tools)
  const { SAML } = await library()
  return new SAML({
    issuer: entityOf(tools),
    callbackUrl: acsOf(tools),
    // The library wants one; metadata holds no key of a provider.
    idpCert: 'unused',
    identifierFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    wantAssertionsSigned: true,
    // The same text however often it is asked for.
    generateUniqueId: () => `_${hashOf(entityOf(tools))}`,
    decryptionPvk: key.privatePem,
  }).generateServiceProviderMetadata(key.certificatePem, null)
}

/**
 * Where to send the browser of this address, the state that it comes back with, and what the page must show in the end.
 * @throws Fault `missing` when no organization signs in that domain
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

/** Takes a provider's answer. Leads the browser to the application, with a code good for one use and a minute. */
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
  // The request that is answered: the page that began it knows its own.
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

/** The organization that an answer says it is for, if that has a provider. */
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

/** Refuses what something went wrong with, unless that is a refusal of ours with a code of its own. */
function unacceptable(error: unknown): never {
  throw error instanceof Fault ? error : refusedFault(error)
}

interface SignedAnswer {
  profile: Profile
  /** SHA-256 of what the page must show. */
  verifierHash: string | null
}

/**
 * The person, from what is signed for us and for a request that waits.
 * @throws Fault `provider_refused`; `weak_signature`; `invalid_credentials`, the reason in its cause
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
  // The library takes an attribute of that name where there is none.
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

/** It is of whoever brings it, for this request and for us: of every confirmation that the assertion has. */
function checkConfirmed(
  { methods, requestIds, recipients }: SignedParts,
  { requestId, recipient }: { requestId: unknown; recipient: string },
): void {
  if (methods.some((method) => method !== bearer)) throw refusedFault('another confirmation')
  if (requestIds.some((id) => id === undefined || id !== requestId)) throw refusedFault('another request')
  if (recipients.length === 0 || recipients.some((to) => to !== recipient)) throw refusedFault('another recipient')
}

/** What the provider has signed. @throws Fault as `validated` does */
async function verifySignature(
  tools: IdentityTools,
  connection: SamlConnection,
  response: string,
): Promise<SignedAnswer> {
  const xml = Buffer.from(response, 'base64').toString('utf8')
  await checkResponse(xml, { destination: acsOf(tools), issuer: connection.entityId }).catch(unacceptable)
  // However often an identifier or an assertion stands in it, only one reading of it is possible.
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

/** Who made the assertion, of whom it is, how, for which recipients and requests it confirms that, and when the person's session ends. */
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

/** An assertion is good for one use. */
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
