/** An organization of chance, and filters of chance over it. */
import type { ClickHouseClient } from '@clickhouse/client'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { plain } from '#engine/value/decimal.ts'
import { everything, type ReportScope } from '#http/identity/organization/role.ts'
import { chance } from '#streams/cloud/simulated/world/prng.ts'
import { fact } from '#test/harness/clickhouse.ts'

type Tags = Readonly<Record<string, string>>

/** A line as it was sent, in one of its versions. */
export interface Line {
  id: string
  version: number
  deleted: boolean
  account: string
  day: string
  uid: string
  region: string
  type: string
  service: string
  purchase: string
  estimate: boolean
  /** Of a line without a resource: the tags of the bill. */
  tags: Tags
  /** Counts of 1e-10 US dollars. */
  cost: bigint
}

export interface Resource {
  uid: string
  account: string
  region: string
  type: string
  /** The inventory knows it. */
  known: boolean
  /** Of the cloud: in the inventory, or on bills where that does not know the resource. */
  tags: Tags
}

export interface Organization {
  lines: Line[]
  resources: Resource[]
  /** By uid; tags that people accepted, of resources that the inventory knows. */
  smart: Map<string, Tags>
  auto: Map<string, Tags>
  /** The team of each uid now, and in December 2025, which is closed. `old` was deleted since. */
  now: Map<string, string>
  closed: Map<string, string>
}

export const providerOf: Readonly<Record<string, string>> = { 'a-1': 'aws', 'a-2': 'gcp', 'a-3': 'azure', 'a-4': 'aws' }
const accounts = Object.keys(providerOf)
const regions = ['us-east', 'us-west', 'eu-west', 'eu-north', 'asia-1', 'asia-2']
const types = ['aws-ec2', 'aws-rds', 'aws-s3', 'gcp-vm', 'gcp-sql', 'azure-vm', 'azure-sql', 'azure-disk']
const services = ['compute', 'storage', 'network', 'support', 'tax']
const purchases = ['on_demand', 'reserved', 'spot', 'savings_plan']
const teams = ['core', 'web', 'old', '']
const tagKeys = ['env', 'owner', 'loc']
const tagValues = ['x', 'y', 'z']
const dayOf = (n: number): string => new Date(Date.UTC(2025, 11, 1 + n)).toISOString().slice(0, 10)
const daysMax = 62
const resourcesMax = 60
const linesMax = 900

type Words = readonly (string | number)[]

function dice(seed: string) {
  const roll = (sides: number, ...words: Words): number => Math.floor(chance(seed, ...words) * sides)
  const pick = <T>(list: readonly T[], ...words: Words): T => list[roll(list.length, ...words)]!
  const isSo = (share: number, ...words: Words): boolean => chance(seed, ...words) < share
  return { roll, pick, isSo }
}
type Dice = ReturnType<typeof dice>

const tagsOf = ({ pick, isSo }: Dice, share: number, ...words: Words): Tags =>
  Object.fromEntries(
    tagKeys.filter((key) => isSo(share, key, ...words)).map((key) => [key, pick(tagValues, key, 'value', ...words)]),
  )

export function organizationOf(seed: string): Organization {
  const thrown = dice(seed)
  const { pick, isSo } = thrown
  const resources = Array.from({ length: resourcesMax }, (_, n): Resource => {
    // Two accounts share the first uid.
    const isShared = n === 0 || n === resourcesMax - 1
    const uid = isShared ? 'r-0' : `r-${n}`
    const account = isShared ? accounts[Math.sign(n)]! : pick(accounts, n, 'account')
    const [region, type] = [pick(regions, n, 'region'), pick(types, n, 'type')]
    return {
      uid,
      account,
      region,
      type,
      known: isShared || isSo(0.8, n, 'known'),
      tags: tagsOf(thrown, 0.4, n, 'cloud'),
    }
  })
  const byUid = <T>(make: (uid: string) => T, of = resources) => new Map(of.map(({ uid }) => [uid, make(uid)]))
  const known = resources.filter((resource) => resource.known)
  return {
    lines: Array.from({ length: linesMax }, (_, n) => n).flatMap((n) => linesOf(thrown, resources, n)),
    resources,
    smart: byUid((uid) => tagsOf(thrown, 0.25, uid, 'smart'), known),
    auto: byUid((uid) => tagsOf(thrown, 0.25, uid, 'auto'), known),
    now: byUid((uid) => pick(teams, uid, 'team')),
    closed: byUid((uid) => pick(teams, uid, 'closed')),
  }
}

