/** A row of a bill as one line of costs in FOCUS columns: amounts, currency, day, resource, and what is refused. */
import { dayMs } from '#engine/value/day.ts'
import { ownCopy } from '#engine/value/own-copy.ts'
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import type { BillingLine, PurchaseType } from '#streams/billing/messages.ts'
import { heldKey, ScannedData, type HeldValues, type Holding } from '#engine/scan/held-values.ts'
import { isPlain, plain, toUnits } from '#engine/value/decimal.ts'
import { exchangeOf, isInDollars, type Exchange } from './exchange.ts'
import { moneyPlaces, pricePlaces, ratePlaces } from './precision.ts'
import {
  chargeCategories,
  focusJson,
  focusMaps,
  focusMoney,
  focusPrices,
  focusQuantities,
  focusText,
  focusTimes,
  renamedColumns,
} from '#streams/focus-columns.ts'
import { billedBy, isProvider, otherProvider, realName } from '#streams/names.ts'

/**
 * A bill line for the fact table: FOCUS column names, amounts as exact decimal text in US dollars, times in UTC. Empty
 * columns are left out.
 */
export interface CostLine {
  x_LineId: string
  x_CloudAccountId: string
  /** A cloud, or the provider's name in the bill, or `other`. */
  x_Provider: string
  /** UTC day of ChargePeriodStart. */
  x_Day: string
  x_PurchaseType: PurchaseType
  x_Source: 'estimate' | 'actual'
  x_ExportedAt: string
  x_UsageHours?: number
  x_HourlyRateUSD?: number
  /**
   * US dollars per unit of BillingCurrency, if that is another currency. Below: whether the rate came with the bill or
   * from the sender.
   */
  x_UsdRate?: string
  x_UsdRateSource?: 'bill' | 'given'
  BilledCost: string
  EffectiveCost: string
  ContractedCost: string
  ListCost: string
  [focusColumn: string]: unknown
}

/** Maximum bytes (UTF-8) of one line's columns that its format does not have, names and values together. */
export const otherBytesMax = 8192

const unitsMax = 10n ** BigInt(18 + moneyPlaces)

/**
 * Converts a bill line according to decisions G-44 and G-47. `sentAt` replaces a missing exportedAt.
 * @throws Fault `invalid` with a code under which refusals are counted: `provider_unsupported`,
 * `currency_without_rate`, `amount_invalid`, `amount_missing`, `date_invalid`, `date_missing`, `tags_invalid`.
 */
export function costLine(given: BillingLine & Holding, sentAt: Date): CostLine {
  const sold = provider(given)
  const line = isInDollars(given) ? given : unheld(given)
  const exchange = exchangeOf(line)
  const out: Record<string, unknown> & Holding = line[heldKey] ? { [heldKey]: line[heldKey] } : {}
  for (const name in line) {
    const value = line[name as keyof BillingLine] as unknown
    if (!isEmpty(value)) readers.get(name)?.(out, name, value, exchange)
  }
  shortForms(out, line)
  standIns(out, line)
  out['x_Day'] = day(out, line)
  out['ChargeCategory'] = category(textAt(out, 'ChargeCategory') || 'Usage')
  out['x_LineId'] = line.lineId
  out['x_CloudAccountId'] = line.cloudAccountId
  out['x_Provider'] = sold
  nameSeller(out, sold)
  out['x_PurchaseType'] = purchaseType(out, line)
  out['x_Source'] = line.source ?? 'actual'
  out['x_ExportedAt'] = utc(line.exportedAt ?? sentAt.toISOString(), 'exportedAt', true)
  if (line.usageHours !== undefined) out['x_UsageHours'] = line.usageHours
  if (line.hourlyRateUSD !== undefined) out['x_HourlyRateUSD'] = line.hourlyRateUSD
  if (exchange !== undefined) {
    out['x_UsdRate'] = plain(exchange.rate, ratePlaces)
    out['x_UsdRateSource'] = exchange.source
  }
  return out as CostLine
}

/** Held values are in the line's own currency, so a line in a foreign currency must be parsed after all. */
const unheld = (line: BillingLine & Holding): BillingLine & Holding =>
  line instanceof ScannedData ? (line.toJSON() as BillingLine) : line

/** Converts the value of one column of a line and stores it in the row. */
type Reader = (out: Record<string, unknown>, name: string, value: unknown, exchange: Exchange | undefined) => void

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...each(focusText, (out, name, value) => (out[name] = value)),
  ...each(Object.keys(renamedColumns), (out, name, value) => (out[renamedColumns[name]!] ??= value)),
  ...each(focusMaps, (out, name, value) => (out[name] = textMap(name, value))),
  ...each(focusJson, (out, name, value) => (out[name] = jsonText(value))),
  ...each(focusTimes, (out, name, value) => (out[name] = utc(value as string, name))),
  ...each(focusQuantities, (out, name, value) => (out[name] = amount(name, value, moneyPlaces))),
  ...each(focusPrices, (out, name, value) => (out[name] = amount(name, value, pricePlaces))),
  ...each(focusMoney, (out, name, value, exchange) => {
    const isForeign = exchange !== undefined && name !== 'PricingCurrencyEffectiveCost'
    out[name] = isForeign ? inDollars(name, value, exchange) : amount(name, value, moneyPlaces)
  }),
  ['x_OtherColumns', (out, name, value) => (out[name] = textMap(name, value, otherBytesMax))],
  ['PublisherName', (out, _, value) => (out['x_PublisherName'] = value)],
  ['BillingCurrency', (out, name, value) => (out[name] = (value as string).trim().toUpperCase())],
])

