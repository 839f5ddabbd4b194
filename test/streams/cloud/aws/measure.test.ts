import { expect } from 'chai'
import { samplesOf } from '#streams/cloud/aws/measure/measure.ts'
import { periodsOf } from '#streams/cloud/aws/measure/period.ts'
import type { MetricSamples, ResourceRef } from '#streams/cloud/connector.ts'
import { meaningOf } from '#streams/metric/messages.ts'
import { metricSources } from '#streams/metric/source.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import type { Question as Call } from './stub.ts'
import { account, fails, refusing, stubSession } from './stub-session.ts'

const hour = 3_600_000
const day = 24 * hour
const now = Date.parse('2026-03-16T10:30:00Z')
const at = (time: string): number => Date.parse(`2026-03-${time}Z`)
const machines = (count: number): ResourceRef[] =>
  Array.from({ length: count }, (_, n) => ({
    resourceUid: `i-${n}`,
    type: 'aws-ec2',
    region: n % 2 === 0 ? 'us-east-1' : 'eu-west-1',
    instanceType: 'm5.large',
  }))

/** A query of a metric, as far as tests look at it. */
interface Asked {
  Id: string
  MetricStat: {
    Metric: { Namespace: string; MetricName: string; Dimensions: { Name: string; Value: string }[] }
    Stat: string
  }
}

/** Of data alone: agents send nothing here. */
const ofData =
  (answers: (call: Call) => unknown) =>
  (call: Call): unknown =>
    call.operation === 'GetMetricData' ? answers(call) : {}

async function read(
  answers: (call: Call) => unknown,
  resources: ResourceRef[],
  span = { from: at('16T08:00:00'), to: at('16T10:00:00'), stepMs: hour },
): Promise<{ messages: MetricSamples[]; calls: Call[] }> {
  const { session, calls } = stubSession(ofData(answers))
  const messages: MetricSamples[] = []
  for await (const one of samplesOf(session, resources, span, now)) messages.push(one)
  return { messages, calls }
}

