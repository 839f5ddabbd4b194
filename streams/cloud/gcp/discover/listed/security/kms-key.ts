import { t } from '#engine/value/schema.ts'
import { some, text } from '#streams/cloud/gcp/answer/field.ts'
import {
  allOf,
  listType,
  usualMembers,
  onceIn,
  pagesInEach,
  regionOf,
  secondsOf,
  uidIn,
} from '#streams/cloud/gcp/discover/listed.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, type ProjectScan, type Search } from '#streams/cloud/gcp/discover/finder.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Ring = t.Object({ name: t.String() })
const Key = t.Object({ ...usualMembers, purpose: text, rotationPeriod: text, primary: some({ state: text }) })

const locations = onceIn(async (place) => {
  const path = `/projects/${place.project}/locations`
  const call = { service: 'cloudkms', path, query: { pageSize: 500 }, permission: 'cloudkms.locations.list' } as const
  const found = await allOf(place, call, 'locations', t.Object({ locationId: t.String() }))
  return found.map(({ locationId }) => locationId)
})

const rings = pagesInEach(
  locations,
  (project, location) => ({
    service: 'cloudkms',
    path: `/projects/${project}/locations/${location}/keyRings`,
    permission: 'cloudkms.keyRings.list',
  }),
  'keyRings',
  Ring,
)

async function* keysIn(place: ProjectScan, search: Search) {
  for await (const some of rings(place, search)) {
    const found = await mapConcurrently(some, callsAtOnce, ({ name }) => {
      const call = { service: 'cloudkms', path: `/${name}/cryptoKeys`, permission: 'cloudkms.cryptoKeys.list' } as const
      return allOf(place, call, 'cryptoKeys', Key)
    })
    yield found.flat()
  }
}

/** Keys cannot be deleted; of one whose versions are destroyed nothing is left to do. */
export const kmsKeys = listType(keysIn, {
  type: 'gcp-kms-key',
  permissions: ['cloudkms.locations.list', 'cloudkms.keyRings.list', 'cloudkms.cryptoKeys.list'],
  isOwn: ({ purpose, primary }) => purpose !== 'ENCRYPT_DECRYPT' || primary?.state === 'ENABLED',
  uid: ({ name }, place) => uidIn('cloudkms', name, place),
  fields: ({ name, labels }) => ({ name: lastOf(name), region: regionOf(name), labels }),
  specs: {
    created_at: ({ createTime }) => timeOf(createTime),
    purpose: ({ purpose }) => purpose,
    rotation_days: ({ rotationPeriod }) => {
      const seconds = secondsOf(rotationPeriod)
      return seconds === undefined ? null : seconds / 86_400
    },
  },
})
