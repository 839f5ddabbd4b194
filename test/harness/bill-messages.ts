/** Messages of bills as producers send them, and as they should not: every property with values of every kind, and bytes that went wrong. */
import { random } from '#test/harness/load.ts'
import { BillingLine } from '#streams/billing/messages.ts'
import { focusMaps, focusMoney, focusPrices, focusQuantities, focusTimes } from '#streams/focus-columns.ts'

type Pick = <T>(list: readonly T[]) => T

const amounts = [
  '4.608', '0', '-0', '-0.00', '0.10', '-12.3400', '1e5', '1E-7', '007', '1.', '.5', ' 5 ', '+3', 'abc', '', '999999999999999',
  '9999999999999999', '123456789012345678', '1234567890123456789', '0.12345678901234', '0.123456789012345', '0.1234567890123456789',
  '90.5', '99999.99', '-90071.99254740993', '1e17', '1e18', '1e400', '0.000000000000001', '٣',
] // prettier-ignore
const numbers = [
  0, -0, 4.608, 0.1 + 0.2, 1e-7, 1e21, 123456789012345680, 12345678901234.5, -3, 1.5e300, 24, 0.096, 1e12, 90.5,
] // prettier-ignore
const texts = [
  '', ' ', 'AWS', 'Amazon Web Services', 'aws', 'Google Cloud', 'Microsoft', 'cloud-a', 'nobody', 'USD', 'usd ', 'EUR', 'eu-west-1',
  'ä€😀', 'a"b\\c\n', 'tab\there', 'x'.repeat(3000), 'y'.repeat(9000), 'nul\0here', 'half\ud800', 'Dynamic', 'Committed', 'Standard',
  'Usage', 'usage', 'Savings Plan', 'cud-1', '\u2028', '\u007f',
] // prettier-ignore
const times = [
  '2026-01-15T00:00:00Z', '2026-01-15', '2026-01-15 10:00', '2026-02-30T00:00:00Z', '1969-01-01', '2026-01-15T22:00:00-05:00',
  '2026-01-15T00:00:00', 'yesterday', '', '2026-01-15T00:00:00.123456Z', '2200-01-01',
] // prettier-ignore
const maps = [
  {}, { env: 'prod', team: 'a' }, { '1': 'b', a: '2' }, { a: null }, { a: 1 }, { a: { b: 'c' } }, { '': 'x' }, { ä: '😀' }, { a: '"' },
  ['a'], '{"a":"b"}', '{"a":', 'plain', { ['k'.repeat(600)]: 'x' }, { a: 'v'.repeat(2500) }, { a: 'nul\0' }, { a: 'half\ud800' },
  Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, `v${i}`])), { 'a b': '', c: 'x y' }, { a: 'x', b: [1] },
] // prettier-ignore
/** Text where a value should stand. */
class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
const raws = [
  '007', '-012.5', '1.', '.5', '-', '0.50', '-0.0', '1e5', '12345678901234567890', '0.30000000000000004', '1.0000000000000001', 'tru', 'NaN', '+1',
  '{"a":"1","a":"2"}', '{"a":"1","b":"2","a":"3"}', '{"b":"x","1":"y"}', '{"b":"x","a":"y","b":"z"}', '{"a":"x",}', '{"a" : "x" , "b":"y"}', '{a:"x"}', "'x'",
].map((text) => new Raw(text)) // prettier-ignore
const rawMaps = raws.filter(({ text }) => text.startsWith('{'))
const others = [null, true, false, [], {}, [[[[]]]], { a: { b: { c: 1 } } }, 12, 'text', '']

/** A line as most are. */
function usual(pick: Pick, n: number): Record<string, unknown> {
  const day = `2026-01-${String(1 + (n % 28)).padStart(2, '0')}`
  const cost = `${pick([0, 3, 91, 1200])}.${pick(['5', '0125', '60800000000001', '1'])}`
  return {
    lineId: pick([`${day}/i-${n}/run`, `line-${n}`, `2025-12-31/i-${n}`]),
    cloudAccountId: 'acct-1',
    provider: pick(['aws', 'gcp', 'azure', 'cloud-b']),
    usageDate: day,
    costUSD: pick([cost, Number(cost)]),
    ...pick([
      {},
      {
        source: 'actual',
        purchaseType: 'spot',
        usageHours: 24,
        hourlyRateUSD: 0.096,
        region: 'us-east-1',
        resourceUid: `i-${n}`,
      },
    ]),
    ...pick([{}, focusLine(pick, day, n, cost)]),
    ...pick([{}, {}, { exportId: 'jan-1', exportedAt: `${day}T03:00:00Z`, billingPeriod: '2026-01' }]),
    ...pick([{}, {}, {}, { BillingCurrency: 'EUR', usdRate: '1.0932' }]),
  }
}

const focusLine = (pick: Pick, day: string, n: number, cost: string) => ({
  BillingCurrency: 'USD',
  ChargePeriodStart: `${day}T00:00:00Z`,
  ServiceProviderName: pick(['AWS', 'Google Cloud', 'Microsoft']),
  ResourceId: `i-${n}`,
  ServiceName: pick(['Amazon EC2', 'Größe €', '']),
  Tags: pick<object>([{ env: 'prod', owner: 'ana@example.com' }, {}]),
  BilledCost: cost,
  EffectiveCost: pick<unknown>([cost, Number(cost), null]),
  ListUnitPrice: '0.192',
  ChargeCategory: pick(['Usage', 'Credit']),
})

