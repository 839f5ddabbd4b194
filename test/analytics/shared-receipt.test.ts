/** What a figure of an earlier time says of lines that several teams share. */
import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { broughtFor } from '#analytics/attribution/sharing.ts'
import { receiptFigure, receiptTotal } from '#analytics/report/questions.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { run } from '#analytics/store/query.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { deepIt } from '#test/harness/tier.ts'

describe('a figure of several teams', () => {
  let ch: ClickHouseClient
  before(async () => void (ch = await testClickHouse()))

  const insert = (org: string, table: string, ...values: object[]) =>
    ch.insert({ table, values: values.map((row) => ({ org_id: org, x_Version: '1', ...row })), format: 'JSONEachRow' })

  /** What the figure of two of three teams says, and what its lines say, which have all that rules select handed out evenly. */
  async function said(org: string, conditions: readonly object[], lines: object[]) {
    await insert(org, 'team_state', ...['a', 'b', 'c'].map((id) => ({ team_id: id, name: id, deleted: 0 })))
    await insert(org, 'team_assignment', { resource_uid: 'i-b', team_id: 'b' })
    const rule = {
      enabled: 1,
      created_at: '2026-01-01 00:00:00.000',
      method: 'even',
      basis: 'billed_cost',
    }
    await insert(
      org,
      'shared_cost_rule',
      ...conditions.map((condition, n) => ({ ...rule, policy_id: `r-${n}`, ...condition })),
    )
    await ch.insert({ table: 'cost_fact', values: lines, format: 'JSONEachRow' })
    await recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2026-01-15' }], '1')
    const as_of = new Date(Date.now() + 60_000).toISOString()
    const ways = { allocated: 1, open_months: 0, divided: 0, shared: 1 }
    const asked = { ...receiptFigure.example, org, as_of, teams: ['b', 'c'], ...ways }
    const brought = await broughtFor((q, own) => run(ch, q, own), asked)
    return [
      await run(ch, receiptFigure, { ...asked, ...brought } as never),
      await run(ch, receiptTotal, { ...asked, ...brought, invoice_ids: [] } as never),
    ]
  }

  const support = { facts: ['line.service'], tag_keys: [''], operators: ['equals'], values: [['support']] }
  const pool = { facts: ['res.tags'], tag_keys: ['pool'], operators: ['exists'], values: [[]] }
  const insertTagged = (org: string) =>
    insert(org, 'resource_state', {
      cloud_account_id: 'acct-1',
      resource_uid: 'i-t',
      first_seen_at: '2026-01-01 00:00:00.000',
      tags: { pool: 'x' },
    })
  const shared = (org: string) => [
    fact(org, 'l1', '9', { ServiceName: 'support' }),
    fact(org, 'l2', '3', { ServiceName: 'support' }),
    fact(org, 'l3', '6', { ServiceName: 'support', ResourceId: 'i-b' }),
    fact(org, 'l4', '20', { ResourceId: 'i-b' }),
  ]

  deepIt(
    'counts each line that they share once, as its receipt does, and those that a tag hands out but none like them',
    async () => {
      const org = `org-${randomUUID()}`
      await insertTagged(org)
      const lines = [...shared(org), fact(org, 'l5', '24', { ResourceId: 'i-t' })]
      // Two thirds of 12, of 6 and of the 24 with the tag, and the 20 that are b's own.
      const figure = [{ all_lines: 5, cost_usd: '48' }]
      expect(await said(org, [support, pool], lines)).to.deep.equal([figure, figure])
    },
  )

  it('counts each line that they share once, as its receipt does', async () => {
    const org = `org-${randomUUID()}`
    // Two thirds of 12 and of 6, and the 20 that are b's own.
    const figure = [{ all_lines: 4, cost_usd: '32' }]
    expect(await said(org, [support], shared(org))).to.deep.equal([figure, figure])
  })

  deepIt('tells lines that a tag hands out from those like them that it does not', async () => {
    const org = `org-${randomUUID()}`
    await insertTagged(org)
    const lines = [fact(org, 'l1', '9', { ResourceId: 'i-t' }), fact(org, 'l2', '20', { ResourceId: 'i-b' })]
    const figure = [{ all_lines: 2, cost_usd: '26' }]
    expect(await said(org, [pool], lines)).to.deep.equal([figure, figure])
  })
})
