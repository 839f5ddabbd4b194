import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { recomputeCostDays } from '#analytics/rollup/cost-rollup.ts'
import { at, node, pod, put } from '#test/analytics/kubernetes-world.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'

let generation = 0

describe('costs of clusters by who used them', () => {
  let ch: ClickHouseClient
  let org: string
  before(async () => void (ch = await testClickHouse()))
  beforeEach(() => void (org = `org-${randomUUID()}`))

  const bill = (...values: object[]) => ch.insert({ table: 'cost_fact', format: 'JSONEachRow', values })
  const hourly = (line: string, cost: string, hour: number, more: object = {}) =>
    fact(org, line, cost, { ResourceId: 'i-1', ChargePeriodStart: at(hour), ChargePeriodEnd: at(hour, 59), ...more })
  const recompute = () =>
    recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2026-01-15' }], String(++generation))
  const parts = async (columns = 'namespace, controller, pod, kind, component, billed_cost'): Promise<string[]> => {
    const query = `SELECT ${columns} FROM kubernetes_cost_slot WHERE org_id = {org:String} AND kind != 'usage'
      AND edition IN (SELECT edition FROM cost_day FINAL WHERE org_id = {org:String}) ORDER BY ALL`
    const result = await ch.query({ query, query_params: { org }, format: 'TabSeparated' })
    return (await result.text()).split('\n').slice(0, -1)
  }

  it('gives a pod the greater of what it requested and used of its machine, and calls the rest idle', async () => {
    await put(ch, 'kubernetes_node', [node(org, 10)])
    await put(ch, 'kubernetes_pod', [pod(org, 10)])
    await bill(hourly('l1', '1', 10))
    await recompute()
    expect(await parts()).to.deep.equal([
      '\t\t\tidle\tcpu\t0.3',
      '\t\t\tidle\tmemory\t0.3',
      'orders\tapi\tapi-1\tworkload\tcpu\t0.3',
      'orders\tapi\tapi-1\tworkload\tmemory\t0.1',
    ])
  })
})
