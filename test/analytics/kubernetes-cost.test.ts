import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { podLabels } from '#analytics/kubernetes/questions.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { at, clusterUid, node, object, pod, put } from '#test/analytics/kubernetes-world.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { deepIt } from '#test/harness/tier.ts'

let generation = 0
/** Half of it is over when days are computed. */
const today = '2026-02-15'
type Row = Record<string, unknown>

describe('costs of clusters by who used them', () => {
  let ch: ClickHouseClient
  let org: string
  /** What `divided` plants, each in an organization of its own. */
  const planted: { own: string; day: string; plant: () => Promise<unknown> }[] = []
  // The days of all are computed in one run: a run takes a second, whatever it is of.
  before(async () => {
    ch = await testClickHouse()
    held = new Map()
    for (const { own, plant } of planted) {
      org = own
      await plant()
    }
    const all = held
    held = undefined
    for (const [table, values] of all) await put(ch, table, values)
    const days = planted.map(({ own, day }) => ({ orgId: own, cloudAccountId: 'acct-1', day }))
    await recomputeCostDays(ch, days, String(++generation), { now: new Date(`${today}T12:00:00Z`) })
  })
  beforeEach(() => void (org = `org-${randomUUID()}`))

  /** Rows that are put in together, by their table: as many inserts as there are tables. */
  let held: Map<string, Row[]> | undefined
  const add = async (table: string, values: Row[]): Promise<void> => {
    if (held) held.set(table, [...(held.get(table) ?? []), ...values])
    else await put(ch, table, values)
  }
  const bill = (...values: Row[]) => add('cost_fact', values)
  const hourly = (line: string, cost: string, hour: number, more: object = {}) =>
    fact(org, line, cost, { ResourceId: 'i-1', ChargePeriodStart: at(hour), ChargePeriodEnd: at(hour, 59), ...more })
  const daily = (line: string, cost: string, more: object = {}) =>
    hourly(line, cost, 0, { ChargePeriodEnd: '2026-01-16 00:00:00', ...more })
  const recompute = () =>
    recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2026-01-15' }], String(++generation))
  const parts = async (columns = 'namespace, controller, pod, kind, component, billed_cost'): Promise<string[]> => {
    const query = `SELECT ${columns} FROM kubernetes_cost_slot WHERE org_id = {org:String} AND kind != 'usage'
      AND edition IN (SELECT edition FROM cost_day FINAL WHERE org_id = {org:String}) ORDER BY ALL`
    const result = await ch.query({ query, query_params: { org }, format: 'TabSeparated' })
    return (await result.text()).split('\n').slice(0, -1)
  }

  /** A test of what a day is divided into once `plant` has put its rows in. */
  const divided = (title: string, plant: () => Promise<unknown>, check: () => Promise<unknown>, day = '2026-01-15') => {
    const own = `org-${randomUUID()}`
    planted.push({ own, day, plant })
    it(title, () => {
      org = own
      return check()
    })
  }

  it('leave those labels out of workloads that reports refuse to be asked by', () => {
    const sql = readFileSync(
      new URL('../../analytics/rollup/daily-cost/kubernetes_workload.sql', import.meta.url),
      'utf8',
    )
    const [, list = ''] = /NOT IN \(([^)]*)\)/.exec(sql) ?? []
    expect([...list.matchAll(/'([^']+)'/g)].map(([, key]) => key)).to.deep.equal(podLabels)
  })

  divided(
    'gives a pod the greater of what it requested and used of its machine, and calls the rest idle',
    async () => {
      await add('kubernetes_node', [node(org, 10)])
      await add('kubernetes_pod', [pod(org, 10)])
      await bill(hourly('l1', '1', 10))
    },
    async () =>
      expect(await parts()).to.deep.equal([
        '\t\t\tidle\tcpu\t0.3',
        '\t\t\tidle\tmemory\t0.3',
        'orders\tapi\tapi-1\tworkload\tcpu\t0.3',
        'orders\tapi\tapi-1\tworkload\tmemory\t0.1',
      ]),
  )

  divided(
    'spreads a line of a day over what its machine was up: half an hour and two whole ones',
    async () => {
      const others = Array.from({ length: 24 }, (_, hour) => node(org, hour, { node: 'n2', resource_uid: 'i-2' }))
      await add('kubernetes_node', [...others, node(org, 10, { seconds: 1800 }), node(org, 11), node(org, 12)])
      await add('kubernetes_pod', [pod(org, 11)])
      await bill(daily('l1', '5'))
    },
    async () => {
      // 1 + 2 + 2. The pod has 0.3 and 0.1 of the second.
      expect(await parts()).to.deep.equal([
        '\t\t\tidle\tcpu\t2.4',
        '\t\t\tidle\tmemory\t1.8',
        'orders\tapi\tapi-1\tworkload\tcpu\t0.6',
        'orders\tapi\tapi-1\tworkload\tmemory\t0.2',
      ])
    },
  )

  divided(
    'has no gap in hours in which a cluster is told to have had no nodes',
    async () => {
      const none = { node: '', resource_uid: '', cpu_millicores: 0, memory_kib: 0, cpu_ppm: 0 }
      const silent = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => hour !== 10)
      await add('kubernetes_node', [node(org, 10), ...silent.map((hour) => node(org, hour, none))])
      await add('kubernetes_pod', [pod(org, 10)])
      await bill(fact(org, 'l1', '1', { ResourceId: 'i-1' }))
    },
    async () =>
      expect(await parts('kind, component, billed_cost')).to.deep.equal([
        'idle\tcpu\t0.3',
        'idle\tmemory\t0.3',
        'workload\tcpu\t0.3',
        'workload\tmemory\t0.1',
      ]),
  )

  divided(
    'leaves what falls into hours of which nobody told anything unmeasured',
    async () => {
      await add('kubernetes_node', [node(org, 10), node(org, 11)])
      await bill(daily('l1', '24'))
    },
    async () =>
      expect(await parts()).to.deep.equal([
        '\t\t\tidle\tcpu\t1.2',
        '\t\t\tidle\tmemory\t0.8',
        '\t\t\tunmeasured\tcompute\t22',
      ]),
  )

  divided(
    'leaves a line whose machine was up in none of its hours unmeasured as a whole',
    async () => {
      await add('kubernetes_node', [node(org, 10), node(org, 11, { node: 'n2', resource_uid: 'i-2' })])
      await bill(hourly('l1', '3', 11))
    },
    async () => expect(await parts()).to.deep.equal(['\t\t\tunmeasured\tcompute\t3']),
  )

  divided(
    'counts hours that are still to come for nothing',
    async () => {
      const of = (hour: number) => node(org, hour, { day: today, from: `${today} ${hour}:00:00` })
      await add('kubernetes_node', [of(10), of(11)])
      const whole = { ChargePeriodStart: `${today} 00:00:00`, ChargePeriodEnd: '2026-02-16 00:00:00' }
      await bill(fact(org, 'l1', '24', { x_Day: today, ResourceId: 'i-1', ...whole }))
    },
    async () =>
      // Twelve hours, ten of them silent: 2 each.
      expect(await parts()).to.deep.equal([
        '\t\t\tidle\tcpu\t2.4',
        '\t\t\tidle\tmemory\t1.6',
        '\t\t\tunmeasured\tcompute\t20',
      ]),
    today,
  )

  divided(
    'gives a pod of seven minutes what it had in these, cut at the milliard of the hour',
    async () => {
      await add('kubernetes_node', [node(org, 10)])
      await add('kubernetes_pod', [pod(org, 10, { seconds: 420 })])
      await bill(hourly('l1', '1', 10))
    },
    async () => {
      // 0.6 * 420 / 7200 and 0.4 * 840 / 28800 = 0.01166666...
      expect(await parts()).to.deep.equal([
        '\t\t\tidle\tcpu\t0.565',
        '\t\t\tidle\tmemory\t0.388333334',
        'orders\tapi\tapi-1\tworkload\tcpu\t0.035',
        'orders\tapi\tapi-1\tworkload\tmemory\t0.011666666',
      ])
    },
  )

  divided(
    'takes each hour at its own price',
    async () => {
      await add('kubernetes_node', [node(org, 10), node(org, 11)])
      await add('kubernetes_pod', [pod(org, 11)])
      const spot = { x_PurchaseType: 'spot' }
      await bill(hourly('l1', '0.1', 10, spot), hourly('l2', '0.3', 11, spot))
    },
    async () =>
      expect(await parts()).to.deep.equal([
        '\t\t\tidle\tcpu\t0.15',
        '\t\t\tidle\tmemory\t0.13',
        'orders\tapi\tapi-1\tworkload\tcpu\t0.09',
        'orders\tapi\tapi-1\tworkload\tmemory\t0.03',
      ]),
  )

  divided(
    'prices a machine without a bill by the tables',
    async () => {
      await add('kubernetes_node', [node(org, 10, { price: '0.1', seconds: 1800 })])
      await add('kubernetes_pod', [pod(org, 10, { seconds: 1800 })])
    },
    async () =>
      expect(await parts('kind, component, estimated, billed_cost')).to.deep.equal([
        'idle\tcpu\t1\t0.015',
        'idle\tmemory\t1\t0.015',
        'workload\tcpu\t1\t0.015',
        'workload\tmemory\t1\t0.005',
      ]),
  )

  divided(
    'divides the estimates of a bill',
    async () => {
      await add('kubernetes_node', [node(org, 10)])
      await bill(hourly('l1', '1', 10, { x_Source: 'estimate' }), hourly('l2', '1', 10, { x_Source: 'estimate' }))
    },
    async () =>
      expect(await parts('kind, component, estimated, estimated_lines, billed_cost')).to.deep.equal([
        'idle\tcpu\t0\t2\t1.2',
        'idle\tmemory\t0\t2\t0.8',
      ]),
  )

  // Bills that are replaced are also in the clusters of chance (kubernetes-random.test.ts).
  deepIt('prices a machine without a bill by the tables until the bill comes', async () => {
    await add('kubernetes_node', [node(org, 10, { price: '0.1', seconds: 1800 })])
    await add('kubernetes_pod', [pod(org, 10, { seconds: 1800 })])
    await recompute()
    await bill(hourly('l1', '1', 10))
    await recompute()
    expect(await parts('kind, component, estimated, billed_cost')).to.deep.equal([
      'idle\tcpu\t0\t0.3',
      'idle\tmemory\t0\t0.3',
      'workload\tcpu\t0\t0.3',
      'workload\tmemory\t0\t0.1',
    ])
  })

  deepIt('divides estimates of bills until an actual line comes', async () => {
    await add('kubernetes_node', [node(org, 10)])
    await bill(hourly('l1', '1', 10, { x_Source: 'estimate' }), hourly('l2', '1', 10, { x_Source: 'estimate' }))
    await recompute()
    await bill(hourly('l3', '5', 10))
    await recompute()
    expect(await parts('kind, component, estimated, estimated_lines, billed_cost')).to.deep.equal([
      'idle\tcpu\t0\t0\t3',
      'idle\tmemory\t0\t0\t2',
    ])
  })

  divided(
    'gives a disk to the pods that mount its claim, evenly, and to the claim where none does',
    async () => {
      await add('kubernetes_node', [node(org, 10), node(org, 11)])
      await add('kubernetes_pod', [pod(org, 10), pod(org, 10, { pod: 'api-2' })])
      await add('kubernetes_object', [object(org, 10, { pods: ['api-2', 'api-1'] }), object(org, 11)])
      await bill(hourly('l1', '1', 10, { ResourceId: 'vol-1' }), hourly('l2', '2', 11, { ResourceId: 'vol-1' }))
    },
    async () =>
      expect(await parts('controller_kind, controller, pod, kind, component, billed_cost')).to.deep.equal([
        'deployment\tapi\tapi-1\tworkload\tstorage\t0.5',
        'deployment\tapi\tapi-2\tworkload\tstorage\t0.5',
        'persistentvolumeclaim\tdata\t\tworkload\tstorage\t2',
      ]),
  )

  divided(
    'divides a day of which claims and services alone were told: what is left of a cluster without nodes',
    async () => {
      const service = { kind: 'service', resource_uid: 'lb-1' }
      await add('kubernetes_object', [
        object(org, 10),
        object(org, 10, { ...service, name: 'web' }),
        object(org, 10, { ...service, name: 'api' }),
      ])
      await bill(hourly('l1', '1', 10, { ResourceId: 'vol-1' }), hourly('l2', '3', 10, { ResourceId: 'lb-1' }))
    },
    async () =>
      expect(await parts('controller_kind, controller, component, billed_cost')).to.deep.equal([
        'persistentvolumeclaim\tdata\tstorage\t1',
        'service\tapi\tload_balancer\t1.5',
        'service\tweb\tload_balancer\t1.5',
      ]),
  )

  divided(
    'gives traffic to pods by metered bytes, what cutting leaves to the first of them, and to the cluster where none are',
    async () => {
      await add('kubernetes_node', [node(org, 10), node(org, 11)])
      const names = ['a-silent', 'b', 'c', 'd']
      const pods = names.map((name, n) => pod(org, 10, { pod: name, network_bytes: n === 0 ? null : 7 }))
      await add('kubernetes_pod', pods)
      const traffic = { SkuMeter: 'USE1-DataTransfer-Out-Bytes', ConsumedUnit: 'GB' }
      await bill(hourly('l1', '1', 10, traffic), hourly('l2', '2', 11, traffic))
    },
    async () =>
      expect(await parts('pod, kind, component, billed_cost')).to.deep.equal([
        '\toverhead\tnetwork\t2',
        'b\tworkload\tnetwork\t0.333333334',
        'c\tworkload\tnetwork\t0.333333333',
        'd\tworkload\tnetwork\t0.333333333',
      ]),
  )

  divided(
    'calls lines of the cluster itself overhead, also of hours that nobody told of',
    async () => {
      await add('kubernetes_node', [node(org, 10)])
      await bill(
        daily('l1', '2.4', { ResourceId: clusterUid }),
        daily('l2', '0.6', { ResourceId: clusterUid, SkuMeter: 'DataTransfer-Out-Bytes' }),
      )
    },
    async () => expect(await parts()).to.deep.equal(['\t\t\toverhead\tcontrol_plane\t3']),
  )

  divided(
    'divides credits as what they are of, and each of the four costs by itself',
    async () => {
      await add('kubernetes_node', [node(org, 10)])
      await add('kubernetes_pod', [pod(org, 10)])
      await bill(
        hourly('l1', '-0.5', 10, { ChargeCategory: 'Credit', EffectiveCost: '-1', ContractedCost: '0', ListCost: '2' }),
      )
    },
    async () =>
      expect(await parts('kind, component, billed_cost, effective_cost, contracted_cost, list_cost')).to.deep.equal([
        'idle\tcpu\t-0.15\t-0.3\t0\t0.6',
        'idle\tmemory\t-0.15\t-0.3\t0\t0.6',
        'workload\tcpu\t-0.15\t-0.3\t0\t0.6',
        'workload\tmemory\t-0.05\t-0.1\t0\t0.2',
      ]),
  )

  divided(
    'gives what cutting leaves to the largest part, of equal ones to the first',
    async () => {
      await add('kubernetes_node', [node(org, 10)])
      await add('kubernetes_pod', [pod(org, 10)])
      await bill(hourly('l1', '0.00000000000001', 10))
    },
    async () =>
      expect(await parts('kind, component, billed_cost')).to.deep.equal([
        'idle\tcpu\t0.00000000000001',
        'idle\tmemory\t0',
        'workload\tcpu\t0',
        'workload\tmemory\t0',
      ]),
  )

  divided(
    'keeps nodes apart whose machines are not known',
    async () => {
      const unknown = { resource_uid: '', price: '0.1' }
      await add('kubernetes_node', [node(org, 10, unknown), node(org, 10, { ...unknown, node: 'n2', price: '0.2' })])
      await add('kubernetes_pod', [pod(org, 10, { node: 'n2' })])
    },
    async () =>
      expect(await parts('resource_uid, node, kind, component, billed_cost')).to.deep.equal([
        '\tn1\tidle\tcpu\t0.06',
        '\tn1\tidle\tmemory\t0.04',
        '\tn2\tidle\tcpu\t0.06',
        '\tn2\tidle\tmemory\t0.06',
        '\tn2\tworkload\tcpu\t0.06',
        '\tn2\tworkload\tmemory\t0.02',
      ]),
  )

  divided(
    'divides a machine among pods that want more than there is by what they want, and leaves nothing idle',
    async () => {
      await add('kubernetes_node', [node(org, 10)])
      const wants = { cpu_request: 3000, memory_request: 0, memory_used: null }
      await add('kubernetes_pod', [pod(org, 10, wants), pod(org, 10, { ...wants, pod: 'api-2', cpu_request: 1000 })])
      await bill(hourly('l1', '1', 10))
    },
    async () =>
      expect(await parts('pod, kind, component, billed_cost')).to.deep.equal([
        '\tidle\tmemory\t0.4',
        'api-1\tworkload\tcpu\t0.45',
        'api-2\tworkload\tcpu\t0.15',
      ]),
  )

  divided(
    'has the labels that were told of a pod first',
    async () => {
      await add('kubernetes_node', [node(org, 10), node(org, 11)])
      await add('kubernetes_pod', [pod(org, 11, { labels: { app: 'new' } }), pod(org, 10, { labels: { app: 'old' } })])
      await bill(daily('l1', '24'))
    },
    async () =>
      expect(await parts('pod, component, labels, billed_cost')).to.deep.include.members([
        "api-1\tcpu\t{'app':'old'}\t0.6",
        "api-1\tmemory\t{'app':'old'}\t0.2",
      ]),
  )
})