/** One line, with what came before or after it: an older version, its end, an actual one in the place of an estimate. */
function linesOf(thrown: Dice, resources: readonly Resource[], n: number): Line[] {
  const { roll, pick, isSo } = thrown
  const line: Line = {
    id: `l-${n}`,
    version: 2,
    deleted: isSo(0.03, n, 'deleted'),
    ...whereOf(thrown, isSo(0.85, n, 'resource') ? pick(resources, n, 'which') : undefined, n),
    day: dayOf(roll(daysMax, n, 'day')),
    service: pick(services, n, 'service'),
    purchase: pick(purchases, n, 'purchase'),
    estimate: isSo(0.25, n, 'estimate'),
    tags: tagsOf(thrown, 0.3, n, 'line'),
    cost: costOf(thrown, n),
  }
  const { estimate, cost } = line
  const older = { ...line, version: 1, deleted: false, cost: cost + 1_000_000_000n }
  const actual = { ...line, id: `l-${n}-a`, deleted: false, estimate: false, cost: cost / 2n }
  const isReplaced = estimate && isSo(0.5, n, 'actual')
  return [...(isSo(0.05, n, 'older') ? [older] : []), line, ...(isReplaced ? [actual] : [])]
}

/** A line mostly says what its resource does, and at times nothing or something else. */
function whereOf({ pick, isSo }: Dice, resource: Resource | undefined, n: number) {
  const { uid, account, region, type } = resource ?? {
    uid: '',
    account: pick(accounts, n, 'account'),
    region: '',
    type: '',
  }
  return {
    uid,
    account,
    region: isSo(0.8, n, 'own region') ? region : pick([...regions, ''], n, 'region of line'),
    type: isSo(0.6, n, 'own type') ? type : pick([...types.slice(0, 2), '', ''], n, 'type of line'),
  }
}

/** Cents up to 50, credits of cents up to 20, and amounts of ten decimals up to 110 US dollars. */
function costOf({ roll, isSo }: Pick<Dice, 'roll' | 'isSo'>, n: number): bigint {
  if (isSo(0.1, n, 'credit')) return -BigInt(roll(2000, n, 'amount')) * 100_000_000n
  if (isSo(0.3, n, 'fine')) return BigInt(roll(2 ** 40, n, 'amount'))
  return BigInt(roll(5000, n, 'amount')) * 100_000_000n
}

/** Puts it into the tables that reports read. */
export async function settle(ch: ClickHouseClient, org: string, made: Organization): Promise<void> {
  const { lines, resources, smart, auto, now, closed } = made
  const insert = (table: string, values: object[]) =>
    ch.insert({ table, values: values.map((value) => ({ org_id: org, ...value })), format: 'JSONEachRow' })
  const [at, x_Version] = ['2025-12-01 00:00:00.000', '1']
  const known = resources.filter((resource) => resource.known)
  await insert(
    'resource_state',
    known.map(({ uid, account, region, type, tags }) => ({
      resource_uid: uid,
      cloud_account_id: account,
      region,
      type,
      tags,
      provider: providerOf[account],
      first_seen_at: at,
      x_Version,
    })),
  )
  const accepted = (source: string, of: Map<string, Tags>) =>
    [...of].map(([resource_uid, tags]) => ({ resource_uid, source, tags, x_Version }))
  await insert('accepted_tag', [...accepted('smart', smart), ...accepted('auto', auto)])
  await insert(
    'team_state',
    ['core', 'web', 'old'].map((id) => ({ team_id: id, name: id, deleted: Number(id === 'old'), x_Version })),
  )
  const assigned = (of: Map<string, string>) => [...of].map(([resource_uid, team_id]) => ({ resource_uid, team_id }))
  await insert(
    'team_assignment',
    assigned(now).map((row) => ({ ...row, assigned_at: at, x_Version })),
  )
  await insert(
    'closed_assignment',
    assigned(closed).map((row) => ({ ...row, period: 202512 })),
  )
  await insert('snapshot_state', [{ period: 202512, created_at: at, x_Version }])
  await ch.insert({
    table: 'cost_fact',
    values: lines.map((line) => factOf(org, resources, line)),
    format: 'JSONEachRow',
  })
  const days = lines.map(({ account, day }) => ({ orgId: org, cloudAccountId: account, day }))
  await recomputeCostDays(ch, days, '1')
}

