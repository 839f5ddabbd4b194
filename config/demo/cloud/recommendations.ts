/** What is recommended to the demo organization: its metrics are fetched and its resources looked at, as the jobs do it from then on. */
import { runJobs } from '#actors/job/drive.ts'
import { havePassed, laneEnds } from '#config/state/wait-for-ingest.ts'
import type { Progress } from '#config/process/progress.ts'
import type { Running } from '#config/product/product.ts'
import { tokens } from '#config/wiring/tokens.ts'

/** The bills of the last month stand. Done again, as after a load that was interrupted, it finds the same again. */
export async function makeAdvice({ connections, product }: Running, orgId: string, progress: Progress): Promise<void> {
  const tools = { reads: product.get(tokens.reads), clock: connections.clock, asker: product.get(tokens.asker) }
  progress.step('fetching metrics of the simulated cloud')
  await runJobs(tools, 'metric-collection', { orgId })
  // They are published, and stand once their lanes have come so far.
  await havePassed(connections, await laneEnds(connections), Number.POSITIVE_INFINITY)
  progress.step('searching for potential savings')
  await runJobs(tools, 'recommendation-sweep', { orgId })
}
