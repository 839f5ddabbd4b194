// tier: deep
/**
 * Recorded answers of AWS, given to discovery as AWS gave them: what it finds in each is what the recorded data says is in it.
 * Compared are all answers whose calls discovery makes and whose resources the data lists, each in a scan of its own, since the
 * recordings are of many accounts and moments: identifiers, types, names, states, sizes, zones, tags, and what rules read. Not
 * compared are answers about classic load balancers, which discovery does not ask for, and log groups, which the data does not list.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { discoverAws } from '#streams/cloud/aws/discover/discover.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'
import { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import type { CloudAccount, DiscoveredResource } from '#streams/cloud/connector.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { describeReal } from '#test/real/data.ts'
import { inSpecs, rowsOf, type AnalystRow } from '#test/real/inventory/analyst.ts'
import { showsAll } from '#test/real/inventory/shown.ts'
import { folded } from '#test/real/inventory/expected.ts'
import { expectedIn, linesOf, recordings, type Json } from '#test/real/inventory/recording.ts'
import { account, stubOf, type Answer } from '#test/streams/cloud/aws/stub.ts'

/** The calls that discovery makes, by recording and operation, with the types that an answer holds. */
const calls: Readonly<Record<string, readonly string[]>> = {
  'ec2.DescribeInstances': ['aws-ec2'],
  'ec2.DescribeVolumes': ['aws-ebs-volume'],
  'ec2.DescribeSnapshots': ['aws-ebs-snapshot'],
  'ec2.DescribeAddresses': ['aws-eip'],
  'ec2.DescribeNatGateways': ['aws-nat-gateway'],
  'autoscaling.DescribeAutoScalingGroups': ['aws-asg'],
  'dynamodb.DescribeTable': ['aws-dynamodb-table'],
  'ecs.DescribeClusters': ['aws-ecs-cluster'],
  'ecs.DescribeServices': ['aws-ecs-service'],
  'eks.DescribeCluster': ['aws-eks'],
  'eks.DescribeNodegroup': ['aws-eks-nodegroup'],
  'elasticache.DescribeCacheClusters': ['aws-elasticache'],
  'elasticloadbalancing.DescribeLoadBalancers': ['aws-alb', 'aws-nlb', 'aws-gwlb'],
  'lambda.ListFunctions': ['aws-lambda'],
  'rds.DescribeDBClusters': ['aws-aurora-cluster', 'aws-documentdb', 'aws-neptune'],
  'rds.DescribeDBInstances': ['aws-rds'],
  'redshift.DescribeClusters': ['aws-redshift'],
  's3.ListBuckets': ['aws-s3-bucket'],
}

/** What lists name, so that the recorded answer is asked for. */
function listsOf({ Table, services = [], cluster, nodegroup }: Json): Record<string, unknown> {
  const [clusterArn = 'cluster'] = services.map((one: Json) => one.clusterArn)
  const clusterName = nodegroup?.clusterName
  return {
    ListTables: { TableNames: [Table?.TableName] },
    'ecs.ListClusters': { clusterArns: [clusterArn] },
    'ecs.DescribeClusters': { clusters: [{ clusterArn }] },
    ListServices: { serviceArns: services.map((one: Json) => one.serviceArn) },
    'eks.ListClusters': { clusters: [cluster?.name ?? clusterName] },
    DescribeCluster: { cluster: { name: clusterName, arn: 'cluster' } },
    ListNodegroups: { nodegroups: [nodegroup?.nodegroupName] },
  }
}

/** As AWS's client gives it: a time that is counted with is a date. */
const revived = (data: Json): Json =>
  JSON.parse(JSON.stringify(data), (name, value: unknown) => (name === 'StartTime' ? new Date(String(value)) : value))

