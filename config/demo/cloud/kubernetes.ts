/**
 * Usage of the demo organization's clusters in the month before its creation, published as a collector would have
 * published it hour by hour.
 */
import { connectedAccounts } from '#actors/account/connection/cloud.ts'
import { tellPast } from '#actors/kubernetes/simulated-history.ts'
import { dayMs } from '#engine/value/day.ts'
import { havePassed, laneEnds } from '#config/state/wait-for-ingest.ts'
import type { Running } from '#config/product/product.ts'
import { tokens } from '#config/wiring/tokens.ts'

const daysBefore = 31

/** Whole hours up to the current one, for each account. A repeat counts once. */
export async function makeUsage({ connections, product }: Running, orgId: string): Promise<void> {
  const to = new Date(connections.clock.now())
  const from = new Date(to.getTime() - daysBefore * dayMs)
  const tools = { reads: product.get(tokens.reads), ...product.get(tokens.seal) }
  const publisher = product.get(tokens.publisher)
  const { simulated } = product.get(tokens.clouds)
  for (const account of await connectedAccounts(tools, orgId))
    await tellPast({ publisher }, simulated, account, { from, to })
  // Wait until the lanes have processed it: what follows is calculated from it.
  await havePassed(connections, orgId, await laneEnds(connections), Number.POSITIVE_INFINITY)
}
