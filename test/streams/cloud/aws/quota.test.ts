import { expect } from 'chai'
import { quotasOf } from '#streams/cloud/aws/scaling/quota.ts'
import { answering, refusing } from './stub-session.ts'

const now = Date.parse('2026-03-16T10:30:00Z')
const web = 'arn:aws:autoscaling:us-east-1:1:autoScalingGroup:8a70:autoScalingGroupName/web'

describe('quotas of AWS', () => {
  it('leave a group as many machines as its kind of processors has room for', async () => {
    const Instances = [1, 2, 3].map(() => ({ InstanceType: 'm5.xlarge', LifecycleState: 'InService' }))
    const { at } = answering(
      { resourceUid: web, type: 'aws-asg' },
      {
        DescribeAutoScalingGroups: [{ AutoScalingGroups: [{ Instances }] }],
        GetServiceQuota: [{ Quota: { Value: 64 } }],
        GetMetricData: [{ MetricDataResults: [{ Id: 'used', Values: [42, 40] }] }],
      },
    )
    // Three there are; 22 processors are free, four for each machine.
    expect(await quotasOf(at, now)).to.deep.equal({ max: 8 })
  })

  it('take what everybody has where the account has no quota of its own, and nothing where AWS does not tell', async () => {
    const nodes = { resourceUid: 'arn:aws:eks:us-east-1:1:nodegroup/main/workers/9c3', type: 'aws-eks-nodegroup' }
    const { at } = answering(nodes, {
      GetServiceQuota: [refusing('NoSuchResourceException')],
      GetAWSDefaultServiceQuota: [{ Quota: { Value: 450 } }],
    })
    expect(await quotasOf(at, now)).to.deep.equal({ max: 450 })
    const empty = answering(
      { resourceUid: web, type: 'aws-asg' },
      {
        DescribeAutoScalingGroups: [{ AutoScalingGroups: [{ Instances: [] }] }],
      },
    )
    expect(await quotasOf(empty.at, now)).to.deep.equal({})
  })

  it('let a service on Fargate have as many tasks as its processors let run', async () => {
    const { at } = answering(
      { resourceUid: 'arn:aws:ecs:us-east-1:1:service/shop/cart', type: 'aws-ecs-service' },
      {
        DescribeServices: [{ services: [{ status: 'ACTIVE', launchType: 'FARGATE', taskDefinition: 'cart:1' }] }],
        DescribeTaskDefinition: [{ taskDefinition: { cpu: '512', memory: '1024' } }],
        GetServiceQuota: [{ Quota: { Value: 5000 } }, { Quota: { Value: 6 } }],
      },
    )
    expect(await quotasOf(at, now)).to.deep.equal({ max: 12 })
  })
})
