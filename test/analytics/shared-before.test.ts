// tier: deep
/** Shared costs in questions that compare with the days before. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { withRules } from '#actors/attribution/rule.ts'
import { tagPairs } from '#analytics/tagging/questions.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { run } from '#analytics/store/query.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'

describe('tags of a team beside the month before', () => {
  it('have what rules hand out to it in both months', async () => {
    const ch = await testClickHouse()
    const org = `org-${randomUUID()}`
    const insert = (table: string, ...values: object[]) =>
      ch.insert({
        table,
        values: values.map((row) => ({ org_id: org, x_Version: '1', ...row })),
        format: 'JSONEachRow',
      })
    await insert('team_state', ...['a', 'b'].map((id) => ({ team_id: id, name: id, deleted: 0 })))
    await insert('team_assignment', { resource_uid: 'i-b', team_id: 'b' })
    await insert('resource_state', {
      cloud_account_id: 'acct-1',
      resource_uid: 'i-b',
      first_seen_at: '2025-01-01 00:00:00.000',
      tags: { env: 'prod' },
    })
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
    const days = ['2025-12-15', '2026-01-15']
    const lines = days.flatMap((day, n) => [
      fact(org, `own ${n}`, '20', { ResourceId: 'i-b', x_Day: day }),
      fact(org, `shared ${n}`, '6', { ResourceId: 'i-b', ServiceName: 'support', x_Day: day }),
    ])
    await ch.insert({ table: 'cost_fact', values: lines, format: 'JSONEachRow' })
    const touched = days.map((day) => ({ orgId: org, cloudAccountId: 'acct-1', day }))
    await recomputeCostDays(ch, touched, '1')
    const tools = {
      reads: { rows: async () => [{ allocated: false, shared: true }] as never },
      ask: ((q: never, params: never) => run(ch, q, params)) as never,
    }
    const question = await withRules(tools, tagPairs, { ...tagPairs.example, org, teams: ['b'] })
    const [pair] = await run(ch, tagPairs, question)
    // Its own 20, and half of what is handed out.
    expect([pair?.cost_usd, pair?.prev_usd]).to.deep.equal(['23', '23'])
  })
})
