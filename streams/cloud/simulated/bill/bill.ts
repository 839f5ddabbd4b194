import type { BillingLine } from '#streams/billing/messages.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { categoryOf, typeOf } from '#streams/cloud/resource/resource-type.ts'
import type { ActionLog } from '#streams/cloud/simulated/action/log.ts'
import { partsOf, type DayPart } from '#streams/cloud/simulated/action/alteration.ts'
import { addDays, addMonths, days, daysBetween, firstOf, isWeekend, monthOf, startOf } from '#engine/value/day.ts'
import { unitHours } from '#streams/cloud/simulated/action/power.ts'
import type { Meter } from './price.ts'
import { between } from '#streams/cloud/simulated/world/prng.ts'
import {
  metersFor,
  purchaseOn,
  rateOn,
  type Purchase,
  type SimAccount,
  type SimResource,
} from '#streams/cloud/simulated/world/resource.ts'
import { madeResources } from '#streams/cloud/simulated/provision/provisioned-resources.ts'
import type { World } from '#streams/cloud/simulated/world/world.ts'
import { plain, toUnits, sum, times } from '#engine/value/decimal.ts'

/** What an account's bill is calculated from: the world, the changes, and the account. */
export interface Books {
  world: World
  log: ActionLog
  account: CloudAccount
  sim: SimAccount
}

/** All lines of a day (YYYY-MM-DD), always the same; none for days before the account existed. */
export function dayLines(books: Books, day: string): BillingLine[] {
  if (day < books.sim.born) return []
  return day.endsWith('-01') ? [...usageLines(books, day), ...monthlyLines(books, day)] : usageLines(books, day)
}

function usageLines(books: Books, day: string): BillingLine[] {
  const frame = frameOf(books, day)
  const { world, log, account, sim } = books
  const resources = [...(world.resources.get(sim.externalId) ?? []), ...madeResources(log, account, sim)]
  const charged = resources
    .filter(({ born }) => born <= day)
    .flatMap((resource) => resourceLines(books, frame, resource, day))
  const wasted = resources.flatMap((resource) => unusedLines(frame, resource, charged, day))
  return [...charged, ...wasted, ...books.sim.regions.map((region) => transferLine(books, frame, region, day))]
}

/** Costs have up to 10 decimal places, as a real cloud's calculations would. */
const places = 10
const exact = (value: number): bigint => toUnits(value.toFixed(places), places) ?? 0n
const text = (value: number): string => plain(exact(value), places)
const cost = (quantity: number, price: number): string => plain(times(exact(quantity), exact(price), places), places)

const issuers = { aws: 'AWS', gcp: 'Google Cloud', azure: 'Microsoft' } as const

/** Columns that all lines of an account's day share. */
export function frameOf({ account, sim }: Books, day: string) {
  const issuer = issuers[sim.provider]
  const month = day.slice(0, 7)
  return {
    cloudAccountId: account.id,
    provider: sim.provider,
    source: 'actual',
    exportedAt: `${addDays(day, 1)}T03:00:00Z`,
    BillingAccountId: `sim-${sim.provider}-payer`,
    BillingAccountName: `Simulated ${issuer} bill`,
    BillingCurrency: 'USD',
    BillingPeriodStart: `${firstOf(monthOf(day))}T00:00:00Z`,
    BillingPeriodEnd: `${firstOf(addMonths(monthOf(day), 1))}T00:00:00Z`,
    ChargePeriodStart: `${day}T00:00:00Z`,
    ChargePeriodEnd: `${addDays(day, 1)}T00:00:00Z`,
    InvoiceId: `SIM-${sim.provider.toUpperCase()}-${month}`,
    InvoiceIssuerName: issuer,
    ServiceProviderName: issuer,
    HostProviderName: issuer,
    SubAccountId: sim.externalId,
    SubAccountName: sim.name,
  } as const
}
export type Frame = ReturnType<typeof frameOf>

