import type { Fact, FactSource } from '#actors/recommendation/rule/contract.ts'
import { addDays, isWeekend, startOf } from '#engine/value/day.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import type { CloudAccount, DiscoveredResource } from '#streams/cloud/connector.ts'
import type { SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { actionLog } from '#streams/cloud/simulated/action/log.ts'
import { unitsAt } from '#streams/cloud/simulated/action/power.ts'

/** The rules' names of what producers call otherwise. */
export const otherNames: Readonly<Record<string, readonly string[]>> = {
  network_bytes_in: ['network_in_bytes'],
  network_bytes_out: ['network_out_bytes'],
  requests: ['request_count'],
  capacity: ['instance_count'],
  replicas: ['instance_count'],
  storage_used_percent: ['disk_percent'],
}

interface Sample {
  metric: string
  ts: string
  value: number
  max?: number
  sum?: number
}

/** Everything a simulated account says of one resource in the 30 complete days before the world's day. */
export interface Told {
  found: DiscoveredResource
  samples: readonly Sample[]
  lines: readonly BillingLine[]
  children: readonly Told[]
  parent?: Told
}

const windowDays = 30

/** `isMeasured`: the resources whose samples are read, which takes most of the time. */
export async function everythingTold(
  cloud: SimulatedCloud,
  isMeasured: (account: string, found: DiscoveredResource) => boolean = () => true,
): Promise<Map<string, Told[]>> {
  const all = new Map<string, Told[]>()
  for (const { provider, externalId, name } of cloud.accounts) {
    const account = { id: externalId, orgId: 'org', provider, externalId, name, regions: [], credentials: null }
    all.set(externalId, await toldBy(cloud, account, (found) => isMeasured(externalId, found)))
  }
  return all
}

async function toldBy(
  cloud: SimulatedCloud,
  account: CloudAccount,
  isMeasured: (found: DiscoveredResource) => boolean,
): Promise<Told[]> {
  const [from, to] = [addDays(cloud.world.today, -windowDays), cloud.world.today]
  const told = new Map<string, Told & { samples: Sample[]; lines: BillingLine[]; children: Told[]; parent?: Told }>()
  for await (const page of cloud.discover(account).pages)
    for (const found of page) told.set(found.resourceUid, { found, samples: [], lines: [], children: [] })
  const refs = [...told.values()].map(({ found }) => found).filter(isMeasured)
  for await (const { resourceUid, samples } of cloud.measure(account, refs, new Date(from), new Date(to)))
    told.get(resourceUid)!.samples.push(...samples)
  for await (const lines of cloud.bill(account, from, addDays(to, -1)))
    for (const line of lines) told.get(line.ResourceId ?? '')?.lines.push(line)
  for (const one of told.values()) {
    const parent = told.get(one.found.parentUID ?? '')
    parent?.children.push(one)
    if (parent) one.parent = parent
  }
  return [...told.values()]
}

/** Answers for one resource as it would be answered for it in an organization that has set nothing. */
export function factsOf(cloud: SimulatedCloud, told: Told): FactSource {
  const { found } = told
  const specs = found.specs ?? {}
  const sources: Readonly<Record<string, FactSource>> = {
    res: (path) => resourceFact(cloud, found, path),
    specs: (path) => specs[path] as Fact,
    rel: (path) => relatedFact(told, path),
    metric: (path) => metricFact(cloud, told, path),
    bill: (path) => billFact(told, path),
    hist: (path) => historyFact(cloud, found, path),
    gov: (path) => (path.endsWith('_count') ? 0 : true),
    policy: (path) => ({ nonprod_envs: ['dev', 'staging'], business_hours_per_week: 50 })[path],
    ref: referenceFact,
  }
  return (path) => {
    const dot = path.indexOf('.')
    return sources[path.slice(0, dot)]?.(path.slice(dot + 1))
  }
}

const environments: Readonly<Record<string, string>> = {
  prod: 'prod',
  production: 'prod',
  staging: 'staging',
  stage: 'staging',
  dev: 'dev',
  development: 'dev',
}

export function environmentOf({ tags = {} }: DiscoveredResource): string {
  return environments[(tags['env'] ?? tags['Environment'] ?? '').toLowerCase()] ?? 'unknown'
}

function resourceFact({ world }: SimulatedCloud, found: DiscoveredResource, path: string): Fact {
  const { name, type, region, status, instanceType = null, sizeGB = null, specs = {} } = found
  const created = Date.parse(String(specs['created_at']))
  const facts: Readonly<Record<string, Fact>> = {
    name,
    type,
    region: region ?? null,
    status: status ?? null,
    instance_type: instanceType,
    size_gb: sizeGB,
    env: environmentOf(found),
    managed: false,
    age_days: (startOf(world.today) - created) / 86_400_000,
    taggable: true,
  }
  return facts[path]
}

/** What the inventory knows by itself of a resource's parent and children; the cloud's own word goes before it. */
export const edges: Readonly<Record<string, (told: Told) => Fact>> = {
  attached_storage_cost_30d: ({ children }) => sumOf(children.map(({ lines }) => costOf(lines))),
  child_cost_30d: ({ children }) => sumOf(children.map(({ lines }) => costOf(lines))),
  instance_status: ({ parent }) => parent?.found.status ?? null,
  running_site_count: ({ children }) => children.filter(({ found }) => found.status === 'running').length,
}

function relatedFact(told: Told, path: string): Fact {
  const { specs = {} } = told.found
  const own = specs[path === 'detached_days' ? 'days_detached' : path] as Fact
  return own === undefined ? edges[path]?.(told) : own
}

const sumOf = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)

