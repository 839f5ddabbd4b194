/**
 * Memory and disks of machines, as agents in them write it to Log Analytics: VM insights into InsightsMetrics, and
 * collection rules into Perf. The machines themselves tell no disks, and memory only of sizes that we know.
 */
import { Fault } from '#engine/value/fault.ts'
import { sdk } from '#streams/cloud/call/sdk.ts'
import { bucketOf, cloudFault, type ResourceRef } from '#streams/cloud/connector.ts'
import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { guidShape } from '#streams/cloud/azure/permission/principal.ts'
import { ownRules } from '#streams/cloud/azure/session/package.ts'
import { uidOf } from '#streams/cloud/azure/session/path.ts'
import { audiences, type AzureSession } from '#streams/cloud/azure/session/session.ts'
import type { Metric } from '#streams/metric/messages.ts'
import { sourcesOf } from '#streams/metric/source.ts'
import type { StepStats } from '#streams/metric/sample-messages.ts'

/** In the list of sources, what agents write. */
const agentNamespace = 'InsightsMetrics'

const workspaces = 'Microsoft.OperationalInsights/workspaces'
/** Agents write once a minute; shorter steps are for groups that are scaled. */
const shortestMs = 300_000
const agentMetrics = ['memory_percent', 'disk_percent'] as const satisfies readonly Metric[]

/** Steps of a metric of a machine. */
export type AgentSteps = (uid: string, metric: Metric) => ReadonlyMap<number, StepStats> | undefined

const nothing: AgentSteps = () => undefined

interface Span {
  from: number
  to: number
  stepMs: number
}

/** What agents wrote to the workspaces of a subscription, which are looked up once. */
export class Agents {
  /** What could not be had; another time it may be there. */
  readonly failures: Fault[] = []
  private readonly session: AzureSession
  private workspaces: Promise<string[]> | undefined

  constructor(session: AzureSession) {
    this.session = session
  }

  /** For machines, in steps no shorter than agents write. */
  async steps(resources: readonly ResourceRef[], span: Span): Promise<AgentSteps> {
    const machines = resources.filter(({ type }) => sourcesOf(type).some((one) => one.namespace === agentNamespace))
    if (machines.length === 0 || span.stepMs < shortestMs) return nothing
    try {
      this.workspaces ??= workspacesOf(this.session)
      return await agentSteps(this.session, await this.workspaces, machines, span)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.failures.push(error)
      return nothing
    }
  }
}

/** The workspaces of the subscription; empty without any, and where they may not be listed. */
async function workspacesOf(session: AzureSession): Promise<string[]> {
  try {
    const query = { 'api-version': '2023-09-01' }
    const pages = await Array.fromAsync(session.pages({ path: session.path(`/providers/${workspaces}`), query }))
    const ids = pages.flat().map((one) => textAt(one, 'properties', 'customerId') ?? '')
    return ids.filter((id) => guidShape.test(id))
  } catch (error) {
    return orNothing(error)
  }
}

/** What agents in the machines wrote; workspaces that may not be read tell nothing. @throws a `cloudFault` */
async function agentSteps(
  session: AzureSession,
  workspaceIds: readonly string[],
  machines: readonly ResourceRef[],
  span: Span,
): Promise<AgentSteps> {
  const found = new Map<string, Map<number, StepStats>>()
  const keyOf = (uid: string, metric: string) => `${metric} ${uidOf(uid)}`
  for (const id of workspaceIds)
    for (const row of await rowsOf(session, id, machines, span).catch(orNothing)) {
      const { uid, metric, at, mean, highest } = row
      const steps = found.get(keyOf(uid, metric)) ?? new Map<number, StepStats>()
      found.set(keyOf(uid, metric), steps.set(at, { sum: mean, count: 1, max: highest }))
    }
  return (uid, metric) => found.get(keyOf(uid, metric))
}

/**
 * An account needs no Log Analytics. An application that may read the machines may be refused here alone, also by Entra,
 * which knows no such audience where nobody uses it.
 */
