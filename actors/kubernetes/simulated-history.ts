/** Whole hours of the past that a simulated cloud tells of its clusters, for a history to begin with. */
import type { Tools } from '#actors/tools.ts'
import { hourMs } from '#engine/value/day.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import type { SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { partsOf } from '#streams/kubernetes/split-usage.ts'
import { publishUsage } from './collect.ts'

/**
 * Publishes who used the clusters of the account in every whole hour of a span, oldest first: those that begin and end in it. Told
 * again, hours replace themselves.
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
