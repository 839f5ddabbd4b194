import type { PricedResource } from '#actors/recommendation/rule/contract.ts'
import { customGce, gcePriceFamily, gcePrices, gceSizes, gceUsd, namedGce } from '#streams/cloud/reference/gcp/sizes.ts'
import type { Size } from '#streams/cloud/reference/size.ts'
import type { OwnValueTable } from '#actors/recommendation/reference/book/own-values.ts'
import type { MachineCatalogue } from './machine.ts'
import { withOwn } from './own-size.ts'
import { numberAt, textAt } from '#actors/recommendation/reference/fact-value.ts'

const reference = 'us-central1'

export function gceCatalogue(book: OwnValueTable): MachineCatalogue {
  const sizes = withOwn(gceSizes(), book, 'gce', namedGce)
  const all = [...sizes.values()]
  const prices = gcePrices()
  const regions = new Set([...prices.keys()].map((key) => key.slice(key.indexOf(' ') + 1)))
  const usd = (size: Size, { region }: PricedResource): number | undefined =>
    book.number('gce', region, size.name, 'usd_hour') ??
    gceUsd(size, prices.get(`${gcePriceFamily(size)} ${regions.has(region) ? region : reference}`))
  return {
    find: (name, of) => withAccelerators(sizes.get(name) ?? customGce(name), of),
    sizes: () => all,
    usd,
    surcharge: (of) => (textAt(of, 'specs.license') === undefined ? 0 : undefined),
    copies: () => 1,
    keepsBurst: false,
  }
}

/** A machine has accelerators because of its family, or because they are attached. */
function withAccelerators(size: Size | undefined, of: PricedResource): Size | undefined {
  const attached = numberAt(of, 'specs.gpu_count')
  return size && attached !== undefined && attached > 0 ? { ...size, gpus: attached, isAccelerated: true } : size
}

/** The size that replaces an N1 machine or a shared machine older than E2; null if there is none. */
export function gceSuccessor(now: Size): string | null {
  if (now.name === 'f1-micro') return 'e2-micro'
  if (now.name === 'g1-small') return 'e2-small'
  const vcpusMax = now.step.startsWith('highmem') ? 16 : 32
  const isMovable = now.family === 'n1' && !now.isAccelerated && !now.name.includes('custom')
  const isTwoAtLeast = now.vcpus !== undefined && now.vcpus >= 2 && now.vcpus <= vcpusMax
  return isMovable && isTwoAtLeast ? `e2-${now.step}` : null
}
