/** Changes of dashboards, which show saved views in order. The one writer of Dashboard. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Dashboard } from '#actors/saved-view/dashboard/entity.ts'
import { ReportSchedule, SavedView } from '#actors/saved-view/entity.ts'
import { flushUnique, holderOf, inTurn, type Sharing } from '#actors/saved-view/sharing.ts'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { checkedName } from '#streams/text.ts'

/** Maximum for one person in an organization. */
export const dashboardsMax = 50
/** Maximum on one dashboard. */
export const tilesMax = 12

export interface DashboardGiven {
  name?: string
  /** In order. Views that the caller cannot see are neither named nor removed: they follow the others. */
  viewIDs?: readonly string[]
  shared?: Sharing
}

/** @throws Fault `missing`, also for another person's private dashboard */
export async function foundDashboard(em: EntityManager, orgId: string, id: string, userId: string): Promise<Dashboard> {
  const seen = { orgId, id, holder: { $in: ['', userId] } }
  const found = isUuid(id) ? await em.findOne(Dashboard, seen, { refresh: true }) : null
  if (!found) throw Fault.missing('dashboard', id)
  return found
}

/** The views of a dashboard that a person can see, in order. */
export async function viewsOf(
  em: EntityManager,
  { orgId, viewIds }: Pick<Dashboard, 'orgId' | 'viewIds'>,
  userId: string,
): Promise<SavedView[]> {
  const views = await em.find(SavedView, { orgId, id: { $in: viewIds }, holder: { $in: ['', userId] } })
  return inOrder(views, viewIds)
}

export const inOrder = (views: readonly SavedView[], ids: readonly string[]): SavedView[] =>
  ids.flatMap((id) => views.find((one) => one.id === id) ?? [])

/**
 * The IDs after a change: the views named, and then those that the caller cannot see.
 * @throws Fault `invalid` for a view that the caller cannot see, `refused` `too_many_tiles`, `view_not_shared`
 */
async function tilesOf(
  em: EntityManager,
  before: Pick<Dashboard, 'orgId' | 'holder' | 'viewIds'>,
  named: readonly string[] | undefined,
  userId: string,
): Promise<string[]> {
  const { orgId, holder, viewIds: old } = before
  const all = [...new Set([...(named ?? []), ...old])]
  const seen = await em.find(SavedView, { orgId, id: { $in: all.filter(isUuid) }, holder: { $in: ['', userId] } })
  const ids = new Set(seen.map(({ id }) => id))
  const unknown = named?.findIndex((id) => !ids.has(id)) ?? -1
  if (unknown >= 0)
    throw Fault.invalidAt({ path: `/viewIDs/${unknown}`, code: 'unknown', message: 'is not a saved view that you see' })
  const order = named ? [...new Set(named), ...old.filter((id) => !ids.has(id))] : old
  if (order.length > tilesMax)
    throw Fault.refused('too_many_tiles', `A dashboard can show at most ${tilesMax} saved views.`)
  const own = holder === '' ? inOrder(seen, order).filter((one) => one.holder !== '') : []
  if (own.length > 0)
    throw Fault.refused(
      'view_not_shared',
      `A dashboard of the organization shows only views of the organization. Share these first: ${own.map(({ name }) => name).join(', ')}.`,
    )
  return order
}

/** @throws Fault `refused` `too_many_dashboards`, `conflict` `already_exists` if the name is taken, and as `tilesOf` */
export async function makeDashboard(
  change: RecordChange,
  ownerId: string,
  { name, viewIDs, shared }: Required<DashboardGiven>,
): Promise<Dashboard> {
  const { em, orgId, now } = change
  await inTurn(change, ownerId)
  if ((await em.count(Dashboard, { orgId, ownerId })) >= dashboardsMax)
    throw Fault.refused(
      'too_many_dashboards',
      `A person can have at most ${dashboardsMax} dashboards in an organization.`,
    )
  const at = now()
  const holder = holderOf(shared, ownerId)
  const made = em.create(Dashboard, {
    orgId,
    id: randomUUID(),
    ownerId,
    holder,
    name: checkedName(name),
    viewIds: await tilesOf(em, { orgId, holder, viewIds: [] }, viewIDs, ownerId),
    createdAt: at,
    updatedAt: at,
  })
  await flushUnique(em.persist(made), 'dashboard')
  return made
}

/**
 * Missing members stay unchanged. `userId` is who changes it.
 * @throws Fault `conflict` `already_exists` if the name is taken, and as `tilesOf`
 */
export async function editDashboard(
  { em, now }: RecordChange,
  dashboard: Dashboard,
  { name, viewIDs, shared }: DashboardGiven,
  userId: string,
): Promise<void> {
  if (name !== undefined) dashboard.name = checkedName(name)
  if (shared !== undefined) dashboard.holder = holderOf(shared, dashboard.ownerId)
  if (viewIDs !== undefined || shared !== undefined) dashboard.viewIds = await tilesOf(em, dashboard, viewIDs, userId)
  dashboard.updatedAt = now()
  await flushUnique(em, 'dashboard')
}

/** Also deletes its schedules. The views stay. */
export async function removeDashboard({ em, orgId }: RecordChange, dashboard: Dashboard): Promise<void> {
  await em.nativeDelete(ReportSchedule, { orgId, subjectId: dashboard.id })
  em.remove(dashboard)
}

const dropSql = 'update dashboard set view_ids = view_ids - ?::text where org_id = ? and view_ids @> to_jsonb(?::text)'

/** Takes a view that is deleted off all dashboards. */
export const dropFromDashboards = async ({ em, orgId }: RecordChange, viewId: string): Promise<void> =>
  void (await em.execute(dropSql, [viewId, orgId, viewId]))