function each(names: readonly string[], read: Reader): [string, Reader][] {
  return names.map((name) => [name, read])
}

function shortForms(out: Record<string, unknown>, line: BillingLine): void {
  if (out['ResourceId'] === undefined) put(out, 'ResourceId', line.resourceUid)
  if (out['ServiceName'] === undefined) put(out, 'ServiceName', line.serviceName)
  if (out['RegionId'] === undefined) put(out, 'RegionId', line.region)
  if (out['ResourceType'] === undefined) put(out, 'ResourceType', line.resourceType && realName(line.resourceType))
}

/** The text of a column of the row; empty if it has none. */
const textAt = (out: Record<string, unknown>, name: string): string => {
  const value = out[name]
  return typeof value === 'string' ? value : ''
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

function put(out: Record<string, unknown>, name: string, value: unknown): void {
  if (!isEmpty(value)) out[name] = value
}

/** Missing costs are taken from those that the line has. */
function standIns(out: Record<string, unknown> & Holding, line: BillingLine): void {
  const own = out[heldKey]
  if (out['BilledCost'] === undefined && !own?.has('BilledCost')) {
    if (line.costUSD !== undefined) out['BilledCost'] = amount('costUSD', line.costUSD, moneyPlaces)
    else if (!own?.copy('BilledCost', 'costUSD'))
      throw Fault.invalid('amount_missing', 'The line has neither BilledCost nor costUSD.')
  }
  standIn(out, own, 'EffectiveCost', 'BilledCost')
  standIn(out, own, 'ContractedCost', 'BilledCost')
  standIn(out, own, 'ListCost', 'ContractedCost')
}

function standIn(out: Record<string, unknown>, own: HeldValues | undefined, name: string, source: string): void {
  if (out[name] === undefined && !own?.has(name) && !own?.copy(name, source)) out[name] = out[source]
}

/** Returns plain decimal text. Most amounts already are. */
function amount(name: string, value: unknown, places: number): string {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && isPlain(text, places) ? text : plain(exact(name, value, places), places)
}

function inDollars(name: string, value: unknown, { toDollars }: Exchange): string {
  return plain(requireBelowMax(name, toDollars(name, exact(name, value, moneyPlaces))), moneyPlaces)
}

/** `column` in the fault allows a reader to leave the cell out. */
const ofColumn = (column: string, code: string, message: string): Fault => Fault.invalid(code, message, { column })

function exact(name: string, value: unknown, places: number): bigint {
  const units = typeof value === 'number' || typeof value === 'string' ? toUnits(value, places) : undefined
  if (units === undefined) throw ofColumn(name, 'amount_invalid', `${name} must be a decimal number below 1e18.`)
  return units
}

/** Refuses amounts that the exchange rate made too large: the column needs room for sums. */
function requireBelowMax(name: string, units: bigint): bigint {
  if (units < unitsMax && units > -unitsMax) return units
  throw ofColumn(name, 'amount_invalid', `${name} in US dollars must be below 1e18.`)
}

/** The day of a line. Fills in the charge period if the line has only a day. */
function day(out: Record<string, unknown>, line: BillingLine): string {
  if (out['ChargePeriodStart'] === undefined) {
    if (!line.usageDate) throw Fault.invalid('date_missing', 'The line has neither ChargePeriodStart nor usageDate.')
    out['ChargePeriodStart'] = utc(line.usageDate, 'usageDate')
  }
  const start = out['ChargePeriodStart'] as string
  out['ChargePeriodEnd'] ??= new Date(Date.parse(`${start}Z`) + dayMs).toISOString().slice(0, 19)
  return start.slice(0, 10)
}

/** `x_Day` of a line, even if the rest is unreadable. @throws Fault as `costLine` if there is no valid day */
export function lineDay({ ChargePeriodStart, usageDate }: BillingLine): string {
  if (ChargePeriodStart) return utc(ChargePeriodStart, 'ChargePeriodStart').slice(0, 10)
  if (usageDate) return utc(usageDate, 'usageDate').slice(0, 10)
  throw Fault.invalid('date_missing', 'The line has neither ChargePeriodStart nor usageDate.')
}

const timeShape =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?$/

/**
 * Converts a time of a bill to `YYYY-MM-DDTHH:MM:SS` in UTC (with milliseconds on request). Years 1970 to 2104, the
 * range of a DateTime column. Text without a zone is UTC.
 * @throws Fault `invalid` `date_invalid`
 */
export function utc(value: string, name: string, milliseconds = false): string {
  let iso = read.get(value)
  if (iso === undefined) {
    iso = readTime(value, name)
    if (read.size >= readMax) read.clear()
    read.set(ownCopy(value), iso)
  }
  return iso.slice(0, milliseconds ? 23 : 19)
}

/** Cache of times: a bill repeats few hours in all rows, and parsing times is the slowest part of a line. */
const read = new Map<string, string>()
const readMax = 4096

function readTime(value: string, name: string): string {
  const match = timeShape.exec(value.trim())
  const [, day, time = '00:00:00', zone = 'Z'] = match ?? []
  const offset = zone === 'UTC' ? 'Z' : zone.length === 3 ? `${zone}:00` : zone
  const at = Date.parse(`${day}T${time.length === 5 ? `${time}:00` : time}${offset}`)
  if (!match || Number.isNaN(at) || at < 0 || at >= 4_260_211_200_000 || !real(day!)) {
    throw ofColumn(name, 'date_invalid', `${name} must be a date between 1970 and 2104: ${value.slice(0, 40)}`)
  }
  return new Date(at).toISOString()
}

/** False for 30 February, which Date.parse would change to March. */
const real = (day: string): boolean => new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)

