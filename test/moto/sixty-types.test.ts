// tier: deep
/** What is discovered of an account that nobody tunes to is what AWS's own client for Python counts. */
import { expect } from 'chai'
import { programOf } from '#actors/recommendation/rule/compile.ts'
import type { Fact, FactSource } from '#actors/recommendation/rule/contract.ts'
import { dayMs } from '#engine/value/day.ts'
import { bill } from '#streams/cloud/aws/bill/bill.ts'
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import { measure } from '#streams/cloud/aws/measure/measure.ts'
import type { AwsOptions } from '#streams/cloud/aws/session/session.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { account, scan, sixtyTypes, type Scan, type SixtyTypes } from './sixty-types.ts'

/** Samples of 14 days by metric. A metric of a resource that is measured, but has no such samples, is null. */
type Measured = ReadonlyMap<string, readonly Sample[]>
interface Sample {
  value: number
  max: number
  sum: number
  /** Days before the end. */
  age: number
}

const meanOf = (some: readonly Sample[]): number => some.reduce((total, { value }) => total + value, 0) / some.length

/** All samples of a series are equal, so a quantile is their mean. */
const aggregates: Readonly<Record<string, (some: readonly Sample[]) => number>> = {
  max: (some) => Math.max(...some.map(({ max }) => max)),
  sum: (some) => some.reduce((total, { sum }) => total + sum, 0),
  avg: meanOf,
  p50: meanOf,
  p95: meanOf,
  p99: meanOf,
}

function aggregateOf(measured: Measured | undefined, path: string): Fact | undefined {
  const [metric = '', aggregate = '', days = ''] = path.split('.')
  const work = aggregates[aggregate]
  if (!measured || !work || Number.parseInt(days) > 14) return undefined
  const some = measured.get(metric)?.filter(({ age }) => age <= Number.parseInt(days)) ?? []
  return some.length === 0 ? null : work(some)
}

/** What CloudWatch has of the last 14 whole days, by resource. */
async function measuredOf(options: AwsOptions, found: readonly DiscoveredResource[]): Promise<Map<string, Measured>> {
  const to = Math.floor(Date.now() / dayMs) * dayMs
  const byUid = new Map<string, Map<string, Sample[]>>()
  // One after the other, because moto needs a second for each.
  for (const one of found) {
    const metrics = new Map<string, Sample[]>()
    byUid.set(one.resourceUid, metrics)
    const answers = measure(options, account, [one as never], new Date(to - 14 * dayMs), new Date(to))
    for await (const { samples } of answers)
      for (const { metric, value, max = value, sum = value, ts } of samples) {
        const age = (to - Date.parse(ts)) / dayMs
        metrics.set(metric, [...(metrics.get(metric) ?? []), { value, max, sum, age }])
      }
  }
  return byUid
}

/** Facts of a resource by their path after `bill.`. */
type Billed = Readonly<Record<string, number>>

/** What the export has of the last 30 whole days, by resource. */
async function billedOf(options: AwsOptions): Promise<Map<string, Billed>> {
  const dayOf = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)
  const of = { ...account, billingExport: { kind: 'focus', location: 's3://bills/focus' } }
  const refusals = new BillRefusals()
  const byUid = new Map<string, { hours: number; cost: number; onDemand: number }>()
  for await (const lines of bill(options, of, { from: dayOf(30), to: dayOf(1), refusals }))
    for (const { ResourceId, EffectiveCost, ConsumedQuantity, PricingCategory } of lines) {
      const { hours, cost, onDemand } = byUid.get(ResourceId ?? '') ?? { hours: 0, cost: 0, onDemand: 0 }
      const usd = Number(EffectiveCost)
      byUid.set(ResourceId ?? '', {
        hours: hours + Number(ConsumedQuantity),
        cost: cost + usd,
        onDemand: onDemand + (PricingCategory === 'Standard' ? usd : 0),
      })
    }
  return new Map(
    [...byUid].map(([uid, { hours, cost, onDemand }]) => [
      uid,
      { cost_30d: cost, usage_hours_30d: hours, on_demand_share_30d: onDemand / cost, on_demand_cost_30d: onDemand },
    ]),
  )
}

interface Known {
  measured?: Measured | undefined
  billed?: Billed | undefined
}

