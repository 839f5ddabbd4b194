// tier: deep
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { ShownBill } from '#analytics/billing/bill.ts'
import { accountFreshness } from '#analytics/cost/questions.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { run } from '#analytics/store/query.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'

const days = ['2026-01-13', '2026-01-14', '2026-01-15', '2026-01-16']
const bill = (exportId: string): ShownBill => ({
  exportId,
  period: '2026-01',
  from: days[0]!,
  to: days.at(-1)!,
  isComplete: true,
})

describe('how far the bills of an account reach [G-115]', () => {
  it('is the newest day with a line, and the newest that another export brought again with the same sums', async () => {
    const ch = await testClickHouse()
    const org = `org-${randomUUID()}`
    const exported = (x_ExportId: string, ...costs: readonly (string | undefined)[]) =>
      ch.insert({
        table: 'bill_line',
        format: 'JSONEachRow',
        values: costs.flatMap((cost, at) =>
          cost === undefined
            ? []
            : [{ ...fact(org, `line-${at}`, cost, { x_Day: days[at] }), x_ExportId, x_BillingPeriod: '2026-01' }],
        ),
      })
    let generation = 1
    const show = async (exportId: string, at: string) =>
      recomputeCostDays(
        ch,
        days.map((day) => ({ orgId: org, cloudAccountId: 'acct-1', day })),
        String(generation++),
        { now: new Date(at), shown: { [`${org}|acct-1`]: [bill(exportId)] } },
      )
    const reach = async () =>
      (
        await run(ch, accountFreshness, {
          org,
          from: '2026-01-01',
          to: '2026-01-31',
          as_of: '',
          accounts: [],
          providers: [],
        })
      ).map((row) => [row.billed_since, row.billed_through, row.confirmed_through])
    await exported('e1', '10', '20', '7', '1')
    await exported('e2', '10', '20', '8')
    await show('e1', '2026-01-17T04:00:00Z')
    expect(await reach()).to.deep.equal([['2026-01-13', '2026-01-16', '']])
    // The 15th costs more than before, and the line of the 16th is gone.
    await show('e2', '2026-01-18T04:00:00Z')
    expect(await reach()).to.deep.equal([['2026-01-13', '2026-01-15', '2026-01-14']])
    await show('e3', '2026-01-19T04:00:00Z')
    expect(await reach()).to.deep.equal([])
  })
})
