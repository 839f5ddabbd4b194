/** Common code of the mappings from list items to resources. Members that are missing or null are left out. */
import { dayMs } from '#engine/value/day.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { memberOf, objectOf, textAt, textsByName, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { machineUsdHour } from '#streams/cloud/reference/machine-price.ts'
import { statusOf } from '#streams/cloud/resource/status.ts'
import { noteWritten } from '#streams/cloud/resource/written.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { groupOf, nameOf, uidOf } from '#streams/cloud/azure/session/path.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'

type Maybe<T> = T | null | undefined

export interface ResourceFields {
  name?: Maybe<string>
  /** The cloud's state, for types with states. */
  state?: Maybe<string>
  /** Instead of `state`. */
  status?: Maybe<ResourceStatus>
  /** Replaces the item's location, for parts of another resource. */
  location?: Maybe<string>
  parentUID?: Maybe<string>
  instanceType?: Maybe<string>
  sizeGB?: Maybe<number>
  unitCount?: Maybe<number>
  schedulable?: Maybe<boolean>
  hourlyRateUSD?: Maybe<number>
  specs?: Readonly<Record<string, unknown>>
}

/**
 * One resource. Its uid is the id in lower case, because Azure uses different cases for the same id;
 * `specs.resource_id` is the id as written.
 */
export function resource(type: string, item: Item, told: ResourceFields): DiscoveredResource[] {
  noteWritten(type, told.specs)
  const { name, state, status = statusOf(type, state), location, specs, hourlyRateUSD, parentUID, ...more } = told
  const group = groupOf(item.id)
  const found = {
    resourceUid: uidOf(item.id),
    name: name || textAt(item, 'name') || nameOf(item.id),
    type,
    provider: 'azure' as const,
    region: regionOf(location ?? textAt(item, 'location')),
    tags: textsByName(item['tags']),
    specs: { ...without({ ...specs }, [undefined]), resource_id: item.id, ...zoneOf(item) },
    ...(group !== undefined && { resourceGroup: group }),
    ...(parentUID && { parentUID: uidOf(parentUID) }),
    ...(status && { status }),
    ...without(more, [undefined, null]),
    ...(hourlyRateUSD && { hourlyRateUSD }),
  }
  return [found as DiscoveredResource]
}

/** Removes unknown members. In specs, null means that there is none. */
const without = (members: object, nothing: readonly unknown[]): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !nothing.includes(value)))

function zoneOf(item: Item): object {
  const zones = memberOf(item, 'zones')
  return Array.isArray(zones) && typeof zones[0] === 'string' ? { zone: zones[0] } : {}
}

/** `eastus`, also for `East US`. */
export const regionOf = (location: Maybe<string>): string => (location ?? '').toLowerCase().replaceAll(' ', '')

export const propertiesOf = (item: Json): Json => objectOf(item['properties'])

export function numberAt(value: unknown, ...names: readonly string[]): number | undefined {
  const found = memberOf(value, ...names)
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

/** The length of a list; undefined if it is missing. */
export function lengthAt(value: unknown, ...names: readonly string[]): number | undefined {
  const found = memberOf(value, ...names)
  return Array.isArray(found) ? found.length : undefined
}

/** Whole days from a time on; negative if it is in the future, undefined if it is unknown. */
export function daysSince(time: Maybe<string>, now: number): number | undefined {
  const days = (now - Date.parse(time ?? '')) / dayMs
  return Number.isNaN(days) ? undefined : Math.floor(days)
}

export function isAt(value: unknown, ...names: readonly string[]): boolean | undefined {
  const found = memberOf(value, ...names)
  return typeof found === 'boolean' ? found : undefined
}

/** For members that Azure leaves out if there is no value. */
export const orNull = <T>(value: Maybe<T>): T | null => value ?? null

/** ISO 8601; undefined if the value is not a time. */
export function timeAt(value: unknown, ...names: readonly string[]): string | undefined {
  const time = Date.parse(textAt(value, ...names) ?? '')
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** Azure has the words Enabled and Disabled for this; undefined if missing. */
export function isEnabled(word: Maybe<string>): boolean | undefined {
  return word ? word.toLowerCase() === 'enabled' : undefined
}

/** Price of a Linux machine on demand; undefined if unknown. */
export const machineUsd = (size: Maybe<string>, region: string): number | undefined =>
  size ? machineUsdHour({ provider: 'azure', type: size, region, cpuCores: 0, memoryGib: 0, gpus: 0 }) : undefined

/** Price of several units; undefined if the unit has no price. */
export const timesUsd = (usd: Maybe<number>, count: Maybe<number>): number | undefined =>
  usd && count ? Number((usd * count).toFixed(6)) : undefined
