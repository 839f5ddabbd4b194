/** An account of three regions, and what a scan of it comes to. */
import { Fault } from '#engine/value/fault.ts'
import { discoverAws, type AwsDiscovery } from '#streams/cloud/aws/discover/discover.ts'
import type { CloudAccount, DiscoveredResource } from '#streams/cloud/connector.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { account, type Answer, type Question, type Stub } from './stub.ts'

export const regions = ['eu-west-1', 'us-east-1', 'us-west-2']
const machinePages = 7
export const pageSize = 20

export const uidsIn = (region: string) =>
  Array.from({ length: machinePages * pageSize }, (_, n) => `i-${region}-${String(n).padStart(4, '0')}`)

/** Three regions: seven pages of machines in each, with a volume each, a cluster with a node group, a service, a database. */
export const world: Answer = ({ service, region, operation, input }) => {
  const answers: Record<string, () => unknown> = {
    'ec2.DescribeRegions': () => ({ Regions: regions.map((RegionName) => ({ RegionName })) }),
    'ec2.DescribeInstances': () =>
      paged(region, input.NextToken, (some) => ({ Reservations: [{ Instances: some.map(machine(region)) }] })),
    'ec2.DescribeVolumes': () => paged(region, input.NextToken, (some) => ({ Volumes: some.map(disk(region)) })),
    'eks.ListClusters': () => ({ clusters: ['shop'] }),
    'eks.DescribeCluster': () => ({ cluster: { name: input.name, arn: clusterIn(region), status: 'ACTIVE' } }),
    'eks.ListNodegroups': () => ({ nodegroups: ['general'] }),
    'eks.DescribeNodegroup': () => ({
      nodegroup: {
        nodegroupName: 'general',
        nodegroupArn: `${clusterIn(region)}/general`,
        status: 'ACTIVE',
        scalingConfig: { desiredSize: 2 },
        resources: { autoScalingGroups: [{ name: 'eks-general' }] },
      },
    }),
    'rds.DescribeDBInstances': () => ({
      DBInstances: [{ DBInstanceArn: `arn:aws:rds:${region}:1:db:shop`, DBInstanceStatus: 'available' }],
    }),
    's3.ListBuckets': () => ({
      Buckets: [
        { Name: 'shop-logs', BucketRegion: 'us-east-1' },
        { Name: 'shop-media', BucketRegion: 'us-west-2' },
      ],
    }),
  }
  return answers[`${service}.${operation}`]?.() ?? {}
}

export const clusterIn = (region: string) => `arn:aws:eks:${region}:123456789012:cluster/shop`
const machine = (region: string) => (InstanceId: string) => ({
  InstanceId,
  State: { Name: 'running' },
  Placement: { AvailabilityZone: `${region}a` },
  Tags: [{ Key: 'aws:autoscaling:groupName', Value: 'eks-general' }],
})
const disk = (region: string) => (InstanceId: string) => ({
  VolumeId: InstanceId.replace('i-', 'vol-'),
  AvailabilityZone: `${region}a`,
  Attachments: [{ InstanceId }],
})

function paged(region: string, token: string | undefined, of: (uids: string[]) => object) {
  const page = Number(token ?? 0)
  const NextToken = page + 1 < machinePages ? String(page + 1) : undefined
  return { ...of(uidsIn(region).slice(page * pageSize, (page + 1) * pageSize)), NextToken }
}

/** Uids of all there is. */
export const everything = (): Map<string, { type: string; region: string }> => {
  const all = regions.flatMap((region) => [
    ...uidsIn(region).map((uid) => [uid, { type: 'aws-ec2', region }] as const),
    ...uidsIn(region).map((uid) => [uid.replace('i-', 'vol-'), { type: 'aws-ebs-volume', region }] as const),
    [clusterIn(region), { type: 'aws-eks', region }] as const,
    [`${clusterIn(region)}/general`, { type: 'aws-eks-nodegroup', region }] as const,
    [`arn:aws:rds:${region}:1:db:shop`, { type: 'aws-rds', region }] as const,
  ])
  const buckets = [
    ['arn:aws:s3:::shop-logs', { type: 'aws-s3-bucket', region: 'us-east-1' }],
    ['arn:aws:s3:::shop-media', { type: 'aws-s3-bucket', region: 'us-west-2' }],
  ] as const
  const itself = [['123456789012', { type: 'aws-account', region: 'global' }]] as const
  return new Map<string, { type: string; region: string }>([...all, ...buckets, ...itself])
}

/** What a scan that ended so would delete of what is known and still there: as the account's statement says it. */
export const wronglyDeleted = (found: readonly DiscoveredResource[], seen: readonly ScanCoverage[]): string[] => {
  const uids = new Set(found.map(({ resourceUid }) => resourceUid))
  const holds = (list: readonly string[], one: string) => list.length === 0 || list.includes(one)
  return [...everything()]
    .filter(
      ([uid, { type, region }]) =>
        !uids.has(uid) && seen.some((part) => holds(part.types, type) && holds(part.regions, region)),
    )
    .map(([uid]) => uid)
}

export interface Scanned {
  found: DiscoveredResource[]
  seen: readonly ScanCoverage[]
  missing: readonly string[]
  message: string | undefined
  fault: Fault | undefined
}

export async function scanned(
  stub: Stub,
  more: Partial<AwsDiscovery> = {},
  of: CloudAccount = account,
): Promise<Scanned> {
  const discovery = discoverAws({ open: stub.open, ...more })(of)
  const found: DiscoveredResource[] = []
  let fault: Fault | undefined
  try {
    for await (const page of discovery.pages) found.push(...page)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    fault = error
  }
  const { seen, missingPermissions = [], message } = discovery
  return { found, seen: seen as readonly ScanCoverage[], missing: missingPermissions, message, fault }
}

/** The types that were seen in a region. */
export const typesSeen = (seen: readonly ScanCoverage[], region: string): string[] =>
  seen.filter((part) => part.regions.includes(region)).flatMap(({ types }) => types)

export const uidsOf = (found: readonly DiscoveredResource[]) => found.map(({ resourceUid }) => resourceUid)

/** The same numbers for the same seed, 0 <= x < 1. */
export function chances(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  }
}

export const isPage = ({ region, operation, input }: Question, name: string, page: number): boolean =>
  region === 'eu-west-1' && operation === name && Number(input.NextToken ?? 0) === page
