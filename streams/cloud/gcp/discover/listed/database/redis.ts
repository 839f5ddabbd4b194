import { t } from '#engine/value/schema.ts'
import { count, text } from '#streams/cloud/gcp/answer/field.ts'
import { listType, usualMembers, pagesOf, regionOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Instance = t.Object({
  ...usualMembers,
  tier: text,
  memorySizeGb: count,
  redisVersion: text,
  transitEncryptionMode: text,
})

export const redisInstances = listType(
  pagesOf(
    (project) => ({
      service: 'redis',
      path: `/projects/${project}/locations/-/instances`,
      query: { pageSize: 1000 },
      permission: 'redis.instances.list',
    }),
    'instances',
    Instance,
  ),
  {
    type: 'gcp-memorystore',
    permissions: ['redis.instances.list'],
    isOwn: ({ state }) => state !== 'DELETING',
    uid: ({ name }, place) => uidIn('redis', name, place),
    fields: ({ name, memorySizeGb, labels }) => ({
      name: lastOf(name),
      region: regionOf(name),
      sizeGB: memorySizeGb,
      labels,
    }),
    specs: {
      created_at: ({ createTime }) => timeOf(createTime),
      state: ({ state }) => state,
      engine: () => 'redis',
      engine_version: ({ redisVersion }) => redisVersion,
      tier: ({ tier }) => tier,
      memory_gb: ({ memorySizeGb }) => memorySizeGb,
      transit_encryption: ({ transitEncryptionMode }) => transitEncryptionMode === 'SERVER_AUTHENTICATION',
    },
  },
)
