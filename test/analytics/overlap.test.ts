import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { recomputeCostDays, type Rollup } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { random } from '#test/harness/load.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { amount, deepIt, sample } from '#test/harness/tier.ts'

const days = ['2026-01-14', '2026-01-15', '2026-01-16']

describe('charges that a payer and the account itself were billed', () => {
  let ch: ClickHouseClient
  let org: string
  let generation = 0
  before(async () => {
    ch = await testClickHouse()
  })
  beforeEach(async () => {
    org = randomUUID()
    await insert('account_state', [
      {
        org_id: org,
        cloud_account_id: 'member',
        provider: 'aws',
        external_id: 'm',
        removed: 0,
        x_Version: '1',
      },
    ])
  })

  const insert = (table: string, values: object[]) => ch.insert({ table, values, format: 'JSONEachRow' })
  const paid = (id: string, cost: number, sub: string, day: string) =>
    fact(org, id, cost, { x_CloudAccountId: 'payer', SubAccountId: sub, x_Day: day, ResourceId: 'r1' })
  const own = (id: string, cost: number, day: string, more: object = {}) =>
    fact(org, id, cost, { x_CloudAccountId: 'member', SubAccountId: 'm', x_Day: day, ResourceId: 'r1', ...more })
  const compute = (accounts: readonly string[], more: Rollup = {}, of: readonly string[] = days) =>
    recomputeCostDays(
      ch,
      accounts.flatMap((cloudAccountId) => of.map((day) => ({ orgId: org, cloudAccountId, day }))),
      String(++generation),
      more,
    )

  async function rows<T>(query: string): Promise<T[]> {
    const result = await ch.query({ query, query_params: { org }, format: 'JSONEachRow' })
    return result.json<T>()
  }
  /** Dollars by usage account and account that was billed. */
  const sums = async () =>
    Object.fromEntries(
      (
        await rows<{ usage: string; biller: string; cost: number }>(
          `SELECT cloud_account_id AS usage, billing_account_id AS biller, toFloat64(sum(billed_cost)) AS cost
           FROM cost_daily WHERE org_id = {org:String} GROUP BY ALL ORDER BY ALL`,
        )
      ).map(({ usage, biller, cost }) => [`${usage} of ${biller}`, cost]),
    )
  const lines = async () =>
    (await rows<{ id: string }>(`SELECT x_LineId AS id FROM cost_lines WHERE x_OrgId = {org:String} ORDER BY id`)).map(
      ({ id }) => id,
    )
  const linesAt = async () =>
    (
      await rows<{ id: string }>(
        `SELECT x_LineId AS id FROM cost_lines_at(org = {org:String}, from = toDate32('2026-01-01'), to = toDate32('2026-01-31'), as_of = '') ORDER BY id`,
      )
    ).map(({ id }) => id)
  const shadows = () =>
    rows(
      `SELECT cloud_account_id, toString(day) AS day, usage_account_id, sub_account_id, counted_in, toUInt32(lines) AS lines, toFloat64(billed_cost) AS usd
       FROM bill_shadow FINAL WHERE org_id = {org:String} AND lines > 0 ORDER BY ALL`,
    )

  for (const first of sample(['payer', 'member'] as const, 1))
    it(`count once, in the payer's bill, on the days that both have, when that of the ${first} came first [G-116]`, async () => {
      await insert('cost_fact', [
        paid('p1', 70, 'm', days[0]!),
        paid('p2', 5, 'x', days[0]!),
        own('o1', 71, days[0]!),
        // The payer's bill does not reach this day yet.
        own('o2', 40, days[1]!),
        own('o3', 2, days[0]!, { x_Source: 'estimate', ServiceName: 'storage', ResourceId: '' }),
      ])
      const [one, other] = first === 'payer' ? ['payer', 'member'] : ['member', 'payer']
      await compute([one!])
      expect(await compute([other!])).to.equal(true)
      expect(await sums()).to.deep.equal({ 'member of member': 40, 'member of payer': 70, 'payer of payer': 5 })
      expect([await lines(), await linesAt()]).to.deep.equal([
        ['o2', 'p1', 'p2'],
        ['o2', 'p1', 'p2'],
      ])
      expect(await shadows()).to.deep.equal([
        {
          cloud_account_id: 'member',
          day: days[0],
          usage_account_id: 'member',
          sub_account_id: 'm',
          counted_in: ['payer'],
          lines: 2,
          usd: 73,
        },
      ])
    })

  deepIt("count once, in the account's own bill, where the organization wants that [G-116]", async () => {
    await insert('cost_fact', [
      paid('p1', 70, 'm', days[0]!),
      paid('p2', 5, 'x', days[0]!),
      paid('p3', 9, 'm', days[1]!),
      own('o1', 71, days[0]!),
    ])
    await compute(['payer', 'member'])
    expect(await sums()).to.deep.equal({ 'member of payer': 79, 'payer of payer': 5 })
    await compute(['member'], { countsMembers: (orgId) => orgId === org })
    expect(await sums()).to.deep.equal({ 'member of member': 71, 'member of payer': 9, 'payer of payer': 5 })
    expect([await lines(), await linesAt()]).to.deep.equal([
      ['o1', 'p2', 'p3'],
      ['o1', 'p2', 'p3'],
    ])
    expect(await shadows()).to.deep.equal([
      {
        cloud_account_id: 'payer',
        day: days[0],
        usage_account_id: 'member',
        sub_account_id: 'm',
        counted_in: ['member'],
        lines: 1,
        usd: 70,
      },
    ])
    await compute(['payer'])
    expect(await sums()).to.deep.equal({ 'member of payer': 79, 'payer of payer': 5 })
  })

  deepIt("count once in each account's own bill, whichever of them is computed again [G-116]", async () => {
    await insert('account_state', [
      { org_id: org, cloud_account_id: 'other', provider: 'aws', external_id: 'x', removed: 0, x_Version: '1' },
    ])
    await insert('cost_fact', [
      paid('p1', 70, 'm', days[0]!),
      paid('p2', 5, 'x', days[0]!),
      own('o1', 71, days[0]!),
      own('o2', 6, days[0]!, { x_CloudAccountId: 'other', SubAccountId: 'x' }),
    ])
    const members = { countsMembers: (orgId: string) => orgId === org }
    await compute(['payer', 'member', 'other'], members)
    const once = { 'member of member': 71, 'other of other': 6 }
    expect(await sums()).to.deep.equal(once)
    expect(await compute(['member'], members)).to.equal(true)
    expect([await sums(), await lines()]).to.deep.equal([once, ['o1', 'o2']])
  })

  deepIt("count again in the account's own bill once the payer's is without them [G-116]", async () => {
    await insert('cost_fact', [paid('p1', 70, 'm', days[0]!), own('o1', 71, days[0]!)])
    await compute(['payer', 'member'])
    expect(await sums()).to.deep.equal({ 'member of payer': 70 })
    await insert('cost_fact', [{ ...paid('p1', 70, 'm', days[0]!), x_Deleted: 1, x_Version: '2' }])
    await compute(['payer'])
    expect([await sums(), await lines(), await shadows()]).to.deep.equal([{ 'member of member': 71 }, ['o1'], []])
  })

  it('are those of two payers, who both count: nobody knows which is another charge [G-116]', async () => {
    await insert('cost_fact', [
      paid('p1', 70, 'm', days[0]!),
      { ...paid('q1', 8, 'm', days[0]!), x_CloudAccountId: 'second' },
    ])
    await compute(['payer', 'second'])
    expect(await sums()).to.deep.equal({ 'member of payer': 70, 'member of second': 8 })
  })

  deepIt('count once whatever comes, goes and is computed in whatever order [G-116]', async () => {
    const number = random(116)
    const pick = <T>(of: readonly T[]): T => of[Math.floor(number() * of.length)]!
    for (let round = 0; round < amount(20, 20, 60); round++) {
      org = randomUUID()
      await insert('account_state', [
        {
          org_id: org,
          cloud_account_id: 'member',
          provider: 'aws',
          external_id: 'm',
          removed: 0,
          x_Version: '1',
        },
      ])
      const there = new Map<string, { biller: string; sub: string; day: string; cost: number }>()
      let version = 1
      for (let step = 0; step < 8; step++) {
        const [biller, day] = [pick(['payer', 'member']), pick(days)]
        const sub = biller === 'member' ? 'm' : pick(['m', 'x'])
        const id = `${biller}-${sub}-${day}`
        const cost = Math.floor(number() * 9000) / 100 + 1
        const isGone = there.has(id) && number() < 0.5
        const line = biller === 'payer' ? paid(id, cost, sub, day) : own(id, cost, day)
        await insert('cost_fact', [{ ...line, x_Version: String(++version), x_Deleted: Number(isGone) }])
        if (isGone) there.delete(id)
        else there.set(id, { biller, sub, day, cost })
        await compute([biller], {}, [day])
      }
      const all = [...there.values()]
      const counted = all.filter(
        (line) =>
          line.biller === 'payer' ||
          !all.some((other) => other.biller === 'payer' && other.sub === 'm' && other.day === line.day),
      )
      const expected = new Map<string, number>()
      for (const { biller, sub, cost } of counted) {
        const name = `${sub === 'm' ? 'member' : 'payer'} of ${biller}`
        expected.set(name, Math.round(((expected.get(name) ?? 0) + cost) * 100) / 100)
      }
      const found = Object.fromEntries(
        Object.entries(await sums()).map(([name, cost]) => [name, Math.round(cost * 100) / 100]),
      )
      expect(found).to.deep.equal(Object.fromEntries([...expected].toSorted(([a], [b]) => (a < b ? -1 : 1))))
      expect(await lines()).to.have.length(counted.length)
    }
  })
})
