import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { componentCosts, kubernetesCosts } from '#analytics/kubernetes/questions.ts'
import { costFlow } from '#analytics/cost/questions.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { run } from '#analytics/store/query.ts'
import { clusterUid, node, pod, put } from '#test/analytics/kubernetes-world.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { deepIt } from '#test/harness/tier.ts'

const day = '2026-01-15'
const uid = (path: string) => `${clusterUid.replace(':cluster/', ':pod/')}/${path}`

/** A machine of 10 dollars, of which a bill gives 6 and 3 to two pods and leaves 1 with the machine. */
describe('pods that a bill names', () => {
  let ch: ClickHouseClient
  let org: string
  let generation = 0

  const line = (id: string, cost: number, more: object = {}) =>
    fact(org, id, cost, { ChargePeriodStart: `${day} 10:00:00`, ChargePeriodEnd: `${day} 11:00:00`, ...more })
  const bill = (more: object = {}) => [
    line('l1', 10, { ResourceId: 'i-1', ...more }),
    line('l2', -9, { ResourceId: 'i-1', ...more }),
    line('l3', 4, {
      ResourceId: uid('orders/api-1/u1'),
      SkuMeter: 'USE1-EKS-EC2-vCPU-Hours',
      Tags: {
        'aws:eks:workload-name': 'api',
        'aws:eks:workload-type': 'Deployment',
        'aws:eks:node': 'n1',
        team: 'shop',
      },
      ...more,
    }),
    line('l4', 2, {
      ResourceId: uid('orders/api-1/u1'),
      SkuMeter: 'USE1-EKS-EC2-GB-Hours',
      Tags: { aws_eks_workload_name: 'api', aws_eks_workload_type: 'Deployment', aws_eks_node: 'n1', team: 'shop' },
      ...more,
    }),
    line('l5', 3, { ResourceId: uid('web/front/u2'), ...more }),
  ]

  async function compute(accounts: string[], lines: object[]): Promise<void> {
    await put(ch, 'cost_fact', lines as never)
    const days = accounts.map((cloudAccountId) => ({ orgId: org, cloudAccountId, day }))
    await recomputeCostDays(ch, days, String(++generation))
  }

  async function costs(more: object): Promise<unknown[]> {
    const asked = { ...kubernetesCosts.example, ...componentCosts('billed_cost'), org, from: day, to: day, ...more }
    const rows = await run(ch, kubernetesCosts, asked as never)
    return rows.map((row) => [
      row.of_namespace,
      row.controller_kind,
      row.controller,
      row.pod,
      row.label_value,
      row.kind,
      row.cost_usd,
    ])
  }

  before(async () => {
    ch = await testClickHouse()
  })

  beforeEach(() => {
    org = randomUUID()
  })

  it('cost what it gives them, where nobody measured use, by namespace, workload, pod and label', async () => {
    await compute(['acct-1'], bill())
    expect(await costs({ by_controller: 1, by_pod: 1 })).to.deep.equal([
      ['orders', 'deployment', 'api', 'api-1', '', 'workload', '6'],
      ['web', '', '', 'front', '', 'workload', '3'],
    ])
    expect(await costs({ by_namespace: 0, label: 'team' })).to.deep.equal([
      ['', '', '', '', 'shop', 'workload', '6'],
      ['', '', '', '', '', 'workload', '3'],
    ])
    const clusters = { ...costFlow.example, org, from: day, to: day, d1: 'cluster', d2: 'nothing', divided: 1 }
    const flow = await run(ch, costFlow, clusters as never)
    expect(flow.map(({ d1, cost_usd }) => [d1, cost_usd])).to.have.deep.members([
      [clusterUid, '9'],
      ['', '1'],
    ])
    const [all] = await run(ch, kubernetesCosts, {
      ...kubernetesCosts.example,
      org,
      from: day,
      to: day,
      by_namespace: 0,
    } as never)
    expect([all!.cluster, all!.cost_usd, all!.cpu_usd, all!.memory_usd]).to.deep.equal([clusterUid, '9', '4', '2'])
  })

  deepIt('keep it where use was measured, and the rest of the machine is divided by use', async () => {
    // The pod has 0.3 of processors and 0.1 of memory of what the machine has left: 0.40 of 1.00.
    await put(ch, 'kubernetes_node', [node(org, 10)])
    await put(ch, 'kubernetes_pod', [pod(org, 10)])
    await compute(['acct-1'], bill())
    expect(await costs({ by_controller: 1, idle: 'shown' })).to.deep.equal([
      ['orders', 'deployment', 'api', '', '', 'workload', '6.4'],
      ['web', '', '', '', '', 'workload', '3'],
      ['', '', '', '', '', 'idle', '0.6'],
    ])
  })

  deepIt('are of the account whose machine it is, though a payer is billed, until the payer’s bill goes', async () => {
    const account = {
      org_id: org,
      cloud_account_id: 'member',
      provider: 'aws',
      external_id: '111111111111',
      removed: 0,
      x_Version: '1',
    }
    await put(ch, 'account_state', [account])
    const lines = bill({ x_CloudAccountId: 'payer', SubAccountId: '111111111111' })
    await compute(['payer'], lines)
    expect(await costs({ accounts: ['member'] })).to.deep.equal([
      ['orders', '', '', '', '', 'workload', '6'],
      ['web', '', '', '', '', 'workload', '3'],
    ])
    expect(await costs({ accounts: ['payer'] })).to.deep.equal([])
    await compute(
      ['payer'],
      bill({ x_CloudAccountId: 'payer', SubAccountId: '111111111111', ResourceId: 'i-1', x_Version: '2' }),
    )
    expect(await costs({})).to.deep.equal([])
  })
})
