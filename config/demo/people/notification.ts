/** Whom the demo organization tells of its costs: one mailbox, and a budget that its developers use up. */
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
/** Takes no mail (RFC 7505): where a mail server is set, nobody is bothered. */
const email = 'cost-alerts@example.com'

const anomalies = (type: AnomalyType, severities: readonly AnomalySeverity[] = anomalySeverities): EventType[] =>
  severities.map((severity) => anomalyEvent(type, severity))

/** Few enough that each is read: of single resources only what is worse than a warning. */
const eventTypes: readonly EventType[] = [
  'budget.warning',
  'budget.exceeded',
  ...anomalies('org'),
  ...anomalies('cloud_account'),
  ...anomalies('team'),
  ...anomalies('resource', ['critical', 'emergency']),
  'resource.failed',
]

/** Less than the group costs in some days. */
const monthlyBudgetUSD = 100

/** Makes all of it in one moment, where there is none of it. */
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
    if (hasGroup && !hasBudget) await makeBudget(change, { resourceGroupID, monthlyBudgetUSD })
  })
}
