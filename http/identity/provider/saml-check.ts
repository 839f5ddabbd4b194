/** Checks of a provider's response before its signatures: for whom it is, its status, and its signature algorithms. */
import { Fault } from '#engine/value/fault.ts'

/** An internal module of the verifying library: what it parses and what is checked here must be the same. */
const library = () => import('@node-saml/node-saml/lib/xml.js')

const success = 'urn:oasis:names:tc:SAML:2.0:status:Success'
/** Without SHA-1, which can be forged. */
const signatureMethods = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]
const digestMethods = ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512']

const child = (name: string): string => `/*[local-name()='${name}']`
const response = child('Response')
const status = `${response}${child('Status')}${child('StatusCode')}/@Value`
const encryptedPath = `${response}${child('EncryptedAssertion')}`

/** Maximum for a response, and for what is encrypted in it: enough for a person with a thousand groups. */
const charactersMax = 256 * 1024
const elementsMax = 1500
/** Maximum attributes of one element. */
const attributesMax = 64

/**
 * Refuses documents that declare entities, or that are so large that they would block the process: the library's time
 * grows with the square of the elements, and of the attributes of one.
 * @throws Error
 */
export function checkText(xml: string): void {
  if (xml.length > charactersMax) throw new Error('too large')
  if (/<!DOCTYPE|<!ENTITY/i.test(xml)) throw new Error('a document type')
  const parts = xml
    .split('<')
    .slice(1)
    .filter((part) => !part.startsWith('/'))
  if (parts.length > elementsMax) throw new Error('too many elements')
  if (parts.some((part) => part.split('=').length > attributesMax)) throw new Error('too many attributes')
}

/**
 * A response need not say where it was sent or who sent it, but if it does, it must be for this place and from this
 * provider.
 * @throws Fault `provider_refused` if the provider reports a failed sign-in; an error for another version, place or
 * provider, without a status, or for invalid XML
 */
export async function checkResponse(xml: string, expected: { destination: string; issuer: string }): Promise<void> {
  checkText(xml)
  const { parseDomFromString, xpath } = await library()
  const document = await parseDomFromString(xml)
  const valuesOf = (path: string) => xpath.selectAttributes(document, path).map(({ value }) => value)
  if (valuesOf(`${response}/@Version`).join() !== '2.0') throw new Error('another version')
  if (valuesOf(`${response}/@Destination`).some((place) => place !== expected.destination))
    throw new Error('another destination')
  const issuers = xpath.selectElements(document, `${response}${child('Issuer')}`)
  if (issuers.some(({ textContent }) => textContent !== expected.issuer))
    throw new Error('a response of another issuer')
  const codes = valuesOf(status)
  if (codes.length === 1 && codes[0] === success) return
  if (codes.length === 0) throw new Error('no status')
  const said = codes.map((code) => code.replace(/^.*:/, '')).join(', ')
  throw new Fault(
    'unauthenticated',
    'provider_refused',
    'The identity provider did not sign anyone in. Check its log for the reason.',
    {},
    `the provider answers ${said}`,
  )
}

/**
 * Checks the algorithms of every signature in a response, including encrypted parts.
 * @throws Fault `weak_signature`; an error for invalid or refused XML, or if it cannot be decrypted
 */
export async function checkAlgorithms(xml: string, privatePem: string | undefined): Promise<void> {
  const { decryptXml, parseDomFromString, xpath } = await library()
  const document = await parseDomFromString(xml)
  const documents = [document]
  for (const element of xpath.selectElements(document, encryptedPath)) {
    if (privatePem === undefined) throw new Error('encrypted, but no decryption key is configured')
    // Elements of the library serialize themselves.
    const text = (element as { toString(): string }).toString()
    const inside = await decryptXml(text, privatePem)
    checkText(inside)
    documents.push(await parseDomFromString(inside))
  }
  // An XPath that starts anywhere takes time quadratic in the number of elements.
  const algorithms = (one: unknown, name: string) => Array.from((one as XmlDocument).getElementsByTagNameNS('*', name))
  const weak = documents.flatMap((one) => [
    ...algorithms(one, 'SignatureMethod').filter((of) => !signatureMethods.includes(algorithmOf(of))),
    // Only within signatures: the digest of OAEP is a different thing, where SHA-1 is safe.
    ...algorithms(one, 'DigestMethod')
      .filter(({ parentNode }) => parentNode?.localName === 'Reference')
      .filter((of) => !digestMethods.includes(algorithmOf(of))),
  ])
  if (weak.length === 0) return
  throw new Fault(
    'unauthenticated',
    'weak_signature',
    'The identity provider uses an insecure signature algorithm. Set it to RSA with SHA-256 or SHA-512, and its digests too.',
    {},
    `signed by ${algorithmOf(weak[0]!).replace(/^.*#/, '').slice(0, 60)}`,
  )
}

/** The parts of the library's elements that are used here. */
interface XmlElement {
  localName: string
  parentNode: XmlElement | null
  getAttribute(name: string): string | null
}
interface XmlDocument {
  getElementsByTagNameNS(namespace: string, name: string): ArrayLike<XmlElement>
}

const algorithmOf = (method: XmlElement): string => method.getAttribute('Algorithm') ?? ''
