import { t } from '#engine/value/schema.ts'
import { flag, text } from '#streams/cloud/gcp/answer/field.ts'
import type { ProjectScan } from '#streams/cloud/gcp/discover/finder.ts'
import { listType, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Billing = t.Object({ billingAccountName: text, billingEnabled: flag })

/** What pays for the project. More of it can be seen by its own administrators alone. */
async function* payerOf(place: ProjectScan) {
  const path = `/projects/${place.project}/billingInfo`
  const call = { service: 'cloudbilling', path, permission: 'resourcemanager.projects.get' } as const
  const { billingAccountName = '', billingEnabled } = await place.ask(call, Billing)
  yield billingAccountName === '' ? [] : [{ name: billingAccountName, billingEnabled }]
}

export const billingAccount = listType(payerOf, {
  type: 'gcp-billing-account',
  permissions: ['resourcemanager.projects.get'],
  uid: ({ name }, place) => uidIn('cloudbilling', name, place),
  fields: ({ name }) => ({ name: lastOf(name), region: 'global' }),
  specs: { open: ({ billingEnabled }) => billingEnabled === true },
})
