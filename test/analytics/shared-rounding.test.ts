/** What rounding leaves of a shared cost, of each of the four costs. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { broughtFor } from '#analytics/attribution/sharing.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { listFilledParams } from '#analytics/store/compose.ts'
import { run } from '#analytics/store/query.ts'
import { january, slices } from '#analytics/store/slice.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'

/** All four costs in one question: planning a question takes longer than running it. */
const sql = `SELECT team_id, toString(sum(billed_cost)) AS billed, toString(sum(effective_cost)) AS effective,
    toString(sum(contracted_cost)) AS contracted, toString(sum(list_cost)) AS list
  FROM cost_slice(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
  WHERE lines > 0
  GROUP BY team_id
  ORDER BY team_id`

describe('a shared cost that teams cannot share evenly', () => {
  it('is handed out to the last decimal, each of the four costs with its own rest', async () => {
    const ch = await testClickHouse()
    const org = `org-${randomUUID()}`
    const insert = (table: string, ...values: object[]) =>
      ch.insert({
        table,
        values: values.map((row) => ({ org_id: org, x_Version: '1', ...row })),
        format: 'JSONEachRow',
      })
    await insert('team_state', ...['a', 'b', 'c', 'd', 'e'].map((id) => ({ team_id: id, name: id, deleted: 0 })))
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
    // A fifth of each is 2, 1, 3 and 4 with 14 zeros less; the rests are 1, 2, 3 and 4 in the last decimal.
    const costs = {
      BilledCost: '10.00000000000001',
      EffectiveCost: '5.00000000000002',
      ContractedCost: '15.00000000000003',
      ListCost: '20.00000000000004',
    }
    await ch.insert({
      table: 'cost_fact',
      values: [fact(org, 'l1', '0', { ServiceName: 'support', ...costs })],
      format: 'JSONEachRow',
    })
    await recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2026-01-15' }], '1')
    const question = { ...january, org, allocated: 1, shared: 1, open_months: 0, divided: 0 }
    const params = { ...question, ...(await broughtFor((q, own) => run(ch, q, own), question)) }
    const composed = slices.compose('four_costs', sql, Object.keys(january))
    const found = await ch.query({
      query: composed.textOf(['charges', 'team_id', ...listFilledParams(params)]),
      query_params: params,
      format: 'JSONCompactEachRow',
    })
    expect(await found.json()).to.deep.equal([
      ['a', '2.00000000000001', '1.00000000000002', '3.00000000000003', '4.00000000000004'],
      ['b', '2', '1', '3', '4'],
      ['c', '2', '1', '3', '4'],
      ['d', '2', '1', '3', '4'],
      ['e', '2', '1', '3', '4'],
    ])
  })
})
