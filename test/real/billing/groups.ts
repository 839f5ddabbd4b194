/** Rows and sums by some value, as exact decimal text: what the recorded data expects, and what the product says. */
import { sum } from '#engine/value/decimal.ts'

export interface Group {
  rows: number
  sum: string
}
export type Groups = Record<string, Group>

/** One row's part in some groups. */
export interface Part {
  key: string
  amount: string
}

/** `groups` under other names; those that come to share one are added up. */
export function renamed(groups: Groups, rename: (name: string) => string): Groups {
  const named = Map.groupBy(Object.entries(groups), ([name]) => rename(name))
  return Object.fromEntries(
    [...named].map(([name, all]) => [
      name,
      {
        rows: all.reduce((rows, [, group]) => rows + group.rows, 0),
        sum: sum(all.map(([, group]) => group.sum)),
      },
    ]),
  )
}

/** `groups` without those rows; a group that loses every row is gone, one that is not listed stays unlisted. */
export function without(groups: Groups, parts: readonly Part[]): Groups {
  const out = structuredClone(groups)
  for (const { key, amount } of parts) {
    const group = out[key]
    if (!group) continue
    out[key] = { rows: group.rows - 1, sum: sum([group.sum, negated(amount)]) }
    if (out[key].rows === 0) delete out[key]
  }
  return out
}

/** Every sum with the point `places` further left: what a rate of 0.1 makes of it, for one place. */
export const shifted = (groups: Groups, places: number): Groups =>
  Object.fromEntries(
    Object.entries(groups).map(([name, { rows, sum: amount }]) => [name, { rows, sum: sum([`${amount}e-${places}`]) }]),
  )

const negated = (amount: string): string =>
  amount === '' ? '0' : amount.startsWith('-') ? amount.slice(1) : `-${amount}`

/** What the product calls a provider that files spell so. */
function providerOf(name: string): string {
  if (/^(aws|amazon)/i.test(name)) return 'aws'
  if (/^google/i.test(name)) return 'gcp'
  return /^(microsoft|azure)/i.test(name) ? 'azure' : 'other'
}

/** Groups whose names begin with a provider, under our names of them. */
export function known(groups: Groups): Groups {
  return renamed(groups, (name) => {
    const rest = /\d{4}-\d{2}(-\d{2})?$/.exec(name)?.[0]
    return `${providerOf(name)}${rest === undefined ? '' : ` ${rest}`}`
  })
}

const places = 40

/** An amount as an integer count of 1e-40. */
function units(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.')
  const magnitude = BigInt(whole + fraction.padEnd(places, '0'))
  return amount.startsWith('-') ? -magnitude : magnitude
}

/** Whether two amounts differ by no more than the store's 14 places take from `rows` rows. */
export function isNear(a: string, b: string, rows: number): boolean {
  const apart = units(a) - units(b)
  return (apart < 0n ? -apart : apart) <= BigInt(rows) * 5n * 10n ** BigInt(places - 15)
}

/** US dollars to the cent, half away from zero, as totals are shown. */
export function cents(amount: string): number {
  const unit = 10n ** BigInt(places - 2)
  const magnitude = units(amount.replace('-', '')) + unit / 2n
  return (Number(magnitude / unit) / 100) * (amount.startsWith('-') ? -1 : 1) || 0
}
