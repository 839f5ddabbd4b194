import type { FileSystem } from '@aws-sdk/client-fsx'
import { listType } from '#streams/cloud/aws/discover/listed.ts'
import { nameIn, timeOf } from '#streams/cloud/aws/map/resource.ts'

const gibPerTib = 1024

interface Configuration {
  ThroughputCapacity?: number | undefined
  DeploymentType?: string | undefined
}

/** What each kind says of itself; ONTAP may say it for each pair of file servers, Lustre for each TiB. */
function configurationOf(one: FileSystem): Configuration {
  const ontap = one.OntapConfiguration
  const lustre = one.LustreConfiguration
  const perPair = ontap?.ThroughputCapacityPerHAPair
  const perTib = lustre?.PerUnitStorageThroughput
  return {
    ...(one.WindowsConfiguration ?? one.OpenZFSConfiguration ?? ontap ?? lustre),
    ...(perPair !== undefined && { ThroughputCapacity: perPair * (ontap?.HAPairs ?? 1) }),
    ...(perTib !== undefined && { ThroughputCapacity: Math.round((perTib * (one.StorageCapacity ?? 0)) / gibPerTib) }),
  }
}

export const fsxFileSystems = listType('fsx', {
  type: 'aws-fsx',
  permissions: ['fsx:DescribeFileSystems'],
  list: (m, NextToken) => new m.DescribeFileSystemsCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ FileSystems }) => FileSystems,
  isOwn: ({ Lifecycle }) => Lifecycle !== 'DELETING',
  uid: ({ ResourceARN, FileSystemId }) => ResourceARN ?? FileSystemId,
  fields: (one) => ({
    name: nameIn(one.Tags) ?? one.FileSystemId,
    state: one.Lifecycle,
    sizeGB: one.StorageCapacity,
    tags: one.Tags,
  }),
  specs: {
    created_at: ({ CreationTime }) => timeOf(CreationTime),
    fs_type: ({ FileSystemType }) => FileSystemType,
    storage_type: ({ StorageType }) => StorageType,
    // Megabytes per second; Lustre for scratch data is given none.
    throughput_capacity: (one) => configurationOf(one).ThroughputCapacity ?? null,
    deployment_type: (one) => configurationOf(one).DeploymentType,
  },
})
