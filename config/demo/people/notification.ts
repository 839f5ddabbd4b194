/** Notifications of the demo organization: one mailbox, and budgets, one for each kind of scope that has no team. */
import { accountOf } from '#actors/account/queries.ts'
import { findGroup } from '#actors/attribution/group/queries.ts'
import { makeBudget } from '#actors/budget/change.ts'
import { Budget } from '#actors/budget/entity.ts'
import type { BudgetGiven } from '#actors/budget/terms.ts'
import { makeChannel } from '#actors/notification/channel/change.ts'
import { listChannels } from '#actors/notification/queries.ts'
import { mergeSubscriptions } from '#actors/notification/channel/subscription-change.ts'
import { toolsOf } from '#http/notification/body.ts'
import { anomalySeverities, type AnomalySeverity, type AnomalyType } from '#streams/anomaly.ts'
import { anomalyEvent, type EventType } from '#streams/notification/event-type.ts'
import type { RecordChange } from '#engine/run/tell.ts'
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

/**
 * The developers' group exceeds its budget in a few days and an account before the month ends; the organization and its
 * production come close; a service stays well below.
 */
async function makeBudgets(change: RecordChange): Promise<void> {
  const { em, orgId } = change
  if ((await em.count(Budget, { orgId })) > 0) return
  const groupId = devGroupId(orgId)
  const account = await accountOf(em, orgId, 'azure', 'sim-azure-corp')
  const budgets: (BudgetGiven | null)[] = [
    (await findGroup(em, orgId, groupId)) && {
      scope: { kind: 'resource_group', id: groupId },
      monthlyBudgetUSD: 100,
    },
    { scope: { kind: 'org' }, monthlyBudgetUSD: 45_000 },
    account && { scope: { kind: 'cloud_account', id: account.id }, monthlyBudgetUSD: 8500 },
    { scope: { kind: 'service', id: 'BigQuery' }, monthlyBudgetUSD: 3500 },
    { scope: { kind: 'tag', id: 'env:prod' }, monthlyBudgetUSD: 25_000 },
  ]
  for (const given of budgets)
    if (given) await makeBudget(change, { ...given, thresholds: [{ percent: 100, of: 'forecast' }] })
}

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
    await makeBudgets(change)
  })
}
