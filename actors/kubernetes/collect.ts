/**
 * The job that tells, every five minutes, who uses the clusters of an organization's accounts: as their clouds have them now, published
 * as a producer would. What could not be asked is a gap: nothing is told later of what was now.
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

/** One that does not answer holds up no others. */
const accountsAtOnce = 4

/** An account whose cloud cannot be asked now is asked the next time. */
export const kubernetesUsageJob =
  (tools: UsageTools): JobWork =>
  async (run, call) => {
    const at = momentOf(run, tools.now())
    await mapConcurrently(await connectedAccounts(tools, call.orgId), accountsAtOnce, async (account) => {
      const key = `${call.key}/${account.id}/${call.attempt}`
      try {
        const of = { orgId: call.orgId, cloudAccountId: account.id, key }
        await noticingRefusal(tools, of, () => tellOf(tools, account, at, call, key))
      } catch (error) {
        if (!isOfCloud(error)) throw error
      }
      call.signal.throwIfAborted()
    })
  }

/** Its due time, so that each has an interval of its own; but what was due long ago is told of now. */
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
): Promise<void> {
  let told = 0
  for await (const usage of tools.cloudOf(account).usage(account, at, call.signal)) {
    await publishUsage(tools, account, usage, `${key}/${told++}`)
    call.signal.throwIfAborted()
  }
}

/** As a producer would; of the bounds of one message. Under the same id it counts once. */
export async function publishUsage(
  { publisher }: Pick<Tools, 'publisher'>,
  { orgId, id: place }: Pick<CloudAccount, 'orgId' | 'id'>,
  data: KubernetesUsage,
  id: string,
): Promise<void> {
  await publisher.publish({ subject: kubernetesUsage, orgId, place, data, id })
}
