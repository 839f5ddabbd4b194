/** Values that have broken programs before, and ways to spoil a good JSON value with them. */
import fc from 'fast-check'

/** What every object has a member of, whether anybody gave it one. */
export const inheritedNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'] as const

/** Texts that every store keeps as they are: none holds NUL or half a surrogate pair. */
export const oddTexts = [
  '%',
  '_',
  "'",
  "' OR '1'='1",
  "'; DROP TABLE resource; --",
  '";--',
  '\\',
  "\\'",
  '`',
  '{x:String}',
  '{org:String}',
  '${7*7}',
  '{{7*7}}',
  '$1',
  '?',
  '/* */',
  '-- ',
  '#',
  '<script>alert(1)</script>',
  '=1+1',
  '@SUM(A1)',
  '../../etc/passwd',
  '%2e%2e%2f',
  'projects/p/zones/z/instances/i',
  'a|b%7Cc',
  ...inheritedNames,
  'null',
  'undefined',
  'NaN',
  'Infinity',
  'true',
  '0',
  '-1',
  '1e999',
  '(none)',
  ' ',
  ' lead and trail ',
  'tab\tnewline\nreturn\r',
  '\u0001\u001f\u007f\u0085',
  '\u00a0\u200b\u2028\u2029\ufeff',
  'e\u0301 \u00e9',
  '\u202etfel ot thgir\u202c',
  '\u0645\u0631\u062d\u0628\u0627',
  '😀👨‍👩‍👧‍👦',
  '\u{10ffff}\uffff\ufffd',
  'ﬁ ｆｕｌｌ İıẞ',
] as const

/** What is no text to any store. */
export const brokenTexts = ['\0', 'a\0b', '\ud800', '\udc00', 'a\ud83d'] as const

export const oddDates = [
  '2025-02-30',
  '2024-02-29',
  '2025-13-01',
  '0000-00-00',
  '0001-01-01',
  '1969-12-31',
  '9999-12-31',
  '+275760-09-13',
  '-271821-04-20T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01T00:00:00+99:99',
  '2026-01-01 00:00:00',
  '01/02/2026',
  '2026-W01',
  '2026-1-1',
  'now',
  'today',
] as const

export const oddNumbers = [
  0,
  -0,
  -1,
  1,
  0.1,
  -1e-7,
  5e-324,
  1e20,
  1e21,
  1.7976931348623157e308,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53 + 2,
  2 ** 63,
  -(2 ** 63),
  2 ** 64,
] as const

/** Texts of every kind, mostly such as a store keeps. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...oddTexts, ...oddDates) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(...brokenTexts) },
  { weight: 1, arbitrary: fc.constantFrom('', 'x'.repeat(3000), '😀'.repeat(1100), '\u20ac'.repeat(1024)) },
)

/** Any JSON value; objects may have names that reach into prototypes. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: anyText },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...oddNumbers, null, true, false, [], {}) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      JSON.parse('{"__proto__":{"polluted":true}}'),
      JSON.parse('{"constructor":{"prototype":{"polluted":true}}}'),
      nested(40),
      nested(70),
      Array.from({ length: 300 }, (_, i) => i),
    ),
  },
)

/** Lists within lists. */
export function nested(levels: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = [value]
  return value
}

export type Damage =
  | { how: 'set'; at: number; value: unknown }
  | { how: 'text'; at: number; value: string }
  | { how: 'drop'; at: number }
  | { how: 'add'; at: number; name: string; value: unknown }
  | { how: 'copy'; at: number; from: number }

/** One way to spoil a value: its places are counted, `at` is taken modulo their number. */
export const damage: fc.Arbitrary<Damage> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ how: fc.constant('set' as const), at: fc.nat(999), value: anyJson }) },
  {
    weight: 4,
    arbitrary: fc.record({ how: fc.constant('text' as const), at: fc.nat(999), value: fc.constantFrom(...oddTexts) }),
  },
  { weight: 2, arbitrary: fc.record({ how: fc.constant('drop' as const), at: fc.nat(999) }) },
  {
    weight: 1,
    arbitrary: fc.record({ how: fc.constant('add' as const), at: fc.nat(999), name: anyText, value: anyJson }),
  },
  { weight: 1, arbitrary: fc.record({ how: fc.constant('copy' as const), at: fc.nat(999), from: fc.nat(999) }) },
)

interface Place {
  holder: Record<string, unknown>
  name: string
}

/** `value` after the damages; itself stays whole. */
export function spoiled(value: unknown, damages: readonly Damage[]): unknown {
  const root = { value: structuredClone(value) }
  for (const one of damages) hit(root, one)
  return root.value
}

function hit(root: { value: unknown }, one: Damage): void {
  const places = placesOf(root).filter(({ holder, name }) => one.how !== 'text' || typeof holder[name] === 'string')
  if (places.length === 0) return
  const { holder, name } = places[one.at % places.length]!
  if (one.how === 'drop') {
    if (name !== 'value' || holder !== root) delete holder[name]
  } else if (one.how === 'add') {
    const inside = holder[name]
    // A list has no members by name in JSON, and one called length it refuses.
    if (Array.isArray(inside)) inside.push(structuredClone(one.value))
    else if (typeof inside === 'object' && inside !== null) define(inside, one.name, structuredClone(one.value))
  } else {
    const from = one.how === 'copy' ? places[one.from % places.length]! : undefined
    define(holder, name, structuredClone(from ? from.holder[from.name] : 'value' in one ? one.value : null))
  }
}

/** A member of its own, whatever its name. */
const define = (holder: object, name: string, value: unknown): void =>
  void Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })

/** Where values stand, outermost first; at most a few thousand. */
function placesOf(root: object): Place[] {
  const places: Place[] = []
  const waiting: object[] = [root]
  for (const holder of waiting) {
    for (const name of Object.keys(holder)) {
      places.push({ holder: holder as Record<string, unknown>, name })
      const inside = (holder as Record<string, unknown>)[name]
      if (typeof inside === 'object' && inside !== null && places.length < 2000) waiting.push(inside)
    }
  }
  return places
}

/** One way to spoil bytes: cut, turn over, remove, insert or repeat some of them. */
export const tear = fc.record({
  how: fc.constantFrom('cut', 'flip', 'remove', 'insert', 'repeat'),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  length: fc.nat(40),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.constantFrom(
      ...['"', ',', '\n', '\r\n', '{', '}', '[', ']', '\\', '""', '\ufeff', '\0'].map((s) => Buffer.from(s)),
    ),
  ),
})
export type Tear = typeof tear extends fc.Arbitrary<infer T> ? T : never

export function torn(content: Uint8Array, tears: readonly Tear[]): Buffer {
  let bytes = Buffer.from(content)
  for (const { how, at, length, bytes: given } of tears) {
    const from = Math.floor(at * bytes.length)
    const [head, part, rest] = [
      bytes.subarray(0, from),
      bytes.subarray(from, from + length),
      bytes.subarray(from + length),
    ]
    if (how === 'cut') bytes = head
    else if (how === 'remove') bytes = Buffer.concat([head, rest])
    else if (how === 'insert') bytes = Buffer.concat([head, given, part, rest])
    else if (how === 'repeat') bytes = Buffer.concat([head, part, part, rest])
    else bytes = Buffer.concat([head, Buffer.from(part.map((byte) => byte ^ 0x15)), rest])
  }
  return bytes
}
