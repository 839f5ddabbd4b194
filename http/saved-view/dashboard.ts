/** Dashboards: saved views on one page, in order. */
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  dashboardsMax,
  editDashboard,
  foundDashboard,
  inOrder,
  makeDashboard,
  removeDashboard,
  tilesMax,
  viewsOf,
} from '#actors/saved-view/dashboard/change.ts'
import { Dashboard } from '#actors/saved-view/dashboard/entity.ts'
import { SavedView } from '#actors/saved-view/entity.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Name, Timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { checkMine, checkShared, mayChange, SharedField, showView, View } from '#http/saved-view/body.ts'
import { checkMailableDashboard, dashboardBy } from '#http/saved-view/report.ts'
import { DashboardSchedule } from '#http/saved-view/schedule-body.ts'
import { schedulesOf } from '#http/saved-view/schedule.ts'
import { reply } from '#http/store/reply.ts'

const routeBase = { permission: 'service.view', tags: ['Dashboards'] } as const
const params = t.Object({ dashboardID: t.String() })

const viewIDs = t.Array(t.String({ maxLength: 64 }), {
  maxItems: tilesMax,
  uniqueItems: true,
  description:
    'saved views in the order in which they are shown. Views that you cannot see are not affected; they follow the others',
})
const exampleID = '4c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33'

const CreateBody = t.Object(
  { name: Name, viewIDs: t.Optional(viewIDs), shared: t.Optional(SharedField) },
  { examples: [{ name: 'Every Monday', viewIDs: [], shared: 'organization' }] },
)
const ChangeBody = t.Partial(t.Object({ name: Name, viewIDs, shared: SharedField }), {
  examples: [{ name: 'Mondays' }],
})

const DashboardView = t.Object(
  {
    id: t.String(),
    name: Name,
    shared: SharedField,
    views: t.Array(View, { description: 'those you can see, in order' }),
    hiddenCount: t.Integer({ description: 'number of its views that only someone else can see' }),
    ownerID: t.String({ description: 'creator' }),
    isMine: t.Boolean(),
    mayChange: t.Boolean({ description: 'whether you can change and delete it' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'Dashboard',
    examples: [
      {
        id: '6c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33',
        name: 'Every Monday',
        shared: 'organization',
        views: [
          {
            id: exampleID,
            name: 'Services of the month',
            view: 'costs',
            query: 'range=month&dims=service_name',
            shared: 'organization',
            ownerID: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
            isMine: true,
            mayChange: true,
            isMailable: true,
            createdAt: '2026-01-15T10:00:00.000Z',
            updatedAt: '2026-01-15T10:00:00.000Z',
          },
        ],
        hiddenCount: 0,
        ownerID: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
        isMine: true,
        mayChange: true,
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

const showWith = (one: Dashboard, views: readonly SavedView[], caller: Caller): Static<typeof DashboardView> => ({
  id: one.id,
  name: one.name,
  shared: one.holder === '' ? 'organization' : 'me',
  views: views.map((view) => showView(view, caller)),
  hiddenCount: one.viewIds.length - views.length,
  ownerID: one.ownerId,
  isMine: one.ownerId === caller.userId,
  mayChange: mayChange(one, caller),
  createdAt: one.createdAt.toISOString(),
  updatedAt: one.updatedAt.toISOString(),
})

const show = async (em: EntityManager, one: Dashboard, caller: Caller) =>
  showWith(one, await viewsOf(em, one, caller.userId), caller)

const found = (em: EntityManager, { orgId, userId }: Caller, id: string) => foundDashboard(em, orgId, id, userId)

export const dashboards: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/dashboards',
    summary: "List dashboards with their saved views: yours and the organization's, sorted by name",
    description: 'Private dashboards and views of other users are never visible, for any role.',
    reply: t.Array(DashboardView),
    handle: async ({ caller }, { em }) => {
      const seen = { orgId: caller.orgId, holder: { $in: ['', caller.userId] } }
      const all = await em.find(Dashboard, seen, { orderBy: { name: 'asc', id: 'asc' }, refresh: true })
      const ids = [...new Set(all.flatMap(({ viewIds }) => viewIds))]
      const views = await em.find(SavedView, { ...seen, id: { $in: ids } }, { refresh: true })
      return all.map((one) => showWith(one, inOrder(views, one.viewIds), caller))
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/dashboards',
    summary: 'Create a dashboard of saved views',
    description: `At most ${tilesMax} views on a dashboard, and ${dashboardsMax} dashboards per user. Names are unique among the organization's dashboards, and among your own. Sharing with the organization requires service.create, and that all its views are shared.`,
    status: 201,
    headers: { Location: 'URL of the dashboard' },
    body: CreateBody,
    reply: DashboardView,
    refuses: { 409: ['already_exists'], 422: ['too_many_dashboards', 'too_many_tiles', 'view_not_shared'] },
    handle: ({ caller, body }, services) => {
      checkShared(caller, body.shared)
      return services.change(async (tx) => {
        const made = await makeDashboard(tx, caller.userId, { viewIDs: [], shared: 'me', ...body })
        return reply(await show(tx.em, made, caller), { headers: { Location: `/dashboards/${made.id}` } })
      })
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/dashboards/:dashboardID',
    summary: 'Get a dashboard with its saved views',
    description: "Returns 404 for another user's private dashboard, for any role.",
    params,
    reply: DashboardView,
    handle: async ({ caller, params: { dashboardID } }, { em }) =>
      show(em, await found(em, caller, dashboardID), caller),
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/dashboards/:dashboardID',
    summary: 'Rename, share or arrange a dashboard; omitted fields are unchanged',
    description: "A dashboard that becomes private is no longer sent by other users' schedules.",
    params,
    body: ChangeBody,
    reply: DashboardView,
    refuses: { 403: ['not_yours'], 409: ['already_exists'], 422: ['too_many_tiles', 'view_not_shared'] },
    handle: ({ caller, params: { dashboardID }, body }, services) => {
      checkShared(caller, body.shared)
      return services.change(async (tx) => {
        const one = await found(tx.em, caller, dashboardID)
        checkMine(one, caller)
        await editDashboard(tx, one, body, caller.userId)
        return show(tx.em, one, caller)
      })
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/dashboards/:dashboardID',
    summary: 'Delete a dashboard with its email schedules',
    description: 'Its saved views stay. Allowed for its creator, owners and admins. This cannot be undone.',
    status: 204,
    params,
    refuses: { 403: ['not_yours'] },
    handle: ({ caller, params: { dashboardID } }, { change }) =>
      change(async (tx) => {
        const one = await found(tx.em, caller, dashboardID)
        checkMine(one, caller)
        await removeDashboard(tx, one)
      }),
  }),

  ...schedulesOf({
    path: '/dashboards/:dashboardID',
    param: 'dashboardID',
    noun: 'a dashboard',
    tag: 'Dashboards',
    reply: DashboardSchedule,
    show: (dashboardID, shown) => Object.assign({ dashboardID }, shown),
    found: async (em, caller, id) => {
      const { name, ...one } = await found(em, caller, id)
      return { id, name, views: await viewsOf(em, one, caller.userId) }
    },
    check: ({ views }) => checkMailableDashboard(views),
    report: dashboardBy,
  }),
]
