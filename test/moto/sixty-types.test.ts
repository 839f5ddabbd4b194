// tier: deep
/** What is discovered of an account that nobody tunes to is what AWS's own client for Python counts. */
import { expect } from 'chai'
import { programOf } from '#actors/recommendation/rule/compile.ts'
import type { Fact, FactSource } from '#actors/recommendation/rule/contract.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { scan, sixtyTypes, type Scan, type SixtyTypes } from './sixty-types.ts'

/** What an inventory alone says of a resource, in an organization that has set nothing: no bill, no metric, no history. */
function factsOf(found: DiscoveredResource, ageDays: number): FactSource {
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

function firedOn(found: readonly DiscoveredResource[], ageDays: number): Record<string, string[]> {
  const fired = found.map((one) => {
    const program = programOf(one.type)
    const facts = program.slots(factsOf(one, ageDays))
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
})
