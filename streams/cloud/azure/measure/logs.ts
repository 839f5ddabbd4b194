/**
 * Metrics that are only in tables of Log Analytics: memory and disks of machines, as agents in them write it (VM insights
 * into InsightsMetrics, collection rules into Perf), the volume of a workspace, which it writes into Usage, and that of an
 * application, by its records.
 */
import { dayMs, hourMs } from '#engine/value/day.ts'
import type { ResourceRef } from '#streams/cloud/connector.ts'
import { uidOf } from '#streams/cloud/azure/session/path.ts'
import type { Metric } from '#streams/metric/messages.ts'
import type { StepStats } from '#streams/metric/sample-messages.ts'
import type { OtherContext, OtherSource, OtherSteps, Span } from './other-metric.ts'
import { queryWorkspace, type LogRow } from './log-workspace.ts'

/** Agents write once a minute; shorter steps are for groups that are scaled. */
const shortestMs = 300_000
const agentMetrics = ['memory_percent', 'disk_percent'] as const satisfies readonly Metric[]

/** Records of a workspace's volume are of an hour, and written hours after it. */
const lateMs = dayMs

export const agents: OtherSource = { hasSteps: (stepMs) => stepMs >= shortestMs, read: agentSteps, lateMs: 0 }
/** Telemetry may arrive an hour after its time. */
export const telemetry: OtherSource = {
  hasSteps: (stepMs) => stepMs % hourMs === 0,
  read: telemetrySteps,
  lateMs: hourMs,
}
export const volumes: OtherSource = { hasSteps: (stepMs) => stepMs % hourMs === 0, read: volumeSteps, lateMs }

/** What agents in the machines wrote, to any workspace. */
async function agentSteps(
  { session, workspaces }: OtherContext,
  machines: readonly ResourceRef[],
  span: Span,
): Promise<OtherSteps> {
  const found = new Map<string, Map<number, StepStats>>()
  const keyOf = (uid: string, metric: string) => `${metric} ${uidOf(uid)}`
  for (const workspace of await workspaces())
    for (const row of await queryWorkspace(session, workspace, agentQuery(machines, span), span))
      for (const { uid, metric, at, mean, highest } of readRow(row)) {
        const steps = found.get(keyOf(uid, metric)) ?? new Map<number, StepStats>()
        found.set(keyOf(uid, metric), steps.set(at, { sum: mean, count: 1, max: highest }))
      }
  return (uid, metric) => found.get(keyOf(uid, metric))
}

const timeIn = (value: unknown): number => (value instanceof Date ? value.getTime() : NaN)

function readRow(row: LogRow) {
  const [uid, metric, mean, highest] = ['uid', 'metric', 'mean', 'highest'].map(row)
  const at = timeIn(row('at'))
  const isRead =
    typeof uid === 'string' &&
    agentMetrics.some((one) => one === metric) &&
    Number.isFinite(at) &&
    typeof mean === 'number' &&
    typeof highest === 'number'
  return isRead ? [{ uid, metric: String(metric), at, mean, highest }] : []
}

const quote = (text: string): string => JSON.stringify(text)

/** Of several disks the fullest counts. Steps begin at whole steps since 1970, as everywhere. */
const agentQuery = (machines: readonly ResourceRef[], { stepMs }: Span): string => `union isfuzzy=true
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

/** Billed data that a workspace took in. */
async function volumeSteps(
  { session, workspaces }: OtherContext,
  resources: readonly ResourceRef[],
  span: Span,
): Promise<OtherSteps> {
  const found = new Map<string, Map<number, StepStats>>()
  const wanted = new Set(resources.map(({ resourceUid }) => uidOf(resourceUid)))
  for (const workspace of await workspaces()) {
    if (!wanted.has(workspace.uid)) continue
    const rows = await queryWorkspace(session, workspace, volumeQuery(span), { ...span, to: span.to + lateMs })
    found.set(workspace.uid, new Map(rows.flatMap(readVolume)))
  }
  return (uid) => found.get(uidOf(uid))
}

function readVolume(row: LogRow): [number, StepStats][] {
  const [at, gb] = [timeIn(row('at')), row('gb')]
  return Number.isFinite(at) && typeof gb === 'number' ? [[at, { sum: gb, count: 1, max: gb }]] : []
}

/** `Quantity` is in millions of bytes. */
const volumeQuery = ({ from, to, stepMs }: Span): string => `Usage
| where IsBillable and StartTime >= datetime(${new Date(from).toISOString()}) and StartTime < datetime(${new Date(to).toISOString()})
| summarize gb = sum(Quantity) / 1000.0 by at = bin(StartTime, ${stepMs / 1000}s)`

/** Of Application Insights. */
export const telemetryTables = [
  'AppAvailabilityResults',
  'AppBrowserTimings',
  'AppDependencies',
  'AppEvents',
  'AppExceptions',
  'AppMetrics',
  'AppPageViews',
  'AppPerformanceCounters',
  'AppRequests',
  'AppSystemEvents',
  'AppTraces',
] as const

/** Billed data that applications sent to any workspace. */
async function telemetrySteps(
  { session, workspaces }: OtherContext,
  applications: readonly ResourceRef[],
  span: Span,
): Promise<OtherSteps> {
  const found = new Map<string, Map<number, StepStats>>()
  for (const workspace of await workspaces())
    for (const row of await queryWorkspace(session, workspace, telemetryQuery(applications, span), span)) {
      const uid = row('uid')
      if (typeof uid !== 'string') continue
      const steps = found.get(uid) ?? new Map<number, StepStats>()
      found.set(uid, new Map([...steps, ...readVolume(row)]))
    }
  return (uid) => found.get(uidOf(uid))
}

/** `_BilledSize` is in bytes. */
const telemetryQuery = (applications: readonly ResourceRef[], { stepMs }: Span): string =>
  `union isfuzzy=true ${telemetryTables.join(', ')}
| extend uid = tolower(_ResourceId)
| where _IsBillable == true and uid in (${applications.map(({ resourceUid }) => quote(uidOf(resourceUid))).join(', ')})
| summarize gb = sum(_BilledSize) / 1e9 by uid, at = bin(TimeGenerated, ${stepMs / 1000}s)`
