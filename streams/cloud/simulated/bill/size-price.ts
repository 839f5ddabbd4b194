/** Prices of sizes that the simulated world does not use initially, so that every recommended size can be set. */
import { once } from '#engine/value/once.ts'
import { nodesOf } from '#streams/cloud/reference/aws/node.ts'
import { machineUsdHour } from '#streams/cloud/reference/machine-price.ts'

/** For databases those of PostgreSQL, the engine of all simulated databases. */
const nodes = once(() => {
  const [rds, caches] = [nodesOf('rds').get('postgres'), nodesOf('elasticache').get('')]
  return new Map([...(rds ?? []), ...(caches ?? [])].map(([name, { usdHour }]) => [name, usdHour]))
})

/** Regions whose list prices have no factor. */
const homes = [
  { provider: 'aws', region: 'us-east-1' },
  { provider: 'azure', region: 'eastus' },
  { provider: 'gcp', region: 'us-central1' },
] as const

/** US dollars per hour from the tables that recommendations use; undefined for an unknown size. */
export function referenceUsd(size: string): number | undefined {
  const node = nodes().get(size)
  if (node !== undefined) return node
  for (const home of homes) {
    const usd = machineUsdHour({ ...home, type: size, cpuCores: 0, memoryGib: 0, gpus: 0 })
    if (usd !== undefined) return usd
  }
  return undefined
}
