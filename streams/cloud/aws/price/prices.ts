/** Reads list prices with AWS's Price List API, which costs nothing. */
import { Fault } from '#engine/value/fault.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import type { ListPrice } from '#streams/cloud/reference/list-price.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { readSavingsPlanRates } from './savings-plan.ts'
import { priceLists, type PriceList } from './lists.ts'
import { readProduct, type PricedProduct } from './product.ts'

/** One of the three regions that answer for all. */
const priceRegion = 'us-east-1'
const pageMax = 100
/** Pages of one list and region: the longest, of EC2, has about ten. Of a longer list nothing is used. */
const pagesMax = 100

export async function* readAwsPrices(
  open: (account: CloudAccount, signal?: AbortSignal) => AwsSession,
  account: CloudAccount,
  regions: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<readonly ListPrice[]> {
  const session = open(account, signal)
  try {
    for (const region of regions) {
      const prices: ListPrice[] = []
      for (const list of priceLists) prices.push(...(await ifOffered(() => pricesOf(session, list, region))))
      const machines = prices.filter(({ kind }) => kind === 'ec2')
      const rates = () => readSavingsPlanRates(session, region, machines)
      if (machines.length > 0) prices.push(...(await ifOffered(rates, [...absent, 'permission_missing'])))
      yield prices
    }
  } finally {
    session.close()
  }
}

/** Codes of the fault for a list that AWS does not have. */
const absent = ['rejected', 'not_found']

/** A list that fails with one of the codes leaves the others: nothing is known of it. */
async function ifOffered(read: () => Promise<ListPrice[]>, codes: readonly string[] = absent): Promise<ListPrice[]> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof Fault) || !codes.includes(error.code)) throw error
    return []
  }
}

async function pricesOf(session: AwsSession, list: PriceList, region: string): Promise<ListPrice[]> {
  const { serviceCode: ServiceCode, filters } = list
  const Filters = Object.entries({ ...filters, regionCode: region }).map(([Field, Value]) => ({
    Type: 'TERM_MATCH' as const,
    Field,
    Value,
  }))
  const answers = session.pages(
    'pricing',
    priceRegion,
    (m, NextToken) =>
      new m.GetProductsCommand({
        ServiceCode,
        Filters,
        FormatVersion: 'aws_v1',
        MaxResults: pageMax,
        ...(NextToken && { NextToken }),
      }),
    ({ NextToken }) => NextToken,
  )
  const products: PricedProduct[] = []
  let pages = 0
  for await (const { PriceList: texts } of answers) {
    products.push(...listOf<unknown>(texts).flatMap((text) => readProduct(String(text), list.unit) ?? []))
    if (++pages > pagesMax) return []
  }
  return toListPrices(list, region, products)
}

/** Of several prices of one name the highest counts, and of several discounts the smallest. */
function toListPrices(list: PriceList, region: string, products: readonly PricedProduct[]): ListPrice[] {
  const prices = new Map<string, ListPrice>()
  const add = (price: ListPrice) => {
    const key = `${price.kind} ${price.name} ${price.field}`
    if (price.value > (prices.get(key)?.value ?? 0)) prices.set(key, price)
  }
  for (const { attributes, usd, effectiveOn, reservedUsdHour } of products) {
    const name = list.nameOf ? list.nameOf(attributes) : attributes['instanceType']
    const field = list.fieldOf ? list.fieldOf(attributes) : 'usd_hour'
    if (!name || !field || list.isUsed?.(attributes) === false) continue
    if (list.kind) add({ kind: list.kind, region, name, field, value: usd, effectiveOn })
    if (!list.product) continue
    for (const [tier, reservedUsd] of Object.entries(reservedUsdHour)) {
      const share = Number((reservedUsd / usd).toFixed(4))
      if (share < 1)
        add({ kind: 'commitment', region, name: `${list.product}/${name}`, field: tier, value: share, effectiveOn })
    }
  }
  return [...prices.values()]
}
