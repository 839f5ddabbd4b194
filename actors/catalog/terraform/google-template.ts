/** Groups of machines whose size is defined in an instance template of the same plan. */
import { addresses, findBlockNames, firstOf, isSpot, licence, nameIn, spot } from './google-part.ts'
import { disk, firstDisk, machine, without, withoutTemplate, type ChargedPart, type Side } from './part.ts'
import { later, type TerraformValues } from './values.ts'

const name = 'machines'

/** Several versions are being replaced by one another: how many machines each has is not known. */
export function instanceGroup(side: Side): ChargedPart[] {
  const versions = side.values.blocks('version')
  if (versions === later || versions.length > 1) return [without(name, 'size_unknown', 'it has several versions')]
  const template = side.template({
    types: ['google_compute_instance_template', 'google_compute_region_instance_template'],
    paths: ['version.0.instance_template', 'instance_template'],
  })
  if (!template) return [withoutTemplate(name)]
  const count = side.values.number('target_size')
  const image = firstOf(template.blocks('disk'))?.text('source_image')
  return [
    isSpot(firstOf(template.blocks('scheduling')))
      ? without(name, 'not_priced', spot)
      : machine(side, { name, type: 'gcp-vm', values: template, path: 'machine_type', count }),
    ...disks(side, template, count),
    ...licence(typeof image === 'string' ? image : ''),
    ...findBlockNames(template, 'guest_accelerator').map((one) => without(one, 'not_priced')),
    ...addresses(template),
  ]
}

function disks(side: Side, template: TerraformValues, count: number | typeof later | undefined): ChargedPart[] {
  const blocks = template.blocks('disk')
  if (blocks === later || typeof count !== 'number') return [without('disks', 'size_unknown')]
  return blocks.map((block) => {
    if (block.text('type') === 'SCRATCH') return without('local disks', 'not_priced')
    if (typeof block.text('source') === 'string') return without('disks', 'free', 'it is listed as a separate disk')
    const isShown = !block.isSensitive('disk_type') && !block.isSensitive('disk_size_gb')
    const kind = nameIn(block.text('disk_type'))
    const gb = block.number('disk_size_gb')
    const priced = () => disk(side, { name: 'disks', type: 'gcp-disk', spec: 'disk_type', kind, gb, isShown, count })
    return block.at('boot') === true ? firstDisk(gb, priced, 'disks') : priced()
  })
}
