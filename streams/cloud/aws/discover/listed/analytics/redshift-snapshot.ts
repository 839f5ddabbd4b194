import { listType } from '#streams/cloud/aws/discover/listed.ts'
import { arnOf, listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

export const redshiftSnapshots = listType('redshift', {
  type: 'aws-redshift-snapshot',
  permissions: ['redshift:DescribeClusterSnapshots'],
  list: (m, Marker) =>
    new m.DescribeClusterSnapshotsCommand({ SnapshotType: 'manual', MaxRecords: 100, ...(Marker && { Marker }) }),
  next: ({ Marker }) => Marker,
  // Snapshots that other accounts share are listed too: their owners pay for them.
  items: ({ Snapshots }, { account }) =>
    listOf(Snapshots).filter(({ OwnerAccount }) => OwnerAccount === undefined || OwnerAccount === account),
  // Those of AWS Backup are found as its recovery points.
  isOwn: ({ SnapshotIdentifier }) => !SnapshotIdentifier?.startsWith('awsbackup:'),
  uid: ({ SnapshotArn }) => SnapshotArn,
  fields: (one, where) => ({
    name: one.SnapshotIdentifier,
    parentUID: one.ClusterIdentifier && arnOf('redshift', where, `cluster:${one.ClusterIdentifier}`),
    instanceType: one.NodeType,
    unitCount: one.NumberOfNodes,
    sizeGB: one.TotalBackupSizeInMegaBytes === undefined ? undefined : one.TotalBackupSizeInMegaBytes / 1000,
    tags: one.Tags,
  }),
  specs: {
    created_at: ({ SnapshotCreateTime }) => timeOf(SnapshotCreateTime),
    retention_days: ({ ManualSnapshotRetentionPeriod }) => ManualSnapshotRetentionPeriod,
    encrypted: ({ Encrypted }) => Encrypted,
    // People made it, also where its cluster is gone and cannot be asked.
    managed: () => false,
  },
})
