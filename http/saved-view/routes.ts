import { editView, foundView, makeView, removeView, viewsMax } from '#actors/saved-view/change.ts'
import { SavedView } from '#actors/saved-view/entity.ts'
import { t } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { checkMine, checkShared, checkView, showView, View, ViewBody, ViewChange } from '#http/saved-view/body.ts'
import { checkMailable, reportBy } from '#http/saved-view/report.ts'
import { ViewSchedule } from '#http/saved-view/schedule-body.ts'
import { schedulesOf } from '#http/saved-view/schedule.ts'
import { reply } from '#http/store/reply.ts'

const routeBase = { permission: 'service.view', tags: ['Saved views'] } as const
const params = t.Object({ savedViewID: t.String() })

export const savedViews: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/saved-views',
    summary: "List saved console views: yours and the organization's, sorted by name",
    description: 'Private views of other users are never visible, for any role.',
    reply: t.Array(View),
    handle: async ({ caller }, { em }) => {
      const seen = { orgId: caller.orgId, holder: { $in: ['', caller.userId] } }
      const views = await em.find(SavedView, seen, { orderBy: { name: 'asc', id: 'asc' }, refresh: true })
      return views.map((view) => showView(view, caller))
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/saved-views',
    summary: 'Save a console view',
    description: `At most ${viewsMax} per user. Names are unique among the organization's views, and among your own. Sharing with the organization requires service.create.`,
    status: 201,
    headers: { Location: 'URL of the saved view' },
    body: ViewBody,
    reply: View,
    refuses: { 409: ['already_exists'], 422: ['too_many_saved_views'] },
    handle: ({ caller, body }, services) => {
      checkView(body)
      checkShared(caller, body.shared)
      return services.change(async (tx) => {
        const made = await makeView(tx, caller.userId, { query: '', shared: 'me', ...body })
        return reply(showView(made, caller), { headers: { Location: `/saved-views/${made.id}` } })
      })
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/saved-views/:savedViewID',
    summary: 'Get a saved view',
    description: "Returns 404 for another user's private view, for any role.",
    params,
    reply: View,
    handle: async ({ caller, params: { savedViewID } }, { em }) =>
      showView(await foundView(em, caller.orgId, savedViewID, caller.userId), caller),
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/saved-views/:savedViewID',
    summary: 'Rename, share or update a saved view; omitted fields are unchanged',
    description: "A view that becomes private is no longer sent by other users' schedules.",
    params,
    body: ViewChange,
    reply: View,
    refuses: { 403: ['not_yours'], 409: ['already_exists'] },
    handle: ({ caller, params: { savedViewID }, body }, services) => {
      checkView(body)
      checkShared(caller, body.shared)
      return services.change(async (tx) => {
        const view = await foundView(tx.em, caller.orgId, savedViewID, caller.userId)
        checkMine(view, caller)
        await editView(tx, view, body)
        return showView(view, caller)
      })
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/saved-views/:savedViewID',
    summary: 'Delete a saved view with its email schedules',
    description: 'It disappears from dashboards. Allowed for its creator, owners and admins. This cannot be undone.',
    status: 204,
    params,
    refuses: { 403: ['not_yours'] },
    handle: ({ caller, params: { savedViewID } }, { change }) =>
      change(async (tx) => {
        const view = await foundView(tx.em, caller.orgId, savedViewID, caller.userId)
        checkMine(view, caller)
        await removeView(tx, view)
      }),
  }),

  ...schedulesOf({
    path: '/saved-views/:savedViewID',
    param: 'savedViewID',
    noun: 'a saved view',
    tag: 'Saved views',
    reply: ViewSchedule,
    show: (viewID, shown) => Object.assign({ viewID }, shown),
    found: (em, { orgId, userId }, id) => foundView(em, orgId, id, userId),
    check: ({ view }) => checkMailable(view),
    report: (caller, view, services) => reportBy(caller, view, services),
  }),
]
