import { expect } from 'chai'
import { kubernetesPullJob, type PullTools } from '#actors/kubernetes/pull.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import type { Event } from '#engine/run/publisher.ts'
import type { KubernetesUsage, UsedNode } from '#streams/kubernetes/messages.ts'
import { describePrometheus, doorTo, realPrometheus, type Door, type RealPrometheus } from '#test/harness/prometheus.ts'
import { begin, openMetrics } from '#test/harness/prometheus-samples.ts'
import { deepIt } from '#test/harness/tier.ts'

const hourMs = 3_600_000
const iso = (hours: number) => new Date(begin + hours * hourMs).toISOString()

interface Read {
  through?: string
  gap?: { from: string; series: string[] }
  failure: string | null
}

describePrometheus('reading who used a cluster from Prometheus', () => {
  let server: RealPrometheus
  let door: Door
  before(async () => void (server = await realPrometheus(openMetrics())))
  after(() => server.close())
  afterEach(() => door.close())

  const source = (more: object = {}) => ({
    id: 's-1',
    cloud_account_id: 'acct-1',
    cluster_uid: 'c-1',
    cluster_name: 'shop',
    provider: 'aws',
    url: door.url,
    headers: null,
    matchers: ['cluster="prod"'],
    reading_id: 'r-1',
    through: null,
    failure: null,
    external_id: '123456789012',
    credentials: null,
    ...more,
  })

  const prices = { vcpuUsdHour: 0.03, gibUsdHour: 0.005 }
  const headers: object = { Authorization: 'Bearer secret', 'X-Scope-OrgID': 'shop' }

  /** What one run tells of usage, and of how far it came. */
  async function run(...sources: object[]) {
    const usages: KubernetesUsage[] = []
    const places = new Set<unknown>()
    const reads: Read[] = []
    const tools = {
      reads: { rows: async () => sources },
      publisher: {
        publish: async ({ subject, place, data }: Event) => {
          if (subject.name === 'kubernetes.source_read') return void reads.push(data as unknown as Read)
          usages.push(data as unknown as KubernetesUsage)
          places.add(place)
        },
      },
      open: ({ column }: { column: string }) => (column === 'headers' ? headers : { kubeconfig: 'x', prices }),
      allowPrivate: true,
    } as unknown as PullTools
    const signal = new AbortController().signal
    await kubernetesPullJob(tools)(
      {} as never,
      { orgId: 'o1', key: 'run-1', attempt: 1, signal } as unknown as EffectCall,
    )
    return { usages, reads, places: [...places] }
  }

  it('goes on hour by hour where it ended until what is whole there, and says what was missing in each', async () => {
    // 13:04 is too soon for the hour until 13:00: its newest sample may still have a next one.
    door = await doorTo(server, '2026-01-16T13:04:00Z')
    const { usages, reads, places } = await run(source({ through: new Date(begin) }))
    expect(places).to.deep.equal(['acct-1'])
    expect(
      usages.map(({ from, seconds, clusterUid, clusterName }) => [from, seconds, clusterUid, clusterName]),
    ).to.deep.equal(Array.from({ length: 25 }, (_, n) => [iso(n), 3600, 'c-1', 'shop']))
    const memory = ['container_memory_working_set_bytes']
    const nodes = ['kube_node_info', 'kube_node_labels', 'kube_node_status_capacity']
    const missing = (n: number) => (n === 0 ? undefined : n === 25 ? nodes : memory)
    expect(reads).to.deep.equal(
      Array.from({ length: 26 }, (_, n) => ({
        sourceId: 's-1',
        readingId: 'r-1',
        through: iso(n + 1),
        failure: null,
        ...(missing(n) && { gap: { from: iso(n), series: missing(n) } }),
      })),
    )
  })

  it('adds the prices that are set for a cluster without a cloud account, and for no other', async () => {
    door = await doorTo(server, '2026-01-16T13:04:00Z')
    const own = { through: new Date(begin), credentials: 'sealed', external_id: 'cluster/shop' }
    for (const external_id of ['cluster/shop', '123456789012']) {
      const { usages } = await run(source({ ...own, external_id }))
      const [{ cpuCores, memoryBytes, usdHour, cpuUsdHour }] = usages[0]!.nodes as [Required<UsedNode>]
      expect([cpuCores, memoryBytes / 1024 ** 3, usdHour, cpuUsdHour]).to.deep.equal(
        // 2 × 0.03 + 8 × 0.005.
        external_id === 'cluster/shop' ? [2, 8, 0.1, 0.06] : [2, 8, undefined, undefined],
      )
    }
  })

  it('begins two days back', async () => {
    door = await doorTo(server, '2026-01-20T12:30:00Z')
    const first = await run(source())
    expect([first.reads.length, first.reads[0]?.through]).to.deep.equal([48, '2026-01-18T13:00:00.000Z'])
  })

  deepIt('goes back fourteen days at most', async () => {
    door = await doorTo(server, '2026-01-20T12:30:00Z')
    const late = await run(source({ through: new Date('2025-06-01T00:00:00Z') }))
    expect([late.reads.length, late.reads[0]?.through]).to.deep.equal([14 * 24, '2026-01-06T13:00:00.000Z'])
  })

  it('sends its headers, and keeps where it was when it fails, which is told until it works again', async () => {
    door = await doorTo(server, '2026-01-15T12:30:00Z')
    door.instead = (_asked, query) =>
      query.get('query') === 'time()' ? undefined : { status: 403, body: '{"error":"no"}' }
    const failing = await run(source({ headers: 'sealed', through: new Date(begin) }))
    expect([door.headers['authorization'], door.headers['x-scope-orgid']]).to.deep.equal(['Bearer secret', 'shop'])
    expect(failing).to.deep.equal({
      usages: [],
      reads: [{ sourceId: 's-1', readingId: 'r-1', failure: 'The server returned HTTP 403: no' }],
      places: [],
    })
    door.instead = () => undefined
    const well = { sourceId: 's-1', readingId: 'r-1', failure: null }
    const through = new Date('2026-01-15T12:00:00Z')
    expect((await run(source({ through, failure: 'The server returned HTTP 403: no' }))).reads).to.deep.equal([well])
    expect((await run(source({ through }))).reads).to.deep.equal([])
  })

  it('goes on with the next source behind one that cannot be reached', async () => {
    door = await doorTo(server, '2026-01-15T11:30:00Z')
    const through = new Date(begin)
    const { reads, usages } = await run(source({ id: 's-0', url: 'http://127.0.0.1:1', through }), source({ through }))
    expect(reads.map(({ failure }) => failure)).to.have.members([
      'The server could not be reached (ECONNREFUSED).',
      null,
    ])
    expect(usages.map(({ from }) => from)).to.deep.equal([iso(0)])
  })
})
