/** Hourly price of a machine from the tables, and its division into processors, memory and accelerators. */
import { once } from '#engine/value/once.ts'
import type { Provider } from '#streams/names.ts'
import { ec2Sizes } from '#streams/cloud/reference/aws/sizes.ts'
import { azureRatios, azureSizes } from '#streams/cloud/reference/azure/sizes.ts'
import { customGce, gcePriceFamily, gcePrices, gceSizes, gceUsd, namedGce } from '#streams/cloud/reference/gcp/sizes.ts'
import { rowsOf } from './table.ts'

export interface Machine {
  provider: Provider | undefined
  /** The cloud's name of the size; empty if unknown. */
  type: string
  region: string
  cpuCores: number
  memoryGib: number
  gpus: number
}

/** US dollars per hour of one vCPU, one GiB and one accelerator. Only their ratio matters. */
interface Ratio {
  vcpu: number
  gib: number
  gpu: number
}

/** If the cloud publishes no prices of parts: those of OpenCost's default price list. */
const usual: Ratio = { vcpu: 0.031611, gib: 0.004237, gpu: 0.95 }

const tables = once(() => ({
  ec2: ec2Sizes(),
  ec2Regions: new Map(rowsOf('region').map((row) => [row['region']!, Number(row['ratio'])])),
  azure: new Map([...azureSizes().values()].map((size) => [size.name.toLowerCase(), size])),
  azureRatios: azureRatios(),
  gce: gceSizes(),
  gcePrices: gcePrices(),
}))

/**
 * On demand, Linux; undefined if the size is not in the tables. For an unknown region the reference region's price is
 * used.
 */
export function machineUsdHour({ provider, type, region }: Machine): number | undefined {
  const known = tables()
  if (provider === 'aws') {
    const usd = known.ec2.get(type)?.usdHour
    return usd === undefined ? undefined : usd * (known.ec2Regions.get(region) ?? 1)
  }
  if (provider === 'azure') {
    const size = known.azure.get(type.toLowerCase())
    if (size?.usdHour === undefined) return undefined
    const { azureRatios: ratios } = known
    return ratios.regions.has(region) ? size.usdHour * ratios.of(size.name, region) : size.usdHour
  }
  const size = provider === 'gcp' ? (known.gce.get(type) ?? customGce(type)) : undefined
  return size && gceUsd(size, gcePriceOf(type, region))
}

/** Google's prices of a core and of a GiB, by family and region. */
function gcePriceOf(type: string, region: string) {
  const named = namedGce(type) ?? customGce(type)
  if (!named) return undefined
  const { gcePrices: prices } = tables()
  const family = gcePriceFamily(named)
  return prices.get(`${family} ${region}`) ?? prices.get(`${family} us-central1`)
}

/** Millionths of the price that are for processors and for accelerators; the rest is for memory. */
export function priceParts(machine: Machine): { cpu: number; gpu: number } {
  const published = machine.provider === 'gcp' ? gcePriceOf(machine.type, machine.region) : undefined
  const ratio = published ? { ...usual, ...published } : usual
  const cpu = machine.cpuCores * ratio.vcpu
  const gpu = machine.gpus * ratio.gpu
  const all = cpu + gpu + machine.memoryGib * ratio.gib
  // If nothing is known of a machine, everything counts as processors.
  if (all === 0) return { cpu: 1_000_000, gpu: 0 }
  const parts = Math.round((cpu / all) * 1_000_000)
  // Together at most one million.
  return { cpu: parts, gpu: Math.min(Math.round((gpu / all) * 1_000_000), 1_000_000 - parts) }
}
