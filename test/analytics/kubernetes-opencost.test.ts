// tier: deep
/** Where the division of costs is that of the OpenCost specification, and each place where it is another: "Compared with OpenCost" in docs/kubernetes.md. */
import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { priceParts } from '#streams/cloud/reference/machine-price.ts'
import { at, node, object, pod, put } from '#test/analytics/kubernetes-world.ts'
import { openCost, type Workload } from '#test/analytics/kubernetes-opencost.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'

const gib = 1_048_576
/** Two cores, 8 GiB, a dollar an hour. */
const machine = { cores: 2, gib: 8, usdHour: 1 }
const { cpu: cpu_ppm } = priceParts({ provider: 'aws', type: '', region: '', cpuCores: 2, memoryGib: 8, gpus: 0 })
const workload = (name: string, more: Partial<Workload> = {}): Workload => ({
  name,
  hours: 1,
  cpuRequest: 0.5,
  cpuUsage: 1,
  gibRequest: 2,
  gibUsage: 1,
  ...more,
})

describe('a cluster beside the OpenCost specification', () => {
  let ch: ClickHouseClient
  before(async () => void (ch = await testClickHouse()))

  /** Billed cost by pod and kind, in order of component: `api-1 workload cpu`. */
  async function divided(
    rows: (org: string) => { nodes: object[]; pods: object[]; objects?: object[]; lines: object[] },
  ): Promise<Record<string, number>> {
    const org = `org-${randomUUID()}`
    const { nodes, pods, objects = [], lines } = rows(org)
    await put(
      ch,
      'kubernetes_node',
      nodes.map((row) => ({ ...row, cpu_ppm })),
    )
    await put(ch, 'kubernetes_pod', pods as never)
    await put(ch, 'kubernetes_object', objects as never)
    await ch.insert({ table: 'cost_fact', format: 'JSONEachRow', values: lines })
    await recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2026-01-15' }], '1')
    const query = `SELECT trimBoth(concat(pod, ' ', kind, ' ', component)), toFloat64(sum(billed_cost)) FROM kubernetes_cost_slot
      WHERE org_id = {org:String} AND kind != 'usage' GROUP BY 1`
    const result = await ch.query({ query, query_params: { org }, format: 'JSONCompactEachRow' })
    return Object.fromEntries(await result.json<[string, number]>())
  }
  const line = (org: string, hour: number, cost = '1', more: object = {}) =>
    fact(org, `l${hour}`, cost, {
      ResourceId: 'i-1',
      ChargePeriodStart: at(hour),
      ChargePeriodEnd: at(hour, 59),
      ...more,
    })

  it('is the same where a machine ran for the whole hours that its bill is of, and pods fit', async () => {
    const ours = await divided((org) => ({ nodes: [node(org, 10)], pods: [pod(org, 10)], lines: [line(org, 10)] }))
    const theirs = openCost({ ...machine, hoursRunning: 1 }, [workload('api-1')])
    // Within a millionth of the machine: parts are kept in millionths.
    expect(ours['api-1 workload cpu']).to.be.closeTo(theirs.costs[0]!.cpu, 1e-6)
    expect(ours['api-1 workload memory']).to.be.closeTo(theirs.costs[0]!.memory, 1e-6)
    expect(ours['idle cpu']).to.be.closeTo(theirs.idle.cpu, 1e-6)
    expect(ours['idle memory']).to.be.closeTo(theirs.idle.memory, 1e-6)
  })

  it('is of the bill, where theirs is of the time that the machine ran', async () => {
    const ours = await divided((org) => ({
      nodes: [node(org, 10, { seconds: 600 })],
      pods: [],
      lines: [line(org, 10)],
    }))
    expect(ours['idle cpu']! + ours['idle memory']!).to.be.closeTo(1, 1e-12)
    const { total } = openCost({ ...machine, hoursRunning: 1 / 6 }, [])
    expect(total.cpu + total.memory).to.be.closeTo(1 / 6, 1e-12)
  })

  it('takes the greater of request and use in each hour, where theirs takes means of the window', async () => {
    const ours = await divided((org) => ({
      nodes: [node(org, 10), node(org, 11)],
      pods: [pod(org, 10), pod(org, 11, { cpu_used: 0 })],
      lines: [line(org, 10), line(org, 11)],
    }))
    const theirs = openCost({ ...machine, hoursRunning: 2 }, [workload('api-1', { hours: 2, cpuUsage: 0.5 })])
    // 1 and 0.5 of four core hours, of two dollars, against twice 0.5.
    expect(ours['api-1 workload cpu']).to.be.closeTo((1.5 / 4) * 2 * (cpu_ppm / 1e6), 1e-8)
    expect(theirs.costs[0]!.cpu).to.be.closeTo((1 / 4) * 2 * (cpu_ppm / 1e6), 1e-6)
  })

  it('is never more than the machine cost, where theirs has less than nothing idle', async () => {
    const ours = await divided((org) => ({
      nodes: [node(org, 10)],
      pods: [pod(org, 10, { cpu_used: 3000 }), pod(org, 10, { pod: 'api-2' })],
      lines: [line(org, 10)],
    }))
    expect(ours['idle cpu']).to.equal(undefined)
    expect(ours['api-1 workload cpu']).to.be.closeTo((3 / 4) * (cpu_ppm / 1e6), 1e-8)
    const theirs = openCost({ ...machine, hoursRunning: 1 }, [workload('api-1', { cpuUsage: 3 }), workload('api-2')])
    expect(theirs.idle.cpu).to.be.closeTo(-1 * (cpu_ppm / 1e6), 1e-6)
  })

  it('leaves hours that nobody told of unmeasured, where theirs has neither cost nor idle of them', async () => {
    const ours = await divided((org) => ({ nodes: [node(org, 10)], pods: [], lines: [line(org, 11)] }))
    expect(ours).to.deep.equal({ 'unmeasured compute': 1 })
    expect(openCost({ ...machine, hoursRunning: 0 }, []).total).to.deep.equal({ cpu: 0, memory: 0 })
  })

  it('gives accelerators by requests, whatever is used of them', async () => {
    const ours = await divided((org) => ({
      nodes: [node(org, 10, { gpu_millis: 2000, gpu_ppm: 1_000_000 - cpu_ppm })],
      pods: [pod(org, 10, { gpu_request: 1000 })],
      lines: [line(org, 10)],
    }))
    expect(ours['api-1 workload gpu']).to.be.closeTo((1 - cpu_ppm / 1e6) / 2, 1e-8)
  })

  it('divides what a disk is billed at among those that mount it, where theirs prices the size that was claimed', async () => {
    const ours = await divided((org) => ({
      nodes: [node(org, 10)],
      pods: [pod(org, 10), pod(org, 10, { pod: 'api-2', memory_request: gib })],
      objects: [object(org, 10, { pods: ['api-1', 'api-2'] })],
      lines: [line(org, 10, '0.3', { ResourceId: 'vol-1' })],
    }))
    expect(ours).to.deep.equal({ 'api-1 workload storage': 0.15, 'api-2 workload storage': 0.15 })
  })
})
