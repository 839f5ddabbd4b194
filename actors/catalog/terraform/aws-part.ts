/** Disks of machines, and what of a machine has no price, on AWS. */
import { disk, firstDisk, without, withoutSizeOfImage, type ChargedPart, type Side } from './part.ts'
import { later, type TerraformValues } from './values.ts'

export const toKnownText = (said: string | typeof later | undefined): string | undefined =>
  said === later ? undefined : said

/** A disk of a machine; of several machines, one each. */
export const ebs = (
  side: Side,
  name: string,
  block: TerraformValues,
  [kind, size]: readonly [string, string] = ofBlock,
  count = 1,
): ChargedPart => {
  const [iops, mibps] = [block.number('iops'), block.number('throughput')]
  if (iops === later && (toKnownText(block.text(kind)) ?? '').startsWith('io'))
    return without(name, 'size_unknown', 'its IOPS are not known until it is applied')
  return disk(side, {
    name,
    type: 'aws-ebs-volume',
    spec: 'volume_type',
    kind: block.text(kind),
    gb: block.number(size),
    isShown: !block.isSensitive(kind) && !block.isSensitive(size),
    count,
    // If iops and throughput of a gp3 volume are not set, they are those included in its price.
    specs: {
      ...(typeof iops === 'number' && { 'specs.iops': iops }),
      ...(iops === later && { 'specs.iops': 0 }),
      ...(iops === undefined && block.text(kind) === 'gp3' && { 'specs.iops': 3000 }),
      ...(typeof mibps === 'number' && { 'specs.throughput_mibps': mibps }),
    },
  })
}

const ofBlock = ['volume_type', 'volume_size'] as const

export const spot = 'spot prices change every hour'

/** Undefined if the instance has the price of the tables. */
export function notOnDemand(name: string, values: TerraformValues, tenancyPath: string): ChargedPart | undefined {
  const tenancy = values.text(tenancyPath)
  if (tenancy === 'dedicated' || tenancy === 'host')
    return without(name, 'not_priced', `instances with tenancy ${tenancy} are priced differently`)
  const market = values.blocks('instance_market_options')
  const isSpot = market !== later && market[0]?.text('market_type') === 'spot'
  return isSpot ? without(name, 'not_priced', spot) : undefined
}

interface Volumes {
  name: string
  path: string
  /** A machine has a root disk even if the plan does not mention it. */
  isAlways: boolean
  /** Machines; default: 1. */
  count?: number
}

export function volumes(side: Side, values: TerraformValues, { name, path, isAlways, count }: Volumes): ChargedPart[] {
  const blocks = values.blocks(path)
  if (isAlways && (blocks === later || blocks.length === 0)) return [withoutSizeOfImage(name)]
  if (blocks === later) return [{ ...without(name, 'size_unknown'), isDoubtful: true }]
  const priced = (block: TerraformValues) => ebs(side, name, block, ofBlock, count)
  return blocks.map((block) =>
    isAlways ? firstDisk(block.number(ofBlock[1]), () => priced(block), name) : priced(block),
  )
}
