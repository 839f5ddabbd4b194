import { expect } from 'chai'
import { World } from '#test/harness/gathered.ts'
import { tenant } from '#test/harness/product.ts'

describe('what resources refer to', () => {
  it('is told of targets of load balancers, pods of clusters, costs of what is written to, owners of logs', async () => {
    const world = new World(await tenant())
    const log = (name: string) => `arn:aws:logs:r:1:log-group:${name}`
    const backup = (volume: string) => ({ resource_type: 'EBS', resource_arn: `arn:aws:ec2:r:1:volume/${volume}` })
    await Promise.all([
      world.discover('i-1', 'aws-ec2'),
      world.discover('i-2', 'aws-ec2'),
      world.discover('alb-1', 'aws-alb', { specs: { target_instances: ['i-1'], dns_name: 'Front.example' } }),
      world.discover('alb-2', 'aws-alb', { specs: { target_instances: 'i-2' } }),
      world.discover('c-1', 'aws-eks'),
      world.discover('c-2', 'aws-eks'),
      world.discover('p-1', 'aws-eks-pod', {
        parentUid: 'c-1',
        specs: { namespace: 'kube-system', phase: 'Running' },
      }),
      world.discover('p-2', 'aws-eks-pod', { parentUid: 'c-1', specs: { namespace: 'shop', phase: 'Running' } }),
      world.discover('p-3', 'aws-eks-pod', { parentUid: 'c-1', specs: { namespace: 'shop', phase: 'Pending' } }),
      world.discover('service', 'aws-eks-service', { specs: { load_balancer: 'front.example' } }),
      world.discover('c-1/shop/horizontalpodautoscaler/web', 'aws-eks-horizontalpodautoscaler', {
        specs: { target: 'deployment/web' },
      }),
      world.discover('c-1/shop/horizontalpodautoscaler/api', 'aws-eks-horizontalpodautoscaler', {
        specs: { target: 'deployment/api' },
      }),
      world.discover('google', 'gcp-gke-service', { specs: { load_balancer: '203.0.113.7' } }),
      world.discover('rule', 'gcp-forwarding-rule', { specs: { ip_address: '203.0.113.7' } }),
      world.discover('azure', 'azure-aks-service', { specs: { load_balancer: '203.0.113.8' } }),
      world.discover('ip', 'azure-public-ip', { specs: { public_ipv4: '203.0.113.8' } }),
      world.discover('twice', 'gcp-gke-service', { specs: { load_balancer: '10.0.0.1' } }),
      world.discover('rule-1', 'gcp-forwarding-rule', { specs: { ip_address: '10.0.0.1' } }),
      world.discover('rule-2', 'gcp-forwarding-rule', { specs: { ip_address: '10.0.0.1' } }),
      world.discover('c-1/shop/statefulset/db', 'gcp-gke-statefulset', {
        parentUid: 'c-1',
        specs: { namespace: 'shop', claims: ['data-db-*', 'extra'] },
      }),
      world.discover('c-1/shop/deployment/bare', 'gcp-gke-deployment', {
        parentUid: 'c-1',
        specs: { namespace: 'shop', claims: [] },
      }),
      ...[
        ['shop/data-db-0', 'disk-0'],
        ['shop/data-db-12', 'disk-12'],
        ['shop/extra', 'disk-extra'],
        ['shop/data-db-old', 'disk-old'],
        ['bank/data-db-0', 'disk-bank'],
      ].map(([claim, disk]) =>
        world.discover(`c-1/persistentvolume/${disk}`, 'gcp-gke-persistentvolume', {
          parentUid: 'c-1',
          specs: { claim, disk },
        }),
      ),
      world.discover('vpc-1', 'aws-vpc', { specs: { flow_log_group: log('/flows') } }),
      world.discover('stack', 'aws-cfn-stack', { specs: { resource_ids: ['v-1', 'v-9'] } }),
      world.discover('v-1', 'aws-ebs-volume'),
      world.discover('arn:aws:lambda:r:1:function:here', 'aws-lambda'),
      ...['/flows', '/aws/lambda/here', '/aws/lambda/gone'].map((name) => world.discover(log(name), 'aws-log-group')),
      world.discover('kept', 'aws-recovery-point', { specs: backup('v-1') }),
      world.discover('left', 'aws-recovery-point', { specs: backup('v-9') }),
    ])
    await world.bill(
      [1, 'alb-1', 9],
      [1, 'rule', 5],
      [1, 'ip', 3],
      [1, 'rule-1', 2],
      [1, 'c-1/shop/deployment/web', 6],
      [1, log('/flows'), 4],
      [1, 'v-1', 7],
      [1, 'disk-0', 1],
      [1, 'disk-12', 2],
      [1, 'disk-extra', 4],
      [1, 'disk-old', 8],
      [1, 'disk-bank', 16],
    )
    const all = await world.gather()
    const relation = (uid: string, name: string) => all.get(uid)!.facts[`rel.${name}`]
    expect(['i-1', 'i-2'].map((uid) => relation(uid, 'load_balancer_count'))).to.deep.equal([1, 0])
    // The second cluster's pods are not seen.
    expect(['c-1', 'c-2'].map((uid) => relation(uid, 'workload_pod_count'))).to.deep.equal([1, undefined])
    // Two rules with an address of different networks are not known to be a service's own.
    const exposed = ['service', 'google', 'azure', 'twice'].map((uid) => relation(uid, 'load_balancer_cost_30d'))
    expect(exposed).to.deep.equal([9, 5, 3, undefined])
    const scaled = ['web', 'api'].map((name) => relation(`c-1/shop/horizontalpodautoscaler/${name}`, 'target_cost_30d'))
    expect(scaled).to.deep.equal([6, undefined])
    // Of all of its numbers and of what it mounts by name, not of other workloads and namespaces.
    expect(relation('c-1/shop/statefulset/db', 'pvc_cost_30d')).to.equal(7)
    expect(relation('c-1/shop/deployment/bare', 'pvc_cost_30d')).to.equal(0)
    expect(relation('vpc-1', 'flow_log_cost_30d')).to.equal(4)
    expect(relation('stack', 'resource_cost_30d')).to.equal(7)
    const owners = ['/flows', '/aws/lambda/here', '/aws/lambda/gone'].map((name) => relation(log(name), 'owner_exists'))
    expect(owners).to.deep.equal([undefined, true, false])
    expect(['kept', 'left'].map((uid) => relation(uid, 'source_exists'))).to.deep.equal([true, false])
  })
})
