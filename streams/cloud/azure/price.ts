/** Reads list prices of virtual machines with Azure's Retail Prices API, which everyone may ask, without signing in. */
import { dayOf } from '#engine/value/day.ts'
import { parseJson } from '#engine/value/json.ts'
import { decoder, t, type Static } from '#engine/value/schema.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import type { ListPrice } from '#streams/cloud/reference/list-price.ts'
import { azureFault, AzureRefusal } from './session/fault.ts'
import { fetchAnswer } from './session/fetch.ts'
import { publicCloud } from './session/cloud.ts'
import { principalOf } from './session/credentials.ts'
import type { AzureOptions } from './session/session.ts'

const host = 'https://prices.azure.com'
/** Pages of one region, of 100 prices each: the largest regions have about a hundred. Of a longer list nothing is used. */
const pagesMax = 400
const yearHours = 8760

const Item = t.Object(
  {
    armSkuName: t.Optional(t.String()),
    productName: t.Optional(t.String()),
    skuName: t.Optional(t.String()),
    type: t.Optional(t.String()),
    reservationTerm: t.Optional(t.String()),
    retailPrice: t.Number(),
    unitOfMeasure: t.Optional(t.String()),
    effectiveStartDate: t.Optional(t.String()),
    savingsPlan: t.Optional(
      t.Array(t.Object({ term: t.String(), retailPrice: t.Number() }, { additionalProperties: true })),
    ),
  },
  { additionalProperties: true },
)
export type RetailPrice = Static<typeof Item>

const decode = decoder(
  t.Object(
    { Items: t.Array(Item), NextPageLink: t.Optional(t.Union([t.String(), t.Null()])) },
    { additionalProperties: true },
  ),
)

export async function* readAzurePrices(
  options: AzureOptions,
  account: CloudAccount,
  regions: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<readonly ListPrice[]> {
  const { cloud = publicCloud } = principalOf(account)
  for (const region of regions) {
    // The prices are those of the public cloud.
    if (cloud !== publicCloud) {
      yield []
      continue
    }
    const items: RetailPrice[] = []
    let isWhole = false
    for (let page = 0; page < pagesMax && !isWhole; page++) {
      const { Items, NextPageLink } = await readPage(options, account, { region, skip: items.length, signal })
      items.push(...Items)
      isWhole = !NextPageLink || Items.length === 0
    }
    yield isWhole ? toListPrices(region, items) : []
  }
}

interface Page {
  region: string
  skip: number
  signal: AbortSignal | undefined
}

function readPage({ caller, endpoint }: AzureOptions, account: CloudAccount, { region, skip, signal }: Page) {
  const query = new URLSearchParams({
    'api-version': '2023-01-01-preview',
    currencyCode: 'USD',
    $filter: `serviceName eq 'Virtual Machines' and armRegionName eq '${region.replaceAll("'", '')}'`,
    $skip: String(skip),
  })
  const url = `${(endpoint ?? host).replace(/\/+$/, '')}/api/retail/prices?${query}`
  const door = { provider: 'azure', account: account.id, service: 'prices', region: '', operation: 'list' }
  return caller.call(
    door,
    async (late) => {
      const headers = { accept: 'application/json', 'user-agent': 'tidemark' }
      const request = { method: 'GET', headers, signal: late, accountId: account.id }
      const { status, body } = await fetchAnswer(url, { ...request, isInside: endpoint !== undefined })
      if (status !== 200) throw new AzureRefusal(status, '', '')
      return decode(parseJson(body.toString('utf8')))
    },
    (error) => azureFault(error, { operation: 'GET retail prices', permission: '' }),
    { signal },
  )
}

/** Linux, on demand: not as a part of another product, and not while there is room. */
const isUsed = ({ armSkuName = '', productName = '', skuName = '', retailPrice }: RetailPrice): boolean =>
  armSkuName.startsWith('Standard_') &&
  !/promo/i.test(armSkuName) &&
  !/Windows|Cloud ?Services|Dedicated Host/i.test(productName) &&
  !/Spot|Low Priority/i.test(skuName) &&
  retailPrice > 0

/** `1 Year`, `3 Years`. Reservations cost the same, paid at once or by the month. */
function termOf(text: string): { tier: string; years: number } | undefined {
  const years = Number(/^([13]) Years?$/.exec(text)?.[1])
  return years ? { tier: `${years}yr_no_upfront`, years } : undefined
}

/** Of several prices of one size the highest counts. */
export function toListPrices(region: string, items: readonly RetailPrice[]): ListPrice[] {
  const used = items.filter(isUsed)
  const machines = new Map<string, RetailPrice>()
  for (const item of used.filter(({ type, unitOfMeasure }) => type === 'Consumption' && unitOfMeasure === '1 Hour'))
    if (item.retailPrice > (machines.get(item.armSkuName!)?.retailPrice ?? 0)) machines.set(item.armSkuName!, item)
  const shares = new Map<string, ListPrice>()
  const add = (product: string, size: string, term: string, usdHour: (years: number) => number) => {
    const [of, found] = [machines.get(size), termOf(term)]
    if (!of || !found) return
    const value = Number((usdHour(found.years) / of.retailPrice).toFixed(4))
    const price = { kind: 'commitment', region, name: `${product}/${size}`, field: found.tier, value }
    if (value > 0 && value < 1) shares.set(`${price.name} ${price.field}`, price)
  }
  for (const { armSkuName: size, reservationTerm = '', retailPrice } of used.filter(
    ({ type }) => type === 'Reservation',
  ))
    add('azure-vm-reservation', size!, reservationTerm, (years) => retailPrice / (years * yearHours))
  for (const [size, { savingsPlan = [] }] of machines)
    for (const { term, retailPrice } of savingsPlan) add('azure-compute-savings-plan', size, term, () => retailPrice)
  return [...[...machines].map(([name, item]) => machinePrice(region, name, item)), ...shares.values()]
}

const machinePrice = (region: string, name: string, { retailPrice, effectiveStartDate }: RetailPrice): ListPrice => {
  const since = Date.parse(effectiveStartDate ?? '')
  const price = { kind: 'azure-vm', region, name, field: 'usd_hour', value: retailPrice }
  return Number.isNaN(since) ? price : { ...price, effectiveOn: dayOf(since) }
}
