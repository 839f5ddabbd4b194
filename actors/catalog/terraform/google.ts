import { disk, firstDisk, machine, unit, without, type ChargedPart, type PartsOf, type Side } from './part.ts'
import { addresses, findBlockNames, firstOf, isSpot, licence, nameIn, spot } from './google-part.ts'
import { instanceGroup } from './google-template.ts'
import { later, type TerraformValues } from './values.ts'

const zonePattern = /^[a-z]+(?:-[a-z]+)+\d+-[a-z]$/

function instance(side: Side): ChargedPart[] {
  const { values } = side
  const boot = firstOf(values.blocks('boot_disk'))
  const init = boot && firstOf(boot.blocks('initialize_params'))
  const image = init?.text('image')
  return [
    instanceMachine(side),
    bootDisk(side, boot, init),
    ...licence(typeof image === 'string' ? image : ''),
    ...findBlockNames(values, 'scratch_disk').map((name) => without(name, 'not_priced')),
    ...findBlockNames(values, 'guest_accelerator').map((name) => without(name, 'not_priced')),
    ...addresses(values),
  ]
}

function instanceMachine(side: Side): ChargedPart {
  const { values } = side
  if (isSpot(firstOf(values.blocks('scheduling')))) return without('machine', 'not_priced', spot)
  if (values.text('desired_status') === 'TERMINATED') return without('machine', 'free', 'it is stopped')
  return machine(side, { name: 'machine', type: 'gcp-vm', path: 'machine_type' })
}

/** A boot disk that is a resource of its own is priced there. */
function bootDisk(side: Side, boot: TerraformValues | undefined, init: TerraformValues | undefined): ChargedPart {
  const name = 'boot disk'
  if (typeof boot?.at('source') === 'string' && !init) return without(name, 'free', 'it is listed as a separate disk')
  const kind = nameIn(init?.text('type'))
  const gb = init?.number('size')
  const isShown = !init?.isSensitive('type') && !init?.isSensitive('size')
  return firstDisk(gb, () => disk(side, { name, type: 'gcp-disk', spec: 'disk_type', kind, gb, isShown }), name)
}

const disks =
  (isRegional: boolean): PartsOf =>
  (side) => {
    const { values } = side
    const kind = nameIn(values.text('type'))
    const gb = values.number('size')
    const isShown = !values.isSensitive('type') && !values.isSensitive('size')
    const specs = { 'specs.regional': isRegional }
    return [disk(side, { name: 'disk', type: 'gcp-disk', spec: 'disk_type', kind, gb, isShown, specs })]
  }

/** The nodes of a cluster's default pool are its own, unless the plan removes that pool. */
function cluster(side: Side): ChargedPart[] {
  const { values } = side
  const plane = unit(side, { name: 'control plane', key: 'gcp.gke.cluster_hour' })
  if (values.at('enable_autopilot') === true) return [plane, without('pods', 'usage')]
  return values.at('remove_default_node_pool') === true
    ? [plane]
    : [plane, without('nodes in the default pool', 'size_unknown', 'the plan does not say how many')]
}

/** The node count of a pool is for each zone. */
function pool(side: Side): ChargedPart[] {
  const { values } = side
  const nodes = 'nodes'
  const config = firstOf(values.blocks('node_config'))
  if (!config) return [without(nodes, 'size_unknown')]
  if (isSpot(config)) return [without(nodes, 'not_priced', spot)]
  const each = values.number('node_count') ?? values.number('initial_node_count')
  const zones = zonesOf(values)
  const count = typeof each === 'number' && zones !== undefined ? each * zones : later
  const path = 'machine_type'
  return [
    machine(side, { name: nodes, type: 'gcp-gke-nodepool', values: config, path, count }),
    ...(typeof count === 'number' ? nodeDisks(side, config, count) : [without('node disks', 'size_unknown')]),
  ]
}

function nodeDisks(side: Side, config: TerraformValues, count: number): ChargedPart[] {
  const kind = config.text('disk_type')
  const gb = config.number('disk_size_gb')
  const isShown = !config.isSensitive('disk_type') && !config.isSensitive('disk_size_gb')
  return [disk(side, { name: 'node disks', type: 'gcp-disk', spec: 'disk_type', kind, gb, count, isShown })]
}

function zonesOf(values: TerraformValues): number | undefined {
  const places = values.at('node_locations')
  if (Array.isArray(places) && places.length > 0) return places.length
  const location = values.text('location')
  return typeof location === 'string' && zonePattern.test(location) ? 1 : undefined
}

function database(side: Side): ChargedPart[] {
  const { values } = side
  const settings = firstOf(values.blocks('settings'))
  if (!settings) return [without('machine', 'size_unknown')]
  return [databaseMachine(side, settings), without('storage', 'not_priced'), without('backups', 'usage')]
}

function databaseMachine(side: Side, settings: TerraformValues): ChargedPart {
  const name = 'machine'
  const version = side.values.text('database_version')
  if (typeof version === 'string' && version.startsWith('SQLSERVER'))
    return without(name, 'not_priced', 'the license is billed separately')
  const availability = settings.text('availability_type')
  if (availability === later)
    return without(name, 'size_unknown', 'whether it has a standby is not known until it is applied')
  if (settings.text('activation_policy') === 'NEVER') return without(name, 'free', 'it is stopped')
  const specs = { 'specs.availability': availability }
  return machine(side, { name, type: 'gcp-cloudsql', values: settings, path: 'tier', specs })
}

const rule: PartsOf = (side) => [
  unit(side, { name: 'forwarding rule', key: 'gcp.load_balancing.rule_hour' }),
  without('traffic', 'usage'),
]

/** Parts with prices for Google Cloud, by resource type. */
export const googleParts: ReadonlyMap<string, PartsOf> = new Map<string, PartsOf>([
  ['google_compute_instance', instance],
  ['google_compute_instance_group_manager', instanceGroup],
  ['google_compute_region_instance_group_manager', instanceGroup],
  ['google_compute_disk', disks(false)],
  ['google_compute_region_disk', disks(true)],
  ['google_container_cluster', cluster],
  ['google_container_node_pool', pool],
  ['google_sql_database_instance', database],
  ['google_compute_forwarding_rule', rule],
])
