import { t, type Static } from '#engine/value/schema.ts'
import { commonFields } from '#streams/cloud/gcp/answer/compute.ts'
import { flag, list, text } from '#streams/cloud/gcp/answer/field.ts'
import { daysUntil, listType } from '#streams/cloud/gcp/discover/listed.ts'
import { inScopes, pathAs, scopeRegion } from '#streams/cloud/gcp/discover/scoped.ts'
import { numberOf, timeOf } from '#streams/cloud/gcp/map/resource.ts'

const Commitment = t.Object({
  ...commonFields,
  status: text,
  type: text,
  plan: text,
  endTimestamp: text,
  autoRenew: flag,
  resources: list(t.Object({ type: text, amount: text })),
})
const commitmentsIn = inScopes('commitments', Commitment)

/** Memory is in MiB. */
const amountOf = ({ resources = [] }: Static<typeof Commitment>, type: string): number | undefined =>
  numberOf(resources.find((one) => one.type === type)?.amount)

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
    reserved_type: ({ type }) => type,
    reserved_count: (one) => amountOf(one, 'VCPU'),
    memory_gib: (one) => {
      const mebibytes = amountOf(one, 'MEMORY')
      return mebibytes === undefined ? undefined : mebibytes / 1024
    },
    end: ({ endTimestamp }) => timeOf(endTimestamp),
    days_to_end: ({ endTimestamp }) => daysUntil(endTimestamp),
    auto_renew: ({ autoRenew }) => autoRenew === true,
  },
})
