import { expect } from 'chai'
import { findOutdatedDays } from '#analytics/rollup/stale-day/outdated-day.ts'
import { recomputeDays } from '#config/upkeep/recompute-days.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { kubernetesUsage, type KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const account = 'acct|%1'
const dayOf = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
/** On the first day two pods, on the second one of them, on the third none. */
const days = [dayOf(5), dayOf(4), dayOf(3)] as const
const gib = 1024 ** 3
const half = { node: 'n1', controllerKind: 'deployment', cpuRequest: 1, memoryRequest: 4 * gib }
const orders = { ...half, namespace: 'orders', name: 'api-1', controllerName: 'api', labels: { team: 'shop' } }
const search = { ...half, namespace: 'search', name: 'index-1', controllerName: 'index', labels: { team: 'data' } }
const podsOf = [[orders, search], [orders], []]

/** An hour of a machine of 4 cores and 16 GiB: a pod has a quarter of it. */
const usage = (day: string, pods: NonNullable<KubernetesUsage['pods']>): KubernetesUsage => ({
  clusterUid: 'shop-eu',
  clusterName: 'shop',
  provider: 'aws',
  from: `${day}T10:00:00Z`,
  seconds: 3600,
  nodes: [{ name: 'n1', resourceUid: 'i-1', cpuCores: 4, memoryBytes: 16 * gib }],
  pods,
})

const line = (day: string) => ({
  lineId: `${day}/i-1`,
  cloudAccountId: account,
  provider: 'aws' as const,
  resourceUid: 'i-1',
  serviceName: 'ec2',
  usageDate: day,
  costUSD: 1,
  exportedAt: `${day}T23:00:00Z`,
  ChargePeriodStart: `${day}T10:00:00Z`,
  ChargePeriodEnd: `${day}T11:00:00Z`,
})

describe('idle costs of clusters, shared', () => {
  let org: Tenant
  const report = async (from: string, to: string, more = '') => {
    const { body } = await org.get(`/reports/kubernetes?from=${from}&to=${to}&idle=shared${more}`)
    const { items, totals } = body.data
    const shown = items.map(({ label, costUSD, idleUSD }: any) => `${label} ${costUSD} ${idleUSD}`)
    return [shown, `${totals.idleUSD} ${totals.itemsUSD}`]
  }

  before(async () => {
    org = await tenant()
    const told = days.map((day, n) => usage(day, podsOf[n]!))
    await org.publish(kubernetesUsage, told, { place: account })
    await org.publish(billingLine, days.map(line))
    await until('they are divided', async () => {
      const { totals } = (await org.get(`/reports/kubernetes?from=${days[0]}&to=${days[2]}`)).body.data
      return totals.costUSD === '3' && totals.workloadUSD === '0.75'
    })
  })

  it('are those of each day, to who used the cluster on it; of a day without anybody they stay idle', async () => {
    const [first, second, third] = days
    expect(await Promise.all([first, second, third].map((day) => report(day, day)))).to.deep.equal([
      [['orders 0.5 0.25', 'search 0.5 0.25'], '0.5 1'],
      [['orders 1 0.75'], '0.75 1'],
      [['Idle of shop 1 0'], '1 1'],
    ])
  })

  it('are over a range what they are of its days together, by whatever workloads are grouped', async () => {
    const of = (more = '') => report(days[0], days[2], more)
    const sums = '2.25 3'
    const groups: readonly [group: string, items: readonly string[]][] = [
      ['', ['orders 1.5 1', 'Idle of shop 1 0', 'search 0.5 0.25']],
      ['&group_by=controller', ['deployment/api 1.5 1', 'Idle of shop 1 0', 'deployment/index 0.5 0.25']],
      ['&group_by=pod', ['api-1 1.5 1', 'Idle of shop 1 0', 'index-1 0.5 0.25']],
      ['&group_by=node', ['n1 2 1.25', 'Idle of n1 1 0']],
      ['&group_by=cluster', ['shop 2 1.25', 'Idle of shop 1 0']],
      ['&group_by=label:team', ['shop 1.5 1', 'Idle 1 0', 'data 0.5 0.25']],
    ]
    expect(await Promise.all(groups.map(([group]) => of(group)))).to.deep.equal(
      groups.map(([, items]) => [items, sums]),
    )
  })

  it('come with what is narrowed to, and are in no other figure', async () => {
    expect(await report(days[0], days[2], '&label=team=shop')).to.deep.equal([['orders 1.5 1'], '0 1.5'])
    const shown = (await org.get(`/reports/kubernetes?from=${days[0]}&to=${days[2]}`)).body.data
    expect(shown.items.map(({ label, costUSD, idleUSD }: any) => [label, costUSD, idleUSD])).to.deep.equal([
      ['Idle of shop', '2.25', '0'],
      ['orders', '0.5', '0'],
      ['search', '0.25', '0'],
    ])
  })

  deepIt('are handed out of days that were divided by a version that did not, and of no others', async () => {
    const { clickhouse } = org.connections
    const over = new AbortController()
    const lacking = async () =>
      (await findOutdatedDays(clickhouse, 1000)).filter(({ orgId }) => orgId === org.orgId).map(({ day }) => day)
    const columns = ['cpu', 'memory', 'gpu'].flatMap((component) =>
      ['billed', 'effective', 'contracted', 'list'].map((cost) => `${component}_idle_${cost}_cost = 0`),
    )
    expect(await lacking()).to.deep.equal([])
    for (const table of ['kubernetes_namespace_slot', 'kubernetes_workload_slot'])
      await clickhouse.command({
        query: `ALTER TABLE ${table} UPDATE ${columns.join()} WHERE org_id = {org:String}`,
        query_params: { org: org.orgId },
        clickhouse_settings: { mutations_sync: '2' },
      })
    // Of the third day nobody used anything.
    expect(await lacking()).to.deep.equal([days[1], days[0]])
    expect((await report(days[0], days[2], '&limit=19'))[0]).to.deep.equal([
      'Idle of shop 2.25 0',
      'orders 0.5 0',
      'search 0.25 0',
    ])
    await until('somebody looks', async () => (await recomputeDays(org.connections, over.signal)) !== undefined)
    await until('they are there again', async () => (await lacking()).length === 0)
    const shared = [['orders 1.5 1', 'Idle of shop 1 0', 'search 0.5 0.25'], '2.25 3']
    await until('reports have them', async () => {
      const found = await report(days[0], days[2])
      return JSON.stringify(found) === JSON.stringify(shared)
    })
  })
})