const names = Object.keys(BillingLine.properties)
const isAmount = new Set<string>([...focusMoney, ...focusPrices, ...focusQuantities, 'costUSD', 'usdRate'])
const isTime = new Set<string>([...focusTimes, 'usageDate', 'exportedAt'])
const isMap = new Set<string>(focusMaps)

function odd(pick: Pick, name: string): unknown {
  if (pick([0, 0, 0, 1])) return pick<unknown>([...others, ...texts, ...numbers, ...raws])
  if (isAmount.has(name)) return pick<unknown>([...amounts, ...numbers, ...raws])
  if (isTime.has(name)) return pick(times)
  if (isMap.has(name)) return pick<unknown>([...maps, ...rawMaps])
  return pick<unknown>([...texts, ...texts, ...numbers])
}

/** How a message is written beside what most programs write: each is a share of the places where it could be. */
interface Hand {
  pick: Pick
  chance: (share: number) => boolean
  spaces: number
  escapes: number
  /** Members that come twice, and members nobody knows. */
  surplus: number
}

const shares = [0, 0, 0, 0.01, 0.05, 0.4]

const handOf = (next: () => number, pick: Pick): Hand => ({
  pick,
  chance: (share) => next() < share,
  spaces: pick(shares),
  escapes: pick(shares),
  surplus: pick(shares),
})

const nobodys = ['x_Extra', 'constructor', '__proto__', 'toString', '', 'a"b']

function written(value: unknown, hand: Hand): string {
  const { pick, chance, spaces, escapes, surplus } = hand
  if (value instanceof Raw) return value.text
  if (typeof value === 'string') return chance(escapes) ? escaped(value) : JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const space = () => (chance(spaces) ? pick([' ', '\n', '\t ', '\r']) : '')
  if (Array.isArray(value)) return `[${space()}${value.map((one) => written(one, hand)).join(`${space()},${space()}`)}]`
  const members = Object.entries(value).filter(([, one]) => one !== undefined)
  const odd = () => pick<unknown>([...others, ...texts, null, null, '1.5', '1e3'])
  if (chance(surplus) && members.length > 0) members.push([pick(members)[0], odd()])
  if (chance(surplus / 2)) members.push([pick(nobodys), odd()])
  const member = ([name, one]: [string, unknown]) =>
    `${chance(escapes / 20) ? escaped(name) : JSON.stringify(name)}${space()}:${space()}${written(one, hand)}${space()}`
  return `{${space()}${members.map(member).join(`,${space()}`)}}`
}

/** The first characters as escapes. */
function escaped(text: string): string {
  const first = text.slice(0, 2).split('')
  const codes = first.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `"${codes.join('')}${JSON.stringify(text.slice(2)).slice(1)}`
}

function broken(body: Buffer, next: () => number): Buffer {
  const at = Math.floor(next() * body.length)
  const kind = next()
  const byte = Buffer.from([Math.floor(next() * 256)])
  if (kind < 0.3) return Buffer.concat([body.subarray(0, at), byte, body.subarray(at + 1)])
  if (kind < 0.6) return Buffer.concat([body.subarray(0, at), byte, body.subarray(at)])
  return kind < 0.9 ? Buffer.concat([body.subarray(0, at), body.subarray(at + 1)]) : body.subarray(0, at)
}

/** The `n`th message of a seed: its subject and its bytes. The same of the same numbers. */
export function billMessage(seed: number, n: number): { subject: string; body: Buffer } {
  const next = random(seed * 1_000_003 + n)
  const pick: Pick = (list) => list[Math.floor(next() * list.length)]!
  const envelope = (k: number) => {
    const data = usual(pick, n + k)
    const changes = pick([0, 0, 1, 2, 5])
    for (let i = 0; i < changes; i++) {
      // Maps are few among so many columns, and have most ways to be odd.
      const name = pick([pick(names), pick(names), pick(focusMaps)])
      data[name] = odd(pick, name)
    }
    if (next() < 0.05) delete data[pick(Object.keys(data))]
    const shuffled = next() < 0.2 ? Object.fromEntries(Object.entries(data).toSorted(() => next() - 0.5)) : data
    const head: Record<string, unknown> = { id: `m-${n}-${k}`, type: 'billing.line', schemaVersion: 1, orgId: 'org-1' }
    const whole = { ...head, time: '2026-01-20T10:00:00Z', source: 'test', data: shuffled }
    if (next() < 0.05)
      (whole as Record<string, unknown>)[pick(Object.keys(whole))] = pick<unknown>([...others, ...texts])
    return whole
  }
  const count = next() < 0.3 ? Math.floor(next() * 4) : -1
  const value = count < 0 ? envelope(0) : Array.from({ length: count }, (_, k) => envelope(k))
  const body = Buffer.from(written(value, handOf(next, pick)))
  return { subject: 'billing.org-1.acct-1', body: next() < 0.25 ? broken(body, next) : body }
}
