/** An identity provider of a test's own: what it signs, and what others make of that. */
import { randomUUID } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { generate } from 'selfsigned'
import { SignedXml } from 'xml-crypto'
import { tokens } from '#config/wiring/tokens.ts'
import { SamlRequest } from '#http/identity/provider/saml-entity.ts'
import { hashOf } from '#http/identity/token/secret.ts'
import { asService } from '#http/store/tenant.ts'
import { testProduct, type Answer } from '#test/harness/product.ts'
import { ask, founder, proved, type Founder } from '#test/harness/people.ts'

const saml = 'urn:oasis:names:tc:SAML:2.0'
export const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'

export interface Key {
  private: string
  cert: string
}

/** What an assertion says. Left out with undefined. */
export interface Said {
  id: string
  prefix: string
  issuer: string
  /** XML, as it is to stand there. */
  nameID: string
  audience: string | undefined
  recipient: string | undefined
  inResponseTo: string | undefined
  notBefore: string | undefined
  notOnOrAfter: string | undefined
  /** XML of attributes. */
  attributes: string
  version: string
  /** How the subject is confirmed: bearer. */
  method: string
  /** XML that says how and until when the person is signed in there. */
  statement: string
}

/** XML of an attribute. */
export const attributeOf = (name: string, value: string): string =>
  `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`

export const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const attribute = (name: string, value: string | undefined) => (value === undefined ? '' : ` ${name}="${value}"`)

/** An assertion; `inside` stands after its issuer. */
export function assertion(s: Said, inside = ''): string {
  const p = s.prefix
  const audience =
    s.audience === undefined
      ? ''
      : `<${p}:AudienceRestriction><${p}:Audience>${s.audience}</${p}:Audience></${p}:AudienceRestriction>`
  const confirmation = `${attribute('InResponseTo', s.inResponseTo)}${attribute('Recipient', s.recipient)}`
  return (
    `<${p}:Assertion xmlns:${p}="${saml}:assertion" ID="${s.id}" Version="${s.version}" IssueInstant="${at(0)}">` +
    `<${p}:Issuer>${s.issuer}</${p}:Issuer>${inside}<${p}:Subject><${p}:NameID>${s.nameID}</${p}:NameID>` +
    `<${p}:SubjectConfirmation Method="${saml}:cm:${s.method}">` +
    `<${p}:SubjectConfirmationData${attribute('NotOnOrAfter', s.notOnOrAfter)}${confirmation}/></${p}:SubjectConfirmation>` +
    `</${p}:Subject><${p}:Conditions${attribute('NotBefore', s.notBefore)}${attribute('NotOnOrAfter', s.notOnOrAfter)}>` +
    `${audience}</${p}:Conditions>${s.attributes && `<${p}:AttributeStatement>${s.attributes}</${p}:AttributeStatement>`}` +
    `${s.statement}</${p}:Assertion>`
  )
}

/** That the provider signed the person in. */
export const success = `<samlp:Status><samlp:StatusCode Value="${saml}:status:Success"/></samlp:Status>`

/** A response around `inside`; `before` stands ahead of its status. */
export const response = (
  inResponseTo: string | undefined,
  inside: string,
  { id = `_${randomUUID()}`, before = '', status = success } = {},
) =>
  `<samlp:Response xmlns:samlp="${saml}:protocol" ID="${id}" Version="2.0" IssueInstant="${at(0)}"` +
  `${attribute('InResponseTo', inResponseTo)}>${before}${status}${inside}</samlp:Response>`

const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256'

/** Signs the outermost element. */
export function signed(
  xml: string,
  key: Key,
  { c14n = exclusive, first = false, signature = rsaSha256, digest = sha256 } = {},
): string {
  const signer = new SignedXml({
    privateKey: key.private,
    publicCert: key.cert,
    signatureAlgorithm: signature,
    canonicalizationAlgorithm: exclusive,
  })
  signer.addReference({
    xpath: '/*',
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', c14n],
    digestAlgorithm: digest,
  })
  const location = first
    ? ({ reference: '/*', action: 'prepend' } as const)
    : ({ reference: `/*/*[local-name(.)='Issuer']`, action: 'after' } as const)
  signer.computeSignature(xml, { location })
  return signer.getSignedXml()
}

/** The first signature. */
export const signatureIn = (xml: string): string => /<Signature [\s\S]*?<\/Signature>/.exec(xml)![0]

const keys = new Map<string, Promise<Key>>()

