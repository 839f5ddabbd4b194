import { expect } from 'chai'
import { measure } from '#streams/cloud/gcp/measure/measure.ts'
import { sourcesOf } from '#streams/metric/source.ts'
import type { MetricSamples, ResourceRef } from '#streams/cloud/connector.ts'
import { account, denied, fails, farGoogle, type Answer, type FarGoogle, type Question } from './far-google.ts'

const zone = 'projects/shop-prod/zones/us-central1-a'
const machine = (name: string, id: string): ResourceRef => ({
  resourceUid: `${zone}/instances/${name}`,
  type: 'gcp-vm',
  region: 'us-central1',
  specs: { instance_id: id, gpu_count: 0 },
})
const from = new Date('2026-01-01T10:00:00Z')
const to = new Date('2026-01-01T12:00:00Z')

/** A series whose points end at these times. */
const series = (labels: Record<string, string>, points: readonly (readonly [string, number])[]) => ({
  metric: { labels: {} },
  resource: { labels },
  points: points.map(([at, doubleValue]) => ({
    interval: { endTime: `2026-01-01T${at}:00Z` },
    value: { doubleValue },
  })),
})

describe('samples of Cloud Monitoring', () => {
  let far: FarGoogle
  const measured = async (
    answer: (question: Question) => Answer,
    refs: readonly ResourceRef[],
    stepSeconds?: number,
  ): Promise<MetricSamples[]> => {
    far = await farGoogle(answer)
    return Array.fromAsync(measure(far.options, account, refs, from, to, stepSeconds))
  }
  afterEach(() => far.close())
  const asksFor = ({ query }: Question, metric: string) => query.get('filter')?.includes(`metric.type = "${metric}"`)

  it('are hourly means and sums of five minutes, each under the time that it begins at', async () => {
    const web = machine('web', '11')
    const found = await measured(
      (question) => {
        if (asksFor(question, 'compute.googleapis.com/instance/cpu/utilization'))
          return {
            body: {
              timeSeries: [
                series({ instance_id: '11' }, [
                  ['12:00', 0.5],
                  ['11:05', 0.1],
                  ['11:00', 0.4],
                  ['10:05', 0.2],
                ]),
              ],
            },
          }
        if (asksFor(question, 'compute.googleapis.com/instance/network/received_bytes_count'))
          return {
            body: {
              timeSeries: [
                {
                  ...series({ instance_id: '11' }, []),
                  points: [
                    { interval: { endTime: '2026-01-01T10:05:00Z' }, value: { int64Value: '700' } },
                    { interval: { endTime: '2026-01-01T11:00:00Z' }, value: { int64Value: '300' } },
                  ],
                },
              ],
            },
          }
        return {}
      },
      [web],
    )
    expect(found).to.deep.equal([
      {
        resourceUid: web.resourceUid,
        samples: [
          { metric: 'cpu_percent', value: 30, max: 40, ts: '2026-01-01T10:00:00.000Z' },
          { metric: 'network_bytes_in', value: 1000, sum: 1000, ts: '2026-01-01T10:00:00.000Z' },
          { metric: 'cpu_percent', value: 30, max: 50, ts: '2026-01-01T11:00:00.000Z' },
        ],
      },
    ])
  })

  it('are asked for once a metric for all resources of a type, page by page', async () => {
    const refs = Array.from({ length: 120 }, (_, n) => machine(`web-${n}`, `1${String(n).padStart(3, '0')}`))
    const found = await measured((question) => {
      if (!asksFor(question, 'compute.googleapis.com/instance/cpu/utilization')) return {}
      const page = Number(question.query.get('pageToken') ?? 0)
      const some = refs.slice(page * 60, (page + 1) * 60)
      return {
        body: {
          timeSeries: some.map(({ specs }) =>
            series({ instance_id: String(specs?.['instance_id']) }, [['10:05', 0.25]]),
          ),
          ...(page === 0 && { nextPageToken: '1' }),
        },
      }
    }, refs)
    expect(found.map(({ resourceUid }) => resourceUid)).to.deep.equal(refs.map(({ resourceUid }) => resourceUid))
    expect(new Set(found.map(({ samples }) => JSON.stringify(samples)))).to.deep.equal(
      new Set([JSON.stringify([{ metric: 'cpu_percent', value: 25, ts: '2026-01-01T10:00:00.000Z' }])]),
    )
    // No accelerators: the metric of those is not asked for.
    expect(far.asked).to.have.length(sourcesOf('gcp-vm').length - 1 + 1)
    expect(far.questions.every(({ query }) => !query.get('filter')?.includes('instance_id'))).to.equal(true)
  })

  it('are those of a disk under the name that its machine has it by, and none of one that is attached to nothing', async () => {
    const disk = (name: string, specs: object): ResourceRef => ({
      resourceUid: `${zone}/disks/${name}`,
      type: 'gcp-disk',
      region: 'us-central1',
      specs: { ...specs },
    })
    const found = await measured(
      (question) =>
        asksFor(question, 'compute.googleapis.com/instance/disk/read_ops_count')
          ? {
              body: {
                timeSeries: [
                  {
                    ...series({ instance_id: '11' }, [['10:05', 600]]),
                    metric: { labels: { device_name: 'data' } },
                  },
                ],
              },
            }
          : {},
      [disk('orders', { instance_id: '11', device_name: 'data' }), disk('free', {})],
    )
    expect(far.questions[0]!.query.get('filter')).to.equal(
      'metric.type = "compute.googleapis.com/instance/disk/read_ops_count" AND resource.labels.instance_id = "11" AND metric.labels.device_name = "data"',
    )
    expect(found).to.deep.equal([
      {
        resourceUid: `${zone}/disks/orders`,
        samples: [
          { metric: 'io_ops', value: 600, sum: 600, ts: '2026-01-01T10:00:00.000Z' },
          // 600 in 300 seconds.
          { metric: 'iops', value: 2, ts: '2026-01-01T10:00:00.000Z' },
        ],
      },
    ])
  })

  it('are the value that 99% of a distribution are below, where Google counts in distributions', async () => {
    const name = 'projects/shop-prod/locations/us-central1/services/shop'
    await measured(
      () => ({}),
      [{ resourceUid: `//run.googleapis.com/${name}`, type: 'gcp-cloud-run', region: 'us-central1' }],
    )
    // ALIGN_PERCENTILE_99 and REDUCE_MEAN.
    const asked = far.questions.find((one) => asksFor(one, 'run.googleapis.com/container/memory/utilizations'))!
    expect([
      asked.query.get('aggregation.perSeriesAligner'),
      asked.query.get('aggregation.crossSeriesReducer'),
    ]).to.deep.equal(['18', '1'])
  })

  it('are asked for by name where there are few, aligned, and brought together by Google', async () => {
    await measured(() => ({}), [machine('a', '11'), machine('b', '12')])
    const { path, query } = far.questions[0]!
    expect(path).to.equal('/v3/projects/shop-prod/timeSeries')
    expect(Object.fromEntries(query)).to.deep.equal({
      filter:
        'metric.type = "compute.googleapis.com/instance/cpu/utilization" AND resource.labels.instance_id = one_of("11", "12")',
      'interval.startTime': '2026-01-01T10:00:00.000Z',
      'interval.endTime': '2026-01-01T12:00:00.000Z',
      'aggregation.alignmentPeriod': '300s',
      // ALIGN_MEAN and REDUCE_MEAN.
      'aggregation.perSeriesAligner': '12',
      'aggregation.crossSeriesReducer': '1',
      'aggregation.groupByFields': 'resource.labels.instance_id',
      pageSize: '50000',
      $alt: 'json;enum-encoding=int',
    })
  })

  it('of groups are those of their machines, and of databases those of their whole name', async () => {
    const group: ResourceRef = {
      resourceUid: `${zone}/instanceGroupManagers/api`,
      type: 'gcp-mig',
      region: 'us-central1',
    }
    const database: ResourceRef = {
      resourceUid: '//cloudsql.googleapis.com/projects/shop-prod/instances/orders',
      type: 'gcp-cloudsql',
      region: 'us-central1',
    }
    const found = await measured(
      (question) => {
        if (asksFor(question, 'compute.googleapis.com/instance/cpu/utilization'))
          return {
            body: {
              timeSeries: [
                { metadata: { systemLabels: { instance_group: 'api' } }, points: series({}, [['10:05', 0.5]]).points },
              ],
            },
          }
        if (asksFor(question, 'cloudsql.googleapis.com/database/network/connections'))
          return { body: { timeSeries: [series({ database_id: 'shop-prod:orders' }, [['10:05', 7]])] } }
        if (asksFor(question, 'cloudsql.googleapis.com/database/postgresql/num_backends'))
          return {
            body: {
              timeSeries: [
                series({ database_id: 'shop-prod:orders' }, [['10:05', 2]]),
                series({ database_id: 'shop-prod:other' }, [['10:05', 50]]),
              ],
            },
          }
        return {}
      },
      [group, database],
    )
    expect(
      found.map(({ resourceUid, samples }) => [resourceUid, samples.map(({ metric, value }) => [metric, value])]),
    ).to.deep.equal([
      [group.resourceUid, [['cpu_percent', 50]]],
      [database.resourceUid, [['connections', 9]]],
    ])
  })

  it('of a type that may not be looked at hold up no other, and are a fault at the end', async () => {
    const bucket: ResourceRef = { resourceUid: '//storage.googleapis.com/media', type: 'gcp-gcs-bucket', region: 'us' }
    far = await farGoogle((question) =>
      question.query.get('filter')?.includes('compute.googleapis.com')
        ? denied('monitoring.timeSeries.list')
        : { body: { timeSeries: [series({ bucket_name: 'media' }, [['10:05', 3]])] } },
    )
    const found: MetricSamples[] = []
    const reading = (async () => {
      for await (const one of measure(far.options, account, [machine('a', '11'), bucket], from, to)) found.push(one)
    })()
    expect(await fails(reading)).to.equal('user_action permission_missing')
    expect(found.map(({ resourceUid }) => resourceUid)).to.deep.equal([bucket.resourceUid])
  })

  it('are asked for by the minute where the step is one', async () => {
    const found = await measured(
      (question) =>
        asksFor(question, 'compute.googleapis.com/instance/cpu/utilization')
          ? { body: { timeSeries: [series({ instance_id: '11' }, [['10:01', 0.5]])] } }
          : {},
      [machine('a', '11')],
      60,
    )
    expect(found[0]?.samples).to.deep.equal([{ metric: 'cpu_percent', value: 50, ts: '2026-01-01T10:00:00.000Z' }])
    expect(far.questions[0]?.query.get('aggregation.alignmentPeriod')).to.equal('60s')
  })

  it('are not asked for of what nobody measures, or knows too little of', async () => {
    const unknown: ResourceRef = { resourceUid: `${zone}/instances/x`, type: 'gcp-vm', region: 'us-central1' }
    expect(
      await measured(
        () => ({}),
        [unknown, { resourceUid: 'projects/p/global/snapshots/s', type: 'gcp-snapshot', region: 'us' }],
      ),
    ).to.deep.equal([])
    expect(far.asked).to.deep.equal([])
  })

  it('are the share of an amount in one state of that in all states', async () => {
    const etl: ResourceRef = {
      resourceUid: '//dataproc.googleapis.com/projects/shop-prod/regions/us-central1/clusters/etl',
      type: 'gcp-dataproc',
      region: 'us-central1',
    }
    const labels = { cluster_name: 'etl', region: 'us-central1' }
    const found = await measured(
      (question) => {
        if (!asksFor(question, 'dataproc.googleapis.com/cluster/yarn/memory_size')) return { body: {} }
        const isPart = question.query.get('filter')!.includes('status')
        const points = isPart
          ? ([['10:05', 48]] as const)
          : ([
              ['10:05', 64],
              ['11:05', 64],
            ] as const)
        const one = series(labels, points)
        return { body: { timeSeries: [{ ...one, metric: { labels: isPart ? { status: 'available' } : {} } }] } }
      },
      [etl],
    )
    expect(found.flatMap(({ samples }) => samples.map(({ metric, value }) => [metric, value]))).to.deep.equal([
      ['yarn_memory_free_percent', 75],
      ['yarn_memory_free_percent', 0],
    ])
  })

  it('of workloads in a cluster are by their controller, those of claims by the volume of the pod that mounts them', async () => {
    const shop = '//container.googleapis.com/projects/shop-prod/locations/us-central1/clusters/shop'
    const web = { resourceUid: `${shop}/shop/deployment/web`, type: 'gcp-gke-deployment', region: 'us-central1' }
    const data = {
      resourceUid: `${shop}/shop/persistentvolumeclaim/data`,
      type: 'gcp-gke-persistentvolumeclaim',
      region: 'us-central1',
    }
    const inShop = { namespace_name: 'shop', cluster_name: 'shop', location: 'us-central1' }
    const found = await measured(
      (question) => {
        if (asksFor(question, 'kubernetes.io/pod/network/received_bytes_count')) {
          const systemLabels = { top_level_controller_name: 'web', top_level_controller_type: 'Deployment' }
          const one = series(inShop, [['10:05', 4096]])
          return { body: { timeSeries: [{ ...one, metadata: { systemLabels } }] } }
        }
        if (!asksFor(question, 'kubernetes.io/pod/volume/utilization')) return { body: {} }
        const one = series({ ...inShop, pod_name: 'db-0' }, [['10:05', 0.25]])
        return { body: { timeSeries: [{ ...one, metric: { labels: { volume_name: 'disk' } } }] } }
      },
      [
        { ...web, specs: { namespace: 'shop' } },
        { ...data, specs: { namespace: 'shop', pod: 'db-0', pod_volume: 'disk' } },
        // Mounted by no pod: nothing is asked of it.
        { ...data, resourceUid: `${data.resourceUid}-old`, specs: { namespace: 'shop' } },
      ],
    )
    const samples = found.flatMap(({ resourceUid, samples: of }) =>
      of.map(({ metric, value }) => [resourceUid.slice(shop.length), metric, value]),
    )
    expect(samples).to.deep.equal([
      ['/shop/deployment/web', 'network_bytes_in', 4096],
      ['/shop/persistentvolumeclaim/data', 'storage_used_percent', 25],
    ])
  })
})
