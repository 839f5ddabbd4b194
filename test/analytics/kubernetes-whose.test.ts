// tier: deep
import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { anomalyCandidates, anomalySeries } from '#analytics/anomaly/questions.ts'
import { budgetSpend } from '#analytics/budget/questions.ts'
import { billedResources } from '#analytics/recommendation/questions.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { run } from '#analytics/store/query.ts'
import { addDays } from '#engine/value/day.ts'
import { clusterUid, node, pod, put } from '#test/analytics/kubernetes-world.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'

const last = '2026-01-20'
const namespace = `${clusterUid}/namespace/orders`
const workload = `${clusterUid}/orders/deployment/api`

/**
 * Nine days of a machine that costs 100 a day, of which the pod has 40 of a hundred; on the last day it asks for all of it. Its use is
 * told of the hour of the line.
 */
describe('whose the costs of clusters are', () => {
  let ch: ClickHouseClient
  let org: string
  const days = Array.from({ length: 9 }, (_, back) => addDays(last, -back))

  before(async () => {
    ch = await testClickHouse()
    org = `org-${randomUUID()}`
    const of = (day: string) => ({ day, from: `${day} 10:00:00` })
    await put(
      ch,
      'kubernetes_node',
      days.map((day) => node(org, 10, of(day))),
    )
    const whole = { cpu_request: 2000, memory_request: 8 * 1_048_576 }
    await put(
      ch,
      'kubernetes_pod',
      days.map((day) => pod(org, 10, { ...of(day), ...(day === last && whole) })),
    )
    const line = (day: string) =>
      fact(org, `l-${day}`, '100', {
        x_Day: day,
        ResourceId: 'i-1',
        ChargePeriodStart: `${day} 10:00:00`,
        ChargePeriodEnd: `${day} 11:00:00`,
      })
    await ch.insert({ table: 'cost_fact', format: 'JSONEachRow', values: days.map(line) })
    const group = { org_id: org, group_id: 'g-orders', x_Version: '1' }
    await put(ch, 'resource_group_state', [{ ...group, name: 'Orders' }])
    // Both hold the same costs: they count once.
    const members = [namespace, workload].map((resource_uid) => ({ ...group, resource_uid }))
    await put(ch, 'resource_group_member', members)
    const marked = days.map((day) => ({ orgId: org, cloudAccountId: 'acct-1', day }))
    await recomputeCostDays(ch, marked, '1')
  })

  it('is the group that holds their namespace or workload, each cost once, and so its budget', async () => {
    const asked = {
      ...budgetSpend.example,
      org,
      from: days.at(-1)!,
      to: last,
      ids: ['g-orders'],
      by_day: 0,
      divided: 1,
    }
    expect(await run(ch, budgetSpend, asked as never)).to.deep.equal([
      { scope: 'resource_group', id: 'g-orders', day: '', cost_usd: '420' },
    ])
  })

  it('is looked at for anomalies as a resource, and in its groups; the machine costs what it cost', async () => {
    const asked = {
      ...anomalyCandidates.example,
      org,
      from: addDays(last, -30),
      to: last,
      days_min: 7,
      usd_min: 1,
      percent: 50,
    }
    const rows = await run(ch, anomalyCandidates, { ...asked, divided: 1 } as never)
    expect(rows.map(({ type, key, actual, expected }) => [type, key, actual, expected])).to.deep.equal([
      ['resource', namespace, 100, 40],
      ['resource_group', 'g-orders', 100, 40],
    ])
    const series = { ...anomalySeries.example, org, from: addDays(last, -30), to: last, days: 1, divided: 1 }
    for (const one of [{ uids: [namespace] }, { group: 'g-orders' }]) {
      const [row] = await run(ch, anomalySeries, { ...series, ...one } as never)
      expect([row?.actual, row?.expected], JSON.stringify(one)).to.deep.equal([100, 40])
    }
  })

  it('is what rules know of a workload: its part of machines', async () => {
    const asked = {
      ...billedResources.example,
      org,
      account: 'acct-1',
      today: addDays(last, 1),
      uids: [workload, 'i-1'],
    }
    const rows = await run(ch, billedResources, asked)
    expect(rows.map(({ resource_uid, days: n, month_usd }) => [resource_uid, n, month_usd])).to.deep.equal([
      [workload, 9, 420],
      ['i-1', 9, 900],
    ])
  })
})
