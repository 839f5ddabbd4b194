/** A saved view of the demo organization, mailed every week. */
import { makeSchedule, makeView } from '#actors/saved-view/change.ts'
import { SavedView } from '#actors/saved-view/entity.ts'
import { demoOwner } from './owner.ts'
import type { Running } from '#config/product/product.ts'
import { services } from '#config/wiring/services.ts'

const name = 'Services of the last 30 days'
/** The domain accepts no mail (RFC 7505), so nobody is bothered if a mail server is configured. */
const email = 'cost-alerts@example.com'

/** With the owner's rights. Does nothing if the owner was removed. */
export async function makeSavedView({ connections, product }: Running, orgId: string): Promise<void> {
  const ownerId = await demoOwner(connections, orgId)
  if (ownerId === undefined) return
  const to = services(connections, (what) => product.get(what), product.site, { orgId })
  await to.change(async (change) => {
    if ((await change.em.count(SavedView, { orgId, name })) > 0) return
    const of = { name, view: 'costs', query: 'range=30d&dims=service_name&compare=previous' }
    const { id: viewId } = await makeView(change, ownerId, { ...of, shared: 'organization' })
    const times = { every: 'week', weekday: 1, day: 1, hour: 8, timezone: 'UTC' } as const
    await makeSchedule(change, { viewId, ownerId }, { ...times, recipients: [{ email, isOutside: true }], isOn: true })
  })
}
