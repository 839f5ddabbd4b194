import { t, type Static } from '#engine/value/schema.ts'
import { some, text } from '#streams/cloud/gcp/answer/field.ts'
import { allOf, listType, partOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { present, type ProjectScan } from '#streams/cloud/gcp/discover/finder.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'

const App = t.Object({ locationId: text })
const Service = t.Object({
  id: t.String(),
  split: some({ allocations: t.Optional(t.Record(t.String(), t.Number())) }),
})
const Version = t.Object({
  id: t.String(),
  name: t.String(),
  createTime: text,
  servingStatus: text,
  env: text,
  instanceClass: text,
  automaticScaling: some({}),
  basicScaling: some({}),
  manualScaling: some({}),
})
type Version = Static<typeof Version> & { region: string; share: number | undefined }

/** The two oldest locations are named without their number. */
const regionOfApp = (locationId: string): string =>
  ({ 'us-central': 'us-central1', 'europe-west': 'europe-west1' })[locationId] ?? locationId

/** A project has one application, or none. */
async function* versionsIn(place: ProjectScan): AsyncGenerator<Version[]> {
  const { project } = place
  const call = { service: 'appengine', path: `/apps/${project}`, permission: 'appengine.applications.get' } as const
  const app = await present(place.ask(call, App))
  if (!app) return
  const region = regionOfApp(app.locationId ?? '')
  const path = `/apps/${project}/services`
  const services = await allOf(
    place,
    { service: 'appengine', path, permission: 'appengine.services.list' },
    'services',
    Service,
  )
  for (const { id, split } of services) {
    const versions = await allOf(
      place,
      {
        service: 'appengine',
        path: `${path}/${encodeURIComponent(id)}/versions`,
        query: { view: 'FULL' },
        permission: 'appengine.versions.list',
      },
      'versions',
      Version,
    )
    const shares = split?.allocations
    yield versions.map((one) => ({ ...one, region, share: shares && (shares[one.id] ?? 0) }))
  }
}

export const appVersions = listType(versionsIn, {
  type: 'gcp-appengine-version',
  permissions: ['appengine.applications.get', 'appengine.services.list', 'appengine.versions.list'],
  uid: ({ name }, place) => uidIn('appengine', name, place),
  fields: ({ id, region, servingStatus, instanceClass }) => ({
    name: id,
    region,
    state: servingStatus,
    instanceType: instanceClass,
  }),
  specs: {
    created_at: ({ createTime }) => timeOf(createTime),
    state: ({ servingStatus }) => servingStatus,
    service: ({ name }) => partOf(name, 'services'),
    environment: ({ env }) => (env === undefined || env === 'standard' ? 'standard' : 'flexible'),
    scaling: ({ basicScaling, manualScaling }) => {
      if (manualScaling) return 'manual'
      return basicScaling ? 'basic' : 'automatic'
    },
    traffic_percent: ({ share }) => (share === undefined ? undefined : 100 * share),
  },
})
