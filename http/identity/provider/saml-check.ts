/** What is looked at in a provider's answer before its signatures are: its status, and by which algorithms it is signed. */
import { Fault } from '#engine/value/fault.ts'

/** Deep in the library that verifies: what it parses and what is looked at here must be the same. */
const library = () => import('@node-saml/node-saml/lib/xml.js')

const success = 'urn:oasis:names:tc:SAML:2.0:status:Success'
/** SHA-1 can be forged. */
const signatureMethods = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]
const digestMethods = ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512']

const child = (name: string): string => `/*[local-name()='${name}']`
const status = `${child('Response')}${child('Status')}${child('StatusCode')}/@Value`
const signatureMethod = `/${child('SignatureMethod')}/@Algorithm`
/** Of a signature: that of OAEP is another matter, and its SHA-1 is safe. */
const digestMethod = `/${child('Reference')}${child('DigestMethod')}/@Algorithm`
const encrypted = `${child('Response')}${child('EncryptedAssertion')}`

/** @throws Fault `provider_refused` where the provider says that it signed nobody in; an error for what says nothing or is no XML */
export async function checkStatus(xml: string): Promise<void> {
  const { parseDomFromString, xpath } = await library()
  const codes = xpath.selectAttributes(await parseDomFromString(xml), status).map(({ value }) => value)
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
 * Looks at every signature of an answer, in what is encrypted too.
 * @throws Fault `weak_signature`; an error for what is no XML or cannot be read with the key
 */
export async function checkAlgorithms(xml: string, privatePem: string | undefined): Promise<void> {
  const { decryptXml, parseDomFromString, xpath } = await library()
  const document = await parseDomFromString(xml)
  const documents = [document]
  for (const element of xpath.selectElements(document, encrypted)) {
    if (privatePem === undefined) throw new Error('encrypted for a key that nobody was given')
    // Those of the library write themselves.
    const text = (element as { toString(): string }).toString()
    documents.push(await parseDomFromString(await decryptXml(text, privatePem)))
  }
  const weak = documents.flatMap((one) => [
    ...xpath.selectAttributes(one, signatureMethod).filter(({ value }) => !signatureMethods.includes(value)),
    ...xpath.selectAttributes(one, digestMethod).filter(({ value }) => !digestMethods.includes(value)),
  ])
  if (weak.length === 0) return
  throw new Fault(
    'unauthenticated',
    'weak_signature',
    'The identity provider uses an insecure signature algorithm. Set it to RSA with SHA-256 or SHA-512, and its digests too.',
    {},
    `signed by ${weak[0]!.value.replace(/^.*#/, '').slice(0, 60)}`,
  )
}
