// tier: deep
import { expect } from 'chai'
import { measure } from '#streams/cloud/aws/measure/measure.ts'
import type { ResourceRef } from '#streams/cloud/connector.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { account, collected, owning, region } from './account.ts'

const hour = 3_600_000
const begin = Math.floor(Date.now() / hour) * hour - 3 * hour
const at = (minutes: number): Date => new Date(begin + minutes * 60_000)
const ts = (minutes: number): string => at(minutes).toISOString()

describeMoto('metrics of CloudWatch', (moto) => {
  beforeEach(() => moto().reset())

  async function put(Namespace: string, MetricName: string, dimensions: Record<string, string>, values: number[]) {
    const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }))
    const MetricData = values.map((Value, index) => ({ MetricName, Dimensions, Value, Timestamp: at(index * 20) }))
    await owning(moto(), (s) =>
      s.ask('cloudwatch', region, (m) => new m.PutMetricDataCommand({ Namespace, MetricData })),
    )
  }

  it('puts five-minute numbers together to hours, each resource by its own dimensions', async () => {
    await put('AWS/EC2', 'CPUUtilization', { InstanceId: 'i-1' }, [10, 20, 60, 40, 50, 0])
    await put('AWS/EC2', 'NetworkIn', { InstanceId: 'i-1' }, [1000, 2000, 3000, 4000, 5000, 6000])
    await put('AWS/EC2', 'CPUUtilization', { AutoScalingGroupName: 'web' }, [25, 35])
    await put('AWS/ECS', 'CPUUtilization', { ClusterName: 'shop', ServiceName: 'cart' }, [80])
    const asg = `arn:aws:autoscaling:${region}:123456789012:autoScalingGroup:1:autoScalingGroupName/web`
    const ecs = `arn:aws:ecs:${region}:123456789012:service/shop/cart`
    const refs: ResourceRef[] = [
      { resourceUid: 'i-1', type: 'aws-ec2', region, instanceType: 'm5.large' },
      { resourceUid: asg, type: 'aws-asg', region },
      { resourceUid: 'vpc-1', type: 'aws-vpc', region },
      { resourceUid: ecs, type: 'aws-ecs-service', region },
    ]
    expect(await collected(measure(moto().options, account, refs, at(0), at(120)))).to.deep.equal([
      {
        resourceUid: 'i-1',
        samples: [
          { metric: 'cpu_percent', value: 30, max: 60, ts: ts(0) },
          { metric: 'network_bytes_in', value: 6000, sum: 6000, ts: ts(0) },
          { metric: 'cpu_percent', value: 30, max: 50, ts: ts(60) },
          { metric: 'network_bytes_in', value: 15000, sum: 15000, ts: ts(60) },
        ],
      },
      { resourceUid: asg, samples: [{ metric: 'cpu_percent', value: 30, max: 35, ts: ts(0) }] },
      { resourceUid: ecs, samples: [{ metric: 'cpu_percent', value: 80, ts: ts(0) }] },
    ])
  })

  it('tells what is used of memory and storage from what is free, and rates from counts', async () => {
    const db = `arn:aws:rds:${region}:123456789012:db:orders`
    await put('AWS/RDS', 'FreeableMemory', { DBInstanceIdentifier: 'orders' }, [2 * 2 ** 30, 6 * 2 ** 30])
    await put('AWS/RDS', 'FreeStorageSpace', { DBInstanceIdentifier: 'orders' }, [25 * 2 ** 30])
    await put('AWS/EBS', 'VolumeReadOps', { VolumeId: 'vol-1' }, [3000])
    await put('AWS/EBS', 'VolumeWriteOps', { VolumeId: 'vol-1' }, [1500])
    const refs: ResourceRef[] = [
      { resourceUid: db, type: 'aws-rds', region, instanceType: 'db.m5.large', sizeGB: 100 },
      { resourceUid: 'vol-1', type: 'aws-ebs-volume', region },
    ]
    expect(await collected(measure(moto().options, account, refs, at(0), at(60)))).to.deep.equal([
      {
        resourceUid: db,
        samples: [
          { metric: 'memory_percent', value: 50, max: 75, ts: ts(0) },
          { metric: 'storage_used_percent', value: 75, ts: ts(0) },
        ],
      },
      {
        resourceUid: 'vol-1',
        samples: [
          { metric: 'io_ops', value: 4500, sum: 4500, ts: ts(0) },
          { metric: 'iops', value: 15, ts: ts(0) },
        ],
      },
    ])
  })
})
