/**
 * Databricks workspaces. Objects in them are queried from the workspace itself, with a token of the application for
 * Databricks.
 */
import { listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { AzureSession, Call, Item } from './session.ts'

export const workspaceVersion = '2023-02-01'

export const insideTypes = [
  'azure-databricks-cluster',
  'azure-databricks-instance-pool',
  'azure-databricks-warehouse',
] as const
export type InsideType = (typeof insideTypes)[number]

interface Api {
  list: string
  get: string
  /** Names of the list, and of an item's id, in answers. */
  items: string
  id: string
}

/** From the REST reference of Databricks. */
export const apis: Readonly<Record<InsideType, Api>> = {
  'azure-databricks-cluster': {
    list: '/api/2.1/clusters/list',
    get: '/api/2.1/clusters/get',
    items: 'clusters',
    id: 'cluster_id',
  },
  'azure-databricks-instance-pool': {
    list: '/api/2.0/instance-pools/list',
    get: '/api/2.0/instance-pools/get',
    items: 'instance_pools',
    id: 'instance_pool_id',
  },
  'azure-databricks-warehouse': {
    list: '/api/2.0/sql/warehouses',
    get: '/api/2.0/sql/warehouses/',
    items: 'warehouses',
    id: 'id',
  },
}

/** Undefined if the workspace is not ready yet. */
export const hostOf = (workspace: Item): string | undefined => textAt(workspace, 'properties', 'workspaceUrl')

/** `databricks clusters/list`: the permission's name in the list of types and in faults. */
const permissionOf = (path: string): string => `databricks ${path.replace(/^\/api\/[\d.]+\//, '')}`

export const askIn = (session: AzureSession, workspace: string, call: Call): Promise<Json> =>
  session.ask({ ...call, host: { workspace }, permission: permissionOf(call.path) })

const pagesMax = 1000

export async function* itemsIn(session: AzureSession, workspace: Item, type: InsideType): AsyncGenerator<Item[]> {
  const host = hostOf(workspace)
  const { list, items, id } = apis[type]
  let token = ''
  for (let page = 0; host !== undefined && page < pagesMax; page++) {
    const query = token === '' ? {} : { page_token: token }
    const answer = await askIn(session, host, { path: list, query })
    yield listOf(memberOf(answer, items)).flatMap((one) => {
      const found = textAt(one, id)
      return found === undefined ? [] : [{ ...one, id: found } as Item]
    })
    token = textAt(answer, 'next_page_token') ?? ''
    if (token === '') return
  }
}

/** Maximum runs of an answer, and answers: of more runs, the newest are counted. */
const [runsMax, runPagesMax] = [25, 40]

/** The number of runs of jobs on each cluster since a time, by id; `since` in milliseconds since 1970. */
export async function runsIn(
  session: AzureSession,
  workspace: Item,
  since: number,
): Promise<ReadonlyMap<string, number>> {
  const host = hostOf(workspace)
  const counts = new Map<string, number>()
  let token = ''
  for (let page = 0; host !== undefined && page < runPagesMax; page++) {
    const about = { expand_tasks: 'true', limit: String(runsMax), start_time_from: String(since) }
    const query = { ...about, ...(token !== '' && { page_token: token }) }
    const answer = await askIn(session, host, { path: '/api/2.1/jobs/runs/list', query })
    for (const run of listOf(memberOf(answer, 'runs')))
      for (const id of new Set([run, ...listOf(run['tasks'])].map(clusterOf))) counts.set(id, (counts.get(id) ?? 0) + 1)
    token = textAt(answer, 'next_page_token') ?? ''
    if (token === '') break
  }
  return counts
}

const clusterOf = (run: Json): string => textAt(run, 'cluster_instance', 'cluster_id') ?? ''
