/**
 * Metrics that Azure reports only as they are now: sessions of host pools, and idle machines of Databricks pools. They are
 * sampled once an hour, in the last step of a span that has just ended.
 */
import { hourMs } from '#engine/value/day.ts'
import type { ResourceRef } from '#streams/cloud/connector.ts'
import { countAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { desktopVersion } from '#streams/cloud/azure/discover/runtimes-and-pools.ts'
import type { AzureSession, Item } from '#streams/cloud/azure/session/session.ts'
import { itemsIn, workspaceVersion } from '#streams/cloud/azure/session/workspace.ts'
import type { OtherSource } from './other-metric.ts'
import { isRefusal } from './log-workspace.ts'

/** Milliseconds; a span that ended earlier is history. */
const presentMs = hourMs / 4

/** Values by uid. */
type Reader = (session: AzureSession, resources: readonly ResourceRef[]) => Promise<ReadonlyMap<string, number>>

const present = (read: Reader): OtherSource => ({
  hasSteps: (stepMs) => stepMs === hourMs,
  lateMs: 0,
  read: async ({ session, now }, resources, { to, stepMs }) => {
    if (to < now - presentMs) return () => undefined
    const values = await read(session, resources)
    return (uid) => {
      const value = values.get(uid)
      return value === undefined ? undefined : new Map([[to - stepMs, { sum: value, count: 1, max: value }]])
    }
  },
})

/** Unknown while one of the hosts does not report its sessions. */
export const sessions = present(async (session, pools) => {
  const found = new Map<string, number>()
  for (const { resourceUid } of pools) {
    const call = { path: `${resourceUid}/sessionHosts`, query: { 'api-version': desktopVersion } }
    const hosts = await listed(session.pages(call))
    const counts = hosts?.map((host) => countAt(host, 'properties', 'sessions'))
    if (counts?.every((count) => count !== undefined))
      found.set(
        resourceUid,
        counts.reduce((sum, count) => sum + count, 0),
      )
  }
  return found
})

/** Lists the pools of all workspaces: a pool does not name its own. */
export const idleMachines = present(async (session) => {
  const found = new Map<string, number>()
  const call = {
    path: session.path('/providers/Microsoft.Databricks/workspaces'),
    query: { 'api-version': workspaceVersion },
  }
  for (const workspace of (await listed(session.pages(call))) ?? [])
    for (const pool of (await listed(itemsIn(session, workspace, 'azure-databricks-instance-pool'))) ?? []) {
      const idle = countAt(pool, 'stats', 'idle_count')
      if (idle !== undefined) found.set(pool.id, idle)
    }
  return found
})

/** Undefined if it may not be listed, which the discovery reports. */
async function listed(pages: AsyncIterable<Item[]>): Promise<Item[] | undefined> {
  try {
    return (await Array.fromAsync(pages)).flat()
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}
