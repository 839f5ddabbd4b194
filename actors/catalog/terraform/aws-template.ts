/** Machines whose size is defined in a launch template or launch configuration of the same plan. */
import { ebs, notOnDemand, spot, volumes } from './aws-part.ts'
import { machine, without, withoutSizeOfImage, withoutTemplate, type ChargedPart, type Side } from './part.ts'
import type { TemplateReference } from './template.ts'
import { later, type TerraformValues } from './values.ts'

type Count = number | typeof later | undefined

interface Machines {
  name: string
  /** Type in the inventory. */
  type: string
  count: Count
}

/** The block that names a launch template is at `path`. */
const launchTemplate = (path: string): TemplateReference => ({
  types: ['aws_launch_template'],
  paths: [`${path}.0.id`, `${path}.0.launch_template_id`, `${path}.0.name`, `${path}.0.launch_template_name`],
  version: `${path}.0.version`,
})
const launchConfiguration: TemplateReference = { types: ['aws_launch_configuration'], paths: ['launch_configuration'] }

export const launchTemplateOf = (side: Side): TerraformValues | undefined =>
  side.template(launchTemplate('launch_template'))

/** A group without a desired number starts with its minimum. */
export function scalingGroup(side: Side): ChargedPart[] {
  const { values } = side
  const machines: Machines & { disk: string } = {
    name: 'machines',
    disk: 'disks',
    type: 'aws-ec2',
    count: values.number('desired_capacity') ?? values.number('min_size'),
  }
  const policies = values.blocks('mixed_instances_policy')
  if (policies === later) return [without(machines.name, 'size_unknown')]
  const template = launchTemplateOf(side)
  if (template) return templateParts(side, template, machines)
  const configuration = side.template(launchConfiguration)
  if (configuration) return configurationParts(side, configuration, machines)
  return policies[0] ? mixedParts(side, policies[0], machines) : [withoutTemplate(machines.name)]
}

const ofMixed = launchTemplate('mixed_instances_policy.0.launch_template.0.launch_template_specification')

/** Priced if all its machines are on demand and of one type. */
function mixedParts(side: Side, policy: TerraformValues, machines: Machines & { disk: string }): ChargedPart[] {
  const { name } = machines
  const distribution = policy.blocks('instances_distribution')
  const share = distribution === later ? later : distribution[0]?.number('on_demand_percentage_above_base_capacity')
  if (share === later) return [without(name, 'size_unknown')]
  if (share !== undefined && share !== 100) return [without(name, 'not_priced', spot)]
  const template = side.template(ofMixed)
  return template ? overriddenParts(side, template, machines) : [withoutTemplate(name)]
}

function overriddenParts(side: Side, template: TerraformValues, machines: Machines & { disk: string }): ChargedPart[] {
  const overrides = side.values.blocks('mixed_instances_policy.0.launch_template.0.override')
  if (overrides === later) return [without(machines.name, 'size_unknown')]
  const [first] = overrides
  const isOne = new Set(overrides.map((one) => one.text('instance_type'))).size <= 1
  return isOne && first?.text('weighted_capacity') === undefined
    ? templateParts(side, template, machines, first)
    : [without(machines.name, 'size_unknown', severalTypes)]
}

const severalTypes = 'they can have several instance types'

/** `size` has the instance type in place of that of the template. */
export function templateMachine(
  side: Side,
  template: TerraformValues,
  { name, type, count }: Machines,
  size = template,
) {
  const needs = template.blocks('instance_requirements')
  if (needs === later || needs.length > 0) return without(name, 'size_unknown', severalTypes)
  return (
    notOnDemand(name, template, 'placement.0.tenancy') ??
    machine(side, { name, type, values: size, path: 'instance_type', count })
  )
}

/** The disks of the image, the root disk among them, are in the plan only where the template changes them. */
export function templateParts(
  side: Side,
  template: TerraformValues,
  machines: Machines & { disk: string },
  size?: TerraformValues,
): ChargedPart[] {
  return [templateMachine(side, template, machines, size), ...templateDisks(side, template, machines)]
}

function templateDisks(side: Side, template: TerraformValues, { disk, count }: { disk: string; count: Count }) {
  if (typeof count !== 'number') return [without(disk, 'size_unknown')]
  if (count === 0) return []
  const mappings = template.blocks('block_device_mappings')
  if (mappings === later || mappings.length === 0) return [withoutSizeOfImage(disk)]
  const blocks = mappings.map((mapping) => mapping.blocks('ebs'))
  if (blocks.includes(later)) return [without(disk, 'size_unknown')]
  return blocks.flatMap((of) => (of === later ? [] : of)).map((block) => ebs(side, disk, block, undefined, count))
}

function configurationParts(side: Side, of: TerraformValues, { name, type, count }: Machines): ChargedPart[] {
  const priced =
    of.text('spot_price') === undefined
      ? (notOnDemand(name, of, 'placement_tenancy') ??
        machine(side, { name, type, values: of, path: 'instance_type', count }))
      : without(name, 'not_priced', spot)
  if (typeof count !== 'number') return [priced]
  return [
    priced,
    ...volumes(side, of, { name: 'root disks', path: 'root_block_device', isAlways: count > 0, count }),
    ...volumes(side, of, { name: 'disks', path: 'ebs_block_device', isAlways: false, count }),
  ]
}
