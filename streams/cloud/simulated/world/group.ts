import type { NativePolicy } from '#streams/cloud/connector.ts'
import type { Hours, Load, Purchase } from './resource.ts'

/** Resources of one account that differ only in their number: how the world's tables declare them. */
export interface Group {
  type: string
  /** With a count: `name-1`, `name-2` and so on. */
  name: string
  region: string
  /** `<team>/<env>`, what its tags say. */
  team: string
  count?: number
  size?: string
  /** Gigabytes it stores. */
  gb?: number
  units?: number
  /** Mean units a day of what is metered by use. */
  usage?: number
  /** Gigabytes of the disk each machine comes with. */
  disk?: number
  load?: Load
  hours?: Hours
  purchase?: Purchase
  /** Name of its parent, declared before it in the same account. */
  parent?: string
  /** What is told of it beside the attributes of its type. */
  specs?: Readonly<Record<string, unknown>>
  /** Specs that count the days to so many days after the world's day. */
  until?: Readonly<Record<string, number>>
  /** Days it has existed on the world's day; 900 when left out. */
  ageDays?: number
  /** What the customer has its cloud scale it by. */
  policies?: readonly Pick<NativePolicy, 'policyName' | 'metric' | 'target'>[]
  /** Kubernetes workloads of a cluster: all 24 kinds, or a few. */
  workloads?: 'all' | 'few'
}

/** What a cloud tells of a resource of one type that works as it should: in use, encrypted, supported, backed up. */
export type Attributes = (of: Group) => Readonly<Record<string, unknown>>

export const isProduction = ({ team }: Group): boolean => team.endsWith('/prod')