/** What an inventory alone says of a resource, in an organization that has set nothing, and what is known besides. */
function factsOf(found: DiscoveredResource, ageDays: number, { measured, billed }: Known): FactSource {
  const { name, type, region, status, instanceType, sizeGB, specs = {} } = found
  const own: Readonly<Record<string, Fact>> = {
    name,
    type,
    region: region ?? null,
    status: status ?? null,
    instance_type: instanceType ?? null,
    size_gb: sizeGB ?? null,
    env: 'unknown',
    managed: false,
    age_days: ageDays,
    taggable: true,
  }
  const sources: Readonly<Record<string, FactSource>> = {
    res: (path) => own[path],
    specs: (path) => specs[path] as Fact,
    rel: (path) => specs[path] as Fact,
    metric: (path) => aggregateOf(measured, path),
    bill: (path) => billed?.[path],
    ref: (path) => ({ 'instance.gpu_count': 0, 'instance.vcpus': 2, 'instance.current_generation': true })[path],
    gov: (path) => (path.endsWith('_count') ? 0 : true),
    policy: (path) => ({ nonprod_envs: ['dev', 'staging'], business_hours_per_week: 50 })[path],
  }
  return (path) => {
    const dot = path.indexOf('.')
    return sources[path.slice(0, dot)]?.(path.slice(dot + 1))
  }
}

/** The stand-in writes their times as texts, which AWS does not, and AWS's client for JavaScript does not read. */
const unreadable = ['aws-dms-instance', 'aws-flink-app', 'aws-msk']

/** Rules that leave new things alone. */
const late = ['RC-1305']

function firedOn(
  found: readonly DiscoveredResource[],
  ageDays: number,
  knownOf: (uid: string) => Known = () => ({}),
): Record<string, string[]> {
  const fired = found.map((one) => {
    const program = programOf(one.type)
    const facts = program.slots(factsOf(one, ageDays, knownOf(one.resourceUid)))
    const rules = program.rules.filter((judged) => judged.outcome(facts).outcome === 'fires').map(({ rule }) => rule.id)
    return [one.resourceUid, rules.toSorted()] as const
  })
  return Object.fromEntries(fired.filter(([, rules]) => rules.length > 0))
}

describeMoto('an account of 60 types in three regions', (moto) => {
  let made: SixtyTypes
  let whole: Scan
  before(async () => {
    made = await sixtyTypes(moto())
    whole = await scan(moto().options)
  })

  it('is discovered as AWS itself counts it, type by type and region by region', () => {
    const counted = Object.entries(made.counts).filter(([type]) => !unreadable.includes(type))
    expect(counted.length).to.be.at.least(60)
    expect(whole.lostTypes).to.deep.equal(unreadable)
    expect(whole.counts).to.deep.equal(Object.fromEntries(counted))
  })

  it('fires the rules for what was planted, and no others', () => {
    const now = Object.entries(made.planted).filter(([, rules]) => !rules.some((rule) => late.includes(rule)))
    expect(firedOn(whole.found, 0)).to.deep.equal(Object.fromEntries(now))
  })

  it('fires them on all that was planted once it is a month old', () => {
    const fired = firedOn(whole.found, 30)
    for (const [uid, rules] of Object.entries(made.planted)) expect(fired[uid], uid).to.include.members(rules)
  })

  it('fires the rules for what CloudWatch has measured of two weeks, and no others', async () => {
    const measured = await measuredOf(
      moto().options,
      whole.found.filter(({ resourceUid }) => resourceUid in made.measured),
    )
    expect(firedBesides(made.measured, 30, (uid) => ({ measured: measured.get(uid) }))).to.deep.equal(made.measured)
  })

  it('fires the rules for what was billed for 30 days, and no others', async () => {
    const billed = await billedOf(moto().options)
    expect(firedBesides(made.billed, 90, (uid) => ({ billed: billed.get(uid) }))).to.deep.equal(made.billed)
  })

  /** For each of these resources: the rules that fire only because of what is known of it. */
  function firedBesides(of: object, ageDays: number, knownOf: (uid: string) => Known): Record<string, string[]> {
    const some = whole.found.filter(({ resourceUid }) => resourceUid in of)
    const [before, after] = [firedOn(some, ageDays), firedOn(some, ageDays, knownOf)]
    return Object.fromEntries(
      some.map(({ resourceUid: uid }) => [uid, (after[uid] ?? []).filter((rule) => !before[uid]?.includes(rule))]),
    )
  }
})
