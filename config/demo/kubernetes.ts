/** Who used the demo organization's clusters in the month before it is first looked at: what a source would have told hour by hour. */
import { connectedAccounts } from '#actors/account/cloud.ts'
import { publishUsage } from '#actors/kubernetes/collect.ts'
import type { Running } from '#config/product.ts'
import { tokens } from '#config/tokens.ts'

const hourMs = 3_600_000
const hoursBefore = 31 * 24

/** Whole hours up to this one, of each account by itself; told again they count once. */
export async function makeUsage({ connections, product }: Running, orgId: string): Promise<void> {
  const { clock } = connections
  const tools = { reads: product.get(tokens.reads), ...product.get(tokens.seal) }
  const publisher = product.get(tokens.publisher)
  const { simulated } = product.get(tokens.clouds)
  const end = Math.floor(clock.now() / hourMs) * hourMs
  for (const account of await connectedAccounts(tools, orgId)) {
    for (let at = end - hoursBefore * hourMs; at < end; at += hourMs) {
      const usages = simulated.usageAt(account, { from: new Date(at), seconds: hourMs / 1000 })
      // Accounts without clusters are not looked at hour by hour.
      if (usages.length === 0) break
      for (const [n, usage] of usages.entries())
        await publishUsage({ publisher }, account, usage, `demo/${account.id}/kubernetes/${at}/${n}`)
    }
  }
}
