import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { kubernetesHours } from '#analytics/kubernetes/questions.ts'
import { migrate } from '#analytics/store/migrate.ts'
import { run } from '#analytics/store/query.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { foldUsage } from '#analytics/rollup/daily-usage/fold-usage.ts'
import { at, node, object, pod, put } from '#test/analytics/kubernetes-world.ts'
import { emptyDatabase, fact } from '#test/harness/clickhouse.ts'
import { deepIt, sample } from '#test/harness/tier.ts'

const now = new Date('2026-04-01T00:00:00Z')
const gib = 1_048_576
const podsSql = 'SELECT * FROM kubernetes_pods WHERE org_id = {org:String} ORDER BY ALL'

describe('usage of clusters by day', () => {
  let ch: ClickHouseClient
  let drop: () => Promise<void>
  let generation = 0
  let org = ''

  before(async () => {
    ;({ ch, drop } = await emptyDatabase())
    await migrate(ch)
  })
  after(() => drop())

  const rows = async (query: string): Promise<string[]> => {
    const result = await ch.query({ query, query_params: { org }, format: 'TabSeparated' })
    return (await result.text()).split('\n').slice(0, -1)
  }
  const count = async (table: string) =>
    Number((await rows(`SELECT count() FROM ${table} FINAL WHERE org_id = {org:String}`))[0])
  const recompute = () =>
    recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2026-01-15' }], String(++generation), { now })
  const costs = async () => {
    await recompute()
    return rows(`SELECT namespace, pod, kind, component, billed_cost FROM kubernetes_cost_slot
      WHERE org_id = {org:String} AND kind != 'usage' AND edition IN (SELECT edition FROM cost_day FINAL) ORDER BY ALL`)
  }
  /** Everything that reports and analysts read, without when it was computed. */
  const reported = async () => {
    const slots = ['cost', 'idle', 'workload', 'namespace'].map((name) =>
      rows(`SELECT * EXCEPT (slot, generation) FROM kubernetes_${name}_slot
        WHERE org_id = {org:String} AND edition IN (SELECT edition FROM cost_day FINAL) ORDER BY ALL`),
    )
    const hours = await run(ch, kubernetesHours, { ...kubernetesHours.example, org })
    return [...(await Promise.all(slots)), hours, await rows(podsSql)]
  }
  const folded = (client = ch) => foldUsage(client, now)
  /** Until intervals are gone: the second call finds them in folds. */
  const foldWhole = async () => {
    expect(await folded()).to.deep.equal([])
    return folded()
  }

  /**
   * A machine of two cores and 8 GiB; six tenths of its price are for cores. api-1 has half a core and 2 GiB of it,
   * used a whole core in hour 10 and none that was measured in hour 11.
   */
  async function plant(own: string): Promise<void> {
    org = own
    await put(ch, 'kubernetes_node', [node(org, 10), node(org, 11)])
    await put(ch, 'kubernetes_pod', [
      pod(org, 10),
      pod(org, 11, { cpu_used: null, memory_used: null }),
      pod(org, 11, {
        pod: 'job-1',
        controller_kind: 'job',
        controller: 'import',
        from: at(11, 30),
        seconds: 900,
        network_bytes: 7,
      }),
    ])
    await put(ch, 'kubernetes_object', [object(org, 10, { pods: ['api-1'] })])
    await put(ch, 'cost_fact', [
      fact(org, 'l1', '1', { ResourceId: 'i-1', ChargePeriodStart: at(10), ChargePeriodEnd: at(11) }),
      fact(org, 'l2', '1', { ResourceId: 'i-1', ChargePeriodStart: at(11), ChargePeriodEnd: at(12) }),
      fact(org, 'l3', '0.5', { ResourceId: 'vol-1', ChargePeriodStart: at(10), ChargePeriodEnd: at(11) }),
    ])
  }

  // Hour 10: 0.6 × 1 of 2 cores, 0.4 × 2 of 8 GiB. Hour 11: half a core, 2 GiB; job-1 ran for a quarter of it with half a
  // core requested and a whole one used (0.6 × 0.25/2), and 2 GiB requested (0.4 × 0.5/8).
  const divided = [
    '\t\tidle\tcpu\t0.675',
    '\t\tidle\tmemory\t0.575',
    'orders\tapi-1\tworkload\tcpu\t0.45',
    'orders\tapi-1\tworkload\tmemory\t0.2',
    'orders\tapi-1\tworkload\tstorage\t0.5',
    'orders\tjob-1\tworkload\tcpu\t0.075',
    'orders\tjob-1\tworkload\tmemory\t0.025',
  ]

  it('has one row per pod and node, from which a day is divided as from its hours', async () => {
    await plant('o-whole')
    expect(await costs()).to.deep.equal(divided)
    const before = await reported()
    expect(await foldWhole()).to.deep.equal([
      { table: 'kubernetes_node', rows: 2 },
      { table: 'kubernetes_pod', rows: 3 },
    ])
    expect(await Promise.all(['kubernetes_node', 'kubernetes_pod'].map(count))).to.deep.equal([0, 0])
    expect(await Promise.all(['kubernetes_node_day', 'kubernetes_pod_day'].map(count))).to.deep.equal([1, 2])
    expect(await costs()).to.deep.equal(divided)
    expect(await reported()).to.deep.equal(before)
    // A bill of ten times as much is divided by the same hours.
    await put(ch, 'cost_fact', [
      fact(org, 'l1', '10', { ResourceId: 'i-1', ChargePeriodStart: at(10), ChargePeriodEnd: at(11), x_Version: '2' }),
    ])
    expect((await costs()).slice(0, 4)).to.deep.equal([
      '\t\tidle\tcpu\t3.375',
      '\t\tidle\tmemory\t3.275',
      'orders\tapi-1\tworkload\tcpu\t3.15',
      'orders\tapi-1\tworkload\tmemory\t1.1',
    ])
  })

  const tables = ['kubernetes_node', 'kubernetes_pod', 'kubernetes_node_day', 'kubernetes_pod_day']
  const days = `days = [({org:String}, 'acct-1', '2026-01-15')]`
  /** What a day is divided by. */
  const weights = async () => [
    await rows(`SELECT * EXCEPT (began, x_Version) FROM kubernetes_node_row(${days}) ORDER BY ALL`),
    await rows(podsSql),
  ]

  // The commands of two calls. Of a table: drop, create, fill, exchange, drop; then parts are dropped, those of nodes first.
  for (const at of sample([...Array(12).keys()], 2))
    for (const isSent of sample([at % 2 === 0, at % 2 !== 0], 1))
      it(`loses and doubles nothing if it ends ${isSent ? 'after' : 'before'} command ${at}, and completes later`, async () => {
        for (const table of tables) await ch.command({ query: `TRUNCATE TABLE ${table}` })
        await plant(`o-ends-${at}-${isSent}`)
        const before = await weights()
        const client = endsAt(ch, at, isSent)
        const ended = await folded(client)
          .then(() => folded(client))
          .catch((error: Error) => error.message)
        expect(ended).to.equal('killed')
        expect(await weights(), 'killed').to.deep.equal(before)
        for (let again = 0; again < 2; again++) await folded()
        expect(await weights(), 'completed').to.deep.equal(before)
        expect(await Promise.all(tables.map(count))).to.deep.equal([0, 0, 1, 2])
      })

  /** Half of a third hour of a folded day, in which a core of two was used and 2 of 8 GiB requested. */
  async function fillGap(own: string): Promise<void> {
    await plant(own)
    await foldWhole()
    await put(ch, 'kubernetes_node', [node(org, 12)])
    await put(ch, 'kubernetes_pod', [pod(org, 12, { from: at(12, 30), seconds: 1800 })])
    await put(ch, 'cost_fact', [
      fact(org, 'l4', '4', { ResourceId: 'i-1', ChargePeriodStart: at(12), ChargePeriodEnd: at(13) }),
    ])
  }
  // 2.4 × 0.5/2 and 1.6 × 1/8 more than before.
  const more = [
    '\t\tidle\tcpu\t2.475',
    '\t\tidle\tmemory\t1.975',
    'orders\tapi-1\tworkload\tcpu\t1.05',
    'orders\tapi-1\tworkload\tmemory\t0.4',
    ...divided.slice(4),
  ]

  it('adds an interval that fills a gap of a folded day, at once and in the next fold', async () => {
    await fillGap('o-late')
    expect(await costs()).to.deep.equal(more)
    const before = await weights()
    await foldWhole()
    expect(await weights()).to.deep.equal(before)
  })

  deepIt('adds a second interval of an hour that was folded without it', async () => {
    await fillGap('o-later')
    await foldWhole()
    // The first half of the hour: then it has a core throughout.
    await put(ch, 'kubernetes_pod', [pod(org, 12, { seconds: 1800 })])
    const later = [
      '\t\tidle\tcpu\t1.875',
      '\t\tidle\tmemory\t1.775',
      'orders\tapi-1\tworkload\tcpu\t1.65',
      'orders\tapi-1\tworkload\tmemory\t0.6',
      ...divided.slice(4),
    ]
    expect(await costs()).to.deep.equal(later)
    await foldWhole()
    expect(await costs()).to.deep.equal(later)
  })

  it('keeps what an interval said when it was folded: sent again, it changes nothing', async () => {
    await plant('o-again')
    await foldWhole()
    const before = await weights()
    await put(ch, 'kubernetes_pod', [pod(org, 10, { cpu_request: 2000, memory_request: 8 * gib, x_Version: '2' })])
    expect(await weights()).to.deep.equal(before)
    await folded()
    expect([await count('kubernetes_pod'), await weights()]).to.deep.equal([0, before])
  })

  it('takes intervals of five minutes for what they are together, and only months that have ended', async () => {
    org = 'o-minutes'
    await put(ch, 'kubernetes_node', [node(org, 10), node(org, 10, { day: '2026-04-01', from: '2026-04-01 10:00:00' })])
    const minutes = Array.from({ length: 12 }, (_, n) => n)
    // A core is used in the first half of the hour, and not measured in the second: half a core, as requested. 0.6 × 0.5/2.
    await put(ch, 'kubernetes_pod', [
      ...minutes.map((n) => pod(org, 10, { from: at(10, n * 5), seconds: 300, ...(n > 5 && { cpu_used: null }) })),
      pod(org, 10, { day: '2026-04-01', from: '2026-04-01 10:00:00' }),
    ])
    await put(ch, 'cost_fact', [
      fact(org, 'l1', '1', { ResourceId: 'i-1', ChargePeriodStart: at(10), ChargePeriodEnd: at(11) }),
    ])
    const whole = [
      '\t\tidle\tcpu\t0.45',
      '\t\tidle\tmemory\t0.3',
      'orders\tapi-1\tworkload\tcpu\t0.15',
      'orders\tapi-1\tworkload\tmemory\t0.1',
    ]
    await foldWhole()
    expect(await costs()).to.deep.equal(whole)
    expect(
      await rows(
        `SELECT \`from\`, seconds, cpu_request, cpu_used FROM kubernetes_pods WHERE org_id = {org:String} ORDER BY day`,
      ),
    ).to.deep.equal(['2026-01-15 10:00:00\t3600\t500\t500', '2026-04-01 10:00:00\t3600\t500\t1000'])
    expect(await count('kubernetes_pod')).to.equal(1)
  })
})

/** A connection whose process ends at its command number `at`: before it is sent, or once it is done. */
function endsAt(ch: ClickHouseClient, at: number, isSent: boolean): ClickHouseClient {
  let sent = 0
  const command: ClickHouseClient['command'] = async (params) => {
    if (sent > at || (sent === at && !isSent)) throw new Error('killed')
    const result = await ch.command(params)
    if (sent++ === at) throw new Error('killed')
    return result
  }
  return new Proxy(ch, {
    get: (of, name) => (name === 'command' ? command : Reflect.get(of, name, of).bind?.(of)),
  })
}
