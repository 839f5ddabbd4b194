/** Recorded answers of AWS, as a connector would turn them into resources. */
import { basename } from 'node:path'
import {
  linesOf,
  numberOf,
  recordings,
  statusOf,
  tagsOf,
  type Found,
  type Json,
  type Sighting,
} from '#test/real/inventory/recording.ts'
import { sdkShape } from '#test/real/inventory/xml.ts'

/** Every sighting of the recorded sessions, file after file in the order of their names. */
export const awsSightings = (folder: string): Sighting[] =>
  recordings(folder, 'aws', /^(?!wire_).*\.jsonl\.gz$/).flatMap((path) =>
    linesOf(path).flatMap(({ operation, data }: Json) => {
      const service = basename(path).replace(/\.jsonl\.gz$/, '')
      return readers[`${service}.${operation}`]?.(data) ?? []
    }),
  )

/** Those of one recording of the wire. */
export const awsWireSightings = (path: string): Sighting[] =>
  linesOf(path).flatMap(({ status, uri, requestBody, responseBody }: Json) => {
    const service = /^https:\/\/([a-z0-9]+)\./.exec(uri as string)?.[1]
    const operation = /\bAction=(\w+)/.exec(requestBody as string)?.[1]
    const read = readers[`${service}.${operation}`]
    if (!read || status !== 200) return []
    const [answer] = Object.values(sdkShape(responseBody as string) as Record<string, Json>)
    return read(answer[`${operation}Result`] ?? answer)
  })

/** A uid for what AWS names uniquely within its own service only: two services may use one name. */
export const uidIn = (service: string, name: string): string => `${service}:${name}`

const listOf = (value: Json): Json[] => (Array.isArray(value) ? value : [])
const zoned = (zone: string | undefined): string => (zone ?? '').replace(/[a-z]$/, '')
const inArn = (arn: string): string => arn.split(':')[3] ?? ''
const named = (tags: Json, otherwise: string): string => tagsOf(tags)['Name'] || otherwise

function found(type: string, resourceUid: string, state: string | null | undefined, more: Partial<Found>): Found {
  const status = statusOf(type, state)
  return { resourceUid, name: resourceUid, type, provider: 'aws', region: '', ...more, ...(status && { status }) }
}

/** A terminated instance is listed for an hour after it has ceased to exist: for the inventory it is gone. */
function instance(i: Json): Sighting {
  const state = i.State?.Name as string | undefined
  if (state === 'terminated') return { gone: i.InstanceId }
  return found('aws-ec2', i.InstanceId, state, {
    name: named(i.Tags, i.InstanceId),
    region: zoned(i.Placement?.AvailabilityZone),
    instanceType: i.InstanceType ?? '',
    tags: tagsOf(i.Tags),
  })
}

const volume = (v: Json): Found =>
  found('aws-ebs-volume', v.VolumeId, v.State, {
    name: named(v.Tags, v.VolumeId),
    region: zoned(v.AvailabilityZone),
    instanceType: v.VolumeType ?? '',
    sizeGB: numberOf(v.Size),
    tags: tagsOf(v.Tags),
    specs: { attached: listOf(v.Attachments).length > 0 },
  })

/** `desired>0=running; desired=0 and no instance=stopped`. */
function group(g: Json): Found {
  const status = g.DesiredCapacity > 0 ? 'running' : listOf(g.Instances).length === 0 ? 'stopped' : 'stopping'
  const { AutoScalingGroupARN: arn, AutoScalingGroupName: name } = g
  return { ...found('aws-asg', arn, undefined, { name, region: inArn(arn), tags: tagsOf(g.Tags) }), status }
}

/** `runningCount>0=running; desiredCount=0 and runningCount=0=stopped; desired>running=starting`. */
function containerService(s: Json): Found {
  const status = s.runningCount > 0 ? 'running' : s.desiredCount === 0 ? 'stopped' : 'starting'
  const more = { name: s.serviceName, region: inArn(s.serviceArn), parentUID: s.clusterArn, tags: tagsOf(s.tags) }
  return { ...found('aws-ecs-service', s.serviceArn, undefined, more), status }
}

/** `ACTIVE with desired>0=running; ACTIVE with desired=0=stopped`. */
function nodeGroup(n: Json): Found {
  const active = n.scalingConfig?.desiredSize > 0 ? 'running' : 'stopped'
  const more = { name: n.nodegroupName, region: inArn(n.nodegroupArn), tags: tagsOf(n.tags) }
  return {
    ...found('aws-eks-nodegroup', n.nodegroupArn, undefined, more),
    status: n.status === 'ACTIVE' ? active : 'pending',
  }
}

const databases: Readonly<Record<string, string>> = { docdb: 'aws-documentdb', neptune: 'aws-neptune' }

