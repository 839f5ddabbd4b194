/** Facts of a recommendation in words, with their units: `p95CpuPercent` 4.2 is "P95 CPU: 4.2%". Pure. */
import { bytes } from '../../bytes.ts'
import { count, exactUsd, percent, pluralize } from '../../figure.ts'
import { valueText, wordsOf } from '../../part/value-text.ts'

/** The unit at the end of a name, or before a statistic of it, and how a figure with it is written. */
const units: readonly (readonly [ending: RegExp, write: (value: number) => string])[] = [
  [/(?:PerHour|Hourly)Usd$|UsdPerHour$/, (value) => `${exactUsd(value)} an hour`],
  [/Usd$/, exactUsd],
  [/_?(?:percent|pct)(?=_?(?:max|min|mean|avg|p\d+)?$)/i, percent],
  [/Days$/, (value) => pluralize(value, 'day')],
  [/Hours$/, (value) => pluralize(value, 'hour')],
  [/Minutes$/, (value) => pluralize(value, 'minute')],
  [/Seconds$/, (value) => pluralize(value, 'second')],
  [/Bytes$/, bytes],
  [/Gib$/i, (value) => `${count(value)} GiB`],
  [/Mib$/i, (value) => `${count(value)} MiB`],
]

/** A name that is nothing but its unit keeps it. */
export function factText(name: string, value: unknown): [title: string, text: string] {
  const found = typeof value === 'number' ? units.find(([ending]) => ending.test(name)) : undefined
  if (!found) return [wordsOf(name), typeof value === 'number' ? count(value) : valueText(value)]
  const rest = name.replace(found[0], '')
  return [wordsOf(rest === '' ? name : rest), found[1](value as number)]
}

/** A list price of a saving, as `evidence.prices` has it: "$0.384 an hour: price list of AWS, 2026-11-01". */
export function priceText(price: Readonly<Record<string, unknown>>): [name: string, text: string] {
  const { name, usd, per, share: rest, source, effectiveOn } = price
  const of = per === 'hour' ? ' an hour' : per === 'gb_month' ? ' a GB-month' : ''
  const amount = typeof usd === 'number' ? `${exactUsd(usd)}${of}` : `${percent(Number(rest) * 100)} of on demand`
  const from = [source, effectiveOn].filter((one) => one !== '' && one !== undefined).join(', ')
  return [valueText(name), `${amount}: ${from}`]
}
