import { t } from '#engine/value/schema.ts'
import { text } from '#streams/cloud/gcp/answer/field.ts'
import { listType, usualMembers, pagesOf, regionOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Instance = t.Object({ ...usualMembers, type: text, version: text })

export const dataFusionInstances = listType(
  pagesOf(
    (project) => ({
      service: 'datafusion',
      path: `/projects/${project}/locations/-/instances`,
      permission: 'datafusion.instances.list',
    }),
    'instances',
    Instance,
  ),
  {
    type: 'gcp-data-fusion',
    permissions: ['datafusion.instances.list'],
    uid: ({ name }, place) => uidIn('datafusion', name, place),
    fields: ({ name, labels }) => ({ name: lastOf(name), region: regionOf(name), labels }),
    specs: {
      created_at: ({ createTime }) => timeOf(createTime),
      state: ({ state }) => state,
      edition: ({ type }) => type,
      version: ({ version }) => version,
    },
  },
)
