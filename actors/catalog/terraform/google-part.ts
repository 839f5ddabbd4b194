/** Parts that machines and templates of machines share on Google Cloud. */
import { without, type ChargedPart } from './part.ts'
import { later, type TerraformValues } from './values.ts'

export const spot = 'spot prices change every month'
/** `zones/us-central1-a/diskTypes/pd-ssd` and `pd-ssd` are the same type. */
export const nameIn = (said: string | typeof later | undefined) =>
  typeof said === 'string' ? said.slice(said.lastIndexOf('/') + 1) : said

export const isSpot = (block: TerraformValues | undefined): boolean =>
  block !== undefined &&
  (block.at('preemptible') === true || block.at('spot') === true || block.text('provisioning_model') === 'SPOT')

export const firstOf = (blocks: readonly TerraformValues[] | typeof later): TerraformValues | undefined =>
  blocks === later ? undefined : blocks[0]

export const licence = (image: string): ChargedPart[] =>
  /windows|rhel|sles|sql-/.test(image) ? [without('licence', 'not_priced')] : []

const blockNames: Readonly<Record<string, string>> = { scratch_disk: 'local disk', guest_accelerator: 'accelerator' }

export function findBlockNames(values: TerraformValues, path: string): string[] {
  const blocks = values.blocks(path)
  const name = blockNames[path]!
  return blocks === later || blocks.length === 0 ? [] : [name]
}

export function addresses(values: TerraformValues): ChargedPart[] {
  const faces = values.blocks('network_interface')
  const isPublic = faces !== later && faces.some((face) => firstOf(face.blocks('access_config')) !== undefined)
  return isPublic ? [without('public IP address', 'not_priced')] : []
}
