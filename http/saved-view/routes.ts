import { editView, foundView, makeView, removeView, viewsMax } from '#actors/saved-view/change.ts'
import { SavedView } from '#actors/saved-view/entity.ts'
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Caller } from '#http/identity/caller.ts'
import { checkView, mayChange, showView, View, ViewBody, ViewChange } from '#http/saved-view/body.ts'
import { reportSchedules } from '#http/saved-view/schedule.ts'
import { reply } from '#http/store/reply.ts'

const fixed = { permission: 'service.view', tags: ['Saved views'] } as const
const params = t.Object({ savedViewID: t.String() })

/** What everybody sees is made by who may make things. @throws Fault `forbidden` */
function checkShared(caller: Caller, shared: 'me' | 'organization' | undefined): void {
  if (shared === 'organization' && !caller.permissions.has('service.create'))
    throw Fault.forbidden('forbidden', 'To share a view with the organization needs the permission service.create.')
}

/** @throws Fault `forbidden` `not_yours` */
function checkMine(view: SavedView, caller: Caller): void {
  if (!mayChange(view, caller))
    throw Fault.forbidden('not_yours', 'It is changed by whoever made it, and by owners and admins.')
}

export const savedViews: readonly Route[] = [
  route({
    ...fixed,
    method: 'GET',
    path: '/saved-views',
    summary: 'Views of the console that are saved: yours and the organization’s, by name',
    description: 'Others’ own are seen by nobody else, whatever their role.',
    reply: t.Array(View),
    handle: async ({ caller }, { em }) => {
      const seen = { orgId: caller.orgId, holder: { $in: ['', caller.userId] } }
      const views = await em.find(SavedView, seen, { orderBy: { name: 'asc', id: 'asc' }, refresh: true })
      return views.map((view) => showView(view, caller))
    },
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/saved-views',
    summary: 'Save a view of the console under a name',
    description: `A person has ${viewsMax} at most. A name stands once among the organization’s, and once among yours. To share it with the organization needs service.create.`,
    status: 201,
    headers: { Location: 'where the saved view is' },
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
    ...fixed,
    method: 'GET',
    path: '/saved-views/:savedViewID',
    summary: 'One saved view',
    description: "404 for a view that somebody else keeps for themselves, whatever the caller's role.",
    params,
    reply: View,
    handle: async ({ caller, params: { savedViewID } }, { em }) =>
      showView(await foundView(em, caller.orgId, savedViewID, caller.userId), caller),
  }),

  route({
    ...fixed,
    method: 'PATCH',
    path: '/saved-views/:savedViewID',
    summary: 'Rename, share or change a saved view; what is left out stays',
    description: 'What is shared with you alone again is no longer mailed by others.',
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
    ...fixed,
    method: 'DELETE',
    path: '/saved-views/:savedViewID',
    summary: 'Delete a saved view, with the schedules by which it is mailed',
    description: 'By whoever made it, and by owners and admins. It cannot be taken back.',
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

  ...reportSchedules,
]
