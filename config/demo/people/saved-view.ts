/** Saved views of the demo organization, one of them mailed every week, and a dashboard of them. */
import { makeSchedule, makeView } from '#actors/saved-view/change.ts'
import { makeDashboard } from '#actors/saved-view/dashboard/change.ts'
import { SavedView } from '#actors/saved-view/entity.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { demoOwner } from './owner.ts'
import type { Running } from '#config/product/product.ts'
import { services } from '#config/wiring/services.ts'

const name = 'Services of the last 30 days'
/** The first one is mailed; all are on the dashboard. */
const demoViews = [
  { name, view: 'costs', query: 'range=30d&dims=service_name&compare=previous' },
  { name: 'Clouds this quarter', view: 'costs', query: 'range=quarter&dims=provider&granularity=weekly&show=lines' },
  { name: 'Accounts this month', view: 'costs', query: 'range=month&dims=cloud_account_id' },
  { name: 'Teams this month', view: 'teams', query: 'range=month' },
]
const dashboardName = 'Every Monday'
/** The domain accepts no mail (RFC 7505), so nobody is bothered if a mail server is configured. */
const email = 'cost-alerts@example.com'

async function madeViews(change: RecordChange, ownerId: string): Promise<string[]> {
  const ids: string[] = []
  for (const of of demoViews) ids.push((await makeView(change, ownerId, { ...of, shared: 'organization' })).id)
  return ids
}

/** With the owner's rights. Does nothing if the owner was removed. */
export async function makeSavedView({ connections, product }: Running, orgId: string): Promise<void> {
  const ownerId = await demoOwner(connections, orgId)
  if (ownerId === undefined) return
  const to = services(connections, (what) => product.get(what), product.site, { orgId })
  await to.change(async (change) => {
    if ((await change.em.count(SavedView, { orgId, name })) > 0) return
    const views = await madeViews(change, ownerId)
    await makeDashboard(change, ownerId, { name: dashboardName, viewIDs: views, shared: 'organization' })
    const times = { every: 'week', weekday: 1, day: 1, hour: 8, timezone: 'UTC' } as const
    await makeSchedule(
      change,
      { subjectId: views[0]!, ownerId },
      { ...times, recipients: [{ email, isOutside: true }], isOn: true },
    )
  })
}
