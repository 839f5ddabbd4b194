import { createPublicKey, X509Certificate } from 'node:crypto'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import { tokens } from '#config/wiring/tokens.ts'
import { samlKeySealed } from '#http/identity/sealed-columns.ts'
import { ask } from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'
import {
  assertion,
  keyOf,
  outcome,
  refused,
  requested,
  response,
  said,
  signatureIn,
  signed,
  worldOf,
  type World,
} from '#test/http/identity/saml-provider.ts'

/** The library behind the one that reads assertions: it has no types of its own. */
const { encrypt } = createRequire(import.meta.resolve('@node-saml/node-saml'))('xml-encryption') as {
  encrypt: (xml: string, options: object, done: (error: Error | null, text: string) => void) => void
}

const xmlenc = 'http://www.w3.org/2001/04/xmlenc#'
const xmlenc11 = 'http://www.w3.org/2009/xmlenc11#'

describe('encrypted assertions', () => {
  let world: World
  let certificate: string
  before(async () => {
    world = await worldOf(await keyOf('idp'))
    certificate = await published()
  })

  async function published(): Promise<string> {
    const { body } = await ask<string>('GET', '/auth/saml/metadata')
    const [, found] = /<KeyDescriptor use="encryption">[\s\S]*?<ds:X509Certificate>([^<]+)</.exec(body) ?? []
    return `-----BEGIN CERTIFICATE-----\n${found!.replaceAll(/\s/g, '').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  }

  function encrypted(
    xml: string,
    { pem = certificate, data = `${xmlenc11}aes256-gcm`, key = `${xmlenc}rsa-oaep-mgf1p` } = {},
  ): Promise<string> {
    const options = {
      rsa_pub: createPublicKey(pem).export({ type: 'spki', format: 'pem' }),
      pem,
      encryptionAlgorithm: data,
      keyEncryptionAlgorithm: key,
      warnInsecureAlgorithm: false,
    }
    return new Promise((resolve, reject) => {
      encrypt(xml, options, (error, text) =>
        error
          ? reject(error)
          : resolve(
              `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${text}</saml:EncryptedAssertion>`,
            ),
      )
    })
  }

  async function outcomeOf(of: Parameters<typeof encrypted>[1], change = (xml: string) => xml): Promise<string> {
    const { id, relayState } = await requested(world)
    const right = change(signed(assertion(said(world, id)), world.key))
    return outcome(response(id, await encrypted(right, of)), relayState)
  }

  it('are made for the certificate that our metadata shows, the same each time', async () => {
    const { subject, publicKey } = new X509Certificate(certificate)
    expect([subject, publicKey.asymmetricKeyType]).to.deep.equal(['CN=Tidemark SAML', 'rsa'])
    expect(await published()).to.equal(certificate)
  })

  it('are read, by each way that our metadata offers [AUTH-20]', async () => {
    const { body } = await ask<string>('GET', '/auth/saml/metadata')
    const offered = [...body.matchAll(/<EncryptionMethod Algorithm="([^"]+)"/g)].map(([, data]) => data!)
    expect(offered).to.have.length(4)
    for (const data of offered) expect(await outcomeOf({ data }), data).to.equal(`eva@${world.domain}`)
  })

  it('are refused unless the provider has signed what is in them [AUTH-20]', async () => {
    const forged = (xml: string) => xml.replace(`>eva@${world.domain}<`, `>adm@${world.domain}<`)
    expect(await outcomeOf({}, forged), 'changed').to.equal(refused)
    expect(await outcomeOf({}, (xml) => xml.replace(signatureIn(xml), '')), 'unsigned').to.equal(refused)
    expect(await outcomeOf({}, (xml) => `<!DOCTYPE r>${xml}`), 'with a document type').to.equal(refused)
  })

  it('are refused where the signature inside is of SHA-1 [AUTH-20]', async () => {
    const { id, relayState } = await requested(world)
    const digest = 'http://www.w3.org/2000/09/xmldsig#sha1'
    const weak = signed(assertion(said(world, id)), world.key, { digest })
    expect(await outcome(response(id, await encrypted(weak)), relayState)).to.equal('401 weak_signature')
  })

  it('are refused when a forged one is put around or beside the right one [AUTH-20]', async () => {
    const wraps: Readonly<Record<string, (right: string) => string>> = {
      'around it': (right) =>
        assertion({ ...said(world, '_x'), nameID: `adm@${world.domain}` }, signatureIn(right) + right),
      'beside it': (right) => `${assertion({ ...said(world, '_x'), nameID: `adm@${world.domain}` })}${right}`,
    }
    for (const [name, wrap] of Object.entries(wraps)) expect(await outcomeOf({}, wrap), name).to.equal(refused)
  })

  it('are refused for another key, and by ways that are broken [AUTH-20]', async () => {
    const { cert: pem } = await keyOf('another')
    expect(await outcomeOf({ pem }), 'another key').to.equal(refused)
    expect(await outcomeOf({ key: `${xmlenc}rsa-1_5` }), 'PKCS 1 v1.5').to.equal(refused)
    expect(await outcomeOf({ data: `${xmlenc}tripledes-cbc` }), 'triple DES').to.equal(refused)
  })

  it('are read with a key that is kept sealed', async () => {
    const { em, open } = (await testProduct()).product.get(tokens.identity)
    const [row] = await em().execute<{ sealed: string }[]>('select sealed from saml_key')
    expect(row!.sealed).to.match(/^s1\.[0-9a-f]{12}\./)
    expect(open(samlKeySealed, '', row!.sealed)).to.match(/^-----BEGIN PRIVATE KEY-----/)
  })
})