describe('metrics of AWS', () => {
  it('ask each region in calls of at most 500 queries, five minutes each', async () => {
    const { calls } = await read(() => ({}), machines(400))
    const sizes = calls.map(({ region, operation, input }) => [region, input.MetricDataQueries?.length ?? operation])
    // Four of each machine: 125 of them are in one call. Which series of agents there are, of memory and of disks, is asked before, of all at once.
    expect(sizes).to.deep.equal(
      ['us-east-1', 'eu-west-1'].flatMap((region) => [
        [region, 'ListMetrics'],
        [region, 'ListMetrics'],
        [region, 500],
        [region, 300],
      ]),
    )
    const [, , first] = calls
    expect([first!.input.StartTime, first!.input.EndTime, first!.input.MetricDataQueries[0]]).to.deep.equal([
      new Date(at('16T08:00:00')),
      new Date(at('16T10:00:00')),
      {
        Id: 'r0q0',
        MetricStat: {
          Metric: {
            Namespace: 'AWS/EC2',
            MetricName: 'CPUUtilization',
            Dimensions: [{ Name: 'InstanceId', Value: 'i-0' }],
          },
          Period: 300,
          Stat: 'Average',
        },
      },
    ])
  })

  it('read all pages of an answer, also where one metric goes over two', async () => {
    const page = (times: string[], values: number[], NextToken?: string) => ({
      MetricDataResults: [{ Id: 'r0q0', Timestamps: times.map((time) => new Date(at(time))), Values: values }],
      NextToken,
    })
    const { messages, calls } = await read(
      ({ input }) =>
        input.NextToken === 'more'
          ? page(['16T09:05:00'], [30])
          : page(['16T08:00:00', '16T09:00:00'], [10, 20], 'more'),
      machines(1),
    )
    expect(calls.filter(({ operation }) => operation === 'GetMetricData').length).to.equal(2)
    expect(messages).to.deep.equal([
      {
        resourceUid: 'i-0',
        samples: [
          { metric: 'cpu_percent', value: 10, ts: '2026-03-16T08:00:00.000Z' },
          { metric: 'cpu_percent', value: 25, max: 30, ts: '2026-03-16T09:00:00.000Z' },
        ],
      },
    ])
  })

  it('are as fine as CloudWatch keeps them, and none where it keeps none', () => {
    const noon = at('16T12:00:00')
    const parts = periodsOf({ from: noon - 500 * day, to: noon, stepMs: hour }, noon)
    expect(parts).to.deep.equal([
      { from: noon - 455 * day, to: noon - 63 * day, stepMs: hour, seconds: 3600 },
      { from: noon - 63 * day, to: noon, stepMs: hour, seconds: 300 },
    ])
    const minutes = periodsOf({ from: now - 20 * day, to: now, stepMs: 60_000 }, now)
    expect(minutes.map(({ seconds }) => seconds)).to.deep.equal([300, 60])
    expect(periodsOf({ from: now - 600 * day, to: now - 500 * day, stepMs: hour }, now)).to.deep.equal([])
  })

  it('come in messages of at most 5,000 samples, in order of time', async () => {
    const span = { from: now - 60 * day, to: now, stepMs: 300_000 }
    // Three metrics are told of one time at most, and stay together.
    const { messages } = await read(
      ({ input }) => {
        const Timestamps = [...Array(60 * 288).keys()].map((n) => new Date(input.StartTime.getTime() + n * 300_000))
        return { MetricDataResults: [{ Id: 'r0q0', Timestamps, Values: Timestamps.map(() => 1) }] }
      },
      machines(1),
      span,
    )
    expect(messages.map(({ samples }) => samples.length)).to.deep.equal([4998, 4998, 4998, 2286])
    const times = messages.flatMap(({ samples }) => samples.map(({ ts }) => ts))
    expect(times).to.deep.equal(times.toSorted())
  })

  it('ask nothing of types that nobody measures, and take answers with holes', async () => {
    const none = await read(() => ({}), [{ resourceUid: 'vpc-1', type: 'aws-vpc', region: 'us-east-1' }])
    expect(none).to.deep.equal({ messages: [], calls: [] })
    const holes = [
      {},
      { Id: 'r0q0' },
      { Id: 'r0q0', Timestamps: [new Date(Number.NaN), new Date(at('16T08:00:00'))], Values: [1] },
      { Id: 'unknown', Timestamps: [new Date(at('16T08:00:00'))], Values: [1] },
    ]
    expect((await read(() => ({ MetricDataResults: holes }), machines(1))).messages).to.deep.equal([])
  })

  it('tell what may not be looked at', async () => {
    const answer = { MetricDataResults: [{ Id: 'r0q0', StatusCode: 'Forbidden' }] }
    expect(await fails(read(() => answer, machines(1)))).to.equal('user_action permission_missing')
  })

  it('come from other regions where one fails, which is told at the end; nobody is asked for what is nowhere', async () => {
    const [east, west] = machines(2)
    const nowhere = { resourceUid: 'i-9', type: 'aws-ec2', region: '' }
    const { session, calls } = stubSession(({ region, operation }) =>
      region === 'us-east-1'
        ? refusing('InternalFailure', 500)
        : operation === 'ListMetrics'
          ? {}
          : { MetricDataResults: [{ Id: 'r0q0', Timestamps: [new Date(at('16T08:00:00'))], Values: [7] }] },
    )
    Object.assign(session, { account: { ...account, regions: [] } })
    const span = { from: at('16T08:00:00'), to: at('16T09:00:00'), stepMs: hour }
    const found: MetricSamples[] = []
    const reading = async () => {
      for await (const one of samplesOf(session, [east!, west!, nowhere], span, now)) found.push(one)
    }
    expect(await fails(reading())).to.equal('transient cloud_unavailable')
    const samples = [{ metric: 'cpu_percent', value: 7, ts: '2026-03-16T08:00:00.000Z' }]
    expect(found).to.deep.equal([{ resourceUid: 'i-1', samples }])
    expect(calls.map(({ region, operation }) => `${region} ${operation}`)).to.deep.equal([
      'us-east-1 ListMetrics',
      'us-east-1 ListMetrics',
      'us-east-1 GetMetricData',
      'eu-west-1 ListMetrics',
      'eu-west-1 ListMetrics',
      'eu-west-1 GetMetricData',
    ])
  })

  it('come from other batches of the region where one fails, which is told at the end', async () => {
    // 1,200 queries, four of each machine: three batches, of which the second fails.
    const refs = machines(600).filter(({ region }) => region === 'us-east-1')
    let batches = 0
    const { session } = stubSession(({ input, operation }) => {
      if (operation === 'ListMetrics') return {}
      if (++batches === 2) return refusing('ValidationError')
      const [{ Id }] = input.MetricDataQueries as [{ Id: string }]
      return { MetricDataResults: [{ Id, Timestamps: [new Date(at('16T08:00:00'))], Values: [7] }] }
    })
    const span = { from: at('16T08:00:00'), to: at('16T09:00:00'), stepMs: hour }
    const found: string[] = []
    const reading = async () => {
      for await (const one of samplesOf(session, refs, span, now)) found.push(one.resourceUid)
    }
    expect(await fails(reading())).to.equal('user_action rejected')
    expect([batches, found.length]).to.deep.equal([3, 2])
  })

  it('are of the memory and the disks of a machine under whatever dimensions its agent sends them, and of the fullest', async () => {
    const named = (dimensions: Record<string, string>) => ({
      Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
    })
    const sets = [
      named({ InstanceId: 'i-0', ImageId: 'ami-1', InstanceType: 'm5.large' }),
      named({ InstanceId: 'i-0', AutoScalingGroupName: 'web' }),
      named({ InstanceId: 'i-7' }),
    ]
    const disks = [
      named({ InstanceId: 'i-0', path: '/', fstype: 'xfs' }),
      named({ InstanceId: 'i-0', path: '/data', fstype: 'ext4' }),
      named({ InstanceId: 'i-0', path: '/run', fstype: 'tmpfs' }),
    ]
    const asked: Asked[] = []
    const { session } = stubSession(({ operation, input }) => {
      if (operation === 'ListMetrics') return { Metrics: input.MetricName === 'mem_used_percent' ? sets : disks }
      const ofAgent = (input.MetricDataQueries as Asked[]).filter(
        ({ MetricStat: { Metric, Stat } }) => Metric.Namespace === 'CWAgent' && Stat === 'Average',
      )
      asked.push(...ofAgent)
      const Timestamps = [new Date(at('16T08:00:00'))]
      return { MetricDataResults: ofAgent.map(({ Id }, n) => ({ Id, Timestamps, Values: [40 + n] })) }
    })
    const found: MetricSamples[] = []
    const span = { from: at('16T08:00:00'), to: at('16T09:00:00'), stepMs: hour }
    for await (const one of samplesOf(session, machines(1), span, now)) found.push(one)
    // Two series of memory, then two of disks: not those of other machines, nor of memory that is shown as a disk.
    expect(asked.map(({ MetricStat: { Metric } }) => Metric.Dimensions)).to.deep.equal(
      [sets[0], sets[1], disks[0], disks[1]].map((one) => one!.Dimensions),
    )
    const ts = '2026-03-16T08:00:00.000Z'
    expect(found).to.deep.equal([
      {
        resourceUid: 'i-0',
        samples: [
          { metric: 'memory_percent', value: 41, ts },
          { metric: 'disk_percent', value: 43, ts },
        ],
      },
    ])
  })

  it('add up over the parts of a resource, and are not asked for while its parts are unknown', async () => {
    const cluster = {
      resourceUid: 'arn:aws:kafka:us-east-1:1:cluster/orders/8a7',
      type: 'aws-msk',
      region: 'us-east-1',
    }
    const none = await read(() => ({}), [{ ...cluster, specs: { cluster_name: 'orders' } }])
    expect(none.calls).to.deep.equal([])
    const specs = { cluster_name: 'orders', broker_ids: ['1', '2'] }
    const { messages } = await read(
      ({ input }) => ({
        MetricDataResults: (input.MetricDataQueries as Asked[])
          .filter(({ MetricStat }) => MetricStat.Stat === 'Average')
          .map(({ Id, MetricStat: { Metric } }) => ({
            Id,
            Timestamps: [new Date(at('16T08:00:00'))],
            Values: [Metric.MetricName === 'BytesInPerSec' ? 10 : 5 * Number(Metric.Dimensions[1]!.Value)],
          })),
      }),
      [{ ...cluster, specs }],
    )
    // Ten bytes a second of each of two brokers in 300 seconds; CPU of user and system of the second broker.
    expect(messages[0]!.samples.map(({ metric, value }) => [metric, value])).to.deep.equal([
      ['cpu_percent', 20],
      ['network_bytes_in', 6000],
    ])
  })

  it('keep the size of buckets, which is told once a day', async () => {
    const bucket = { resourceUid: 'arn:aws:s3:::pictures', type: 'aws-s3-bucket', region: 'us-east-1' }
    const { messages, calls } = await read(
      ({ input: { MetricDataQueries: queries } }) =>
        queries[0].MetricStat.Period === 86_400
          ? { MetricDataResults: [{ Id: queries[0].Id, Timestamps: [new Date(at('14T00:00:00'))], Values: [5e11] }] }
          : {},
      [bucket],
    )
    expect(calls.map(({ input }) => input.MetricDataQueries[0].MetricStat.Period)).to.deep.equal([300, 86_400])
    expect(messages[0]!.samples).to.deep.equal([
      { metric: 'bucket_standard_gb', value: 500, ts: '2026-03-16T08:00:00.000Z' },
      { metric: 'bucket_standard_gb', value: 500, ts: '2026-03-16T09:00:00.000Z' },
    ])
  })

  it('are listed for types and metrics that there are, each once, totals as totals', () => {
    const keys = metricSources.map(({ type, metric }) => `${type} ${metric}`)
    expect(new Set(keys).size).to.equal(keys.length)
    expect(metricSources.filter(({ type }) => !typeOf(type))).to.deep.equal([])
    const odd = metricSources.filter(
      ({ metric, statistic, convert }) =>
        (meaningOf(metric).shape === 'delta') !==
        (/^(bits_)?times_(period|minutes)$/.test(convert ?? '') ||
          (statistic === 'Sum' && !convert?.endsWith('per_second'))),
    )
    expect(odd).to.deep.equal([])
  })
})
