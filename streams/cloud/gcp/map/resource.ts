/** Common code of the mappings from Google Cloud objects to resources. */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { statusOf } from '#streams/cloud/resource/status.ts'
import { noteWritten } from '#streams/cloud/resource/written.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'

type Maybe<T> = T | undefined

export interface ResourceFields {
  name?: Maybe<string>
  region: string
  zone?: Maybe<string>
  /** The cloud's state, for types with states. */
  state?: Maybe<string>
  /** Instead of `state`. */
  status?: Maybe<ResourceStatus>
  parentUID?: Maybe<string>
  instanceType?: Maybe<string>
  sizeGB?: Maybe<number>
  unitCount?: Maybe<number>
  labels?: Maybe<Readonly<Record<string, string>>>
  schedulable?: Maybe<boolean>
  hourlyRateUSD?: Maybe<number>
  specs?: Readonly<Record<string, unknown>>
}

/** One resource, without members that Google left out. In specs, null means that there is none. */
export function resource(type: string, uid: string, told: ResourceFields): DiscoveredResource {
  noteWritten(type, told.specs)
  const { name, region, zone, state, status = statusOf(type, state), labels, specs, hourlyRateUSD, ...more } = told
  return {
    resourceUid: uid,
    name: name || uid,
    type,
    provider: 'gcp',
    region,
    tags: { ...labels },
    specs: { ...dropUndefined({ ...specs }), ...(zone && { zone }) },
    ...(status && { status }),
    ...dropUndefined(more),
    ...(hourlyRateUSD && { hourlyRateUSD }),
  } as DiscoveredResource
}

const dropUndefined = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** Google sends byte counts and sizes as text. */
export function numberOf(text: string | undefined): number | undefined {
  const value = text === undefined || text === '' ? NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** ISO 8601; undefined if the value is not a time. */
export function timeOf(time: string | number | undefined): string | undefined {
  const date = new Date(time ?? NaN)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