function category(value: string): string {
  const found = chargeCategories.find((name) => name.toLowerCase() === value.toLowerCase())
  return found ?? 'Adjustment'
}

/**
 * The cloud that sells, makes or invoices the line, in that order: what is bought in a cloud's marketplace belongs to
 * that cloud. The host counts only if no seller is named, because a provider may run on a cloud and send its own bills.
 * The short form replaces a missing cloud; otherwise the provider's name in the line is used.
 */
function provider(line: BillingLine): string {
  const { sellers, host } = providerNames(line)
  for (const name of line.ServiceProviderName || line.ProviderName ? sellers : [...sellers, host]) {
    const found = billedBy(name)
    if (found) return found
  }
  const { provider: given = 'none' } = line
  const short = realName(given.trim().toLowerCase())
  if (isProvider(short)) return short
  const named = [...sellers, host].find((name) => name !== '')
  if (named !== undefined) return cutWellFormed(named, providerMax)
  if (short === otherProvider) return short
  throw Fault.invalid(
    'provider_unsupported',
    `The line has no FOCUS provider column, and its provider is not one of aws, gcp, azure, other: ${given.slice(0, 80)}`,
  )
}

/** Names of the seller, the maker and the invoice issuer, in this order, and of the host; empty if missing. */
function providerNames(line: BillingLine): { sellers: string[]; host: string } {
  const [seller, maker, issuer, host] = [
    line.ServiceProviderName || line.ProviderName,
    line.PublisherName,
    line.InvoiceIssuerName || line.InvoiceIssuer,
    line.HostProviderName,
  ].map((name) => (name ?? '').trim())
  return { sellers: [seller!, maker!, issuer!], host: host! }
}

/** Fills in the service provider if the line names the seller in another column. */
function nameSeller(out: Record<string, unknown>, sold: string): void {
  if (!isProvider(sold) && sold !== otherProvider) out['ServiceProviderName'] ??= sold
}

/** Maximum characters of a provider's name in reports. */
const providerMax = 128

function purchaseType(out: Record<string, unknown>, line: BillingLine): PurchaseType {
  const commitment = `${textAt(out, 'CommitmentDiscountType')} ${textAt(out, 'CommitmentDiscountId')}`
  if (out['CommitmentDiscountId'] !== undefined) return /savings/i.test(commitment) ? 'savings_plan' : 'reserved'
  if (out['PricingCategory'] === 'Dynamic') return 'spot'
  if (out['PricingCategory'] === 'Committed') return line.purchaseType ?? 'reserved'
  return line.purchaseType ?? 'on_demand'
}

const mapKeysMax = 256

/**
 * A flat map of text to text with at most 256 keys of 1 to 512 characters. A key without a value gets `true`, as FOCUS
 * requires.
 */
export function textMap(name: string, value: unknown, charactersMax = 2048): Record<string, string> {
  const object = typeof value === 'string' ? parseMap(name, value) : value
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return {}
  const out: Record<string, string> = {}
  for (const [key, entry] of Object.entries(object).slice(0, mapKeysMax)) {
    if (key === '' || key.length > 512) continue
    const content =
      entry === null || entry === undefined ? 'true' : typeof entry === 'string' ? entry : JSON.stringify(entry)
    Object.defineProperty(out, key.toWellFormed(), {
      value: cutWellFormed(content, charactersMax),
      enumerable: true,
      configurable: true,
    })
  }
  return out
}

function parseMap(name: string, value: string): unknown {
  try {
    return parseJson(value)
  } catch {
    throw ofColumn(name, 'tags_invalid', 'A map column must be a JSON object.')
  }
}

const jsonText = (value: unknown): string =>
  cutWellFormed(typeof value === 'string' ? value : JSON.stringify(value), 65536)

/** The first `charactersMax` characters, with unpaired surrogates replaced, because ClickHouse refuses them. */
const cutWellFormed = (value: string, charactersMax: number): string => value.slice(0, charactersMax).toWellFormed()