function resourceLines(books: Books, frame: Frame, resource: SimResource, day: string): BillingLine[] {
  const lines: BillingLine[] = []
  const parts = partsOf(books.world, books.log, books.account.id, resource, day)
  for (const meter of metersFor(resource)) {
    for (const [index, part] of parts.entries()) {
      const quantity = quantityOf(books, resource, meter, day, part)
      // The first part keeps the id of a whole day, so that a line from before a resize is restated.
      const lineId = `${day}/${resource.uid}/${meter.what}${index === 0 ? '' : `/${index + 1}`}`
      if (quantity > 0) lines.push({ ...frame, lineId, ...resourceLine(resource, meter, quantity, day, part) })
    }
  }
  return lines
}

function quantityOf(
  { world, log, account }: Books,
  resource: SimResource,
  meter: Meter,
  day: string,
  part: DayPart,
): number {
  const share = (part.to - part.from) / 24
  switch (meter.basis) {
    case 'hours':
      return unitHours(world, log, account.id, resource, day, part)
    case 'stored':
      return (part.gb / daysBetween(firstOf(monthOf(day)), firstOf(addMonths(monthOf(day), 1)))) * share
    case 'used':
      return (
        resource.usage *
        busyness(resource, day) *
        drift(world, day) *
        between(0.9, 1.1, world.seed, resource.uid, day) *
        share
      )
    default:
      return meter.basis satisfies never
  }
}

const weekendShare = { web: 0.7, office: 0.06, batch: 1, database: 1, steady: 1, light: 1, idle: 1 } as const
const busyness = ({ load }: SimResource, day: string): number => (isWeekend(startOf(day)) ? weekendShare[load] : 1)

/** Usage grows by about a seventh per year; in the past it is at least half of today's. */
const drift = (world: World, day: string): number => Math.max(0.5, 1 + 0.0004 * daysBetween(world.today, day))

function resourceLine(resource: SimResource, meter: Meter, quantity: number, day: string, { size }: DayPart) {
  const { uid, name, type, region, tags } = resource
  const { list, contracted, paid } = rateOn(resource, meter, day, size)
  const known = typeOf(type)
  const sku = size === undefined ? `${type}:${meter.what}` : `${type}:${meter.what}:${size}`
  return {
    ServiceName: known?.service ?? type,
    ServiceCategory: categoryOf(known?.service ?? type),
    RegionId: region,
    RegionName: region,
    ResourceId: uid,
    ResourceName: name,
    ResourceType: type,
    Tags: { ...tags },
    ChargeCategory: 'Usage',
    ChargeFrequency: 'Usage-Based',
    ChargeDescription: `Simulated: ${size ?? name} ${meter.what} in ${region}`,
    SkuId: sku,
    SkuMeter: meter.what,
    SkuPriceId: `${sku}:${region}`,
    PricingQuantity: text(quantity),
    PricingUnit: meter.unit,
    ConsumedQuantity: text(quantity),
    ConsumedUnit: meter.unit,
    ListUnitPrice: text(list),
    ContractedUnitPrice: text(contracted),
    ListCost: cost(quantity, list),
    ContractedCost: cost(quantity, contracted),
    EffectiveCost: cost(quantity, paid),
    BilledCost: cost(quantity, paid),
    ...(meter.basis === 'hours' && { usageHours: quantity, hourlyRateUSD: paid }),
    ...toPurchaseColumns(meter.what === 'run' ? purchaseOn(resource, day) : undefined, quantity),
  } as const
}

/** Commitments are paid monthly without an upfront part, so a covered hour is billed at its cost. */
function toPurchaseColumns(purchase: Purchase | undefined, quantity: number) {
  if (!purchase) return { purchaseType: 'on_demand', PricingCategory: 'Standard' } as const
  if (purchase.commitmentId === undefined) return { purchaseType: purchase.type, PricingCategory: 'Dynamic' } as const
  return {
    ...toCommitmentColumns(purchase.type, purchase.commitmentId),
    CommitmentDiscountStatus: 'Used',
    CommitmentDiscountQuantity: text(quantity),
    CommitmentDiscountUnit: 'Hours',
  } as const
}

function toCommitmentColumns(purchaseType: Purchase['type'], id: string) {
  const isPlan = purchaseType === 'savings_plan'
  return {
    purchaseType,
    PricingCategory: 'Committed',
    CommitmentDiscountId: id,
    CommitmentDiscountName: id,
    CommitmentDiscountCategory: isPlan ? 'Spend' : 'Usage',
    CommitmentDiscountType: isPlan ? 'Savings Plan' : 'Reservation',
  } as const
}