const factOf = (org: string, resources: readonly Resource[], line: Line) =>
  fact(org, line.id, plain(line.cost, 10), {
    x_CloudAccountId: line.account,
    x_Day: line.day,
    x_Provider: providerOf[line.account],
    x_PurchaseType: line.purchase,
    x_Source: line.estimate ? 'estimate' : 'actual',
    x_Deleted: Number(line.deleted),
    x_Version: String(line.version),
    ResourceId: line.uid,
    ResourceType: line.type,
    RegionId: line.region,
    ServiceName: line.service,
    ChargeCategory: line.cost < 0n ? 'Credit' : 'Usage',
    Tags: resources.find(({ uid, account }) => uid === line.uid && account === line.account)?.tags ?? line.tags,
  })

export const flowDims = [
  'provider',
  'cloud_account_id',
  'region',
  'resource_type',
  'service_name',
  'purchase_type',
  'team_id',
] as const

/** A filter with what is asked beside it. An empty list narrows nothing; '' stands for what has no value. */
export interface Filter {
  from: string
  to: string
  providers: string[]
  accounts: string[]
  regions: string[]
  types: string[]
  teams: string[]
  /** Key and value; '' is any value. */
  tags: [key: string, value: string][]
  scope: ReportScope
  dims: (typeof flowDims)[number][]
  granularity: 'daily' | 'weekly' | 'monthly'
  grain: '' | 'resource' | 'purchase_type' | 'resource_type'
  tagKey: string
  /** Asked for besides, of the reports that can be narrowed by it. */
  service: string
  /** All that narrows, as a request says it. */
  query: string
}

export function filterOf(seed: string, n: number): Filter {
  const { roll, pick, isSo } = dice(`${seed} filter ${n}`)
  const some = (list: readonly string[], share: number, name: string): string[] =>
    isSo(share, name) ? [...new Set([pick(list, name, 1), pick(list, name, 2)])] : []
  const ends = isSo(0.5, 'range') ? [roll(daysMax, 'from'), roll(daysMax, 'to')].toSorted((a, b) => a - b) : [0, 61]
  const wanted = {
    provider: some(['aws', 'gcp', 'azure'], 0.25, 'provider'),
    cloud_account_id: some([...accounts, 'a-9'], 0.25, 'account'),
    region: some([...regions, ''], 0.25, 'region'),
    resource_type: some([...types, ''], 0.25, 'type'),
    team_id: some(['core', 'web', 'old', 'unassigned'], 0.3, 'team'),
  }
  const tags = some(tagKeys, 0.3, 'tag').map((key): [string, string] => [key, pick([...tagValues, ''], 'tag', key)])
  const [from, to] = [dayOf(ends[0]!), dayOf(ends[1]!)]
  const limited = { all: false, cloudAccountIDs: some(accounts, 0.7, 'scope a'), teamIDs: some(teams, 0.7, 'scope t') }
  return {
    from,
    to,
    providers: wanted.provider,
    accounts: wanted.cloud_account_id,
    regions: wanted.region,
    types: wanted.resource_type,
    teams: wanted.team_id,
    tags,
    scope: isSo(0.3, 'scope') ? { ...limited, teamIDs: limited.teamIDs.filter((id) => id !== '') } : everything,
    dims: flowDims.toSorted((a, b) => chance(seed, n, a) - chance(seed, n, b)).slice(0, 1 + roll(3, 'dims')),
    granularity: pick(['daily', 'weekly', 'monthly'] as const, 'granularity'),
    grain: pick(['', 'resource', 'purchase_type', 'resource_type'] as const, 'grain'),
    tagKey: pick(tagKeys, 'key'),
    service: pick(services, 'service'),
    query: queryOf(from, to, wanted, tags),
  }
}

function queryOf(from: string, to: string, wanted: Record<string, string[]>, tags: Filter['tags']): string {
  const query = new URLSearchParams({ from, to })
  for (const [name, values] of Object.entries(wanted))
    if (values.length > 0) query.set(name, values.map((value) => value || '(none)').join())
  for (const [key, value] of tags) query.append('tag', value === '' ? key : `${key}:${value}`)
  return query.toString()
}
