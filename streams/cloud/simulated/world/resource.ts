import type { PurchaseType } from '#streams/billing/messages.ts'
import type { NativePolicy } from '#streams/cloud/connector.ts'
import type { Provider } from '#streams/names.ts'
import { listPrice, metersOf, type Meter } from '#streams/cloud/simulated/bill/price.ts'
import { daysBetween } from '#engine/value/day.ts'

/** Load patterns of a resource over the day and the week. */
const loads = ['web', 'office', 'batch', 'database', 'steady', 'light', 'idle'] as const
export type Load = (typeof loads)[number]

/** Hours of a resource that nobody starts or stops: always, working days 08-20 UTC, every night 00-06 UTC, or never. */
export type Hours = 'always' | 'office' | 'nightly' | 'never'

/** Former hours, until a day (YYYY-MM-DD) inclusive. */
interface FormerHours {
  hours: Hours
  to: string
}

export interface Purchase {
  type: Exclude<PurchaseType, 'on_demand'>
  /** Paid share of the list price. */
  factor: number
  /** Id of the reservation or plan; none for spot. */
  commitmentId?: string
  /** Last day of its validity; unlimited if missing. */
  until?: string
}

/** A period with another size. Days are YYYY-MM-DD, both included. */
interface Resize {
  size: string
  from: string
  to: string
}

/** An account of the simulated cloud. Its external id begins with `sim-`. */
export interface SimAccount {
  provider: Provider
  externalId: string
  name: string
  regions: readonly string[]
  /** First day of its existence. */
  born: string
}

/** A resource of the simulated cloud before changes; changes by `act` are in the action log. */
export interface SimResource {
  readonly account: SimAccount
  readonly uid: string
  readonly name: string
  readonly type: string
  readonly region: string
  readonly parentUid: string | undefined
  readonly group: string | undefined
  readonly size: string | undefined
  /** Gigabytes on the world's day. */
  readonly sizeGB: number | undefined
  readonly gbADay: number
  readonly units: number | undefined
  /** Mean daily units of the meter of basis `used`. */
  readonly usage: number
  readonly tags: Readonly<Record<string, string>>
  readonly specs: Readonly<Record<string, unknown>>
  /** Specs that count the days since a day. Below: those that count the days until one. */
  readonly since: Readonly<Record<string, string>>
  readonly until: Readonly<Record<string, string>>
  readonly born: string
  /** Day of the last change, if the cloud reports it. */
  readonly unchanged: string | undefined
  readonly load: Load
  readonly hours: Hours
  readonly formerHours: FormerHours | undefined
  readonly purchase: Purchase | undefined
  readonly resize: Resize | undefined
  /** Its own native policies, until they are replaced. */
  readonly policies: readonly NativePolicy[]
  /** The replica set or job belongs to another workload. */
  readonly owned: boolean
  /** Its size has no price here: it costs nothing. */
  readonly isUnpriced?: true
}

export const sizeOn = (resource: SimResource, day: string): string | undefined =>
  resource.resize && day >= resource.resize.from && day <= resource.resize.to ? resource.resize.size : resource.size

export const hoursOn = ({ hours, formerHours }: SimResource, day: string): Hours =>
  formerHours && day <= formerHours.to ? formerHours.hours : hours

/** Gigabytes on `day`; `today` is the world's day. At least a fiftieth of today's. */
export function gigabytesOn(resource: SimResource, day: string, today: string): number {
  const { sizeGB = 0, gbADay } = resource
  if (gbADay === 0) return sizeGB
  return Math.max(sizeGB / 50, sizeGB + gbADay * daysBetween(today, day))
}

export const purchaseOn = (resource: SimResource, day: string): Purchase | undefined =>
  resource.purchase && day <= (resource.purchase.until ?? day) ? resource.purchase : undefined

/**
 * Price of one unit on a day, US dollars. `contracted` is after negotiated discounts, `paid` also after commitments.
 */
export interface Rate {
  list: number
  contracted: number
  paid: number
}

/** Negotiated price factors by account. */
const negotiatedRates: Readonly<Record<string, number>> = { 'sim-azure-corp': 0.95 }

export function rateOn(resource: SimResource, meter: Meter, day: string, size: string | undefined): Rate {
  const list = listPrice(meter, size, resource.region)
  const contracted = round(list * (negotiatedRates[resource.account.externalId] ?? 1))
  const purchase = meter.what === 'run' ? purchaseOn(resource, day) : undefined
  return { list, contracted, paid: purchase ? round(list * purchase.factor) : contracted }
}

/** The meters of a resource. */
export const metersFor = ({ type, isUnpriced }: SimResource): readonly Meter[] => (isUnpriced ? [] : metersOf(type))

/** US dollars for one unit while running; undefined if it is not charged by the hour. */
export function hourlyRateOn(resource: SimResource, day: string, size: string | undefined): number | undefined {
  const hourly = metersFor(resource).filter((meter) => meter.basis === 'hours')
  if (hourly.length === 0) return undefined
  return round(hourly.reduce((total, meter) => total + rateOn(resource, meter, day, size).paid, 0))
}

const round = (usd: number): number => Number(usd.toFixed(10))
