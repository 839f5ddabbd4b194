import { t } from '#engine/value/schema.ts'
import { commonFields } from '#streams/cloud/gcp/answer/compute.ts'
import { some, text } from '#streams/cloud/gcp/answer/field.ts'
import { listType } from '#streams/cloud/gcp/discover/listed.ts'
import { inScopes, pathAs, scopeRegion } from '#streams/cloud/gcp/discover/scoped.ts'
import { zoneIn } from '#streams/cloud/gcp/map/compute.ts'
import { numberOf, timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Reservation = t.Object({
  ...commonFields,
  status: text,
  specificReservation: some({ count: text, inUseCount: text, instanceProperties: some({ machineType: text }) }),
})
const reservationsIn = inScopes('reservations', Reservation)

/** Of accelerators that are reserved together it is not said how many are in use. */
export const reservations = listType(reservationsIn, {
  type: 'gcp-reservation',
  permissions: ['compute.reservations.list'],
  uid: pathAs('reservations'),
  fields: (one) => ({
    name: one.name,
    region: scopeRegion(one),
    zone: zoneIn(one.where),
    instanceType: lastOf(one.specificReservation?.instanceProperties?.machineType) || undefined,
    unitCount: numberOf(one.specificReservation?.count),
  }),
  specs: {
    created_at: ({ creationTimestamp }) => timeOf(creationTimestamp),
    state: ({ status }) => status,
    count: ({ specificReservation }) => numberOf(specificReservation?.count),
    in_use_count: ({ specificReservation }) => numberOf(specificReservation?.inUseCount),
  },
})
