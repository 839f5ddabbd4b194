/** Maps machines, scale sets, disks, snapshots and images. */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { isTrueAt, listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { dayMs } from '#engine/value/day.ts'
import { once } from '#engine/value/once.ts'
import { azureSizes } from '#streams/cloud/reference/azure/sizes.ts'
import { groupOf } from '#streams/cloud/azure/session/path.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { isAt, machineUsd, numberAt, orNull, propertiesOf, regionOf, resource, timeAt, timesUsd } from './resource.ts'

/** `PowerState/running` in an instance view; undefined if missing. */
export const powerIn = (view: unknown): string | undefined =>
  listOf(memberOf(view, 'statuses'))
    .map((one) => textAt(one, 'code') ?? '')
    .find((code) => code.startsWith('PowerState/'))

/** In the list of types only the first state has the prefix. */
export const powerWord = (code: string | undefined): string | undefined =>
  code === 'PowerState/running' ? code : code?.replace('PowerState/', '')

const osOf = (properties: Json): string | undefined => textAt(properties, 'storageProfile', 'osDisk', 'osType')

/** The price tables contain neither spot prices nor prices of other software. */
const isPriced = (os: string | undefined, priority: string | undefined): boolean =>
  os !== 'Windows' && (priority ?? 'Regular') === 'Regular'

const sizes = once(azureSizes)

/** `power` is from its instance view. */
export function machine(item: Item, power: string | undefined, isBackedUp?: boolean): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const size = textAt(properties, 'hardwareProfile', 'vmSize')
  const os = osOf(properties)
  const priority = textAt(properties, 'priority')
  const disk = memberOf(properties, 'storageProfile', 'osDisk')
  const group = textAt(properties, 'virtualMachineScaleSet', 'id')
  return resource('azure-vm', item, {
    state: powerWord(power),
    instanceType: size,
    parentUID: group,
    hourlyRateUSD: isPriced(os, priority) ? machineUsd(size, regionOf(textAt(item, 'location'))) : undefined,
    specs: {
      power_state: power?.replace('PowerState/', ''),
      created_at: timeAt(properties, 'timeCreated'),
      os_type: os,
      license_type: orNull(textAt(properties, 'licenseType')),
      image_offer: textAt(properties, 'storageProfile', 'imageReference', 'offer'),
      priority: priority ?? 'Regular',
      os_disk_type: textAt(disk, 'managedDisk', 'storageAccountType'),
      os_disk_ephemeral: memberOf(disk, 'diffDiskSettings') !== undefined,
      os_disk_encrypted_host: isTrueAt(properties, 'securityProfile', 'encryptionAtHost'),
      managed_disks: Boolean(memberOf(disk, 'managedDisk')),
      trusted_launch: textAt(properties, 'securityProfile', 'securityType') === 'TrustedLaunch',
      boot_diagnostics: isTrueAt(properties, 'diagnosticsProfile', 'bootDiagnostics', 'enabled'),
      provisioning_state: textAt(properties, 'provisioningState'),
      gpu_count: size === undefined ? undefined : sizes().get(size)?.gpus,
      backup_protected: isBackedUp,
    },
  })
}

/** The number of a scale set's machines in each power state, from its instance view. */
export function powersIn(view: unknown): ReadonlyMap<string, number> {
  const summary = listOf(memberOf(view, 'virtualMachine', 'statusesSummary'))
  return new Map(
    summary
      .filter((one) => textAt(one, 'code')?.startsWith('PowerState/'))
      .map((one) => [textAt(one, 'code')!.replace('PowerState/', ''), numberAt(one, 'count') ?? 0]),
  )
}

/** If the view has no states, the machines count as running. */
export function setStatus(capacity: number, powers: ReadonlyMap<string, number>): ResourceStatus {
  const count = (...words: string[]) => words.reduce((sum, word) => sum + (powers.get(word) ?? 0), 0)
  const all = [...powers.values()].reduce((sum, one) => sum + one, 0)
  if (count('running') > 0) return capacity > 0 ? 'running' : 'stopping'
  if (count('starting') > 0) return 'starting'
  if (count('stopping', 'deallocating') > 0) return 'stopping'
  if (capacity === 0) return 'stopped'
  return all > 0 && count('stopped', 'deallocated') === all ? 'stopped' : 'running'
}

/** Bounds in the autoscale setting of a scale set. */
export interface Bounds {
  min: number
  max: number
  isEnabled: boolean
}

