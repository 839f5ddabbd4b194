import { t, type Static } from '#engine/value/schema.ts'
import { spendCommitmentsOf } from '#streams/cloud/gcp/bill/spend-commitment.ts'
import { commonFields } from '#streams/cloud/gcp/answer/compute.ts'
import { flag, list, text } from '#streams/cloud/gcp/answer/field.ts'
import type { ProjectScan } from '#streams/cloud/gcp/discover/finder.ts'
import { daysUntil, listType, type ListedFinder } from '#streams/cloud/gcp/discover/listed.ts'
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

const forResources = listType(commitmentsIn, {
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

/** They belong to the billing account: to the account whose bills are in the same data set. */
async function* spendIn(place: ProjectScan) {
  yield (await place.more('spend-based commitments', () => spendCommitmentsOf(place.session))) ?? []
}

const toAmount = listType(spendIn, {
  type: 'gcp-commitment',
  permissions: [],
  uid: ({ subscription }) => subscription.instance_id,
  fields: ({ subscription, cud_product: product, region }) => ({
    name: subscription.display_name || product?.display_name || subscription.instance_id,
    region: region || 'global',
  }),
  specs: {
    created_at: ({ start_time: start }) => timeOf(start),
    state: () => 'ACTIVE',
    commitment_type: ({ cud_product: product }) => product?.display_name ?? undefined,
    plan: ({ term }) => plans[term ?? ''],
    commitment_hourly: ({ commitent_amount: amount }) =>
      amount?.unit === '$/hr' ? numberOf(String(amount.value ?? '')) : undefined,
    end: ({ end_time: end }) => timeOf(end),
    days_to_end: ({ end_time: end }) => daysUntil(end),
  },
})

/** As Compute Engine names them. */
const plans: Readonly<Record<string, string>> = { P1Y: 'TWELVE_MONTH', P3Y: 'THIRTY_SIX_MONTH' }

export const commitments: ListedFinder = {
  ...forResources,
  attributes: [...new Set([...forResources.attributes, ...toAmount.attributes])],
  async *find(place, search) {
    yield* forResources.find(place, search)
    yield* toAmount.find(place, search)
  },
}
