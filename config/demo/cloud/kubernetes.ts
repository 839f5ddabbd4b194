/** Who used the demo organization's clusters in the month before it is first looked at: what a source would have told hour by hour. */
import { connectedAccounts } from '#actors/account/connection/cloud.ts'
import { tellPast } from '#actors/kubernetes/simulated-history.ts'
import { dayMs } from '#engine/value/day.ts'
import { havePassed, laneEnds } from '#config/state/wait-for-ingest.ts'
import type { Running } from '#config/product/product.ts'
import { tokens } from '#config/wiring/tokens.ts'

const daysBefore = 31

/** Whole hours up to this one, of each account; told again they count once. */
export async function makeUsage({ connections, product }: Running, orgId: string): Promise<void> {
  const to = new Date(connections.clock.now())
  const from = new Date(to.getTime() - daysBefore * dayMs)
  const tools = { reads: product.get(tokens.reads), ...product.get(tokens.seal) }
  const publisher = product.get(tokens.publisher)
  const { simulated } = product.get(tokens.clouds)
  for (const account of await connectedAccounts(tools, orgId))
    await tellPast({ publisher }, simulated, account, { from, to })
  // What is measured by it is told once it has been taken in.
  await havePassed(connections, await laneEnds(connections), Number.POSITIVE_INFINITY)
}
