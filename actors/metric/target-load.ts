/**
 * The job that fetches the load of autoscaling targets every minute: hourly metrics would be too old to scale by. It
 * publishes as a producer would; samples that are fetched again replace themselves.
 */
import { connectedAccounts } from '#actors/account/connection/cloud.ts'
import { noticingRefusal } from '#actors/account/connection/refusal.ts'
import type { JobWork } from '#actors/tools.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Event } from '#engine/run/publisher.ts'
import { isOfCloud, type CloudAccount, type ResourceRef } from '#streams/cloud/connector.ts'
import { metricSample } from '#streams/metric/messages.ts'
import type { CollectTools } from './collect.ts'

const stepSeconds = 60
/**
 * Milliseconds that each run looks back: clouds report a minute some minutes later, and missed runs are made up for.
 */
const backMs = 600_000
/** Messages in one publication; each has at most ten samples. */
const eventsMax = 500

const targetsSql = `
  select r.cloud_account_id as "accountId", r.uid as "resourceUid", r.type, r.region, r.specs,
    r.instance_type as "instanceType", r.size_gb as "sizeGB"
  from autoscaler_policy p
  join resource r on r.org_id = p.org_id and r.cloud_account_id = p.cloud_account_id and r.uid = p.target_uid
  where p.org_id = $1 and p.status = 'active' and r.deleted_at is null order by r.uid`

type Target = ResourceRef & { accountId: string }

/** A cloud that cannot be read now is read in the next minute, and does not delay other accounts. */
export const targetLoadJob =
  (tools: CollectTools): JobWork =>
  async (_, call) => {
    const targets = await tools.reads.rows<Target>(targetsSql, [call.orgId])
    if (targets.length === 0) return
    const byAccount = Map.groupBy(targets, ({ accountId }) => accountId)
    for (const account of await connectedAccounts(tools, call.orgId)) {
      const own = byAccount.get(account.id)
      if (!own) continue
      const of = { orgId: call.orgId, cloudAccountId: account.id, key: `${call.key}/${account.id}/${call.attempt}` }
      try {
        await noticingRefusal(tools, of, () => collectLoad(tools, account, own, call))
      } catch (error) {
        if (!isOfCloud(error)) throw error
      }
      call.signal.throwIfAborted()
    }
  }

async function collectLoad(
  tools: CollectTools,
  account: CloudAccount,
  targets: readonly Target[],
  call: EffectCall,
): Promise<void> {
  const to = Math.floor(tools.now().getTime() / (stepSeconds * 1000)) * stepSeconds * 1000
  const { orgId, id: place } = account
  const key = `${call.key}/${place}/${call.attempt}`
  let events: Event[] = []
  let sent = 0
  const send = async () => {
    if (events.length > 0) await tools.publisher.publishTogether(`${key}/${sent++}`, events)
    events = []
  }
  const found = tools.cloudOf(account).measure(account, targets, new Date(to - backMs), new Date(to), stepSeconds)
  for await (const { resourceUid, samples: all } of found) {
    const samples = all.filter(({ metric }) => metric === 'cpu_percent')
    if (samples.length === 0) continue
    const id = uuidOf('target-load', key, resourceUid, samples[0]!.ts)
    events.push({ subject: metricSample, orgId, place, data: { resourceUid, samples }, id })
    if (events.length === eventsMax) await send()
  }
  await send()
}
