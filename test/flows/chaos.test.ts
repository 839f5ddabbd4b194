import { expect } from 'chai'
import { chaosWorld, Oracle, publishLoad, random, type ChaosWorld } from '#test/harness/chaos.ts'

/** Ends of processes while the load runs. */
const kills = 20

describe('under kills', () => {
  let world: ChaosWorld
  before(async () => void (world = await chaosWorld(2)))
  after(() => world.close())

  it('loses nothing and doubles nothing: facts and rollups equal the oracle after 20 kills of engine, ClickHouse, NATS and PostgreSQL [STREAM-06]', async function () {
    this.timeout(180_000)
    const seed = Date.now() % 1_000_000
    const next = random(seed)
    const oracle = new Oracle()
    let isLoading = true
    const loading = publishLoad(
      world,
      { seed, lines: 4000, orgs: 3, accounts: 2, days: 9, pauseMs: 25 },
      oracle,
    ).finally(() => (isLoading = false))
    const counts: Record<string, number> = {}
    for (let i = 0; i < kills; i++) {
      const target = (['engine', 'engine', 'clickhouse', 'nats', 'postgres'] as const)[Math.floor(next() * 5)]!
      counts[target] = (counts[target] ?? 0) + 1
      await new Promise((resolve) => setTimeout(resolve, 300 + next() * 900))
      if (target === 'engine') world.engines.kill(next())
      else kill(world.stores[target].pid())
    }
    const lanes = await loading
    await settledAfter(world, lanes)
    const told = `seed ${seed}, kills ${JSON.stringify(counts)}, load ${isLoading ? 'running' : 'done'}`
    const lines = await world.facts<{ n: string }>(
      `SELECT count() AS n FROM cost_fact FINAL WHERE x_OrgId LIKE 'chaos-${seed}-%'`,
    )
    expect(Number(lines[0]!.n), `lines; ${told}`).to.equal(oracle.count)
    expect(
      await sums(`SELECT x_OrgId AS org, x_CloudAccountId AS account, toString(x_Day) AS day, toString(sum(BilledCost)) AS cost
      FROM cost_fact FINAL WHERE x_OrgId LIKE 'chaos-${seed}-%' GROUP BY org, account, day`),
      `facts; ${told}`,
    ).to.deep.equal(oracle.days())
    expect(
      await sums(`SELECT org_id AS org, cloud_account_id AS account, toString(day) AS day, toString(sum(billed_cost)) AS cost
      FROM cost_daily WHERE org_id LIKE 'chaos-${seed}-%' GROUP BY org, account, day`),
      `rollups; ${told}`,
    ).to.deep.equal(oracle.days())
    const dead = await world.pool.query('select count(*)::int as n from dead_letter')
    expect(dead.rows[0].n, `dead letters; ${told}`).to.equal(0)
  })

  async function sums(sql: string): Promise<Record<string, string>> {
    const rows = await world.facts<{ org: string; account: string; day: string; cost: string }>(sql)
    return Object.fromEntries(
      rows
        .map(({ org, account, day, cost }) => [`${org}|${account}|${day}`, cost] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    )
  }
})

function kill(pid: number | undefined): void {
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
}

/** Waits until the lanes have committed everything and no day is left to add up. */
async function settledAfter(world: ChaosWorld, lanes: ReadonlyMap<number, number>): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    const found = await world.pool
      .query(
        `select (select count(*) from lane l join unnest($1::int[], $2::bigint[]) as w(lane, seq) on w.lane = l.lane and l.cursor < w.seq)::int
           + (select count(*) from mark)::int as left`,
        [[...lanes.keys()], [...lanes.values()]],
      )
      .catch(() => undefined)
    if (found?.rows[0].left === 0) return
    if (performance.now() > end) throw new Error(`not settled: ${JSON.stringify(found?.rows)} ${world.engines.tail}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
