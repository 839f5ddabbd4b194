import { Shards } from '#engine/store/clickhouse/shards.ts'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { Restatements } from '#analytics/rollup/stale-day/restatement.ts'
import { testClickHouse } from '#test/harness/clickhouse.ts'

describe('days that may be restated', () => {
  it('are not looked at for the minute behind their publication: nobody has seen them for long', async () => {
    const ch = await testClickHouse()
    let asked = 0
    const counting = { query: (given: Parameters<ClickHouseClient['query']>[0]) => (asked++, ch.query(given)) }
    let now = Date.parse('2026-03-10T12:00:00Z')
    const clock = { now: () => now, elapsed: () => performance.now() }
    const restatements = new Restatements(new Shards(counting as unknown as ClickHouseClient), clock)
    const mark = (day: string) => ({ projection: costDays.name, orgId: 'o-restated', key: `acct-1|${day}`, stamp: '1' })
    const looked = async (...days: string[]): Promise<number> => {
      const before = asked
      const marks = days.map(mark)
      expect(await restatements.ready(marks, {})).to.deep.equal(marks)
      return asked - before
    }
    expect(await looked('2026-01-01', '2026-01-02')).to.equal(1)
    restatements.replaced([mark('2026-01-01')], now)
    now += 59_999
    expect(await looked('2026-01-01')).to.equal(0)
    expect(await looked('2026-01-01', '2026-01-02')).to.equal(1)
    now += 1
    expect(await looked('2026-01-01')).to.equal(1)
    restatements.replaced([mark('2026-01-02')], now)
    expect(await looked('2026-01-02')).to.equal(0)
    expect(await looked('2026-01-01')).to.equal(1)
  })

  it('turn over after five minutes, however often lines of theirs come meanwhile', async () => {
    const found = [{ org_id: 'o', cloud_account_id: 'a', day: '2026-01-01', is_restated: 1, bills: [] }]
    const ch = { query: async () => ({ json: async () => found }) } as unknown as ClickHouseClient
    let elapsed = 0
    const restatements = new Restatements(new Shards(ch), {
      now: () => Date.parse('2026-03-10T12:00:00Z'),
      elapsed: () => elapsed,
    })
    const ready = async (): Promise<number> => {
      const mark = { projection: costDays.name, orgId: 'o', key: 'a|2026-01-01', stamp: String(elapsed) }
      return (await restatements.ready([mark], {})).length
    }
    for (; elapsed < 300_000; elapsed += 1000) expect(await ready(), `${elapsed} ms`).to.equal(0)
    expect(await ready()).to.equal(1)
  })
})
