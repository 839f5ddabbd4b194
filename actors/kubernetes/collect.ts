/**
 * The job that reports every five minutes who uses the clusters of an organization's accounts: as the clouds see it
 * now, published as a producer would. What cannot be read is a gap that is not filled later.
 */
import { connectedAccounts } from '#actors/account/connection/cloud.ts'
import { noticingRefusal } from '#actors/account/connection/refusal.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { isOfCloud, type CloudAccount } from '#streams/cloud/connector.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import type { JobRun } from '#streams/job.ts'
import { kubernetesUsage, type KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { tellSeconds } from '#streams/kubernetes/interval.ts'

export type UsageTools = Pick<Tools, 'reads' | 'publisher' | 'cloudOf' | 'open' | 'now'>

/** Accounts read at once, so that one without an answer does not delay the others. */
const accountsAtOnce = 4

/** Clusters whose hours a Prometheus server reports: from here too, they would count twice. */
const pulledSql = `select cluster_uid from kubernetes_source where org_id = $1 and enabled`

/** An account whose cloud cannot be read now is read the next time. */
export const kubernetesUsageJob =
  (tools: UsageTools): JobWork =>
  async (run, call) => {
    const at = momentOf(run, tools.now())
    const pulled = await tools.reads.rows<{ cluster_uid: string }>(pulledSql, [call.orgId])
    const isPulled = new Set(pulled.map(({ cluster_uid: uid }) => uid))
    await mapConcurrently(await connectedAccounts(tools, call.orgId), accountsAtOnce, async (account) => {
      const key = `${call.key}/${account.id}/${call.attempt}`
      try {
        const of = { orgId: call.orgId, cloudAccountId: account.id, key }
        await noticingRefusal(tools, of, () => tellOf(tools, account, at, call, key, isPulled))
      } catch (error) {
        if (!isOfCloud(error)) throw error
      }
      call.signal.throwIfAborted()
    })
  }

/** The due time of the run, so that each run has its own interval; for an overdue run the current time. */
function momentOf({ at }: JobRun, now: Date): Date {
  const due = new Date(at)
  return now.getTime() - due.getTime() < tellSeconds * 1000 ? due : now
}

async function tellOf(
  tools: UsageTools,
  account: CloudAccount,
  at: Date,
  call: EffectCall,
  key: string,
  isPulled: ReadonlySet<string>,
): Promise<void> {
  let told = 0
  for await (const usage of tools.cloudOf(account).usage(account, at, call.signal)) {
    if (!isPulled.has(usage.clusterUid)) await publishUsage(tools, account, usage, `${key}/${told++}`)
    call.signal.throwIfAborted()
  }
}

/** Publishes like a producer, within the limits of one message. Repeats with the same id count once. */
export async function publishUsage(
  { publisher }: Pick<Tools, 'publisher'>,
  { orgId, id: place }: Pick<CloudAccount, 'orgId' | 'id'>,
  data: KubernetesUsage,
  id: string,
): Promise<void> {
  await publisher.publish({ subject: kubernetesUsage, orgId, place, data, id })
}