/** The unused part of a savings plan on a day: the hourly commitment minus the cost of its lines. */
function unusedLines(frame: Frame, plan: SimResource, charged: readonly BillingLine[], day: string): BillingLine[] {
  const { type, uid, region, specs } = plan
  if (type !== 'aws-savings-plan') return []
  const used = sum(charged.flatMap((line) => (line.CommitmentDiscountId === uid ? [String(line.EffectiveCost)] : [])))
  const unused = 24n * exact(Number(specs['commitment_hourly'])) - (toUnits(used, places) ?? 0n)
  if (unused <= 0n) return []
  const { service = type } = typeOf(type) ?? {}
  return [
    loose(frame, day, `unused-${uid}`, plain(unused, places), {
      ...toCommitmentColumns('savings_plan', uid),
      CommitmentDiscountStatus: 'Unused',
      ServiceName: service,
      ServiceCategory: categoryOf(service),
      RegionId: region,
      RegionName: region,
      ChargeCategory: 'Usage',
      ChargeFrequency: 'Usage-Based',
      ChargeDescription: `Simulated: unused commitment ${uid}`,
    }),
  ]
}

/** A charge without a resource; all four costs are `amount`. */
export function loose(frame: Frame, day: string, what: string, amount: string, more: object): BillingLine {
  const costs = { ListCost: amount, ContractedCost: amount, EffectiveCost: amount, BilledCost: amount }
  return { ...frame, lineId: `${day}/${frame.SubAccountId}/${what}`, purchaseType: 'on_demand', ...costs, ...more }
}

const transferUsd = 0.09

function transferLine({ world, sim }: Books, frame: Frame, region: string, day: string): BillingLine {
  const gigabytes =
    (isWeekend(startOf(day)) ? 70 : 110) *
    drift(world, day) *
    between(0.85, 1.15, world.seed, sim.externalId, region, day)
  return loose(frame, day, `transfer-${region}`, cost(gigabytes, transferUsd), {
    ServiceName: 'Data transfer',
    ServiceCategory: 'Networking',
    RegionId: region,
    RegionName: region,
    ChargeCategory: 'Usage',
    ChargeFrequency: 'Usage-Based',
    ChargeDescription: `Simulated: data transfer out of ${region}`,
    PricingCategory: 'Standard',
    PricingQuantity: text(gigabytes),
    PricingUnit: 'GB',
    ConsumedQuantity: text(gigabytes),
    ConsumedUnit: 'GB',
    ListUnitPrice: text(transferUsd),
    ContractedUnitPrice: text(transferUsd),
  })
}

/** Tax on a month's charges, billed on the first of the next month. Below: credit on every first, US dollars. */
const taxShare = 0.02
const credits: Readonly<Record<string, string>> = { 'sim-aws-production': '-250' }

function monthlyLines(books: Books, day: string): BillingLine[] {
  const frame = frameOf(books, day)
  const month = { ServiceCategory: 'Other', ChargeFrequency: 'Recurring' }
  const lines: BillingLine[] = []
  const taxable = sum(
    [...days(firstOf(addMonths(monthOf(day), -1)), addDays(day, -1))].flatMap((past) => charges(books, past)),
  )
  const tax = plain(times(toUnits(taxable, places) ?? 0n, exact(taxShare), places), places)
  if (tax !== '0') {
    const told = `Simulated: tax on ${addMonths(monthOf(day), -1)}`
    lines.push(
      loose(frame, day, 'tax', tax, { ...month, ServiceName: 'Tax', ChargeCategory: 'Tax', ChargeDescription: told }),
    )
  }
  const credit = credits[books.sim.externalId]
  if (credit) {
    const told = 'Simulated: migration programme credit'
    lines.push(
      loose(frame, day, 'credit', credit, {
        ...month,
        ServiceName: 'Credits',
        ChargeCategory: 'Credit',
        ChargeDescription: told,
      }),
    )
  }
  return lines
}

const charges = (books: Books, day: string): string[] =>
  day < books.sim.born ? [] : usageLines(books, day).map((line) => String(line.BilledCost))