const databaseCluster = (c: Json): Found =>
  found(databases[c.Engine] ?? 'aws-aurora-cluster', c.DBClusterArn ?? c.DBClusterIdentifier, c.Status, {
    name: c.DBClusterIdentifier,
    tags: tagsOf(c.TagList),
  })

const database = (d: Json): Found =>
  found('aws-rds', d.DBInstanceArn ?? d.DBInstanceIdentifier, d.DBInstanceStatus, {
    name: d.DBInstanceIdentifier ?? '',
    region: zoned(d.AvailabilityZone),
    instanceType: d.DBInstanceClass ?? '',
    sizeGB: numberOf(d.AllocatedStorage),
    tags: tagsOf(d.TagList),
  })

const balancers: Readonly<Record<string, string>> = { application: 'aws-alb', network: 'aws-nlb', gateway: 'aws-gwlb' }

function balancer(b: Json): Found {
  if (!b.LoadBalancerArn) return found('aws-clb', uidIn('elb', b.LoadBalancerName), null, { name: b.LoadBalancerName })
  const type = balancers[b.Type] ?? 'aws-alb'
  return found(type, b.LoadBalancerArn, null, { name: b.LoadBalancerName, region: inArn(b.LoadBalancerArn) })
}

function simple(type: string, uid: string | undefined, tags: Json, more: Partial<Found> = {}): Found[] {
  return uid === undefined ? [] : [found(type, uid, null, { tags: tagsOf(tags), ...more })]
}

const readers: Readonly<Record<string, (data: Json) => Sighting[]>> = {
  'ec2.DescribeInstances': (d) => listOf(d.Reservations).flatMap((r) => listOf(r.Instances).map(instance)),
  'ec2.DescribeVolumes': (d) => listOf(d.Volumes).map(volume),
  'ec2.DescribeSnapshots': (d) =>
    listOf(d.Snapshots).flatMap((s) =>
      simple('aws-ebs-snapshot', s.SnapshotId, s.Tags, { sizeGB: numberOf(s.VolumeSize) }),
    ),
  'ec2.DescribeAddresses': (d) =>
    listOf(d.Addresses).flatMap((a) => simple('aws-eip', a.AllocationId ?? a.PublicIp, a.Tags, { name: a.PublicIp })),
  'ec2.DescribeNatGateways': (d) =>
    listOf(d.NatGateways).flatMap((n) => simple('aws-nat-gateway', n.NatGatewayId, n.Tags)),
  'autoscaling.DescribeAutoScalingGroups': (d) => listOf(d.AutoScalingGroups).map(group),
  'dynamodb.DescribeTable': (d) =>
    d.Table ? simple('aws-dynamodb-table', d.Table.TableArn, undefined, { name: d.Table.TableName }) : [],
  'ecs.DescribeClusters': (d) =>
    listOf(d.clusters).flatMap((c) => simple('aws-ecs-cluster', c.clusterArn, c.tags, { name: c.clusterName })),
  'ecs.DescribeServices': (d) => listOf(d.services).map(containerService),
  'eks.DescribeCluster': (d) =>
    d.cluster ? simple('aws-eks', d.cluster.arn, d.cluster.tags, { name: d.cluster.name }) : [],
  'eks.DescribeNodegroup': (d) => (d.nodegroup ? [nodeGroup(d.nodegroup)] : []),
  'elasticache.DescribeCacheClusters': (d) =>
    listOf(d.CacheClusters).flatMap((c) =>
      simple('aws-elasticache', c.ARN ?? uidIn('elasticache', c.CacheClusterId), undefined, {
        instanceType: c.CacheNodeType ?? '',
      }),
    ),
  'elasticloadbalancing.DescribeLoadBalancers': (d) =>
    [...listOf(d.LoadBalancers), ...listOf(d.LoadBalancerDescriptions)].map(balancer),
  'lambda.ListFunctions': (d) =>
    listOf(d.Functions).flatMap((f) => simple('aws-lambda', f.FunctionArn, undefined, { name: f.FunctionName })),
  'rds.DescribeDBClusters': (d) => listOf(d.DBClusters).map(databaseCluster),
  'rds.DescribeDBInstances': (d) => listOf(d.DBInstances).map(database),
  'redshift.DescribeClusters': (d) =>
    listOf(d.Clusters).map((c) =>
      found('aws-redshift', uidIn('redshift', c.ClusterIdentifier), c.ClusterStatus, {
        instanceType: c.NodeType ?? '',
        unitCount: numberOf(c.NumberOfNodes),
        tags: tagsOf(c.Tags),
      }),
    ),
  's3.ListBuckets': (d) => listOf(d.Buckets).flatMap((b) => simple('aws-s3-bucket', uidIn('s3', b.Name), undefined)),
}
