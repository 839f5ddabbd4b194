/** What a figure of an earlier time says of lines that several teams share. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { broughtFor } from '#analytics/attribution/sharing.ts'
import { receiptFigure, receiptTotal } from '#analytics/report/questions.ts'
import { recomputeCostDays } from '#analytics/rollup/cost-rollup.ts'
import { run } from '#analytics/store/query.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'

describe('a figure of several teams', () => {
  it('counts each line that they share once, as its receipt does', async () => {
    const ch = await testClickHouse()
    const org = `org-${randomUUID()}`
    const insert = (table: string, ...values: object[]) =>
      ch.insert({
        table,
        values: values.map((row) => ({ org_id: org, x_Version: '1', ...row })),
        format: 'JSONEachRow',
      })
    await insert('team_state', ...['a', 'b', 'c'].map((id) => ({ team_id: id, name: id, deleted: 0 })))
    await insert('team_assignment', { resource_uid: 'i-b', team_id: 'b' })
    await insert('shared_cost_rule', {
      policy_id: 'r',
      enabled: 1,
      created_at: '2026-01-01 00:00:00.000',
      facts: ['line.service'],
      tag_keys: [''],
      operators: ['equals'],
      values: [['support']],
      method: 'even',
      basis: 'billed_cost',
    })
    const lines = [
      fact(org, 'l1', '9', { ServiceName: 'support' }),
      fact(org, 'l2', '3', { ServiceName: 'support' }),
      fact(org, 'l3', '6', { ServiceName: 'support', ResourceId: 'i-b' }),
      fact(org, 'l4', '20', { ResourceId: 'i-b' }),
    ]
    await ch.insert({ table: 'cost_fact', values: lines, format: 'JSONEachRow' })
    await recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2026-01-15' }], '1')
    const as_of = new Date(Date.now() + 60_000).toISOString()
    const asked = {
      ...receiptFigure.example,
      org,
      as_of,
      teams: ['b', 'c'],
      allocated: 1,
      open_months: 0,
      divided: 0,
      shared: 1,
    }
    const brought = await broughtFor((q, own) => run(ch, q, own), asked)
    // Two thirds of 12 and of 6, and the 20 that are b's own.
    const figure = [{ all_lines: 4, cost_usd: '32' }]
    expect(await run(ch, receiptFigure, { ...asked, ...brought } as never)).to.deep.equal(figure)
    expect(await run(ch, receiptTotal, { ...asked, ...brought, invoice_ids: [] } as never)).to.deep.equal(figure)
  })
})
