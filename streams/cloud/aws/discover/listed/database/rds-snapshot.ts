import type { DBClusterSnapshot, DBSnapshot } from '@aws-sdk/client-rds'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { arnOf, listOf, tagsOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

/** Snapshots of instances and of clusters, as one: `source` is the ARN's path of what it was made of. */
const ofInstance = (one: DBSnapshot) => ({
  ...one,
  id: one.DBSnapshotIdentifier,
  arn: one.DBSnapshotArn,
  source: one.DBInstanceIdentifier && `db:${one.DBInstanceIdentifier}`,
  isCluster: false,
  isEncrypted: one.Encrypted,
})
const ofCluster = (one: DBClusterSnapshot) => ({
  ...one,
  id: one.DBClusterSnapshotIdentifier,
  arn: one.DBClusterSnapshotArn,
  source: one.DBClusterIdentifier && `cluster:${one.DBClusterIdentifier}`,
  isCluster: true,
  isEncrypted: one.StorageEncrypted,
})
type Snapshot = ReturnType<typeof ofInstance> | ReturnType<typeof ofCluster>

const isHeldByBackup = ({ SnapshotType, TagList }: Snapshot): boolean =>
  SnapshotType === 'awsbackup' || Object.keys(tagsOf(TagList)).some((tag) => tag.startsWith('aws:backup:'))

/** Manual ones: automated ones go with their database, those of AWS Backup are found as its recovery points. */
export const rdsSnapshots = listType('rds', {
  type: 'aws-rds-snapshot',
  permissions: [
    'rds:DescribeDBSnapshots',
    'rds:DescribeDBClusterSnapshots',
    'rds:DescribeDBSnapshotAttributes',
    'rds:DescribeDBClusterSnapshotAttributes',
  ],
  list: (m, Marker) =>
    new m.DescribeDBSnapshotsCommand({ SnapshotType: 'manual', MaxRecords: 100, ...(Marker && { Marker }) }),
  next: ({ Marker }) => Marker,
  // Those of clusters come with the last page of those of instances.
  items: async ({ DBSnapshots, Marker }, place): Promise<readonly Snapshot[]> => [
    ...listOf(DBSnapshots).map(ofInstance),
    ...(Marker ? [] : await clusterSnapshots(place)),
  ],
  detail: isPublic,
  uid: ({ arn }) => arn,
  fields: ({ id, source, AllocatedStorage, TagList }, where) => ({
    name: id,
    parentUID: source && arnOf('rds', where, source),
    // Of an Aurora cluster AWS may say 0: not known.
    sizeGB: AllocatedStorage || undefined,
    tags: TagList,
  }),
  specs: {
    created_at: ({ SnapshotCreateTime }) => timeOf(SnapshotCreateTime),
    engine: ({ Engine }) => Engine,
    encrypted: ({ isEncrypted }) => isEncrypted,
    public: (_, detail) => detail,
    managed_by_backup: isHeldByBackup,
    // Also where its database is gone and cannot be asked.
    managed: isHeldByBackup,
  },
})

async function clusterSnapshots(place: RegionScan) {
  const answers = place.pages(
    'rds',
    (m, Marker) =>
      new m.DescribeDBClusterSnapshotsCommand({ SnapshotType: 'manual', MaxRecords: 100, ...(Marker && { Marker }) }),
    ({ Marker }) => Marker,
  )
  const found: Snapshot[] = []
  for await (const { DBClusterSnapshots } of answers) found.push(...listOf(DBClusterSnapshots).map(ofCluster))
  return found
}

/** Whether every account may restore it. */
async function isPublic({ id, isCluster }: Snapshot, place: RegionScan): Promise<boolean | undefined> {
  const attributes = isCluster
    ? await also(place, 'cluster attributes', async () => {
        const ask = { DBClusterSnapshotIdentifier: id }
        const answer = await place.ask('rds', (m) => new m.DescribeDBClusterSnapshotAttributesCommand(ask))
        return listOf(answer.DBClusterSnapshotAttributesResult?.DBClusterSnapshotAttributes)
      })
    : await also(place, 'attributes', async () => {
        const ask = { DBSnapshotIdentifier: id }
        const answer = await place.ask('rds', (m) => new m.DescribeDBSnapshotAttributesCommand(ask))
        return listOf(answer.DBSnapshotAttributesResult?.DBSnapshotAttributes)
      })
  return attributes?.some(
    ({ AttributeName, AttributeValues }) => AttributeName === 'restore' && listOf(AttributeValues).includes('all'),
  )
}
