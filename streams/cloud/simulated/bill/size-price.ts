/** Prices of sizes that nothing in the made-up cloud has from the beginning: what a recommendation names, it can be made. */
import { once } from '#engine/value/once.ts'
import { nodesOf } from '#streams/cloud/reference/aws/node.ts'
import { machineUsdHour } from '#streams/cloud/reference/machine-price.ts'

/** Of databases those of PostgreSQL, which all that are made up are. */
const nodes = once(() => {
  const [rds, caches] = [nodesOf('rds').get('postgres'), nodesOf('elasticache').get('')]
  return new Map([...(rds ?? []), ...(caches ?? [])].map(([name, { usdHour }]) => [name, usdHour]))
})

/** Where list prices are told without a factor. */
const homes = [
  { provider: 'aws', region: 'us-east-1' },
  { provider: 'azure', region: 'eastus' },
  { provider: 'gcp', region: 'us-central1' },
] as const

/** US dollars an hour by the tables that recommendations go by; undefined for a size they do not have. */
export function referenceUsd(size: string): number | undefined {
  const node = nodes().get(size)
  if (node !== undefined) return node
  for (const home of homes) {
    const usd = machineUsdHour({ ...home, type: size, cpuCores: 0, memoryGib: 0, gpus: 0 })
    if (usd !== undefined) return usd
  }
  return undefined
}
