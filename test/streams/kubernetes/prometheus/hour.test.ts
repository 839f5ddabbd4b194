import { expect } from 'chai'
import { readHour, type ReadHour } from '#streams/kubernetes/prometheus/hour.ts'
import { seriesReader } from '#streams/kubernetes/prometheus/reader.ts'
import {
  matcherOf,
  type Matcher,
  type ReadSeries,
  type PrometheusSeries,
} from '#streams/kubernetes/prometheus/series.ts'
import { timeThere, type PrometheusServer } from '#streams/kubernetes/prometheus/server.ts'
import { describePrometheus, doorTo, realPrometheus, type Door, type RealPrometheus } from '#test/harness/prometheus.ts'
import { begin, openMetrics } from '#test/harness/prometheus-samples.ts'
import { validMessages } from '#test/streams/kubernetes/valid.ts'

const hourMs = 3_600_000
const mib = 2 ** 20
const machine = { instanceType: 'm5.large', region: 'eu-west-1', cpuCores: 2, memoryBytes: 8 * 2 ** 30 }

describePrometheus('an hour of a cluster, read from Prometheus', () => {
  let server: RealPrometheus
  let door: Door
  before(async () => void (server = await realPrometheus(openMetrics())))
  after(() => server.close())
  beforeEach(async () => void (door = await doorTo(server, '2026-01-15T12:00:00Z')))
  afterEach(() => door.close())

  const of = (cluster: string): Matcher[] => [matcherOf(`cluster="${cluster}"`)!]
  const at = (): PrometheusServer => ({ url: door.url, headers: {}, allowPrivate: true, keep: 'test' })
  const read = (cluster: string, from = begin): Promise<ReadHour> =>
    readHour(seriesReader(at(), of(cluster)), { clusterUid: 'c-1', provider: 'aws' }, from)

  /** Worked out by hand of what `prometheus-samples.ts` says. */
  const expected: ReadHour = {
    usage: {
      clusterUid: 'c-1',
      provider: 'aws',
      from: '2026-01-15T10:00:00.000Z',
      seconds: 3600,
      nodes: [
        { name: 'n1', resourceUid: 'i-0abc', providerID: 'aws:///eu-west-1a/i-0abc', ...machine },
        { name: 'n2', resourceUid: 'i-0def', providerID: 'aws:///eu-west-1a/i-0def', ...machine, seconds: 1200 },
      ],
      pods: [
        // From :41 to :45 and from :55 to the end.
        { namespace: 'shop', name: 'lone', node: 'n2', seconds: 540 },
        // 60 core-seconds a minute for the seven minutes that it ran.
        {
          namespace: 'shop',
          name: 'nightly-1-x',
          node: 'n1',
          controllerKind: 'cronjob',
          controllerName: 'nightly',
          seconds: 420,
          cpuRequest: 1,
          memoryRequest: 1024 * mib,
          cpuUsed: 1,
        },
        // 30 minutes at 30, 10 behind the reset, 29 minutes at 30; half an hour at 100 and half an hour at 200 MiB.
        {
          namespace: 'shop',
          name: 'web-1-a',
          node: 'n1',
          controllerKind: 'deployment',
          controllerName: 'web',
          labels: { app: 'web', team: 'shop' },
          cpuRequest: 0.75,
          memoryRequest: 384 * mib,
          cpuUsed: 1780 / 3600,
          memoryUsed: 150 * mib,
        },
      ],
      claims: [{ namespace: 'shop', name: 'data', volumeUid: 'vol-1', pods: ['web-1-a'] }],
    },
    missing: [],
  }
  const sorted = ({ usage, missing }: ReadHour): ReadHour => ({
    usage: usage && {
      ...usage,
      nodes: usage.nodes?.toSorted((a, b) => (a.name < b.name ? -1 : 1)) ?? [],
      pods: usage.pods?.toSorted((a, b) => (a.name < b.name ? -1 : 1)) ?? [],
    },
    missing,
  })

  it('is what its samples say, by remote read', async () => {
    const found = await read('prod')
    expect(sorted(found)).to.deep.equal(expected)
    expect(validMessages([found.usage!])).to.equal(true)
    expect(new Set(door.asked)).to.deep.equal(new Set(['POST /api/v1/read']))
  })

  it('is the same by queries of a server that has no remote read, which is asked for it once', async () => {
    for (const status of [404, 405, 415, 501]) {
      door.asked.length = 0
      door.instead = (asked) => (asked.endsWith('/read') ? { status, body: 'no' } : undefined)
      expect(sorted(await read('prod')), `${status}`).to.deep.equal(expected)
      expect(door.asked.filter((one) => one !== 'GET /api/v1/query_range')).to.deep.equal(['POST /api/v1/read'])
    }
  })

  it('is of the cluster that the matchers choose, of two in one Prometheus', async () => {
    const { usage, missing } = await read('staging')
    expect(usage?.nodes?.map(({ resourceUid }) => resourceUid)).to.deep.equal(['i-0999'])
    expect(usage?.pods).to.deep.equal([
      {
        namespace: 'shop',
        name: 'web-1-a',
        node: 'n1',
        controllerKind: 'statefulset',
        controllerName: 'web',
        cpuRequest: 2,
        memoryRequest: 1024 * mib,
        cpuUsed: 2,
      },
    ])
    expect(missing).to.deep.equal(['container_memory_working_set_bytes', 'kube_pod_labels'])
  })

  it('says what is missing and fills nothing in, and is nothing without a node', async () => {
    const next = await read('prod', begin + hourMs)
    expect(next.missing).to.deep.equal(['container_memory_working_set_bytes'])
    const web = next.usage?.pods?.find(({ name }) => name === 'web-1-a')
    expect([web?.cpuUsed, web?.memoryUsed, web?.seconds]).to.deep.equal([0.5, undefined, undefined])
    expect(await read('prod', begin + 25 * hourMs)).to.deep.equal({
      usage: undefined,
      missing: ['kube_node_info', 'kube_node_labels', 'kube_node_status_capacity'],
    })
  })

  it('comes in halves where one answer cannot hold it, and is the same', async () => {
    const whole = seriesReader(at(), of('prod'))
    const selector = { name: 'container_cpu_usage_seconds_total', matchers: [] }
    const all = await whole(selector, begin, begin + hourMs)
    door.instead = (asked, query) => {
      if (asked.endsWith('/read')) return { status: 404, body: '' }
      const isLong = Number(query.get('end')) - Number(query.get('start')) > 2000
      return isLong ? { status: 200, body: 'x'.repeat(64 * mib + 1) } : undefined
    }
    const halves = await seriesReader(at(), of('prod'))(selector, begin, begin + hourMs)
    const plain = (some: readonly PrometheusSeries[]) =>
      some
        .map(({ labels, times, values }) =>
          JSON.stringify([labels['pod'], labels['container'], [...times], [...values]]),
        )
        .toSorted((a, b) => (a < b ? -1 : 1))
    expect(plain(halves)).to.deep.equal(plain(all))
  })

  it('is read by the time that it is there, and refused with the words of the server', async () => {
    expect(await timeThere(at())).to.equal(Date.parse('2026-01-15T12:00:00Z'))
    const real = { ...at(), url: `${server.url}/` }
    const before = Date.now()
    const there = await timeThere(real)
    // It may be cut to the second.
    expect(there).to.be.within(before - 1000, Date.now() + 1000)
    door.instead = () => ({ status: 401, body: '' })
    const reading: ReadSeries = seriesReader(at())
    const fault = await reading({ name: 'up', matchers: [] }, begin, begin + 1).catch((error: unknown) => error)
    expect(fault).to.include({ code: 'upstream_failed', message: 'The server returned HTTP 401.' })
    const wrong = [{ label: 'cluster', operator: '=~' as const, value: '(' }]
    door.instead = () => undefined
    const refused = await seriesReader(at(), wrong)({ name: 'up', matchers: [] }, begin, begin + 1).catch(
      (e: unknown) => e,
    )
    expect((refused as Error).message).to.equal('The server returned HTTP 500.')
  })
})
