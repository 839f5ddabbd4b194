import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, orNull, timeOf } from '#streams/cloud/aws/map/resource.ts'

const gb = 1e9

export const efsFileSystems = listType('efs', {
  type: 'aws-efs',
  permissions: ['elasticfilesystem:DescribeFileSystems', 'elasticfilesystem:DescribeLifecycleConfiguration'],
  list: (m, Marker) => new m.DescribeFileSystemsCommand({ MaxItems: 100, ...(Marker && { Marker }) }),
  next: ({ NextMarker }) => NextMarker,
  items: ({ FileSystems }) => FileSystems,
  isOwn: ({ LifeCycleState }) => LifeCycleState !== 'deleting' && LifeCycleState !== 'deleted',
  detail: ({ FileSystemId }, place) =>
    also(place, 'lifecycle', () =>
      place.ask('efs', (m) => new m.DescribeLifecycleConfigurationCommand({ FileSystemId })),
    ),
  uid: ({ FileSystemArn, FileSystemId }) => FileSystemArn ?? FileSystemId,
  fields: (one) => ({
    name: one.Name ?? one.FileSystemId,
    state: one.LifeCycleState,
    zone: one.AvailabilityZoneName,
    sizeGB: one.SizeInBytes?.Value === undefined ? undefined : one.SizeInBytes.Value / gb,
    tags: one.Tags,
  }),
  specs: {
    created_at: ({ CreationTime }) => timeOf(CreationTime),
    throughput_mode: ({ ThroughputMode }) => ThroughputMode,
    provisioned_mibps: ({ ProvisionedThroughputInMibps }) => orNull(ProvisionedThroughputInMibps),
    lifecycle_to_ia: (_, detail) =>
      detail && listOf(detail.LifecyclePolicies).some(({ TransitionToIA }) => TransitionToIA !== undefined),
    one_zone: ({ AvailabilityZoneName }) => Boolean(AvailabilityZoneName),
    encrypted: ({ Encrypted }) => Encrypted,
    standard_bytes: ({ SizeInBytes }) => SizeInBytes?.ValueInStandard,
  },
})
