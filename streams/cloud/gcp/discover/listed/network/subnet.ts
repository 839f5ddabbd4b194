import { t } from '#engine/value/schema.ts'
import { commonFields } from '#streams/cloud/gcp/answer/compute.ts'
import { count, flag, some, text } from '#streams/cloud/gcp/answer/field.ts'
import { listType } from '#streams/cloud/gcp/discover/listed.ts'
import { inScopes, pathAs, scopeRegion } from '#streams/cloud/gcp/discover/scoped.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { pathIn } from '#streams/cloud/gcp/resource-path.ts'

const Subnetwork = t.Object({
  ...commonFields,
  network: text,
  purpose: text,
  privateIpGoogleAccess: flag,
  logConfig: some({ enable: flag, flowSampling: count }),
})

/** Google's own rate where none is set. */
const defaultSampling = 0.5

const subnetworksIn = inScopes('subnetworks', Subnetwork)

/** Those of proxies have no flow logs. */
export const subnets = listType(subnetworksIn, {
  type: 'gcp-subnet',
  permissions: ['compute.subnetworks.list'],
  isOwn: ({ purpose }) => purpose === undefined || purpose === 'PRIVATE',
  uid: pathAs('subnetworks'),
  fields: (one) => ({ name: one.name, region: scopeRegion(one) }),
  specs: {
    created_at: ({ creationTimestamp }) => timeOf(creationTimestamp),
    network: ({ network }) => pathIn(network),
    flow_logs: ({ logConfig }) => logConfig?.enable === true,
    flow_log_sampling: ({ logConfig }) => (logConfig?.enable ? (logConfig.flowSampling ?? defaultSampling) : null),
    private_google_access: ({ privateIpGoogleAccess }) => privateIpGoogleAccess === true,
  },
})
