/** Past hours of usage from a simulated cloud, as the start of a history. */
import type { Tools } from '#actors/tools.ts'
import { hourMs } from '#engine/value/day.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import type { SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { partsOf } from '#streams/kubernetes/split-usage.ts'
import { publishUsage } from './collect.ts'

/**
 * Publishes the usage of the account's clusters for every whole hour within a span, oldest first. An hour that is
 * published again replaces itself.
 */
export async function tellPast(
  tools: Pick<Tools, 'publisher'>,
  cloud: Pick<SimulatedCloud, 'usageAt'>,
  account: CloudAccount,
  { from, to }: { from: Date; to: Date },
): Promise<void> {
  const end = Math.floor(to.getTime() / hourMs) * hourMs
  for (let at = Math.ceil(from.getTime() / hourMs) * hourMs; at < end; at += hourMs) {
    const usages = cloud.usageAt(account, { from: new Date(at), seconds: 3600 })
    for (const [index, part] of usages.flatMap((usage) => [...partsOf(usage)]).entries()) {
      const id = uuidOf('kubernetes-past', account.orgId, account.id, `${at}`, `${index}`)
      await publishUsage(tools, account, part, id)
    }
  }
}