/** Answers one call with what was recorded, once: a page that was recorded alone is the last. */
function replayed(call: string, data: Json, region: string): Answer {
  const lists = listsOf(data)
  let isGiven = false
  return ({ service, operation }) => {
    if (operation === 'GetBucketLocation') return { LocationConstraint: region }
    if (`${packages[service] ?? service}.${operation}` !== call)
      return lists[operation] ?? lists[`${service}.${operation}`] ?? {}
    if (isGiven) return {}
    isGiven = true
    return revived(data)
  }
}

/** Recordings that are not called as the package is. */
const packages: Readonly<Record<string, string>> = {
  'auto-scaling': 'autoscaling',
  'elastic-load-balancing-v2': 'elasticloadbalancing',
}

async function foundIn(open: (account: CloudAccount) => AwsSession, of: CloudAccount, types: readonly string[]) {
  const discovery = discoverAws({ open })(of)
  const found: DiscoveredResource[] = []
  for await (const page of discovery.pages) found.push(...page.filter(({ type }) => types.includes(type)))
  expect(discovery.message).to.equal(undefined)
  return found
}

/** The region that an answer speaks of most plainly. */
const regionIn = (data: Json): string => {
  const text = JSON.stringify(data)
  const found =
    /"arn:aws:[a-z0-9-]+:([a-z]{2}-[a-z]+-\d):/.exec(text) ?? /"AvailabilityZone":"([a-z]{2}-[a-z]+-\d)/.exec(text)
  return found?.[1] ?? 'us-east-1'
}

/** Our identifiers, where the data has names alone. */
function uidOf(one: Json, of: CloudAccount): string {
  const [region] = of.regions
  if (one.uid.startsWith('arn:')) return one.uid
  if (one.kind === 'bucket') return `arn:aws:s3:::${one.uid}`
  if (one.kind === 'cache') return `arn:aws:elasticache:${region}:${of.externalId}:cluster:${one.uid}`
  return one.kind === 'warehouse' ? `arn:aws:redshift:${region}:${of.externalId}:cluster:${one.uid}` : one.uid
}

/** What the data tells of a kind beside what all have, under our names. */
const details: Readonly<Record<string, (one: Json) => object>> = {
  vm: (one) => ({ lifecycle: one.lifecycle, tenancy: one.tenancy }),
  disk: (one) => ({
    state: one.state,
    attached: !one.orphan,
    volume_type: one.type,
    iops: one.iops,
    encrypted: one.encrypted,
  }),
  snapshot: (one) => ({ volume_id: one.volume, created_at: timeOf(one.started), state: one.state }),
  address: (one) => ({ associated: one.associated, public_ipv4: one.ip }),
  nat: (one) => ({ state: one.state }),
  asg: (one) => ({ min_size: one.min, max_size: one.max, desired: one.desired, instance_count: one.instances }),
  table: (one) => ({ state: one.state, read_capacity: one.rcu, write_capacity: one.wcu }),
  containerService: (one) => ({ desired_count: one.desired, running_count: one.running }),
  k8sCluster: (one) => ({ version: one.version, state: one.state, public_endpoint: one.publicAccess }),
  nodeGroup: (one) => ({
    state: one.state,
    min_size: one.scaling?.minSize,
    max_size: one.scaling?.maxSize,
    desired: one.scaling?.desiredSize,
  }),
  cache: (one) => ({ engine: one.engine, node_count: one.nodes, state: one.state }),
  loadBalancer: (one) => ({ state: one.state }),
  function: (one) => ({ memory_mb: one.memMB, runtime: one.runtime }),
  databaseCluster: (one) => ({ engine: one.engine, member_count: one.members }),
  database: (one) => ({
    engine: one.engine,
    engine_version: one.version,
    multi_az: one.multiAZ,
    cluster_id: one.cluster,
  }),
  warehouse: (one) => ({ node_count: one.nodes }),
  bucket: (one) => ({ created_at: timeOf(one.created) }),
}

