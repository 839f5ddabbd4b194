import { t } from '#engine/value/schema.ts'
import { commonFields } from '#streams/cloud/gcp/answer/compute.ts'
import { text } from '#streams/cloud/gcp/answer/field.ts'
import { listType } from '#streams/cloud/gcp/discover/listed.ts'
import { inScopes, pathAs, scopeRegion } from '#streams/cloud/gcp/discover/scoped.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'

const Attachment = t.Object({ ...commonFields, operationalStatus: text, bandwidth: text, type: text })

const attachmentsIn = inScopes('interconnectAttachments', Attachment)

export const interconnectAttachments = listType(attachmentsIn, {
  type: 'gcp-interconnect-attachment',
  permissions: ['compute.interconnectAttachments.list'],
  uid: pathAs('interconnectAttachments'),
  fields: (one) => ({ name: one.name, region: scopeRegion(one), labels: one.labels }),
  specs: {
    created_at: ({ creationTimestamp }) => timeOf(creationTimestamp),
    state: ({ operationalStatus }) => operationalStatus,
    bandwidth: ({ bandwidth }) => bandwidth,
    attachment_type: ({ type }) => type,
  },
})
