/** The Log Analytics workspaces of a subscription, and queries of their tables. */
import { Fault } from '#engine/value/fault.ts'
import { sdk } from '#streams/cloud/call/sdk.ts'
import { bucketOf, cloudFault } from '#streams/cloud/connector.ts'
import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { guidShape } from '#streams/cloud/azure/permission/principal.ts'
import { ownRules } from '#streams/cloud/azure/session/package.ts'
import { uidOf } from '#streams/cloud/azure/session/path.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'

const type = 'Microsoft.OperationalInsights/workspaces'

export interface Workspace {
  uid: string
  /** A GUID, by which it is queried. */
  id: string
}

/** Empty without any, and where they may not be listed. */
export async function workspacesOf(session: AzureSession): Promise<Workspace[]> {
  try {
    const query = { 'api-version': '2023-09-01' }
    const pages = await Array.fromAsync(session.pages({ path: session.path(`/providers/${type}`), query }))
    const all = pages.flat().map((one) => ({ uid: uidOf(one.id), id: textAt(one, 'properties', 'customerId') ?? '' }))
    return all.filter(({ id }) => guidShape.test(id))
  } catch (error) {
    return orNothing(error)
  }
}

/**
 * An account needs no Log Analytics. An application that may read the machines may be refused here alone, also by Entra,
 * which knows no such audience where nobody uses it.
 */
function orNothing(error: unknown): [] {
  if (isRefusal(error)) return []
  throw error
}

export const isRefusal = (error: unknown): boolean => error instanceof Fault && bucketOf(error) === 'user_action'

/** A value by the name of its column; undefined for other names. */
export type LogRow = (column: string) => unknown

/**
 * Rows of records whose `TimeGenerated` is between the times; none of a workspace that may not be read.
 * @throws a `cloudFault`
 */
export async function queryWorkspace(
  session: AzureSession,
  { id }: Workspace,
  query: string,
  { from, to }: { from: number; to: number },
): Promise<LogRow[]> {
  const { LogsQueryClient } = await sdk('@azure/monitor-query-logs', () => import('@azure/monitor-query-logs'))
  const call = { host: 'logs', path: `/v1/workspaces/${id}/query`, permission: `${type}/query/read` } as const
  try {
    return await session.packaged(call, async (httpClient) => {
      const client = new LogsQueryClient(ownRules.credential, {
        ...ownRules.options,
        endpoint: `${session.hosts.logs}/v1`,
        httpClient,
      })
      const told = await client.queryWorkspace(id, query, { startTime: new Date(from), endTime: new Date(to) })
      // Part of an answer would be taken for all of it.
      if ('partialTables' in told)
        throw cloudFault('transient', 'cloud_unavailable', `Log Analytics: ${told.partialError.message}`)
      return told.tables.flatMap(({ columnDescriptors, rows }) => {
        const places = new Map(columnDescriptors.map(({ name }, at) => [name, at]))
        return rows.map(
          (row): LogRow =>
            (column) =>
              row[places.get(column) ?? -1],
        )
      })
    })
  } catch (error) {
    return orNothing(error)
  }
}
