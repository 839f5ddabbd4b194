import { t } from '#engine/value/schema.ts'
import { commonFields } from '#streams/cloud/gcp/answer/compute.ts'
import { flag, text } from '#streams/cloud/gcp/answer/field.ts'
import { daysUntil, listType } from '#streams/cloud/gcp/discover/listed.ts'
import { inScopes, pathAs, scopeRegion } from '#streams/cloud/gcp/discover/scoped.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'

const Commitment = t.Object({
  ...commonFields,
  status: text,
  type: text,
  plan: text,
  endTimestamp: text,
  autoRenew: flag,
})
const commitmentsIn = inScopes('commitments', Commitment)

/** Those for resources. Commitments to an amount belong to the billing account and are seen in bills. */
export const commitments = listType(commitmentsIn, {
  type: 'gcp-commitment',
  permissions: ['compute.commitments.list'],
  uid: pathAs('commitments'),
  fields: (one) => ({ name: one.name, region: scopeRegion(one) }),
  specs: {
    created_at: ({ creationTimestamp }) => timeOf(creationTimestamp),
    state: ({ status }) => status,
    commitment_type: ({ type }) => type,
    plan: ({ plan }) => plan,
    days_to_end: ({ endTimestamp }) => daysUntil(endTimestamp),
    auto_renew: ({ autoRenew }) => autoRenew === true,
  },
})
