// tier: deep
/** An hour of a recorded cluster, divided by what its pods requested. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { intervalOf, nodeRow, podRow } from '#actors/kubernetes/usage.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import type { KubernetesUsage, UsedPod } from '#streams/kubernetes/messages.ts'
import { put } from '#test/analytics/kubernetes-world.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { describeReal } from '#test/real/data.ts'
import { linesOf, recordings, type Json } from '#test/real/inventory/recording.ts'

/** Of a g1-small in us-central1: pricing/libcloud_on_demand_2023-08-06.json.gz. */
const usdHour = '0.0257'
const machine = (name: string) => `projects/ambient-antenna-305619/zones/us-central1-c/instances/${name}`

const cores = (text = '0'): number => (text.endsWith('m') ? Number(text.slice(0, -1)) / 1000 : Number(text))
const bytes = (text = '0'): number =>
  Number.parseInt(text) * (text.endsWith('Mi') ? 1024 ** 2 : text.endsWith('Ki') ? 1024 : 1)
const total = (values: number[]): number => values.reduce((all, one) => all + one, 0)

const podOf = ({ metadata, spec }: Json): UsedPod => ({
  namespace: metadata.namespace,
  name: metadata.name,
  node: spec.nodeName,
  controllerKind: metadata.ownerReferences[0].kind,
  controllerName: metadata.ownerReferences[0].name,
  cpuRequest: total(spec.containers.map(({ resources }: Json) => cores(resources.requests?.cpu))),
  memoryRequest: total(spec.containers.map(({ resources }: Json) => bytes(resources.requests?.memory))),
})

/** The recorded nodes and pods, as they were from 19:00 to 20:00, after the last of them had begun. */
function usageIn(path: string): KubernetesUsage {
  const items = (list: string): Json[] =>
    JSON.parse(linesOf(path).find(({ uri }: Json) => new URL(uri).pathname === `/api/v1/${list}`)!.responseBody).items
  return {
    clusterUid: 'my-first-cluster-1',
    provider: 'gcp',
    from: '2021-08-11T19:00:00Z',
    seconds: 3600,
    nodes: items('nodes').map(({ metadata, spec, status }) => ({
      name: metadata.name,
      providerID: spec.providerID,
      instanceType: metadata.labels['node.kubernetes.io/instance-type'],
      region: metadata.labels['topology.kubernetes.io/region'],
      cpuCores: cores(status.capacity.cpu),
      memoryBytes: bytes(status.capacity.memory),
    })),
    pods: items('pods').map(podOf),
  }
}

/**
 * Each machine has a core and 1,725,160 KiB (1.645240...GiB). Of 0.031611 + 1.645240... * 0.004237 a core is 819,322 millionths.
 * A pod of c thousandths of a core and m MiB has 819,322 c and floor(180,678,000 * 1024 m / 1,725,160) milliardths of 0.0257:
 *   260 m, 110 MiB   213,023,720   11,796,917    0.00547470960400   0.00030318076690
 *    20 m,  10 MiB    16,386,440    1,072,447    0.00042113150800   0.00002756188790
 *   100 m             81,932,200                 0.00210565754000
 *    10 m,  20 MiB     8,193,220    2,144,894    0.00021056575400   0.00005512377580
 *    48 m, 105 MiB    39,327,456   11,260,693    0.00101071561920   0.00028939981010
 * Idle is what is left of 819,322,000 and of 180,678,000: on the first 507,979,640 and 165,663,742, on the second 698,062,344 and
 * 167,272,413, on the third 516,172,860 and 164,591,295.
 */
const expected = [
  'llng  idle cpu 0.013055076748',
  'llng  idle memory 0.0042575581694',
  'llng kube-dns-56646bfd69 workload cpu 0.005474709604',
  'llng kube-dns-56646bfd69 workload memory 0.0003031807669',
  'llng kube-dns-autoscaler-844c9d9448 workload cpu 0.000421131508',
  'llng kube-dns-autoscaler-844c9d9448 workload memory 0.0000275618879',
  'llng node workload cpu 0.00210565754',
  'llng pdcsi-node workload memory 0.0000551237758',
  'q19w  idle cpu 0.0179402022408',
  'q19w  idle memory 0.0042989010141',
  'q19w metrics-server-v0.3.6-9c5bbf784 workload cpu 0.0010107156192',
  'q19w metrics-server-v0.3.6-9c5bbf784 workload memory 0.0002893998101',
  'q19w node workload cpu 0.00210565754',
  'q19w pdcsi-node workload memory 0.0000551237758',
  'qlf5  idle cpu 0.013265642502',
  'qlf5  idle memory 0.0042299962815',
  'qlf5 kube-dns-56646bfd69 workload cpu 0.005474709604',
  'qlf5 kube-dns-56646bfd69 workload memory 0.0003031807669',
  'qlf5 l7-default-backend-56cb9644f6 workload cpu 0.000210565754',
  'qlf5 l7-default-backend-56cb9644f6 workload memory 0.0000551237758',
  'qlf5 node workload cpu 0.00210565754',
  'qlf5 pdcsi-node workload memory 0.0000551237758',
]

describeReal('costs of a recorded cluster', (folder) => {
  it('are those of its machines, by what its pods requested, worked out by hand', async () => {
    const usage = usageIn(recordings(folder, 'k8s', /^wire_gke.*\.jsonl\.gz$/)[0]!)
    const ch = await testClickHouse()
    const org = `org-${randomUUID()}`
    const of = intervalOf(usage, org, 'acct-1', new Date())
    const versioned = (row: object) => ({ ...row, x_Version: '1' })
    await put(
      ch,
      'kubernetes_node',
      usage.nodes!.map((one) => versioned(nodeRow(of, usage, one))),
    )
    await put(
      ch,
      'kubernetes_pod',
      usage.pods!.map((one) => versioned(podRow(of, one))),
    )
    const hour = {
      x_Day: '2021-08-11',
      ChargePeriodStart: '2021-08-11 19:00:00',
      ChargePeriodEnd: '2021-08-11 20:00:00',
    }
    const lines = usage.nodes!.map(({ name }) =>
      fact(org, name, usdHour, { ...hour, x_Provider: 'gcp', ResourceId: machine(name) }),
    )
    await ch.insert({ table: 'cost_fact', format: 'JSONEachRow', values: lines })
    await recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2021-08-11' }], '1')

    // Static pods are run by their node.
    const query = `SELECT concat_ws(' ', substring(node, -4), if(controller_kind = 'node', 'node', controller), kind, component, toString(billed_cost))
      FROM kubernetes_cost_slot WHERE org_id = {org:String} AND kind != 'usage' AND billed_cost != 0 ORDER BY 1`
    const result = await ch.query({ query, query_params: { org }, format: 'JSONCompactEachRow' })
    const found = (await result.json<[string]>()).map(([row]) => row)
    expect(found).to.deep.equal(expected)
    const sum = await ch.query({
      query: 'SELECT toString(sum(billed_cost)) AS usd FROM kubernetes_cost_slot WHERE org_id = {org:String}',
      query_params: { org },
      format: 'JSONEachRow',
    })
    expect(await sum.json()).to.deep.equal([{ usd: '0.0771' }])
  })
})
