import { t } from '#engine/value/schema.ts'
import { Labels, some, text } from '#streams/cloud/gcp/answer/field.ts'
import { allOf, also, listType, pagesOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'

const Zone = t.Object({
  name: t.String(),
  dnsName: text,
  creationTime: text,
  visibility: text,
  labels: Labels,
  dnssecConfig: some({ state: text }),
})
const RecordSet = t.Object({ type: text })

/** Every zone has these two. */
const own = ['NS', 'SOA']

export const dnsZones = listType(
  pagesOf(
    (project) => ({
      service: 'dns',
      path: `/projects/${project}/managedZones`,
      permission: 'dns.managedZones.list',
    }),
    'managedZones',
    Zone,
  ),
  {
    type: 'gcp-dns-zone',
    permissions: ['dns.managedZones.list', 'dns.resourceRecordSets.list'],
    detail: async ({ name }, place) => {
      const path = `/projects/${place.project}/managedZones/${encodeURIComponent(name)}/rrsets`
      const call = { service: 'dns', path, permission: 'dns.resourceRecordSets.list' } as const
      return also(place, call.permission, () => allOf(place, call, 'rrsets', RecordSet))
    },
    uid: ({ name }, place) => uidIn('dns', `projects/${place.project}/managedZones/${name}`, place),
    fields: ({ name, labels }) => ({ name, region: 'global', labels }),
    specs: {
      created_at: ({ creationTime }) => timeOf(creationTime),
      dns_name: ({ dnsName }) => dnsName,
      dnssec: ({ dnssecConfig }) => dnssecConfig?.state ?? 'off',
      visibility: ({ visibility }) => visibility,
      record_count: (_, records) => records?.filter(({ type = '' }) => !own.includes(type)).length,
    },
  },
)