/** What the data says is in the answer, in our words. A terminated machine is left out. */
function wantedIn(resources: readonly Json[], of: CloudAccount, types: readonly string[]): Map<string, object> {
  const wanted = new Map<string, object>()
  for (const one of resources) {
    const [[, base] = []] = folded([one], 'aws')
    if (!base || !types.includes(base.type)) continue
    const { region, ...rest } = base
    const told = Object.entries(details[one.kind]?.(one) ?? {}).filter(
      ([, value]) => value !== null && value !== undefined,
    )
    wanted.set(uidOf(one, of), {
      ...rest,
      // Where no zone is told it lies where it was asked for.
      ...(region !== undefined && { region: region || of.regions[0] }),
      ...(one.name && one.kind !== 'containerService' && { name: one.name }),
      ...Object.fromEntries(told.map(([name, value]) => [`specs.${name}`, value])),
    })
  }
  return wanted
}

/** The same members of what was found. */
function shown(one: DiscoveredResource, like: object): object {
  const { specs = {}, ...rest } = { status: 'pending', ...one }
  const all: Record<string, unknown> = { instanceType: '', sizeGB: null, ...rest }
  return Object.fromEntries(
    Object.keys(like).map((name) => [name, name.startsWith('specs.') ? specs[name.slice(6)] : all[name]]),
  )
}

/** What the data says, as far as the view of analysts has it: sizes of disks are in their specs there. */
const asViewed = (like: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(like)
      .filter(([name]) => name !== 'sizeGB')
      .map(([name, value]) => [name, name.startsWith('specs.') ? inSpecs(value) : value]),
  )

/** The same members of a row. */
const viewed = ({ specs, ...row }: AnalystRow, like: object): object => {
  const all: Record<string, unknown> = row
  return Object.fromEntries(
    Object.keys(like).map((name) => [name, name.startsWith('specs.') ? specs[name.slice(6)] : all[name]]),
  )
}

function compare(found: readonly DiscoveredResource[], wanted: ReadonlyMap<string, object>, where: string): void {
  const uids = found.map(({ resourceUid }) => resourceUid)
  expect(uids.toSorted(), where).to.deep.equal([...wanted.keys()].toSorted())
  for (const one of found) {
    const like = wanted.get(one.resourceUid)!
    expect(shown(one, like), `${where} ${one.resourceUid}`).to.deep.equal(like)
  }
}

