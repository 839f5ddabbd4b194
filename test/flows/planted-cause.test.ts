import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { testClickHouse } from '#test/harness/clickhouse.ts'
import { amount } from '#test/harness/tier.ts'
import { namedRight, type Named } from '#test/harness/planted/plant.ts'

/** All chance is drawn from it. */
const seed = 'planted-1'
const count = amount(2, 24, 24)
/** Of kinds that take an account or an organization each. */
const whole = amount(1, 8, 8)

/** How many of each kind are planted; of those of teams and groups half are of either. */
const kinds: Readonly<Record<string, number>> = {
  'reservation expiry': count,
  'instance resize': count,
  'schedule failure': count,
  'usage spike': count,
  'new resource (account)': count,
  'new-account onboarding (account)': whole,
  'new-account onboarding (organization)': whole,
  'new resources (account)': whole,
  'new resources (organization)': whole,
  'resource-type spike (account)': whole,
  'resource-type spike (organization)': whole,
  'membership diff (team)': count / 2,
  'membership diff (group)': count / 2,
  'drill-down by type (team)': count / 2,
  'drill-down by type (group)': count / 2,
  'drill-down by account (team)': count / 2,
  'drill-down by account (group)': count / 2,
  'per-resource fallback (team)': count / 2,
  'per-resource fallback (group)': count / 2,
}

describe('causes that were planted', function () {
  this.timeout(180_000)
  let named: ReadonlyMap<string, Named>
  before(async () => {
    const prefix = randomUUID().slice(0, 8)
    const all = await namedRight(await testClickHouse(), { prefix, seed, count, whole })
    named = new Map(all.map((one) => [one.kind, one]))
  })

  it('are of every kind there is', () => {
    expect(Object.fromEntries([...named].map(([kind, { planted }]) => [kind, planted]))).to.deep.equal(kinds)
  })

  for (const kind of Object.keys(kinds))
    it(`are named right in 95 of 100 cases: ${kind} ${idsOf(kind)}`, () => {
      const { planted, right, wrong } = named.get(kind)!
      expect(right / planted, wrong.join('\n')).to.be.at.least(0.95)
    })
})

/** The requirements that ask for a cause. */
function idsOf(kind: string): string {
  const ids = {
    reservation: 'ANOM-23',
    'instance resize': 'ANOM-21',
    schedule: 'ANOM-25',
    usage: 'ANOM-22',
    'new resource': 'ANOM-24',
    'new-account': 'ANOM-26',
    'resource-type': 'ANOM-27',
  }
  const id = Object.entries(ids).find(([start]) => kind.startsWith(start))?.[1] ?? 'ANOM-28'
  return `[${id}]`
}
