/** Common code of the mappings from AWS objects to resources. Members that are missing or null are left out. */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { statusOf } from '#streams/cloud/resource/status.ts'
import { noteWritten } from '#streams/cloud/resource/written.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'

/** Region and account of a call. */
export interface Where {
  region: string
  /** The account's number. */
  account: string
}

type Maybe<T> = T | null | undefined

export interface ResourceFields {
  name?: Maybe<string>
  /** The cloud's state, for types with states. */
  state?: Maybe<string>
  /** Instead of `state`. */
  status?: Maybe<ResourceStatus>
  /** Zone of the resource; if missing, the queried region counts. */
  zone?: Maybe<string>
  parentUID?: Maybe<string>
  instanceType?: Maybe<string>
  sizeGB?: Maybe<number>
  unitCount?: Maybe<number>
  tags?: AwsTags
  schedulable?: Maybe<boolean>
  hourlyRateUSD?: Maybe<number>
  specs?: Readonly<Record<string, unknown>>
}

/** One resource; none if it has no identifier. */
export function resource(type: string, uid: Maybe<string>, where: Where, told: ResourceFields): DiscoveredResource[] {
  noteWritten(type, told.specs)
  if (!uid) return []
  const { name, state, status = statusOf(type, state), zone, tags, specs, hourlyRateUSD, ...more } = told
  const found = {
    resourceUid: uid,
    name: name || uid,
    type,
    provider: 'aws' as const,
    region: regionOf(zone, where.region),
    tags: tagsOf(tags),
    specs: { ...dropValues({ ...specs }, [undefined]), ...(zone && { zone }) },
    ...(status && { status }),
    ...dropValues(more),
    ...(hourlyRateUSD && { hourlyRateUSD }),
  }
  return [found as DiscoveredResource]
}

/** Removes unknown members. In specs, null means that there is none. */
function dropValues(members: object, nothing: readonly unknown[] = [undefined, null]): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !nothing.includes(value)))
}

export type AwsTags =
  | Maybe<readonly { Key?: Maybe<string>; Value?: Maybe<string>; key?: Maybe<string>; value?: Maybe<string> }[]>
  | Maybe<Readonly<Record<string, string>>>

/**
 * Tags in all forms that services use: lists of keys and values with or without capitals, objects, null, or missing.
 */
export function tagsOf(tags: AwsTags): Record<string, string> {
  if (!tags) return {}
  const pairs = Array.isArray(tags)
    ? tags.map((tag) => [tag?.Key ?? tag?.key, tag?.Value ?? tag?.value] as const)
    : Object.entries(tags)
  return Object.fromEntries(pairs.flatMap(([key, value]) => (key ? [[key, value ?? '']] : [])))
}

export const nameIn = (tags: AwsTags): string | undefined => tagsOf(tags)['Name'] || undefined

/** Local zones are also named after their region: `us-west-2-lax-1a`. */
function regionOf(zone: Maybe<string>, asked: string): string {
  if (!zone || zone.startsWith(asked)) return asked
  return /^[a-z]{2}(-[a-z]+)+-\d+/.exec(zone)?.[0] ?? asked
}

/** ISO 8601; undefined if the value is not a time. */
export function timeOf(time: Maybe<Date | string | number>): string | undefined {
  if (time === null || time === undefined) return undefined
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

export const listOf = <T>(list: Maybe<readonly T[]>): readonly T[] => (Array.isArray(list) ? list : [])

/** For members that AWS leaves out if there is no value. */
export const orNull = <T>(value: Maybe<T>): T | null => value ?? null

/** With the partition of the region. */
export function arnOf(service: string, { region, account }: Where, what: string): string {
  const partition = region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
  return `arn:${partition}:${service}:${region}:${account}:${what}`
}

/** Price of several units; undefined if the unit has no price. */
export const timesUsd = (usd: number | undefined, count: Maybe<number>): number | undefined =>
  usd === undefined || !count ? undefined : Number((usd * count).toFixed(6))
