import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { isDeep, sample } from '#test/harness/tier.ts'
import {
  assertion,
  awaited,
  response,
  signed,
  signatureIn,
  keyOf,
  type World,
  worldOf,
  said,
  outcome,
  refused,
} from '#test/http/identity/saml-provider.ts'

/** A right answer of the provider in its parts, and an assertion of the forger's to put beside them. */
interface Parts {
  requestId: string
  /** The assertion as it was signed, and its two halves. */
  original: string
  bare: string
  signature: string
  /** A signed response, without its signature, and that. */
  whole: string
  wholeSignature: string
  /** A forged assertion for another person; `inside` stands after its issuer. */
  forged: (inside?: string) => string
}

/** `inner` at the end of a signature. */
const within = (signature: string, inner: string) => signature.replace('</Signature>', `${inner}</Signature>`)

const wrappings: Readonly<Record<string, (p: Parts) => string>> = {
  'XSW1: the signed response in the signature of a forged one': (p) =>
    response(p.requestId, p.forged(), { before: within(p.wholeSignature, p.whole) }),
  'XSW2: the signed response beside its signature': (p) =>
    response(p.requestId, p.forged(), { before: p.whole + p.wholeSignature }),
  'XSW3: a forged assertion before the signed one': (p) => response(p.requestId, p.forged() + p.original),
  'XSW3 the other way round': (p) => response(p.requestId, p.original + p.forged()),
  'XSW4: the signed assertion in a forged one': (p) => response(p.requestId, p.forged(p.original)),
  'XSW5: the signature in a forged assertion, the signed one behind': (p) =>
    response(p.requestId, p.forged(p.signature) + p.bare),
  'XSW6: the signed assertion in the signature of a forged one': (p) =>
    response(p.requestId, p.forged(within(p.signature, p.bare))),
  'XSW7: a forged assertion in extensions': (p) =>
    response(p.requestId, `<samlp:Extensions>${p.forged()}</samlp:Extensions>${p.original}`),
  'XSW7 the other way round': (p) =>
    response(p.requestId, `<samlp:Extensions>${p.original}</samlp:Extensions>${p.forged()}`),
  'XSW8: the signed assertion in an object of the signature': (p) =>
    response(p.requestId, p.forged(within(p.signature, `<Object>${p.bare}</Object>`))),
  'a forged assertion in an object of the right signature': (p) =>
    response(p.requestId, p.original.replace('</Signature>', `<Object>${p.forged()}</Object></Signature>`)),
  'the signed assertion below a forged one with its signature': (p) =>
    response(p.requestId, p.forged(`${p.signature}<samlp:Extensions>${p.bare}</samlp:Extensions>`)),
  'a forged assertion that says it is encrypted': (p) =>
    response(
      p.requestId,
      `<saml:EncryptedAssertion xmlns:saml="urn:x">${p.forged()}</saml:EncryptedAssertion>${p.original}`,
    ),
  'the right response in a forged one': (p) => response(p.requestId, p.forged() + p.whole),
}

describe('signatures of SAML that are wrapped', () => {
  let world: World
  before(async () => {
    world = await worldOf(await keyOf('idp'))
  })

  /** `isSameId`: the forged assertion takes the name of the signed one. */
  async function partsOf(prefix: string, isSameId: boolean): Promise<Parts & { relayState: string }> {
    const { id: requestId, relayState } = await awaited(world)
    const s = said(world, requestId)
    const original = signed(assertion(s), world.key)
    const signature = signatureIn(original)
    const all = signed(response(requestId, original), world.key, { first: true })
    const wholeSignature = signatureIn(all)
    const forged = {
      ...s,
      prefix,
      id: isSameId ? s.id : `_${randomUUID()}`,
      nameID: `admin@${world.domain}`,
    }
    return {
      requestId,
      relayState,
      original,
      signature,
      bare: original.replace(signature, ''),
      whole: all.replace(wholeSignature, ''),
      wholeSignature,
      forged: (inside = '') => assertion(forged, inside),
    }
  }

  it('are put together rightly here: the parts alone sign in [AUTH-20]', async () => {
    const p = await partsOf('saml', false)
    expect(await outcome(response(p.requestId, p.original), p.relayState)).to.equal(`eva@${world.domain}`)
    const q = await partsOf('saml', false)
    const all = q.whole.replace(/^<[^>]*>/, (start) => start + q.wholeSignature)
    expect(await outcome(all, q.relayState)).to.equal(`eva@${world.domain}`)
  })

  /** In `npm test` one of the two for each wrapping, in turns. */
  const sameIds = (n: number) => (isDeep ? [false, true] : [n % 2 === 0])

  for (const [n, [name, wrap]] of Object.entries(wrappings).entries()) {
    it(`are refused: ${name} [AUTH-20]`, async () => {
      for (const isSameId of sameIds(n)) {
        const p = await partsOf('saml', isSameId)
        expect(await outcome(wrap(p), p.relayState), isSameId ? 'the same ID' : 'an ID of its own').to.equal(refused)
      }
    })
  }

  it('sign in nobody but whom the provider named, however elements are called [AUTH-20]', async () => {
    const got = new Set<string>()
    for (const [n, wrap] of sample(Object.values(wrappings), 4).entries()) {
      for (const isSameId of sameIds(n)) {
        // No prefix that a search in the text would find.
        const p = await partsOf('é', isSameId)
        got.add(await outcome(wrap(p), p.relayState))
      }
    }
    expect([...got].filter((who) => who !== refused && who !== `eva@${world.domain}`)).to.deep.equal([])
  })
})
