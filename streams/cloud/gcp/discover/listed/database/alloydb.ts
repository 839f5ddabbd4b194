import { t } from '#engine/value/schema.ts'
import { count, some, text } from '#streams/cloud/gcp/answer/field.ts'
import { listType, usualMembers, pagesOf, partOf, regionOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Instance = t.Object({
  ...usualMembers,
  instanceType: text,
  availabilityType: text,
  machineConfig: some({ cpuCount: count }),
})

export const alloydbInstances = listType(
  pagesOf(
    (project) => ({
      service: 'alloydb',
      path: `/projects/${project}/locations/-/clusters/-/instances`,
      query: { pageSize: 1000 },
      permission: 'alloydb.instances.list',
    }),
    'instances',
    Instance,
  ),
  {
    type: 'gcp-alloydb',
    permissions: ['alloydb.instances.list'],
    uid: ({ name }, place) => uidIn('alloydb', name, place),
    fields: ({ name, labels }) => ({ name: lastOf(name), region: regionOf(name), labels }),
    specs: {
      created_at: ({ createTime }) => timeOf(createTime),
      state: ({ state }) => state,
      cluster: ({ name }) => partOf(name, 'clusters'),
      instance_type: ({ instanceType }) => instanceType,
      availability: ({ availabilityType }) => availabilityType,
      vcpus: ({ machineConfig }) => machineConfig?.cpuCount,
    },
  },
)