function orNothing(error: unknown): [] {
  if (error instanceof Fault && bucketOf(error) === 'user_action') return []
  throw error
}

interface Row {
  uid: string
  metric: string
  at: number
  mean: number
  highest: number
}

async function rowsOf(
  session: AzureSession,
  workspaceId: string,
  machines: readonly ResourceRef[],
  span: Span,
): Promise<Row[]> {
  const { LogsQueryClient } = await sdk('@azure/monitor-query-logs', () => import('@azure/monitor-query-logs'))
  const call = {
    host: 'logs',
    path: `/v1/workspaces/${workspaceId}/query`,
    permission: `${workspaces}/query/read`,
  } as const
  const answer = await session.packaged(call, async (httpClient) => {
    const client = new LogsQueryClient(ownRules.credential, {
      ...ownRules.options,
      endpoint: `${audiences.logs}/v1`,
      httpClient,
    })
    const timespan = { startTime: new Date(span.from), endTime: new Date(span.to) }
    const told = await client.queryWorkspace(workspaceId, queryOf(machines, span), timespan)
    // Part of an answer would be taken for all of it.
    if ('partialTables' in told)
      throw cloudFault('transient', 'cloud_unavailable', `Log Analytics: ${told.partialError.message}`)
    return told.tables
  })
  return answer.flatMap(({ columnDescriptors, rows }) => {
    const place = (name: string) => columnDescriptors.findIndex((one) => one.name === name)
    const [uid, metric, at, mean, highest] = ['uid', 'metric', 'at', 'mean', 'highest'].map(place) as [
      number,
      number,
      number,
      number,
      number,
    ]
    return rows.flatMap((row) => readRow(row[uid], row[metric], row[at], row[mean], row[highest]))
  })
}

function readRow(uid: unknown, metric: unknown, at: unknown, mean: unknown, highest: unknown): Row[] {
  const time = at instanceof Date ? at.getTime() : NaN
  const isRead =
    typeof uid === 'string' &&
    agentMetrics.some((one) => one === metric) &&
    Number.isFinite(time) &&
    typeof mean === 'number' &&
    typeof highest === 'number'
  return isRead ? [{ uid, metric: String(metric), at: time, mean, highest }] : []
}

const quote = (text: string): string => JSON.stringify(text)

/** Of several disks the fullest counts. Steps begin at whole steps since 1970, as everywhere. */
const queryOf = (machines: readonly ResourceRef[], { stepMs }: Span): string => `union isfuzzy=true
  (InsightsMetrics
  | where Origin == "vm.azm.ms"
  | where (Namespace == "Memory" and Name == "AvailableMB") or (Namespace == "LogicalDisk" and Name == "FreeSpacePercentage")
  | extend tags = todynamic(Tags), isMemory = Namespace == "Memory"
  | project TimeGenerated, uid = tolower(_ResourceId), metric = iff(isMemory, "memory_percent", "disk_percent"),
      part = tostring(tags["vm.azm.ms/mountId"]),
      used = iff(isMemory, 100.0 - 100.0 * Val / todouble(tags["vm.azm.ms/memorySizeMB"]), 100.0 - Val)),
  (Perf
  | where (ObjectName == "Memory" and CounterName == "% Used Memory")
      or (ObjectName in ("Logical Disk", "LogicalDisk") and CounterName in ("% Used Space", "% Free Space") and InstanceName != "_Total")
  | project TimeGenerated, uid = tolower(_ResourceId), metric = iff(ObjectName == "Memory", "memory_percent", "disk_percent"),
      part = InstanceName, used = iff(CounterName == "% Free Space", 100.0 - CounterValue, CounterValue))
| where uid in (${machines.map(({ resourceUid }) => quote(uidOf(resourceUid))).join(', ')})
| where used between (0.0 .. 100.0)
| summarize mean = avg(used), highest = max(used) by uid, metric, part, at = bin(TimeGenerated, ${stepMs / 1000}s)
| summarize mean = max(mean), highest = max(highest) by uid, metric, at`
