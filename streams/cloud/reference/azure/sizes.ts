import type { NamedSize, Size, Sizes } from '#streams/cloud/reference/size.ts'
import { numberOf, rowsOf } from '#streams/cloud/reference/table.ts'

/** Classes that are taken as any machine is. The others have accelerators, fast networks between them, or sealed memory. */
const general = new Set(['A', 'B', 'D', 'E', 'F', 'FX', 'L', 'M'])
/** First version of a class that is not on the list of those that are retired; classes that are not here are current. */
const currentFrom: Readonly<Record<string, number>> = { A: 99, D: 3, E: 3, F: 2, G: 99, L: 3 }

const pattern = /^Standard_([A-Z]+?)(S?)(\d+)(-\d+)?([a-z]*)((?:_[A-Za-z0-9]+)*)$/

/** @returns undefined where the name is not one of the cloud's pattern */
export function namedAzure(name: string): NamedSize | undefined {
  const [, letter, premium, , constrained, features = '', rest = ''] = pattern.exec(name) ?? []
  if (letter === undefined) return undefined
  const version = Number(/_v(\d+)$/i.exec(rest)?.[1] ?? 1)
  const more = features.replace(/[aps]/g, '') + rest.replace(/_v\d+$/i, '')
  return {
    name,
    family: `${letter}${premium}${features}${rest.replace(/_/g, '')}`,
    letter,
    generation: version,
    variant: more.replace('d', ''),
    maker: makerOf(features),
    step: '',
    isBurst: letter === 'B',
    hasLocalDisk: hasLocalDisk(letter, version, features),
    hasPremiumDisk: premium === 'S' || features.includes('s'),
    isFlex: false,
    isAccelerated: letter.startsWith('N'),
    isCurrent: version >= (currentFrom[letter] ?? 0),
    isTarget: general.has(letter) && constrained === undefined && !isSpecial(features, rest),
  }
}

const makerOf = (features: string): NamedSize['maker'] =>
  features.includes('p') ? 'g' : features.includes('a') ? 'a' : 'i'

/** Alone on their host, or sold for a while. */
const isSpecial = (features: string, rest: string): boolean => features.includes('i') || /promo/i.test(rest)

/** Since the fourth version `d` tells it; before, and of AMD's fourth, all have one. */
function hasLocalDisk(letter: string, version: number, features: string): boolean {
  if (letter === 'L' || letter.startsWith('H')) return true
  if (letter === 'B' && version >= 2) return false
  const isTold = version >= 4 || (version === 3 && ['DC', 'EC', 'M'].includes(letter))
  return isTold ? features.includes('d') || (version === 4 && features.includes('a')) : true
}

/** Sizes of virtual machines, with prices of eastus. */
export function azureSizes(): Sizes {
  const sizes = new Map<string, Size>()
  for (const row of rowsOf('azure-vm')) {
    const named = namedAzure(`Standard_${row['name']!}`)
    if (!named) continue
    const vcpus = numberOf(row['vcpus'])
    sizes.set(named.name, {
      ...named,
      arch: named.maker === 'g' ? 'arm64' : 'x86_64',
      vcpus,
      memoryGib: numberOf(row['memory_gib']),
      gpus: vcpus === undefined ? undefined : (numberOf(row['gpus']) ?? 0),
      usdHour: numberOf(row['usd_hour']),
    })
  }
  return sizes
}

/** Of a price in eastus, what it is elsewhere: by size where that differs from its series, else by series; 0 where it is not sold. */
export interface AzureRatios {
  readonly regions: ReadonlySet<string>
  of(name: string, region: string): number
}

/** Series as the table of regions names them: `D*s_v5`. */
const seriesOf = (name: string): string => name.replace(/^Standard_/, '').replace(/\d+(-\d+)?/, '*')

export function azureRatios(): AzureRatios {
  const bySize = new Map(
    rowsOf('azure-region-size').map((row) => [`${row['name']} ${row['region']}`, Number(row['ratio'])]),
  )
  const rows = rowsOf('azure-region')
  const bySeries = new Map(rows.map(({ series, ...cells }) => [series!, cells]))
  const regions = new Set(Object.keys(rows[0]!).filter((column) => column !== 'series'))
  return {
    regions,
    of: (name, region) =>
      bySize.get(`${name.replace(/^Standard_/, '')} ${region}`) ??
      (Number(bySeries.get(seriesOf(name))?.[region]) || 0),
  }
}
