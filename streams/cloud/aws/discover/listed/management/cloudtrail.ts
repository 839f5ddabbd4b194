import type { GetEventSelectorsResponse, Trail } from '@aws-sdk/client-cloudtrail'
import { Fault } from '#engine/value/fault.ts'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'

/** A trail, and whether it delivers management events. */
type Delivery = { trail: Trail; delivers: boolean | undefined }

export const trails = listType('cloudtrail', {
  type: 'aws-cloudtrail',
  permissions: [
    'cloudtrail:DescribeTrails',
    'cloudtrail:GetEventSelectors',
    'cloudtrail:GetTrailStatus',
    'cloudtrail:ListTags',
  ],
  list: (m) => new m.DescribeTrailsCommand({ includeShadowTrails: true }),
  // A trail of several regions is listed in all of them, one of the organization in all of its accounts: it counts once.
  items: async ({ trailList }, place) => {
    const own = listOf(trailList).filter((trail) => isAtHome(trail, place))
    if (own.length === 0) return []
    const all = await mapConcurrently(listOf(trailList), 4, (trail) => deliveryOf(trail, place))
    return all
      .filter(({ trail }) => own.includes(trail))
      .map((one) => ({ ...one, others: countOf(all.filter((other) => other !== one)) }))
  },
  detail: ({ trail: { TrailARN = '' } }, place) =>
    also(place, 'tags', () => place.ask('cloudtrail', (m) => new m.ListTagsCommand({ ResourceIdList: [TrailARN] }))),
  uid: ({ trail }) => trail.TrailARN,
  fields: ({ trail: { Name } }, { account }, detail) => ({
    name: Name,
    parentUID: account,
    tags: detail?.ResourceTagList?.[0]?.TagsList,
  }),
  specs: {
    logs_management_events: ({ delivers }) => delivers,
    organization_trail: ({ trail }) => trail.IsOrganizationTrail ?? false,
    log_validation: ({ trail }) => trail.LogFileValidationEnabled ?? false,
    other_management_trail_count: ({ others }) => others,
  },
})

const isAtHome = ({ HomeRegion, TrailARN = '' }: Trail, { region, account }: RegionScan): boolean =>
  HomeRegion === region && TrailARN.split(':')[4] === account

/** Undefined if one of them is unknown. */
function countOf(others: readonly Delivery[]): number | undefined {
  if (others.some(({ delivers }) => delivers === undefined)) return undefined
  return others.filter(({ delivers }) => delivers).length
}

/** A trail that was stopped delivers nothing. Trails answer where they are at home. */
async function deliveryOf(trail: Trail, place: RegionScan): Promise<Delivery> {
  const { TrailARN, HomeRegion = place.region } = trail
  const { session } = place
  const [status, selectors] = await Promise.all([
    told(trail, place, 'status', () =>
      session.ask('cloudtrail', HomeRegion, (m) => new m.GetTrailStatusCommand({ Name: TrailARN })),
    ),
    told(trail, place, 'selectors', () =>
      session.ask('cloudtrail', HomeRegion, (m) => new m.GetEventSelectorsCommand({ TrailName: TrailARN })),
    ),
  ])
  if (status?.IsLogging === false) return { trail, delivers: false }
  return { trail, delivers: status && selectors && hasManagementEvents(selectors) }
}

/** Undefined where the trail belongs to another account of the organization, which may hide what it does. */
async function told<T>(
  { TrailARN, IsOrganizationTrail }: Trail,
  place: RegionScan,
  name: string,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await also(place, IsOrganizationTrail ? `${name} ${TrailARN}` : name, ask)
  } catch (error) {
    if (IsOrganizationTrail && error instanceof Fault && error.code === 'rejected') return undefined
    throw error
  }
}

const hasManagementEvents = ({ EventSelectors, AdvancedEventSelectors }: GetEventSelectorsResponse): boolean =>
  listOf(EventSelectors).some(({ IncludeManagementEvents }) => IncludeManagementEvents ?? true) ||
  listOf(AdvancedEventSelectors).some(({ FieldSelectors }) =>
    listOf(FieldSelectors).some(({ Field, Equals }) => Field === 'eventCategory' && Equals?.includes('Management')),
  )
