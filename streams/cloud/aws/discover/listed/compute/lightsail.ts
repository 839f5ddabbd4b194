import { listType } from '#streams/cloud/aws/discover/listed.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

export const lightsailInstances = listType('lightsail', {
  type: 'aws-lightsail',
  permissions: ['lightsail:GetInstances'],
  list: (m, pageToken) => new m.GetInstancesCommand({ ...(pageToken && { pageToken }) }),
  next: ({ nextPageToken }) => nextPageToken,
  items: ({ instances }) => instances,
  uid: ({ arn }) => arn,
  fields: ({ name, state, location, bundleId, hardware, tags }) => ({
    name,
    state: state?.name,
    zone: location?.availabilityZone,
    instanceType: bundleId,
    sizeGB: hardware?.disks?.reduce((sum, { sizeInGb }) => sum + (sizeInGb ?? 0), 0),
    tags,
  }),
  specs: {
    created_at: ({ createdAt }) => timeOf(createdAt),
    bundle: ({ bundleId }) => bundleId,
  },
})
