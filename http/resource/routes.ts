import { allAccounts } from '#actors/account/queries.ts'
import { teamsOf } from '#actors/attribution/resource-owner.ts'
import { filterFields, findResource, providerTotals, sorts, type ResourceFilter } from '#actors/resource/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Driver, driverOf } from '#http/account/driver.ts'
import { orNull, ProviderName, ProviderParameter, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { list, pageHeaders, paging, repeatedParam, slice } from '#http/edge/parameter/paging.ts'
import { resourceCount, resourcePage, resourcesOfIds, resourcesOfUids, type ResourceRow } from '#actors/resource/row.ts'
import { ResourceTeam } from '#http/resource/context.ts'
import { costsMax, monthlyCosts } from '#http/resource/costs.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { permit } from '#http/identity/organization/permit.ts'
import { scopeOf } from '#http/report/filter/filter.ts'
import type { Services } from '#http/edge/services.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Driver as DriverName } from '#streams/cloud/connector.ts'
import { providers, type Provider } from '#streams/names.ts'
import { resourceStatuses, type ResourceStatus } from '#streams/resource/messages.ts'
import { tagOf } from '#engine/value/tag-key.ts'

const Resource = t.Object(
  {
    id: t.String({ description: 'does not change when the resource is discovered again' }),
    name: t.String(),
    uid: t.String({ description: "the provider's own identifier; may contain slashes" }),
    type: t.String({ description: '<provider>-<kind>' }),
    instanceType: t.String(),
    sizeGB: orNull(t.Number()),
    unitCount: orNull(t.Integer()),
    region: t.String(),
    status: t.Enum(resourceStatuses),
    cloudAccountID: t.String(),
    cloudAccountName: t.String(),
    cloudAccountDriver: Driver,
    provider: ProviderName,
    parentUID: t.String({ description: 'empty if it has no parent' }),
    childCount: t.Integer(),
    schedulable: t.Boolean({ description: 'can be started and stopped' }),
    tags: t.Record(t.String(), t.String()),
    team: t.Optional(ResourceTeam),
    inReportScope: t.Optional(
      t.Boolean({
        description:
          'in lookups by UID, for a role that is limited to some accounts or teams: whether the role sees its costs and context',
      }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'Resource',
    examples: [
      {
        id: '5f0c9d1e-7a44-8b0d-9c55-0d6f8f1b2c3d',
        name: 'shop-prod-web-1',
        uid: 'i-0a1b2c3d4e5f60718',
        type: 'aws-ec2',
        instanceType: 'm5.large',
        sizeGB: null,
        unitCount: null,
        region: 'us-east-1',
        status: 'running',
        cloudAccountID: 'acct-1',
        cloudAccountName: 'Production',
        cloudAccountDriver: 'real',
        provider: 'aws',
        parentUID: '',
        childCount: 0,
        schedulable: true,
        tags: { env: 'prod' },
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

const Specs = t.Object(
  {
    id: t.String(),
    uid: t.String(),
    type: t.String(),
    specs: t.Record(t.String(), t.Unknown(), {
      description: 'from the latest discovery that reported any; by type and producer',
    }),
    observedAt: t.String({ format: 'date-time', description: 'when it was last discovered' }),
  },
  {
    title: 'ResourceSpecs',
    examples: [
      {
        id: '5f0c9d1e-7a44-8b0d-9c55-0d6f8f1b2c3d',
        uid: 'vol-0a1b2c3d4e5f60718',
        type: 'aws-ebs-volume',
        specs: { volume_type: 'gp2', iops: 300, attached: false },
        observedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

/** A resource as every endpoint shows it. */
const show = (r: ResourceRow, cloudOf: Services['cloudOf']): Static<typeof Resource> => ({
  id: r.id,
  name: r.name,
  uid: r.uid,
  type: r.type,
  instanceType: r.instance_type,
  sizeGB: r.size_gb,
  unitCount: r.unit_count,
  region: r.region,
  status: r.status,
  cloudAccountID: r.cloud_account_id,
  cloudAccountName: r.account?.name ?? r.cloud_account_id,
  cloudAccountDriver: driverAt(r, cloudOf),
  provider: r.provider,
  parentUID: r.parent_uid,
  childCount: r.children,
  schedulable: r.schedulable,
  tags: r.tags,
  createdAt: new Date(r.created_at).toISOString(),
  updatedAt: new Date(r.updated_at).toISOString(),
})

/** For a deleted account no cloud is called. */
const driverAt = ({ account }: ResourceRow, cloudOf: Services['cloudOf']): DriverName =>
  account ? driverOf({ ...account, credentials: account.isFed ? null : '' }, cloudOf) : 'none'

const toResourceViews = (
  rows: readonly ResourceRow[],
  { cloudOf }: Pick<Services, 'cloudOf'>,
): Static<typeof Resource>[] => rows.map((row) => show(row, cloudOf))

/** Prefix of names in `filter`. */
const specsOf = 'specs.'

const filters = {
  search: t.Optional(t.String({ maxLength: 2048, description: 'part of the name or the UID, case-insensitive' })),
  type: t.Optional(list(t.String({ alias: true }))),
  provider: t.Optional(list(ProviderParameter)),
  status: t.Optional(list(t.Enum(resourceStatuses))),
  region: t.Optional(list(t.String())),
  cloud_account_id: t.Optional(list(t.String())),
  parent_uid: t.Optional(t.String({ minLength: 1, maxLength: 1024, description: 'only its children' })),
  schedulable: t.Optional(t.Boolean()),
  team_id: t.Optional(
    list(t.String({ maxLength: 1024 }), { description: 'teams, or unassigned; requires service.view' }),
  ),
  tag: t.Optional(
    repeatedParam(t.String({ pattern: '^[^:]', maxLength: 2600 }), {
      maxItems: 20,
      description: 'key:value, or a key, for tags as counted in reports; several are combined with AND',
    }),
  ),
  filter: t.Optional(
    t.Record(t.String({ maxLength: 256 }), t.Array(t.String({ maxLength: 2048 }), { maxItems: 100 }), {
      keyed: specsOf,
      maxProperties: 20,
      description:
        "filter[specs.NAME]=value: the resource's spec NAME has this value, as text (false, 100, gp3), or is a list that " +
        'contains it; several values of one name are combined with OR, different names with AND',
      examples: [{ 'specs.attached': ['false'] }],
    }),
  ),
}

interface Filters {
  search?: string
  type?: string[]
  provider?: Provider[]
  status?: ResourceStatus[]
  region?: string[]
  cloud_account_id?: string[]
  parent_uid?: string
  schedulable?: boolean
  team_id?: string[]
  tag?: string[]
  filter?: Record<string, string[]>
}

const filterOf = (q: Filters): ResourceFilter => ({
  ...(q.search && { search: q.search }),
  ...(q.type && { types: q.type }),
  ...(q.provider && { providers: q.provider }),
  ...(q.status && { statuses: q.status }),
  ...(q.region && { regions: q.region }),
  ...(q.cloud_account_id && { cloudAccountIds: q.cloud_account_id }),
  ...(q.parent_uid && { parentUid: q.parent_uid }),
  ...(q.schedulable !== undefined && { schedulable: q.schedulable }),
  ...(q.team_id && { teams: q.team_id }),
  ...(q.tag && { tags: q.tag.map(tagOf) }),
  ...(q.filter && { specs: stripSpecsPrefix(q.filter) }),
})

/** Teams need a permission of their own. @throws Fault `forbidden` */
function checkTeams({ team_id: teams, include = [] }: Filters & { include?: string[] }, caller: Caller): void {
  if (teams !== undefined || include.includes('team')) permit({ permission: 'service.view' }, caller)
}

const stripSpecsPrefix = (filter: Record<string, string[]>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(filter).map(([name, values]) => [name.slice(specsOf.length), values]))

const routeBase = { permission: 'space.view', tags: ['Resources'] } as const
const Resources = t.Array(Resource)

/** The newest of some times; null if there is none. */
const newest = (times: readonly (Date | null | undefined)[]): Date | null =>
  times.reduce<Date | null>((best, at) => (at && (!best || at > best) ? at : best), null)

/** Everyone who may see the inventory sees all of it; only costs are limited by a role. */
async function ofUids(caller: Caller, uids: readonly string[], services: Services): Promise<Static<typeof Resource>[]> {
  const found = toResourceViews(await resourcesOfUids(services.em, caller.orgId, uids), services)
  if (caller.reportScope.all) return found
  const within = await resourcesOfUids(services.em, caller.orgId, uids, scopeOf(caller))
  const seen = new Set(within.map(({ id }) => id))
  return found.map((one) => ({ ...one, inReportScope: seen.has(one.id) }))
}

export const resources: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/resources',
    refuses: { 422: ['report_too_large'] },
    summary: 'List resources',
    description:
      'Returns the current inventory as last reported by clouds and producers. Filters are combined with AND. Everyone with space.view sees the whole inventory; teams require service.view. The X-Total-Count header has the total.',
    query: t.Object({
      ...filters,
      ...paging(20, 100),
      sort_by: t.Enum([...sorts, 'cost_usd'], {
        default: 'name',
        description: `cost_usd: cost of the last 30 days, today included, of the ${costsMax} resources that cost most; requires service.view`,
      }),
      sort_order: t.Enum(['asc', 'desc'], { default: 'asc' }),
      include: t.Optional(
        list(t.Enum(['team']), { description: 'additional data: the team of each resource; requires service.view' }),
      ),
    }),
    reply: Resources,
    handle: async ({ caller, query, url }, services) => {
      const { em, counting } = services
      checkTeams(query, caller)
      const by = query.sort_by === 'cost_usd' ? await monthlyCosts(caller, services) : query.sort_by
      const order = { by, direction: query.sort_order }
      const { items, total } = await resourcePage({ em, counting }, caller.orgId, filterOf(query), order, slice(query))
      const ids = query.include?.includes('team') ? items.map(({ id }) => id) : []
      const teams = await teamsOf(em, caller.orgId, ids)
      const rows = toResourceViews(items, services)
      const told = rows.map((row) => ({ ...row, ...(teams.has(row.id) && { team: teams.get(row.id)! }) }))
      return reply(told, { headers: pageHeaders(url, total, query) })
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/resources/count',
    summary: 'Count the resources that match the list filters',
    description: 'Takes the filters of GET /resources.',
    query: t.Object(filters),
    reply: t.Object({ count: t.Integer({ examples: [421] }) }),
    handle: async ({ caller, query }, services) => {
      checkTeams(query, caller)
      return { count: await resourceCount(services, caller.orgId, filterOf(query)) }
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/resources/by-ids',
    summary: 'Get resources by ID; unknown IDs are omitted',
    description: 'At most 200 IDs; the order is not guaranteed. IDs are assigned by this service.',
    query: t.Object({ ids: list(t.String(), { maxItems: 200, examples: [['6f1c2a52-7d1e-8a3b-9c64-0b5d1f2e3a47']] }) }),
    reply: Resources,
    handle: async ({ caller, query }, services) =>
      toResourceViews(await resourcesOfIds(services.em, caller.orgId, query.ids), services),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/resources/by-uids',
    summary: 'Get resources by UID; unknown UIDs are omitted',
    description:
      "At most 200 UIDs; the order is not guaranteed. A UID is the cloud's own identifier of the resource. For a role with a report scope, inReportScope tells whether its costs are shown.",
    query: t.Object({ uids: list(t.String(), { maxItems: 200, examples: [['i-1', 'i-2']] }) }),
    reply: Resources,
    handle: ({ caller, query }, services) => ofUids(caller, query.uids, services),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/resources/by-uids',
    readOnly: true,
    summary: 'Get resources by UID, for long lists',
    description: 'At most 1000 UIDs. It changes nothing.',
    body: t.Object(
      { uids: t.Array(t.String({ maxLength: 1024 }), { maxItems: 1000 }) },
      { examples: [{ uids: ['i-1', 'i-2'] }] },
    ),
    reply: Resources,
    handle: ({ caller, body }, services) => ofUids(caller, body.uids, services),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/resources/discovery-summary',
    summary: 'Get the number of resources and the last discovery by provider',
    description:
      'Current resources. Providers with neither a resource nor an account are omitted; lastSyncedAt is null until an account has been completely discovered.',
    reply: t.Object({
      totalResources: t.Integer(),
      schedulableResources: t.Integer(),
      providers: t.Array(t.Object({ provider: ProviderName, resources: t.Integer(), lastSyncedAt: orNull(Timestamp) })),
    }),
    example: {
      totalResources: 421,
      schedulableResources: 96,
      providers: [{ provider: 'aws', resources: 421, lastSyncedAt: '2026-01-15T10:00:00.000Z' }],
    },
    handle: async ({ caller }, { em }) => {
      const totals = await providerTotals(em, caller.orgId)
      const accounts = await allAccounts(em, caller.orgId)
      const known = providers.filter((name) => [...totals, ...accounts].some(({ provider }) => provider === name))
      return {
        totalResources: totals.reduce((sum, { resources }) => sum + resources, 0),
        schedulableResources: totals.reduce((sum, { schedulable }) => sum + schedulable, 0),
        providers: known.map((provider) => ({
          provider,
          resources: totals.find((row) => row.provider === provider)?.resources ?? 0,
          lastSyncedAt: timestamp(newest(accounts.filter((a) => a.provider === provider).map((a) => a.lastSyncedAt))),
        })),
      }
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/resources/last-synced',
    summary: 'Get the last complete discovery of each account; accounts without one are omitted',
    description: 'Sorted by provider: aws, gcp, azure. An interrupted discovery does not count.',
    reply: t.Array(t.Object({ cloudAccountID: t.String(), provider: ProviderName, lastSyncedAt: Timestamp })),
    example: [{ cloudAccountID: 'acct-1', provider: 'aws', lastSyncedAt: '2026-01-15T10:00:00.000Z' }],
    handle: async ({ caller }, { em }) => {
      const accounts = await allAccounts(em, caller.orgId)
      const ordered = providers.flatMap((name) => accounts.filter(({ provider }) => provider === name))
      return ordered.flatMap(({ id, provider, lastSyncedAt }) =>
        lastSyncedAt ? [{ cloudAccountID: id, provider, lastSyncedAt: lastSyncedAt.toISOString() }] : [],
      )
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/resources/filter-fields',
    summary: 'List the values of existing resources, for filters',
    description: 'Only values of at least one resource in the current inventory, for the filters of GET /resources.',
    reply: t.Object({
      types: t.Array(t.String()),
      providers: t.Array(ProviderName),
      regions: t.Array(t.String()),
      statuses: t.Array(t.Enum(resourceStatuses)),
    }),
    example: { types: ['aws-ec2'], providers: ['aws'], regions: ['us-east-1'], statuses: ['running', 'stopped'] },
    handle: async ({ caller }, { em }) => filterFields(em, caller.orgId),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/resources/:resourceID/specs',
    summary: 'Get the specs of a resource: additional attributes from its producer',
    description: 'The list and the count of resources can be filtered by specs: filter[specs.attached]=false.',
    params: t.Object({ resourceID: t.String() }),
    reply: Specs,
    handle: async ({ caller, params }, { em }) => {
      const found = await findResource(em, caller.orgId, params.resourceID)
      if (!found) throw Fault.missing('resource', params.resourceID)
      const { id, uid, type, specs, observedAt } = found
      return { id, uid, type, specs, observedAt: observedAt.toISOString() }
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/resources/:resourceID',
    summary: 'Get a resource by its ID',
    description: 'For additional attributes from its producer, see /resources/{resourceID}/specs.',
    params: t.Object({ resourceID: t.String() }),
    reply: Resource,
    handle: async ({ caller, params }, services) => {
      const rows = await resourcesOfIds(services.em, caller.orgId, [params.resourceID])
      const [found] = toResourceViews(rows, services)
      if (!found) throw Fault.missing('resource', params.resourceID)
      return found
    },
  }),
]
