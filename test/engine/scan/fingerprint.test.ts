/** What a message says, told from its bytes, beside what `JSON.parse` makes of them. */
import { expect } from 'chai'
import fc from 'fast-check'
import { JsonBytes } from '#engine/scan/json-bytes.ts'
import { createFingerprintScanner, type Fingerprint } from '#engine/scan/fingerprint.ts'
import { amount } from '#test/harness/tier.ts'

const say = createFingerprintScanner({ key: 'uid', place: 'account', except: 'round' })

const saidOf = (data: string): Fingerprint | undefined => say(new JsonBytes(Buffer.from(data)))
const hashOf = (data: unknown): string | undefined => saidOf(JSON.stringify(data))?.hash

/** Text that stands in JSON as it is. */
const plain = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter((s) => JSON.stringify(s) === `"${s}"`)
const value = fc.jsonValue({ maxDepth: 3 })
const others = fc.dictionary(
  fc.stringMatching(/^[a-z_]{1,8}$/).filter((name) => !['uid', 'account', 'round'].includes(name)),
  value,
  { maxKeys: 6 },
)

describe('what a message says', () => {
  const runs = { numRuns: amount(100, 300, 3000) }

  it('is told from its bytes as JSON.parse reads them, whatever stands between', () => {
    const data = fc.record({ uid: plain, account: plain, round: fc.option(plain, { nil: undefined }), more: others })
    fc.assert(
      fc.property(data, fc.nat(3), ({ uid, account, round, more }, indent) => {
        const text = JSON.stringify({ uid, ...more, account, round }, null, indent)
        const said = saidOf(text)
        if (said) expect([said.key, said.place, said.except]).to.deep.equal([uid, account, round ?? ''])
        // Strings with escapes, or values that are nested deeper than anybody publishes, are read whole.
        else expect(text).to.match(/\\|[^\p{ASCII}]|(?:[[{][^\]}]*){16}/u)
      }),
      runs,
    )
  })

  it('is the same for two of which that alone differs which names the occasion', () => {
    fc.assert(
      fc.property(plain, plain, others, (first, second, more) => {
        const of = (round: string) => ({ ...more, uid: 'u', round, account: 'a' })
        expect(hashOf(of(first))).to.equal(hashOf(of(second)))
      }),
      runs,
    )
  })

  it('is another one for two that differ in anything else', () => {
    fc.assert(
      fc.property(others, others, plain, plain, (first, second, one, other) => {
        const texts = [first, second].map((more, n) =>
          JSON.stringify({ uid: 'u', account: 'a', ...more, round: n ? one : other }),
        )
        const [a, b] = texts.map(saidOf)
        if (!a || !b) return
        expect(a.hash === b.hash).to.equal(JSON.stringify(first) === JSON.stringify(second))
      }),
      runs,
    )
    const said = { uid: 'u', account: 'a', round: 'r' }
    const different = [
      said,
      { ...said, uid: 'v' },
      { ...said, account: 'b' },
      { uid: 'u', account: 'a' },
      { ...said, specs: { round: 'r' } },
    ]
    expect(new Set(different.map(hashOf)).size).to.equal(different.length)
  })

  it('is not told of what does not say whom it is about in plain text, once: that is read whole', () => {
    const whole = [
      '{"account":"a"}',
      '{"uid":"u"}',
      '{"uid":"","account":"a"}',
      '{"uid":7,"account":"a"}',
      '{"uid":"u\\u0041","account":"a"}',
      '{"uid":"u","account":"a","uid":"v"}',
      '{"uid":"u","account":"a","round":""}',
      '{"uid":"u","account":"a","round":null}',
      '{"uid":"u","account":"a","round":"r","round":"s"}',
      '{"uid":"u","account":"a","r\\u006fund":"r"}',
      `{"uid":"${'u'.repeat(1025)}","account":"a"}`,
      `{"uid":"u","account":"a","specs":"${'x'.repeat(70_000)}"}`,
      `{"uid":"u","account":"a","specs":${'['.repeat(20)}${']'.repeat(20)}}`,
      '{"uid":"u","account":"a"',
      '["uid"]',
      '{}',
    ]
    expect(whole.map((text) => saidOf(text))).to.deep.equal(whole.map(() => undefined))
  })
})
