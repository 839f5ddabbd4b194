import { t } from '#engine/value/schema.ts'
import { list, text } from '#streams/cloud/gcp/answer/field.ts'
import { listType, locationOf, usualMembers, pagesOf, regionOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Instance = t.Object({ ...usualMembers, tier: text, fileShares: list(t.Object({ capacityGb: text })) })

export const filestoreInstances = listType(
  pagesOf(
    (project) => ({
      service: 'file',
      path: `/projects/${project}/locations/-/instances`,
      query: { pageSize: 500 },
      permission: 'file.instances.list',
    }),
    'instances',
    Instance,
  ),
  {
    type: 'gcp-filestore',
    permissions: ['file.instances.list'],
    uid: ({ name }, place) => uidIn('file', name, place),
    fields: ({ name, fileShares, labels }) => ({
      name: lastOf(name),
      region: regionOf(name),
      sizeGB: fileShares?.reduce((sum, { capacityGb }) => sum + Number(capacityGb ?? 0), 0),
      labels,
    }),
    specs: {
      created_at: ({ createTime }) => timeOf(createTime),
      state: ({ state }) => state,
      location: ({ name }) => locationOf(name),
      tier: ({ tier }) => tier,
    },
  },
)
