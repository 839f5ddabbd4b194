import type { NamedSize, Size, Sizes } from '#streams/cloud/reference/size.ts'
import { numberOf, rowsOf } from '#streams/cloud/reference/table.ts'

/** Families with accelerators. The number is known for `g`, `gr` and `p`. */
const acceleratedFamilies = new Set(['dl', 'f', 'g', 'gr', 'inf', 'p', 'trn', 'vt'])
/** Families that are sold differently, or are for one purpose. */
const special = new Set(['hpc', 'mac', 'u', 'cr', 'hs'])
/** Families with local disks that their name does not show. */
const localDisk = new Set(
  'c1 c3 cr1 d2 d3 d3en dl1 f1 f2 g2 g5 g6 g6e gr6 h1 hs1 m1 m2 m3 p5 p5e p5en r3 trn1 trn1n trn2 x1 x1e'.split(' '),
)
const diskLetters = new Set(['i', 'im', 'is'])
/** First generation of a class that AWS does not call previous; classes that are missing here are current. */
const currentFrom: Readonly<Record<string, number>> = {
  a: 99,
  c: 5,
  d: 3,
  g: 4,
  h: 99,
  i: 3,
  m: 5,
  p: 4,
  r: 5,
  t: 3,
  x: 2,
}

/** A class has a number, or a dash as in `u-6tb1`. */
const pattern = /^(?=[a-z]+[\d-])([a-z]+)(\d*)([a-z]*)(-[a-z0-9]+)?\.([a-z0-9-]+)$/

/** @returns undefined if the name does not have the cloud's form */
export function namedEc2(name: string): NamedSize | undefined {
  const [, letter, digits, attributes = '', suffix = '', step = ''] = pattern.exec(name) ?? []
  if (letter === undefined) return undefined
  const generation = Number(digits)
  const family = name.slice(0, name.indexOf('.'))
  const variant = attributes.replace(/^[agi]/, '')
  return {
    name,
    family,
    letter,
    generation,
    variant: variant + (suffix === '-flex' ? '' : suffix),
    maker: makerOf(letter, attributes),
    step,
    isBurst: letter === 't',
    hasLocalDisk: hasLocalDisk(letter, family, variant),
    hasPremiumDisk: true,
    isFlex: suffix === '-flex',
    isAccelerated: acceleratedFamilies.has(letter),
    isCurrent: generation >= (currentFrom[letter] ?? 0),
    isTarget: isGeneral(letter, step),
  }
}

const makerOf = (letter: string, attributes: string): NamedSize['maker'] => {
  if (letter === 'a' || attributes.startsWith('g')) return 'g'
  return attributes.startsWith('a') ? 'a' : 'i'
}

const hasLocalDisk = (letter: string, family: string, variant: string): boolean =>
  variant.includes('d') || localDisk.has(family) || diskLetters.has(letter)

const isGeneral = (letter: string, step: string): boolean =>
  !acceleratedFamilies.has(letter) && !special.has(letter) && !step.startsWith('metal')

/** Accelerators by family and, where it differs, by size. Families that are missing are unknown. */
const gpus: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  g2: { '2xlarge': 1, '8xlarge': 4 },
  g3: { '4xlarge': 1, '8xlarge': 2, '16xlarge': 4 },
  g3s: { '': 1 },
  g4ad: { '': 1, '8xlarge': 2, '16xlarge': 4 },
  g4dn: { '': 1, '12xlarge': 4, metal: 8 },
  g5: { '': 1, '12xlarge': 4, '24xlarge': 4, '48xlarge': 8 },
  g5g: { '': 1, '16xlarge': 2, metal: 2 },
  g6: { '': 1, '12xlarge': 4, '24xlarge': 4, '48xlarge': 8 },
  g6e: { '': 1, '12xlarge': 4, '24xlarge': 4, '48xlarge': 8 },
  gr6: { '': 1 },
  p2: { xlarge: 1, '8xlarge': 8, '16xlarge': 16 },
  p3: { '2xlarge': 1, '8xlarge': 4, '16xlarge': 8 },
  p3dn: { '24xlarge': 8 },
  p4d: { '24xlarge': 8 },
  p4de: { '24xlarge': 8 },
  p5: { '4xlarge': 1, '48xlarge': 8 },
  p5e: { '48xlarge': 8 },
  p5en: { '48xlarge': 8 },
  'p6-b200': { '48xlarge': 8 },
  'p6-b300': { '48xlarge': 8 },
}

const gpusOf = ({ isAccelerated, family, step }: NamedSize): number | undefined =>
  isAccelerated ? (gpus[family]?.[step] ?? gpus[family]?.['']) : 0

/** EC2 sizes with prices of us-east-1. */
export function ec2Sizes(): Sizes {
  const sizes = new Map<string, Size>()
  for (const row of rowsOf('ec2')) {
    const named = namedEc2(row['name']!)
    if (!named) continue
    const { arch } = row
    sizes.set(named.name, {
      ...named,
      arch: arch === 'arm64' || arch === 'x86_64' ? arch : undefined,
      vcpus: numberOf(row['vcpus']),
      memoryGib: numberOf(row['memory_gib']),
      gpus: gpusOf(named),
      usdHour: numberOf(row['usd_hour']),
    })
  }
  return sizes
}