const costOf = (lines: readonly BillingLine[]): number => sumOf(lines.map(({ EffectiveCost }) => Number(EffectiveCost)))

function billFact({ lines }: Told, path: string): Fact {
  const cost = costOf(lines)
  const onDemand = costOf(lines.filter(({ purchaseType }) => purchaseType === 'on_demand'))
  const facts: Readonly<Record<string, Fact>> = {
    cost_30d: cost,
    on_demand_cost_30d: onDemand,
    on_demand_share_30d: cost > 0 ? onDemand / cost : undefined,
    usage_hours_30d: lines.reduce((total, { usageHours }) => total + Number(usageHours ?? 0), 0),
  }
  if (path.startsWith('component.')) return 0
  return facts[path]
}

const isBusiness = (at: number): boolean => {
  const hour = new Date(at).getUTCHours()
  return !isWeekend(at) && hour >= 8 && hour < 18
}

/** By the hour, over the complete days before the world's day. */
function historyFact({ world }: SimulatedCloud, found: DiscoveredResource, path: string): Fact {
  const resource = world.byUid.get(found.resourceUid)!
  const share = (days: number, wanted: (at: number) => boolean) => {
    const hours = Array.from({ length: days * 24 }, (_, hour) => startOf(world.today) - (hour + 1) * 3_600_000)
    const asked = hours.filter(wanted)
    const log = actionLog()
    return asked.filter((at) => unitsAt(world, log, 'account', resource, at) > 0).length / asked.length
  }
  switch (path) {
    case 'has_schedule':
      return false
    case 'running_share_30d':
      return share(30, () => true)
    case 'offhours_running_share_14d':
      return share(14, (at) => !isBusiness(at))
    case 'status_days':
      return found.status === 'running' ? 400 : 0
    default:
      return 0
  }
}

const referenceFacts: Readonly<Record<string, Fact>> = {
  'instance.vcpus': 4,
  'instance.memory_gib': 16,
  'instance.gpu_count': 0,
  'instance.burstable': false,
  'instance.current_generation': true,
  'instance.successor': null,
  'instance.arm_type': null,
  'lifecycle.days_to_end_of_support': 400,
  'lifecycle.successor': null,
  'price.gcp.bigquery.logical_active_gb_month': 0.02,
  'price.gcp.bigquery.longterm_gb_month': 0.01,
  'price.gcp.bigquery.physical_active_gb_month': 0.04,
  'price.gcp.bigquery.physical_longterm_gb_month': 0.02,
}
const referenceFact: FactSource = (path) => referenceFacts[path]

/** Undefined where nothing is measured of the resource; null where this is not, while other things are. */
function metricFact({ world }: SimulatedCloud, { samples }: Told, path: string): Fact {
  const [metric = '', aggregate = '', window = ''] = path.split('.')
  if (samples.length === 0) return undefined
  const days = Math.min(windowDays, Number.parseInt(window, 10))
  const since = `${addDays(world.today, -days)}T00:00:00.000Z`
  const wanted = [metric, ...(otherNames[metric] ?? [])]
  const known = samples.filter((sample) => wanted.includes(sample.metric) && sample.ts >= since)
  if (known.length === 0) return null
  return aggregated(aggregate, known)
}

const aggregates: Readonly<Record<string, (samples: readonly Sample[]) => number>> = {
  avg: (samples) => samples.reduce((total, { value }) => total + value, 0) / samples.length,
  min: (samples) => Math.min(...samples.map(({ value }) => value)),
  max: (samples) => Math.max(...samples.map(({ value, max = value }) => max)),
  sum: (samples) => samples.reduce((total, { value, sum = value }) => total + sum, 0),
  on_p95: (samples) =>
    percentile(
      95,
      samples.filter(({ ts }) => isBusiness(Date.parse(ts))),
    ),
  off_p95: (samples) =>
    percentile(
      95,
      samples.filter(({ ts }) => !isBusiness(Date.parse(ts))),
    ),
}

function aggregated(aggregate: string, samples: readonly Sample[]): number {
  return aggregates[aggregate]?.(samples) ?? percentile(Number(aggregate.slice(1)), samples)
}

/** The nearest rank. */
function percentile(share: number, samples: readonly Sample[]): number {
  const sorted = samples.map(({ value }) => value).toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((share / 100) * sorted.length) - 1)] ?? Number.NaN
}
