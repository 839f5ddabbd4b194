/** How figures are written. They are made by the API; here they are only formatted. */

const locale = (): string | undefined => (typeof navigator === 'undefined' ? 'en-US' : navigator.language)

const format = (options: Intl.NumberFormatOptions): Intl.NumberFormat => new Intl.NumberFormat(locale(), options)
const dollars = (digits: number, more: Intl.NumberFormatOptions = {}) =>
  format({ style: 'currency', currency: 'USD', minimumFractionDigits: digits, maximumFractionDigits: digits, ...more })

const cents = dollars(2)
const wholeDollars = dollars(0)
const short = format({ style: 'currency', currency: 'USD', notation: 'compact', maximumFractionDigits: 1 })
const signedCents = dollars(2, { signDisplay: 'exceptZero' })
const signedPercent = format({ maximumFractionDigits: 1, signDisplay: 'exceptZero' })
const plainPercent = format({ maximumFractionDigits: 1 })
const plain = format({ maximumFractionDigits: 6 })

/** Text of a decimal stays text: what it holds beyond a float is not lost. */
type Amount = number | string
const asNumber = (value: Amount): number => value as number

/** A true minus sign, as wide as a plus. */
const withMinusSign = (text: string): string => text.replace('-', '−')

export const usd = (value: Amount): string => withMinusSign(cents.format(asNumber(value)))
export const usdShort = (value: Amount): string =>
  withMinusSign(
    Math.abs(Number(value)) < 1000
      ? (Number(value) % 1 === 0 ? wholeDollars : cents).format(asNumber(value))
      : short.format(asNumber(value)),
  )
const priceFormat = dollars(2, { maximumFractionDigits: 6 })
/** A price, which may be of parts of a cent. */
export const exactUsd = (value: Amount): string => withMinusSign(priceFormat.format(asNumber(value)))
export const usdChange = (value: Amount): string => withMinusSign(signedCents.format(asNumber(value)))
/** Of a share, 0 to 1. */
export const share = (value: number): string => withMinusSign(`${plainPercent.format(value * 100)}%`)
export const percent = (value: number): string => withMinusSign(`${plainPercent.format(value)}%`)
export const percentChange = (value: number): string => withMinusSign(`${signedPercent.format(value)}%`)
export const count = (value: number): string => plain.format(value)
/** One of something, or several of it. */
export const pluralize = (value: number, one: string, several = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : several}`

/** Every digit of a decimal, grouped as people read it; nothing is rounded. */
export function exact(text: string): string {
  const [, sign = '', head = '0', tail = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  const parts = format({ minimumFractionDigits: 1 }).formatToParts(1234567.5)
  const group = parts.find(({ type }) => type === 'group')?.value ?? ''
  const point = parts.find(({ type }) => type === 'decimal')?.value ?? '.'
  const grouped = head.replaceAll(/\B(?=(\d{3})+$)/g, group)
  return `${sign}${grouped}${tail === '' ? '' : point + tail}`
}

/** The sum of decimals, to the last digit: as whole numbers of their smallest place, never as floats. */
export function sumOf(texts: readonly string[]): string {
  const places = Math.max(0, ...texts.map((text) => text.split('.')[1]?.length ?? 0))
  const wholes = texts.map((text) => {
    const [head = '0', tail = ''] = text.split('.')
    return BigInt(head + tail.padEnd(places, '0'))
  })
  const sum = wholes.reduce((all, one) => all + one, 0n)
  const digits = (sum < 0n ? -sum : sum).toString().padStart(places + 1, '0')
  const head = digits.slice(0, digits.length - places)
  const tail = digits.slice(digits.length - places).replace(/0+$/, '')
  return `${sum < 0n ? '-' : ''}${head}${tail && `.${tail}`}`
}

/** An amount that was typed: "7,500" is 7500. What is no number stays text: the API says what is wrong with it. */
export function numberOf(text: string): number | string {
  const plain = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text.trim()) ? text.replaceAll(',', '') : text
  return plain.trim() !== '' && Number.isFinite(Number(plain)) ? Number(plain) : text
}