export interface SetAround {
  view?: unknown
  /** Undefined: unknown. Null: there is none. */
  bounds?: Bounds | null | undefined
  /** Uid of the cluster or node pool that owns the machines. */
  holder?: string | undefined
}

export function scaleSet(item: Item, { view, bounds, holder }: SetAround): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const size = textAt(item, 'sku', 'name')
  const capacity = numberAt(item, 'sku', 'capacity') ?? 0
  const profile = memberOf(properties, 'virtualMachineProfile')
  const priority = textAt(profile, 'priority')
  const os = textAt(profile, 'storageProfile', 'osDisk', 'osType')
  const usd = isPriced(os, priority) ? machineUsd(size, regionOf(textAt(item, 'location'))) : undefined
  return resource('azure-vmss', item, {
    status: setStatus(capacity, powersIn(view)),
    instanceType: size,
    unitCount: capacity,
    parentUID: holder,
    // The node pool would restart stopped machines.
    schedulable: holder === undefined ? undefined : false,
    hourlyRateUSD: timesUsd(usd, capacity),
    specs: {
      capacity,
      created_at: timeAt(properties, 'timeCreated'),
      orchestration: textAt(properties, 'orchestrationMode') ?? 'Uniform',
      priority: priority ?? 'Regular',
      ...boundsTold(bounds),
    },
  })
}

const boundsTold = (bounds: SetAround['bounds']): object =>
  bounds === undefined
    ? {}
    : {
        autoscale: bounds?.isEnabled ?? false,
        min_capacity: bounds?.min ?? null,
        max_capacity: bounds?.max ?? null,
      }

/** `now`: milliseconds since 1970. */
export function disk(item: Item, now: number): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const holder = textAt(item, 'managedBy')
  const sku = textAt(item, 'sku', 'name') ?? textAt(properties, 'accountType')
  const since = timeAt(properties, 'LastOwnershipUpdateTime') ?? timeAt(properties, 'lastOwnershipUpdateTime')
  const days = since === undefined ? undefined : Math.floor((now - Date.parse(since)) / dayMs)
  return resource('azure-disk', item, {
    parentUID: holder,
    instanceType: sku,
    sizeGB: numberAt(properties, 'diskSizeGB'),
    specs: {
      sku,
      created_at: timeAt(properties, 'timeCreated'),
      tier: textAt(properties, 'tier'),
      state: textAt(properties, 'diskState'),
      attached: holder !== undefined,
      iops: orNull(numberAt(properties, 'diskIOPSReadWrite')),
      is_os_disk: textAt(properties, 'osType') !== undefined,
      days_detached: holder === undefined ? days : null,
      tier_floor_gb: tierFloorOf(sku, numberAt(properties, 'diskSizeGB')),
    },
  })
}

/** Sizes up to which disks of fixed prices are charged alike. */
const tierSizes = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_767]
const smallest: Readonly<Record<string, number>> = { Premium_LRS: 4, StandardSSD_LRS: 4, Standard_LRS: 32 }

/** The largest size of the tier below, at which a disk would be cheaper; null without tiers or in the lowest. */
function tierFloorOf(sku: string | undefined, sizeGb: number | undefined): number | null | undefined {
  const from = smallest[sku ?? '']
  if (from === undefined) return null
  return sizeGb === undefined ? undefined : (tierSizes.findLast((one) => one >= from && one < sizeGb) ?? null)
}

/** Azure Backup keeps its own snapshots in groups or under names of its own, or marks them. */
function isOfBackup(item: Item): boolean {
  const words = [groupOf(item.id), textAt(item, 'name'), textAt(item, 'tags', 'CreatedBy')]
  return words.some((word) => /^azurebackup/i.test(word ?? ''))
}

export function snapshot(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const source = textAt(properties, 'creationData', 'sourceResourceId')
  return resource('azure-snapshot', item, {
    parentUID: source,
    instanceType: textAt(item, 'sku', 'name'),
    sizeGB: numberAt(properties, 'diskSizeGB'),
    specs: {
      sku: textAt(item, 'sku', 'name'),
      created_at: timeAt(properties, 'timeCreated'),
      incremental: isAt(properties, 'incremental') ?? false,
      source_id: orNull(source),
      managed_by_backup: isOfBackup(item),
      state: textAt(properties, 'provisioningState'),
    },
  })
}

/** `uses`: machines and scale sets that were made from it. */
export function image(item: Item, uses?: number): DiscoveredResource[] {
  const properties = propertiesOf(item)
  return resource('azure-image', item, {
    specs: { source_id: orNull(textAt(properties, 'sourceVirtualMachine', 'id')), in_use_count: uses },
  })
}
