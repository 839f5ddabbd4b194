import { Shards } from '#engine/store/clickhouse/shards.ts'
import { expect } from 'chai'
import { snapshotActor } from '#actors/snapshot/actor.ts'
import type { Snapshot } from '#actors/snapshot/entity.ts'
import { snapshotJob } from '#actors/snapshot/take.ts'
import { uuidOf } from '#engine/value/id.ts'
import { deepCopy } from '#engine/actor/row.ts'
import { snapshotTaken } from '#streams/snapshot.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const january = { period: '2026-01', totalCostUSD: '310.00', totalSavingsUSD: '12.40', resourceCount: 3 }

describe('actor snapshot', () => {
  it('stores the first totals of a month and never changes them [SNAP-02]', () => {
    const month = new MemoryActor<Snapshot>(snapshotActor as never, { key: '2026-01' })
    const first = month.take(snapshotTaken, january)
    const { x_Version: _, ...row } = first.facts[0]!.row
    expect([first.facts.length, first.facts[0]!.table, row]).to.deep.equal([
      1,
      'snapshot_state',
      {
        org_id: 'o1',
        period: 202601,
        total_cost_usd: '310.00',
        total_savings_usd: '12.40',
        resources: 3,
        created_at: '2026-01-15T10:00:01.000Z',
      },
    ])
    const stored = {
      orgId: 'o1',
      period: '2026-01',
      id: uuidOf('snapshot', 'o1', '2026-01'),
      totalCostUsd: '310.00',
      totalSavingsUsd: '12.40',
      resourceCount: 3,
      createdAt: new Date('2026-01-15T10:00:01Z'),
    }
    expect(deepCopy(month.state)).to.deep.equal(stored)
    const again = month.take(snapshotTaken, { ...january, totalCostUSD: '999', resourceCount: 9 })
    expect([again.facts, deepCopy(month.state)]).to.deep.equal([[], stored])
  })
})

describe('the job monthly-snapshot', () => {
  const ran = async (run: { at: string; period?: string }, closed: readonly string[] = []) => {
    const done: unknown[] = []
    const work = snapshotJob({
      reads: {
        rows: async (_sql: string, [, period]: readonly unknown[]) => closed.filter((one) => one === period),
      } as never,
      ask: async (q, params) => {
        const { org, from, to, cost, saved } = params as Record<string, string>
        done.push([q.name, org, from, to, cost, saved])
        return (q.name === 'cost_total' ? [{ cost_usd: '1.5', savings_usd: '0.25' }] : [{ resources: 2 }]) as never
      },
      shards: new Shards({
        command: async ({ query, query_params: { org, period } }: any) =>
          done.push([/INSERT INTO (\w+)/.exec(query)![1], org, period]),
      } as never),
      publisher: { publish: async ({ data, id }: any) => done.push([id, data]) } as never,
      cost: 'effective_cost',
      saved: 'verified_saved',
    })
    const call = { key: 'job/o1/monthly-snapshot/r-1', orgId: 'o1', attempt: 1, signal: new AbortController().signal }
    const whole = { job: 'monthly-snapshot', runId: 'r-1', isDue: true, through: '', ...run } as const
    const through = await work(whole, call).catch((fault: { code: string }) => fault.code)
    return { through, done }
  }

  it('takes the whole month before the run, keeps its teams and tells it last [SNAP-01]', async () => {
    const about = (from: string, to: string) => [
      ['cost_total', 'o1', from, to, 'effective_cost', 'verified_saved'],
      ['period_resources', 'o1', from, to, undefined, 'verified_saved'],
    ]
    const told = (period: string) => [
      ...['closed_assignment', 'closed_allocation', 'closed_shared_rule', 'closed_share', 'closed_tag'].map((table) => [
        table,
        'o1',
        Number(period.replace('-', '')),
      ]),
      ['job/o1/monthly-snapshot/r-1/taken', { period, totalCostUSD: '1.5', totalSavingsUSD: '0.25', resourceCount: 2 }],
    ]
    expect(await ran({ at: '2028-03-03T05:00:00.000Z' })).to.deep.equal({
      through: '2028-02',
      done: [...about('2028-02-01', '2028-02-29'), ...told('2028-02')],
    })
    expect(await ran({ at: '2026-01-03T05:00:00.000Z' })).to.deep.equal({
      through: '2025-12',
      done: [...about('2025-12-01', '2025-12-31'), ...told('2025-12')],
    })
    expect((await ran({ at: '2026-01-20T10:00:00.000Z', period: '2025-10' })).through).to.equal('2025-10')
  })

  it('does nothing for a closed month, and refuses one that is not over [SNAP-02]', async () => {
    const at = '2026-02-03T05:00:00.000Z'
    expect(await ran({ at }, ['2026-01'])).to.deep.equal({ through: '2026-01', done: [] })
    for (const period of ['2026-02', '2026-03', '2027-01'])
      expect(await ran({ at, period }), period).to.deep.equal({ through: 'month_not_over', done: [] })
  })
})