describeReal('discovery of recorded accounts of AWS', (folder) => {
  /** The last of each that any answer told of, and what the data says of it. */
  const last = new Map<string, DiscoveredResource>()
  const wantedOf = new Map<string, object>()
  let org: Tenant

  it('finds in every recorded answer what is in it [RES-06] [RES-09]', async () => {
    const answers = new Map<string, Json[]>()
    const compared = new Map<string, Set<string>>()
    let count = 0
    for (const { file, line, operation, resources } of linesOf(
      join(folder, 'expected', 'inventory_aws_shared.jsonl.gz'),
    )) {
      const call = `${file.replace('.jsonl.gz', '')}.${operation}`
      const types = calls[call]
      if (!types) continue
      if (!answers.has(file)) answers.set(file, linesOf(join(folder, 'inventory', 'aws', file)))
      const { data } = answers.get(file)![line]
      if (data.LoadBalancerDescriptions) continue
      const of = { ...account, regions: [regionIn(data)] }
      const stub = stubOf(replayed(call, data, of.regions[0]!))
      const found = await foundIn(stub.open, of, types)
      const wanted = wantedIn(resources, of, types)
      compare(found, wanted, `${file} ${line} ${operation}`)
      count++
      for (const one of found) last.set(one.resourceUid, one)
      for (const [uid, like] of wanted) wantedOf.set(uid, like)
      for (const { type, resourceUid } of found) compared.set(type, (compared.get(type) ?? new Set()).add(resourceUid))
    }
    const sizes = [...compared].map(([type, uids]) => [type, uids.size] as const)
    expect({ count, ...Object.fromEntries(sizes) }).to.deep.equal(distinct)
  })

  it('shows in GET /resources what it has found [RES-06] [RES-07]', async () => {
    org = await tenant()
    await showsAll(org, [...last.values()])
    expect(last.size).to.equal(Object.values(distinct).reduce((sum, n) => sum + n, 0) - distinct.count)
  })

  it('shows analysts exactly what the data says, each once [RES-06]', async () => {
    const rows = await rowsOf(org)
    expect(rows.map(({ uid }) => uid)).to.deep.equal([...wantedOf.keys()].toSorted())
    for (const row of rows) {
      const like = asViewed(wantedOf.get(row.uid)!)
      expect(viewed(row, like), row.uid).to.deep.equal(like)
    }
    expect(new Set(rows.map(({ provider, deletedAt }) => `${provider} ${deletedAt}`))).to.deep.equal(
      new Set(['aws null']),
    )
  })

  for (const path of recordings(folder, 'aws', /^wire_/)) {
    const uri: string = linesOf(path).find(({ uri }: Json) => uri.startsWith('https://ec2.'))?.uri ?? ''
    const region = /^https:\/\/ec2\.([a-z0-9-]+)\./.exec(uri)?.[1]
    if (region === undefined) continue
    it(`finds over HTTP, by AWS's own client, the resources of ${path.split('/').at(-1)} [RES-01]`, async () => {
      const server = await serving(path)
      const of = { ...account, regions: [region] }
      const types = ['aws-ec2', 'aws-ebs-volume', 'aws-eip']
      try {
        const { port } = server.address() as AddressInfo
        const found = await foundIn((one) => ec2Alone(one, `http://127.0.0.1:${port}`), of, types)
        compare(found, wantedIn(expectedIn(folder, 'aws', path), of, types), path)
        expect(found.length).to.be.above(0)
      } finally {
        server.close()
        server.closeAllConnections()
      }
    })
  }
})

/** Answers that were compared, and how many different resources were found in them, by type. */
const distinct = {
  count: 443,
  'aws-ec2': 93,
  'aws-s3-bucket': 80,
  'aws-rds': 38,
  'aws-asg': 36,
  'aws-ebs-volume': 27,
  'aws-ebs-snapshot': 25,
  'aws-lambda': 23,
  'aws-redshift': 17,
  'aws-elasticache': 15,
  'aws-aurora-cluster': 13,
  'aws-dynamodb-table': 12,
  'aws-alb': 10,
  'aws-eip': 10,
  'aws-ecs-service': 8,
  'aws-eks': 8,
  'aws-ecs-cluster': 7,
  'aws-eks-nodegroup': 2,
  'aws-nat-gateway': 2,
}

/** What EC2 first answered to an action when it was recorded, whatever it was asked about; nothing for what was not asked then. */
async function serving(path: string): Promise<Server> {
  const actionIn = (body: string) => /\bAction=(\w+)/.exec(body)?.[1] ?? ''
  const lines = linesOf(path).filter(({ uri, status }: Json) => uri.startsWith('https://ec2.') && status === 200)
  const recorded = new Map<string, string>(
    lines.toReversed().map((one: Json) => [actionIn(one.requestBody), one.responseBody]),
  )
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const action = actionIn(body)
    response.setHeader('content-type', 'text/xml;charset=UTF-8')
    response.end(recorded.get(action) ?? `<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"/>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** A session whose other services have nothing. */
function ec2Alone(of: CloudAccount, endpoint: string): AwsSession {
  const caller = new Caller({ clock: systemClock, meter: { made: () => {} }, random: Math.random })
  const credentials = async () => ({ accessKeyId: 'AKID', secretAccessKey: 'secret' })
  const session = new AwsSession(of, { caller, endpoint }, { credentials })
  const ask = session.ask.bind(session)
  session.ask = (async (...args: Parameters<typeof ask>) => (args[0] === 'ec2' ? ask(...args) : {})) as typeof ask
  return session
}
