/** Notifications of the demo organization: one mailbox, and a budget that the developers' group exceeds. */
import { findGroup } from '#actors/attribution/group/queries.ts'
import { makeBudget } from '#actors/budget/change.ts'
import { Budget } from '#actors/budget/entity.ts'
import { makeChannel } from '#actors/notification/channel/change.ts'
import { listChannels } from '#actors/notification/queries.ts'
import { mergeSubscriptions } from '#actors/notification/channel/subscription-change.ts'
import { toolsOf } from '#http/notification/body.ts'
import { anomalySeverities, type AnomalySeverity, type AnomalyType } from '#streams/anomaly.ts'
import { anomalyEvent, type EventType } from '#streams/notification/event-type.ts'
import { devGroupId } from '#config/demo/automation/start-stop.ts'
import type { Running } from '#config/product/product.ts'
import { services } from '#config/wiring/services.ts'

const name = 'Cost alerts'
/** The domain accepts no mail (RFC 7505), so nobody is bothered if a mail server is configured. */
const email = 'cost-alerts@example.com'

const anomalies = (type: AnomalyType, severities: readonly AnomalySeverity[] = anomalySeverities): EventType[] =>
  severities.map((severity) => anomalyEvent(type, severity))

/** Few enough to be read: anomalies of single resources only from severity critical. */
const eventTypes: readonly EventType[] = [
  'budget.warning',
  'budget.exceeded',
  ...anomalies('org'),
  ...anomalies('cloud_account'),
  ...anomalies('team'),
  ...anomalies('resource', ['critical', 'emergency']),
  'resource.failed',
]

/** Less than the group costs in a few days. */
const monthlyBudgetUSD = 100

/** Creates everything in one transaction, unless a channel of that name exists. */
export async function makeNotifications({ connections, product }: Running, orgId: string): Promise<void> {
  const to = services(connections, (what) => product.get(what), product.site, { orgId })
  await to.change(async (change) => {
    if ((await listChannels(change.em, orgId)).some((channel) => channel.name === name)) return
    const { id: channelID } = await makeChannel(
      change,
      { type: 'email', name, config: { email }, createdBy: '' },
      toolsOf(to, true),
    )
    const subscriptions = eventTypes.map((eventType) => ({ channelID, eventType, scopeType: 'org' as const }))
    await mergeSubscriptions(change, subscriptions)
    const resourceGroupID = devGroupId(orgId)
    const hasGroup = (await findGroup(change.em, orgId, resourceGroupID)) !== null
    const hasBudget = (await change.em.count(Budget, { orgId, resourceGroupId: resourceGroupID })) > 0
    if (hasGroup && !hasBudget)
      await makeBudget(change, { resourceGroupID, monthlyBudgetUSD, thresholds: [{ percent: 100, of: 'forecast' }] })
  })
}
