import type { NamedSize, Size, Sizes } from '#streams/cloud/reference/size.ts'
import { numberOf, rowsOf } from '#streams/cloud/reference/table.ts'

/** General-purpose classes. The others have accelerators, fast networks, or confidential memory. */
const general = new Set(['A', 'B', 'D', 'E', 'F', 'FX', 'L', 'M'])
/** First version of a class that is not on the retirement list; classes that are missing here are current. */
const currentFrom: Readonly<Record<string, number>> = { A: 99, D: 3, E: 3, F: 2, G: 99, L: 3 }

const pattern = /^Standard_([A-Z]+?)(S?)(\d+)(-\d+)?([a-z]*)((?:_[A-Za-z0-9]+)*)$/

/** @returns undefined if the name does not have the cloud's form */
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

/** Isolated sizes, and promotional ones. */
const isSpecial = (features: string, rest: string): boolean => features.includes('i') || /promo/i.test(rest)

/** From version 4 on, `d` in the name shows a local disk. Before that all have one, also AMD's version 4. */
function hasLocalDisk(letter: string, version: number, features: string): boolean {
  if (letter === 'L' || letter.startsWith('H')) return true
  if (letter === 'B' && version >= 2) return false
  const isTold = version >= 4 || (version === 3 && ['DC', 'EC', 'M'].includes(letter))
  return isTold ? features.includes('d') || (version === 4 && features.includes('a')) : true
}

/** Sizes of virtual machines with prices of eastus. */
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

/**
 * Price in other regions as a ratio of the price in eastus: by size if it differs from the series, otherwise by series;
 * 0 if not sold.
 */
export interface AzureRatios {
  readonly regions: ReadonlySet<string>
  of(name: string, region: string): number
}

/** Series as in the table of regions: `D*s_v5`. */
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
