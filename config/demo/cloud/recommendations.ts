/**
 * Recommendations of the demo organization: fetches metrics and searches for savings with the same jobs that run later.
 */
import { runJobs } from '#actors/job/drive.ts'
import { havePassed, laneEnds } from '#config/state/wait-for-ingest.ts'
import type { Progress } from '#config/process/progress.ts'
import type { Running } from '#config/product/product.ts'
import { tokens } from '#config/wiring/tokens.ts'

/** Call after the bills of the last month are in. A repeat, for example after an interrupted load, finds the same. */
export async function makeAdvice({ connections, product }: Running, orgId: string, progress: Progress): Promise<void> {
  const tools = { reads: product.get(tokens.reads), clock: connections.clock, asker: product.get(tokens.asker) }
  progress.step('fetching metrics of the simulated cloud')
  await runJobs(tools, 'metric-collection', { orgId })
  // The metrics are only published so far: wait until the lanes have processed them.
  await havePassed(connections, orgId, await laneEnds(connections), Number.POSITIVE_INFINITY)
  progress.step('searching for potential savings')
  await runJobs(tools, 'recommendation-sweep', { orgId })
}
