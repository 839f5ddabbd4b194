import fc from 'fast-check'
import { expect } from 'chai'
import { parseJson } from '#engine/value/json.ts'
import { amount } from '#test/harness/tier.ts'

/** Ways to write one character of a name. */
const character = fc.oneof(
  fc.constantFrom('a', 'b', '\\', '"', '\n', '\0', '\u00e9', '\ud83d', '/', ':', ' '),
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
)
const written = fc.tuple(character, fc.boolean()).map(([one, isEscaped]) => {
  const code = one.charCodeAt(0).toString(16).padStart(4, '0')
  return { name: one, text: isEscaped && one.length === 1 ? `\\u${code}` : JSON.stringify(one).slice(1, -1) }
})
const name = fc.array(written, { maxLength: 4 }).map((list) => ({
  name: list.map((one) => one.name).join(''),
  text: `"${list.map((one) => one.text).join('')}"`,
}))

describe('JSON', () => {
  it('keeps a name that is written with an escape, whatever objects came before [GEN-10]', () => {
    const pairs: [string, string, string][] = [
      ['"\\\\"', '"\\u0000"', '\0'],
      ['"\\\\"', '"\\n"', '\n'],
      ['"caf\\\\"', '"caf\\u00e9"', 'caf\u00e9'],
      ['"x\\\\\\""', '"x\\"y"', 'x"y'],
      ['"\\\\u"', '"\\u0041b"', 'Ab'],
    ]
    for (const [index, [earlier, text, expected]] of pairs.entries()) {
      for (let i = 0; i < 3; i++) parseJson(`{"first ${index}":1,${earlier}:1}`)
      expect(parseJson(`{"first ${index}":1,${text}:{"inside":[2]}}`)).to.deep.equal({
        [`first ${index}`]: 1,
        [expected]: { inside: [2] },
      })
    }
  })

  it('reads names however they are written and values as they stand, in any order of messages', () => {
    let count = 0
    fc.assert(
      fc.property(fc.array(name, { maxLength: 3 }), fc.oneof(fc.integer(), fc.string()), (names, value) => {
        const shape = `s${count++ % 20}`
        const content = JSON.stringify(value)
        const text = `[{"${shape}":0${names.map((one) => `,${one.text} :${content}`).join('')}}]`
        const expected = Object.fromEntries([[shape, 0], ...names.map((one) => [one.name, value])])
        expect(parseJson(text)).to.deep.equal([expected])
      }),
      { numRuns: amount(1000, 5000, 50_000) },
    )
  })

  it('takes names that reach into prototypes, repeated names and numbers as names like JSON.parse', () => {
    const text = '{"\\\\":1,"__proto__":{"a":1},"b":1,"\\u0062":2,"7":"\\"x\\":","constructor":{"\\\\":[{}]}}'
    const read = parseJson(text) as Record<string, unknown>
    expect(Object.entries(read)).to.deep.equal([
      ['7', '"x":'],
      ['\\', 1],
      ['__proto__', { a: 1 }],
      ['b', 2],
      ['constructor', { '\\': [{}] }],
    ])
    expect(Object.getPrototypeOf(read)).to.equal(Object.prototype)
  })

  it('reads what is nested as deep as it is long, and refuses what is no JSON', () => {
    const deep = `${'[{"\\\\":'.repeat(100_000)}1${'}]'.repeat(100_000)}`
    let value = parseJson(deep)
    for (let i = 0; i < 100_000; i++) value = (value as [Record<string, unknown>])[0]['\\']
    expect(value).to.equal(1)
    for (const text of ['', '{', '{"\\\\":}', '{"\\x":1}', '"\\']) expect(() => parseJson(text)).to.throw(SyntaxError)
  })
})
