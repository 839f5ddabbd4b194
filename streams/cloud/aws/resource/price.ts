/** Hourly prices of AWS resources in US dollars, from the product's own tables; undefined if unknown. */
import { nodesOf, nodeVariant } from '#streams/cloud/reference/aws/node.ts'
import { ec2Sizes } from '#streams/cloud/reference/aws/sizes.ts'
import { rowsOf } from '#streams/cloud/reference/table.ts'

/** Loads a table at its first use. */
const once = <T>(read: () => T): (() => T) => {
  let held: T | undefined
  return () => (held ??= read())
}
const sizes = once(ec2Sizes)
const nodes = { rds: once(() => nodesOf('rds', sizes())), elasticache: once(() => nodesOf('elasticache', sizes())) }
const ratios = once(
  () =>
    new Map(
      rowsOf('region')
        .filter(({ provider }) => provider === 'aws')
        .map((row) => [row['region'], Number(row['ratio'])]),
    ),
)
const units = once(() => new Map(rowsOf('unit-price').map((row) => [`${row['key']} ${row['region']}`, row['usd']])))

/** Price of a Linux machine on demand. For regions without a price of their own, the region's factor is applied. */
export const machineUsd = (size: string | null | undefined, region: string): number | undefined =>
  inRegion(sizes().get(size ?? '')?.usdHour, region)

export const nodeUsd = (
  service: keyof typeof nodes,
  size: string | null | undefined,
  { engine, region }: { engine?: string | null | undefined; region: string },
): number | undefined => {
  const variant = nodeVariant(service, engine ?? undefined)
  if (variant === undefined) return undefined
  return inRegion(
    nodes[service]()
      .get(variant)
      ?.get(size ?? '')?.usdHour,
    region,
  )
}

/** Price for a key of `unit-price.csv`, for the region or for all. */
export function unitUsd(key: string, region: string): number | undefined {
  const usd = units().get(`${key} ${region}`) ?? units().get(`${key} `)
  return usd === undefined ? undefined : Number(usd)
}

function inRegion(usd: number | undefined, region: string): number | undefined {
  const ratio = ratios().get(region)
  return usd === undefined || usd === 0 || ratio === undefined ? undefined : Number((usd * ratio).toFixed(6))
}
