import { t } from '#engine/value/schema.ts'
import { bucketOf } from '#streams/cloud/connector.ts'
import { flag, list, text } from '#streams/cloud/gcp/answer/field.ts'
import { placeOfBills } from '#streams/cloud/gcp/bill/location.ts'
import type { ProjectScan } from '#streams/cloud/gcp/discover/finder.ts'
import { allOf, listType, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Billing = t.Object({ billingAccountName: text, billingEnabled: flag })

/** What pays for the project. */
async function* payerOf(place: ProjectScan) {
  const path = `/projects/${place.project}/billingInfo`
  const call = { service: 'cloudbilling', path, permission: 'resourcemanager.projects.get' } as const
  const { billingAccountName = '', billingEnabled } = await place.ask(call, Billing)
  yield billingAccountName === '' ? [] : [{ name: billingAccountName, billingEnabled }]
}

/** No role of a project can grant it: its own administrators have to, so its absence is no fault of the account. */
async function whereGranted<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (bucketOf(error) === 'user_action') return undefined
    throw error
  }
}

async function budgetsOf(place: ProjectScan, name: string): Promise<number> {
  const call = { service: 'billingbudgets', path: `/${name}/budgets`, permission: 'billing.budgets.list' } as const
  return (await allOf(place, call, 'budgets', t.Object({ name: t.String() }))).length
}

const Tables = t.Object({
  nextPageToken: text,
  tables: list(t.Object({ tableReference: t.Object({ tableId: text }) })),
})

/** Whether the data set of the account's bills has the table that Google makes for the detailed export. */
async function isExported(place: ProjectScan): Promise<boolean | undefined> {
  const of = placeOfBills(place.session.account)
  if (!of) return undefined
  const path = `/projects/${encodeURIComponent(of.project)}/datasets/${of.dataset}/tables`
  const call = { service: 'bigquery', path, permission: 'bigquery.tables.list' } as const
  for await (const { tables = [] } of place.pages(call, Tables))
    if (tables.some((one) => one.tableReference.tableId?.startsWith('gcp_billing_export_resource_v1_'))) return true
  return false
}

export const billingAccount = listType(payerOf, {
  type: 'gcp-billing-account',
  permissions: ['resourcemanager.projects.get'],
  detail: async ({ name }, place) => ({
    budgets: await whereGranted(() => budgetsOf(place, name)),
    isExported: await whereGranted(() => isExported(place)),
  }),
  uid: ({ name }, place) => uidIn('cloudbilling', name, place),
  fields: ({ name }) => ({ name: lastOf(name), region: 'global' }),
  specs: {
    open: ({ billingEnabled }) => billingEnabled === true,
    budget_count: (_, detail) => detail?.budgets,
    export_enabled: (_, detail) => detail?.isExported,
  },
})
