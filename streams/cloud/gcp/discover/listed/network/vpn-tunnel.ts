import { t } from '#engine/value/schema.ts'
import { commonFields } from '#streams/cloud/gcp/answer/compute.ts'
import { text } from '#streams/cloud/gcp/answer/field.ts'
import { listType } from '#streams/cloud/gcp/discover/listed.ts'
import { inScopes, pathAs, scopeRegion } from '#streams/cloud/gcp/discover/scoped.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'

const tunnelsIn = inScopes('vpnTunnels', t.Object({ ...commonFields, status: text }))

export const vpnTunnels = listType(tunnelsIn, {
  type: 'gcp-vpn-tunnel',
  permissions: ['compute.vpnTunnels.list'],
  uid: pathAs('vpnTunnels'),
  fields: (one) => ({ name: one.name, region: scopeRegion(one), labels: one.labels }),
  specs: {
    created_at: ({ creationTimestamp }) => timeOf(creationTimestamp),
    state: ({ status }) => status,
  },
})
