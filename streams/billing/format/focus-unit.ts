/** Units whose names differ in FOCUS. */
const focusSpellings: Readonly<Record<string, string>> = {
  Hrs: 'Hours',
  hour: 'Hours',
  second: 'Seconds',
  seconds: 'Seconds',
  requests: 'Requests',
  byte: 'B',
  bytes: 'B',
  kibibyte: 'KiB',
  mebibyte: 'MiB',
  gibibyte: 'GiB',
  tebibyte: 'TiB',
  pebibyte: 'PiB',
}
const sizes = 'byte|kibibyte|mebibyte|gibibyte|tebibyte|pebibyte'
const times = 'Second|Minute|Hour|Day|Month|Year'

type Spelling = readonly [RegExp, (...found: string[]) => string]

/**
 * AWS abbreviates times, Google writes names in lower case, Azure counts blocks (`10K`) or single units (`1 GB/Month`).
 */
const spellings: readonly Spelling[] = [
  [/^(.+)-(?:Mo|mo)$/, (_, what) => `${what}-Months`],
  [/^(.+)-(?:Hr|Hrs|hrs)$/, (_, what) => `${what}-Hours`],
  [new RegExp(`^(.+)-(${times})$`), (_, what, time) => `${what}-${time}s`],
  [
    new RegExp(`^(${sizes})[- ](second|minute|hour|day|month|year)s?$`),
    (_, size = '', time = '') => `${focusSpellings[size]}-${time.charAt(0).toUpperCase()}${time.slice(1)}s`,
  ],
  [new RegExp(`^1 ?/(${times})$`), (_, time) => `Units/${time}`],
  [new RegExp(`^1 (\\S.*/(?:${times}))$`), (_, rate = '') => rate],
  [/^(\d+)K$/, (_, count) => `${count}000 Units`],
  [/^(\d+)M$/, (_, count) => `${count}000000 Units`],
  [/^1$/, () => 'Units'],
  [/^(\d+)$/, (_, count) => `${count} Units`],
]

/**
 * Converts a unit to FOCUS spelling. It stays the same unit, so quantities do not change. Unknown units and FOCUS units
 * are returned unchanged.
 */
export function focusUnit(unit: string): string {
  const name = unit.trim()
  const known = Object.hasOwn(focusSpellings, name) ? focusSpellings[name] : undefined
  if (known !== undefined) return known
  const [shape, made] = spellings.find(([pattern]) => pattern.test(name)) ?? []
  return shape && made ? name.replace(shape, made) : unit
}
