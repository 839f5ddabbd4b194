import { t } from '#engine/value/schema.ts'
import { some, text } from '#streams/cloud/gcp/answer/field.ts'
import { allOf, also, listType, usualMembers, pagesOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Secret = t.Object({ ...usualMembers, rotation: some({ rotationPeriod: text }) })

export const secrets = listType(
  pagesOf(
    (project) => ({
      service: 'secretmanager',
      path: `/projects/${project}/secrets`,
      query: { pageSize: 1000 },
      permission: 'secretmanager.secrets.list',
    }),
    'secrets',
    Secret,
  ),
  {
    type: 'gcp-secret',
    permissions: ['secretmanager.secrets.list', 'secretmanager.versions.list'],
    detail: async ({ name }, place) => {
      const call = {
        service: 'secretmanager',
        path: `/projects/${place.project}/secrets/${encodeURIComponent(lastOf(name))}/versions`,
        query: { filter: 'state:ENABLED', pageSize: 1000 },
        permission: 'secretmanager.versions.list',
      } as const
      return (await also(place, call.permission, () => allOf(place, call, 'versions', t.Object({}))))?.length
    },
    uid: ({ name }, place) => uidIn('secretmanager', name, place),
    fields: ({ name, labels }) => ({ name: lastOf(name), region: 'global', labels }),
    specs: {
      created_at: ({ createTime }) => timeOf(createTime),
      enabled_versions: (_, versions) => versions,
      rotation: ({ rotation }) => rotation !== undefined,
    },
  },
)
