/** Hourly prices of Google Cloud resources in US dollars, from the product's own tables; undefined if unknown. */
import { once } from '#engine/value/once.ts'
import { customGce, gcePriceFamily, gcePrices, gceSizes, gceUsd, namedGce } from '#streams/cloud/reference/gcp/sizes.ts'

export { unitUsd } from '#streams/cloud/aws/resource/price.ts'

const prices = once(gcePrices)
export const sizes = once(gceSizes)

/** Price of a Linux machine on demand, in a region of the tables. */
export function machineUsd(type: string | undefined, region: string): number | undefined {
  if (!type) return undefined
  const size = sizes().get(type) ?? customGce(type)
  const named = namedGce(type) ?? size
  if (!size || !named) return undefined
  const price = prices().get(`${gcePriceFamily(named)} ${region}`)
  const usd = price && gceUsd(size, price)
  return usd ? Number(usd.toFixed(6)) : undefined
}

export const timesUsd = (usd: number | undefined, count: number | undefined): number | undefined =>
  usd === undefined || !count ? undefined : Number((usd * count).toFixed(6))
