import { azureDisk, firstDisk, machine, unit, without, type ChargedPart, type PartsOf, type Side } from './part.ts'
import { later, TerraformValues } from './values.ts'

const spot = 'spot prices change every hour'

const firstOf = (blocks: readonly TerraformValues[] | typeof later): TerraformValues | undefined =>
  blocks === later ? undefined : blocks[0]

interface Kind {
  os: 'linux' | 'windows'
  /** The attribute with the size. */
  path: 'size' | 'sku'
  isSet: boolean
}

const machines =
  ({ os, path, isSet }: Kind): PartsOf =>
  (side) => {
    const { values } = side
    const count = isSet ? values.number('instances') : 1
    const type = isSet ? 'azure-vmss' : 'azure-vm'
    const name = isSet ? 'machines' : 'machine'
    const licence = values.text('license_type')
    const specs = { 'specs.os_type': os, 'specs.license_type': licence === later ? undefined : licence }
    const isSpot = values.text('priority') === 'Spot'
    return [
      isSpot ? without(name, 'not_priced', spot) : machine(side, { name, type, path, count, specs }),
      osDisk(side, isSet ? 'OS disks' : 'OS disk', count),
      ...publishedLicence(values),
    ]
  }

/** For images that include more than plain Linux or Windows. */
function publishedLicence(values: TerraformValues): ChargedPart[] {
  const publisher = firstOf(values.blocks('source_image_reference'))?.text('publisher')
  const isPaid = typeof publisher === 'string' && /^(redhat|suse|microsoftsqlserver)$/i.test(publisher)
  return isPaid ? [without('licence', 'not_priced')] : []
}

/** If its size is not set, it is that of the image. */
function osDisk(side: Side, name: string, count: number | typeof later | undefined): ChargedPart {
  const block = firstOf(side.values.blocks('os_disk'))
  if (block && firstOf(block.blocks('diff_disk_settings')))
    return without(name, 'free', 'it is included in the machine')
  if (!block || typeof count !== 'number') return without(name, 'size_unknown')
  const kind = block.text('storage_account_type')
  const gb = block.number('disk_size_gb')
  const isSizeShown = isShown(block, 'storage_account_type')
  return firstDisk(gb, () => azureDisk(side, { name, kind, gb, count, isShown: isSizeShown }), name)
}

const isShown = (block: TerraformValues, path: string): boolean =>
  !block.isSensitive(path) && !block.isSensitive('disk_size_gb')

function managedDisk(side: Side): ChargedPart[] {
  const { values } = side
  const path = 'storage_account_type'
  const kind = values.text(path)
  const gb = values.number('disk_size_gb')
  return [azureDisk(side, { name: 'disk', kind, gb, isShown: isShown(values, path) })]
}

/** `azurerm_virtual_machine`, from before `azurerm_linux_virtual_machine`. */
function oldMachine(side: Side): ChargedPart[] {
  const { values } = side
  const os = firstOf(values.blocks('os_profile_windows_config')) ? 'windows' : 'linux'
  const block = firstOf(values.blocks('storage_os_disk'))
  const kind = block?.text('managed_disk_type')
  const gb = block?.number('disk_size_gb')
  const name = 'OS disk'
  return [
    machine(side, { name: 'machine', type: 'azure-vm', path: 'vm_size', specs: { 'specs.os_type': os } }),
    firstDisk(
      gb,
      () => azureDisk(side, { name, kind, gb, isShown: !block || isShown(block, 'managed_disk_type') }),
      name,
    ),
  ]
}

function cluster(side: Side): ChargedPart[] {
  const pool = firstOf(side.values.blocks('default_node_pool'))
  return [controlPlane(side), ...(pool ? poolParts(side, pool) : [without('nodes', 'size_unknown')])]
}

function controlPlane(side: Side): ChargedPart {
  const name = 'control plane'
  const tier = side.values.text('sku_tier') ?? 'Free'
  if (tier === later) return without(name, 'size_unknown')
  if (tier === 'Free') return without(name, 'free', 'the Free tier costs nothing')
  return tier === 'Standard'
    ? unit(side, { name, key: 'azure.aks.cluster_hour' })
    : without(name, 'not_priced', `the tier ${tier} is not in the price tables`)
}

function poolParts(side: Side, pool: TerraformValues): ChargedPart[] {
  const isSpot = pool.text('priority') === 'Spot'
  const os = pool.text('os_type')
  const specs = { 'specs.os_type': os === later ? undefined : os }
  const count = pool.number('node_count')
  const type = 'azure-aks-nodepool'
  return [
    isSpot
      ? without('nodes', 'not_priced', spot)
      : machine(side, { name: 'nodes', type, values: pool, path: 'vm_size', count, specs }),
    pool.text('os_disk_type') === 'Ephemeral'
      ? without('node disks', 'free', 'they are included in the machines')
      : without('node disks', 'size_unknown'),
  ]
}

function cache(side: Side): ChargedPart[] {
  const { values } = side
  const tier = values.text('sku_name')
  const family = values.text('family')
  const capacity = values.number('capacity')
  if (typeof tier !== 'string' || typeof family !== 'string' || typeof capacity !== 'number')
    return [without('cache', 'size_unknown')]
  const size = `${tier}_${family}${capacity}`
  const specs = { 'specs.tier': tier, 'specs.capacity': capacity }
  const isHidden = ['sku_name', 'family', 'capacity'].some((path) => values.isSensitive(path))
  const part = machine(side, {
    name: 'cache',
    type: 'azure-redis',
    values: new TerraformValues({ size }),
    path: 'size',
    specs,
  })
  return [isHidden ? { ...part, size: '' } : part]
}

function balancer(side: Side): ChargedPart[] {
  const sku = side.values.text('sku')
  if (sku === later || sku === undefined) return [without('load balancer', 'size_unknown')]
  if (sku === 'Basic') return [without('load balancer', 'free', 'the Basic SKU costs nothing')]
  return sku === 'Standard'
    ? [unit(side, { name: 'load balancer', key: 'azure.load_balancer.rule_hour' }), without('traffic', 'usage')]
    : [without('load balancer', 'not_priced', `the SKU ${sku} is not in the price tables`)]
}

/** Parts with prices for Azure, by resource type. */
export const azureParts: ReadonlyMap<string, PartsOf> = new Map<string, PartsOf>([
  ['azurerm_linux_virtual_machine', machines({ os: 'linux', path: 'size', isSet: false })],
  ['azurerm_windows_virtual_machine', machines({ os: 'windows', path: 'size', isSet: false })],
  ['azurerm_linux_virtual_machine_scale_set', machines({ os: 'linux', path: 'sku', isSet: true })],
  ['azurerm_windows_virtual_machine_scale_set', machines({ os: 'windows', path: 'sku', isSet: true })],
  ['azurerm_virtual_machine', oldMachine],
  ['azurerm_managed_disk', managedDisk],
  ['azurerm_kubernetes_cluster', cluster],
  ['azurerm_kubernetes_cluster_node_pool', (side) => poolParts(side, side.values)],
  ['azurerm_redis_cache', cache],
  ['azurerm_lb', balancer],
])
