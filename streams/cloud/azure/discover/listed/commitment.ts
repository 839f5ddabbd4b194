import { memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { findByCalls, listedType } from '#streams/cloud/azure/discover/listed.ts'
import type { SubscriptionScan } from '#streams/cloud/azure/discover/finder.ts'
import { daysSince, isAt, numberAt, timeAt } from '#streams/cloud/azure/map/resource.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'

const version = '2022-11-01'
const reservation = 'Microsoft.Capacity/reservationOrders/reservations/read'
const savingsPlan = 'Microsoft.BillingBenefits/savingsPlanOrders/savingsPlans/read'

/** Those that are paid by the subscription, of all that the application may see in the tenant. */
const pagesOf = (path: string, permission: string) =>
  async function* (place: SubscriptionScan): AsyncGenerator<Item[]> {
    const own = place.session.path().toLowerCase()
    for await (const page of place.session.pages({ path, permission, query: { 'api-version': version } }))
      yield page.filter((one) => textAt(one, 'properties', 'billingScopeId')?.toLowerCase() === own)
  }

/** Azure does not tell whether one ends on the day or after it: the day counts. */
const daysTo = (end: string | undefined, now: number): number | undefined => {
  const days = daysSince(end, now)
  return days === undefined ? undefined : -days
}

export const reservations = findByCalls(
  listedType({
    type: 'azure-reservation',
    permissions: [reservation],
    fields: ({ of, item }) => ({
      name: textAt(of, 'displayName'),
      instanceType: textAt(item, 'sku', 'name'),
      unitCount: numberAt(of, 'quantity'),
    }),
    specs: {
      reserved_type: ({ of }) => textAt(of, 'reservedResourceType'),
      reserved_count: ({ of }) => numberAt(of, 'quantity'),
      sku: ({ item }) => textAt(item, 'sku', 'name'),
      scope: ({ of }) => textAt(of, 'appliedScopeType'),
      created_at: ({ of }) => timeAt(of, 'purchaseDateTime') ?? timeAt(of, 'purchaseDate'),
      end: ({ of }) => timeAt(of, 'expiryDateTime') ?? timeAt(of, 'expiryDate'),
      days_to_end: ({ of, now }) => daysTo(textAt(of, 'expiryDateTime') ?? textAt(of, 'expiryDate'), now),
      auto_renew: ({ of }) => isAt(of, 'renew'),
      state: ({ of }) => textAt(of, 'provisioningState'),
    },
  }),
  pagesOf('/providers/Microsoft.Capacity/reservations', reservation),
)

export const savingsPlans = findByCalls(
  listedType({
    type: 'azure-savings-plan',
    permissions: [savingsPlan],
    fields: ({ of, item }) => ({ name: textAt(of, 'displayName'), instanceType: textAt(item, 'sku', 'name') }),
    specs: {
      // A commitment of another currency is not a number of dollars.
      commitment_hourly: ({ of }) =>
        textAt(of, 'commitment', 'currencyCode') === 'USD' ? memberOf(of, 'commitment', 'amount') : undefined,
      scope: ({ of }) => textAt(of, 'appliedScopeType'),
      created_at: ({ of }) => timeAt(of, 'purchaseDateTime'),
      end: ({ of }) => timeAt(of, 'expiryDateTime'),
      days_to_end: ({ of, now }) => daysTo(textAt(of, 'expiryDateTime'), now),
      auto_renew: ({ of }) => isAt(of, 'renew'),
    },
  }),
  pagesOf('/providers/Microsoft.BillingBenefits/savingsPlans', savingsPlan),
)