/** The key of a name, made once for all tests of a process. */
export function keyOf(name: string): Promise<Key> {
  const known = keys.get(name)
  if (known) return known
  const made = generate([{ name: 'commonName', value: name }], { keySize: 2048, algorithm: 'sha256' }).then(
    ({ private: own, cert }) => ({ private: own, cert }),
  )
  keys.set(name, made)
  return made
}

/** An organization with an identity provider, whose key we have. */
export interface World extends Founder {
  key: Key
  entityID: string
  domain: string
  url: string
}

export const connection = ({ entityID, key, domain }: Pick<World, 'entityID' | 'key' | 'domain'>) => ({
  entityID,
  ssoURL: 'https://idp.example/sso?tenant=1',
  certificatePEM: key.cert,
  emailDomains: [domain],
})

export async function worldOf(key: Key): Promise<World> {
  const { url } = await testProduct()
  const who = await founder('Signs in')
  const world = {
    ...who,
    key,
    entityID: `https://idp.example/${who.orgId}`,
    domain: `${who.orgId.slice(0, 8)}.example`,
    url,
  }
  const { status, body } = await ask('PUT', `/organisations/${who.orgId}/saml`, {
    token: who.accessToken,
    body: connection(world),
  })
  if (status !== 200) throw new Error(JSON.stringify(body))
  await proved(who, body.data.domains[0])
  return world
}

/** By the request, what the page that began it shows in the end. */
const verifiers = new Map<string, string>()

export async function initiate(email: string): Promise<Answer> {
  const answer = await ask('POST', '/auth/saml/initiate', { body: { email } })
  if (answer.status === 200) verifiers.set(answer.body.data.state, answer.body.data.codeVerifier)
  return answer
}

/** A request that waits for its answer. */
export async function requested(w: World): Promise<{ id: string; relayState: string; xml: string }> {
  const { body } = await initiate(`eva@${w.domain}`)
  const { searchParams } = new URL(body.data.redirectURL as string)
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest')!, 'base64')).toString()
  return { id: / ID="([^"]+)"/.exec(xml)![1]!, relayState: searchParams.get('RelayState')!, xml }
}

/** The same without asking the product: for many answers, each of which needs a request of its own. */
export async function awaited({ orgId }: Pick<World, 'orgId'>): Promise<{ id: string; relayState: string }> {
  const { em, now } = (await testProduct()).product.get(tokens.identity)
  const [id, verifier] = [`_${randomUUID()}`, randomUUID()]
  verifiers.set(id, verifier)
  await asService(() => em().insert(SamlRequest, { orgId, id, verifierHash: hashOf(verifier), createdAt: now() }))
  return { id, relayState: orgId }
}

export const said = (w: World, inResponseTo: string, more: Partial<Said> = {}): Said => ({
  id: `_${randomUUID()}`,
  prefix: 'saml',
  issuer: w.entityID,
  nameID: `eva@${w.domain}`,
  audience: `${w.url}/auth/saml/metadata`,
  recipient: `${w.url}/auth/saml/acs`,
  inResponseTo,
  notBefore: at(-30),
  notOnOrAfter: at(300),
  attributes: '',
  version: '2.0',
  method: 'bearer',
  statement: '',
  ...more,
})

export const post = (xml: string, relayState: string): Promise<Answer> =>
  ask('POST', '/auth/saml/acs', {
    body: new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relayState }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  })

/** What the page that began the sign-in exchanges for a session. */
export function codeOf({ headers }: Answer): { token: string; codeVerifier: string } {
  const { searchParams } = new URL(headers.get('location')!)
  return { token: searchParams.get('code')!, codeVerifier: verifiers.get(searchParams.get('state')!)! }
}

export const exchange = (code: { token: string; codeVerifier?: string }) =>
  ask('POST', '/auth/login', { body: { provider: 'saml', ...code } })

/** Who is signed in by an answer of the provider; else the status and code of the refusal. */
export async function outcome(xml: string, relayState: string): Promise<string> {
  const answer = await post(xml, relayState)
  if (answer.status !== 303) return `${answer.status} ${answer.body.code}`
  const { status, body } = await exchange(codeOf(answer))
  return status === 200 ? body.data.user.email : `${status} ${body.code}`
}

export const refused = '401 invalid_credentials'

/** The outcome of a signed assertion that is right but for `more`. */
export async function tried(w: World, more: Partial<Said> = {}, key = w.key, c14n = exclusive): Promise<string> {
  const { id, relayState } = await awaited(w)
  return outcome(response(id, signed(assertion(said(w, id, more)), key, { c14n })), relayState)
}
