import type { NativePolicy } from '#streams/cloud/connector.ts'
import type { Hours, Load, Purchase } from './resource.ts'

/** Resources of one account that differ only in their number; the world's tables consist of these. */
export interface Group {
  type: string
  /** With a count: `name-1`, `name-2` and so on. */
  name: string
  region: string
  /** `<team>/<env>` for its tags. */
  team: string
  count?: number
  size?: string
  /** Stored gigabytes. */
  gb?: number
  units?: number
  /** Mean daily units for meters based on usage. */
  usage?: number
  /** Gigabytes of each machine's disk. */
  disk?: number
  load?: Load
  hours?: Hours
  purchase?: Purchase
  /** Name of its parent, which must precede it in the same account. */
  parent?: string
  /** Attributes in addition to those of its type. */
  specs?: Readonly<Record<string, unknown>>
  /** Specs that count the days until a day, given as days after the world's day. */
  until?: Readonly<Record<string, number>>
  /** Age in days on the world's day; 900 by default. */
  ageDays?: number
  /** Native scaling policies that the customer has set. */
  policies?: readonly Pick<NativePolicy, 'policyName' | 'metric' | 'target'>[]
  /** Kubernetes workloads of a cluster: all 24 kinds, or a few. */
  workloads?: 'all' | 'few'
}

/** Attributes of a healthy resource of a type: in use, encrypted, supported, backed up. */
export type Attributes = (of: Group) => Readonly<Record<string, unknown>>

export const isProduction = ({ team }: Group): boolean => team.endsWith('/prod')
