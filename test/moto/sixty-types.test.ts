// tier: deep
/** What is discovered of an account that nobody tunes to is what AWS's own client for Python counts. */
import { expect } from 'chai'
import { programOf } from '#actors/recommendation/rule/compile.ts'
import type { Fact, FactSource } from '#actors/recommendation/rule/contract.ts'
import { dayMs } from '#engine/value/day.ts'
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

const aggregates: Readonly<Record<string, (some: readonly Sample[]) => number>> = {
  max: (some) => Math.max(...some.map(({ max }) => max)),
  sum: (some) => some.reduce((total, { sum }) => total + sum, 0),
  avg: (some) => some.reduce((total, { value }) => total + value, 0) / some.length,
}
/** All samples of a series are equal. */
for (const name of ['p50', 'p95', 'p99']) aggregates[name] = aggregates['avg']!

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
  const answers = measure(options, account, found as never, new Date(to - 14 * dayMs), new Date(to))
  for await (const { resourceUid, samples } of answers) {
    const metrics = byUid.get(resourceUid) ?? new Map<string, Sample[]>()
    byUid.set(resourceUid, metrics)
    for (const { metric, value, max = value, sum = value, ts } of samples) {
      const age = (to - Date.parse(ts)) / dayMs
      metrics.set(metric, [...(metrics.get(metric) ?? []), { value, max, sum, age }])
    }
  }
  return byUid
}

/** What an inventory alone says of a resource, in an organization that has set nothing: no bill and no history. */
function factsOf(found: DiscoveredResource, ageDays: number, measured?: Measured): FactSource {
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
    ref: (path) => ({ 'instance.gpu_count': 0, 'instance.vcpus': 2 })[path],
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
  measured: ReadonlyMap<string, Measured> = new Map(),
): Record<string, string[]> {
  const fired = found.map((one) => {
    const program = programOf(one.type)
    const facts = program.slots(factsOf(one, ageDays, measured.get(one.resourceUid)))
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
    const some = whole.found.filter(({ resourceUid }) => resourceUid in made.measured)
    expect(some.length).to.equal(Object.keys(made.measured).length)
    const measured = await measuredOf(moto().options, some)
    const before = firedOn(whole.found, 30)
    const after = firedOn(some, 30, measured)
    const more = some.map(({ resourceUid: uid }) => [
      uid,
      (after[uid] ?? []).filter((rule) => !before[uid]?.includes(rule)),
    ])
    expect(Object.fromEntries(more)).to.deep.equal(made.measured)
  })
})
