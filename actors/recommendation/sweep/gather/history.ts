/** `hist.*` facts: since when a resource is in its state, how much it ran, and what schedules did. */
import { stateChanges } from '#analytics/recommendation/questions.ts'
import { portions } from '#analytics/store/query.ts'
import { dayMs, hourMs } from '#engine/value/day.ts'
import type { Static } from '#engine/value/schema.ts'
import { billedHours, firstBilled, monthDays, type Bills } from './bill.ts'
import { offHours } from './off-hours.ts'
import { daysSince, timeOf, untilOf, type GatherAbout, type GatherResource, type GatherTools } from './context.ts'
import { Timeline, type StatusChange, type TimeSpan } from './timeline.ts'

type StateRow = Static<typeof stateChanges.row>

export interface History {
  readonly told: ReadonlyMap<string, readonly StateRow[]>
  readonly scheduled: ReadonlySet<string>
  /** Spans of the last 14 days outside business hours. */
  readonly off: readonly TimeSpan[]
}

const fortnightDays = 14
/** Minimum fraction of a window that must have been observed. */
const watchedMin = 0.7
/** Milliseconds by which discovery may see our own start later or earlier. */
const startSeenMs = 3_600_000

/** Resources named by an enabled schedule, or in a group that is. */
const scheduledSql = `
  select uid from (
    select jsonb_array_elements_text(resource_uids) as uid from schedule where org_id = $1 and enabled
    union
    select member.resource_uid from schedule
    cross join jsonb_array_elements_text(schedule.resource_group_ids) as named(group_id)
    join resource_group_member as member on member.org_id = schedule.org_id and member.group_id = named.group_id
    where schedule.org_id = $1 and schedule.enabled) as scheduled
  where uid = any($2::text[])`

export async function askHistory(
  { ask, reads }: GatherTools,
  page: readonly GatherResource[],
  about: GatherAbout,
): Promise<History> {
  const uids = page.map(({ uid }) => uid)
  const until = untilOf(about)
  const told: StateRow[] = []
  for (const some of portions(uids, (uid) => uid))
    told.push(
      ...(await ask(stateChanges, {
        org: about.orgId,
        account: about.account,
        uids: some,
        from_ms: until - historyMs,
      })),
    )
  const scheduled = await reads.rows<{ uid: string }>(scheduledSql, [about.orgId, uids])
  return {
    told: Map.groupBy(told, (row) => row.resource_uid),
    scheduled: new Set(scheduled.map(({ uid }) => uid)),
    off: offHours({ from: until - fortnightDays * dayMs, to: until }, about.governance),
  }
}
const historyMs = 400 * dayMs

/** Facts under `hist`. If a window was not observed long enough, they are unknown, except running time in the bill. */
export function historyFacts(
  resource: GatherResource,
  history: History,
  bills: Bills,
  about: GatherAbout,
): Record<string, number | boolean | undefined> {
  const told = history.told.get(resource.uid) ?? []
  const until = untilOf(about)
  const changes = changesOf(told)
  const line = (days: number) => timelineOf(resource, changes, { from: until - days * dayMs, to: until })
  return {
    'hist.status_days': daysSince(lastChange(resource, changes), about.now),
    'hist.running_share_30d': runningShare(resource, line(monthDays), bills, until),
    'hist.offhours_running_share_14d': offShare(line(fortnightDays), history.off),
    'hist.auto_restarts_30d':
      watchedShare(line(monthDays), monthDays, until) < watchedMin ? undefined : restarts(told, until),
    'hist.schedule_overrun_hours_14d': overrunHours(told, line(fortnightDays), until),
    'hist.has_schedule': history.scheduled.has(resource.uid),
  }
}

const changesOf = (told: readonly StateRow[]): StatusChange[] =>
  told.filter(({ kind }) => kind === 'change').map(({ at_ms: at, was, became }) => ({ at, was, became }))

/** A connector that knows an earlier time wins. */
function lastChange({ createdAt, specs }: GatherResource, changes: readonly StatusChange[]): number {
  const seen = changes.at(-1)?.at ?? createdAt.getTime()
  const said = changes.length > 1 ? NaN : timeOf(specs['unchanged_since'])
  return Number.isNaN(said) ? seen : Math.min(seen, said)
}

function timelineOf(resource: GatherResource, changes: readonly StatusChange[], { from, to }: TimeSpan): Timeline {
  const before = changes.filter(({ at }) => at < from).at(-1)
  const within = changes.filter(({ at }) => at >= from && at < to)
  const after = changes.find(({ at }) => at >= to)
  const status = within.at(-1)?.became ?? before?.became ?? after?.was ?? resource.status
  const first = changes[0]?.was === '' ? changes[0].at : resource.createdAt.getTime()
  const begun = before && within[0] === undefined ? [{ at: from, was: before.became, became: before.became }] : within
  return new Timeline(begun, { status, firstSeen: first, from, until: to })
}

const watchedShare = ({ since }: Timeline, days: number, until: number): number => (until - since) / (days * dayMs)

function runningShare(resource: GatherResource, line: Timeline, bills: Bills, until: number): number | undefined {
  if (watchedShare(line, monthDays, until) >= watchedMin)
    return line.runningMs({ from: line.since, to: until }) / (until - line.since)
  const hours = billedHours(bills, resource.uid)
  const begun = firstBilled(bills, resource.uid)
  if (hours === undefined || begun === undefined || (resource.unitCount ?? 1) > 1) return undefined
  return Math.min(1, (hours * hourMs) / (until - Math.max(begun, until - monthDays * dayMs)))
}

function offShare(line: Timeline, off: readonly TimeSpan[]): number | undefined {
  const watched = off
    .map(({ from, to }) => ({ from: Math.max(from, line.since), to }))
    .filter(({ from, to }) => from < to)
  const ms = (spans: readonly TimeSpan[]) => spans.reduce((sum, { from, to }) => sum + to - from, 0)
  if (ms(off) === 0 || ms(watched) / ms(off) < watchedMin) return undefined
  return watched.reduce((sum, span) => sum + line.runningMs(span), 0) / ms(watched)
}

/** Changes to running that no start of ours explains, without the first appearance. */
function restarts(told: readonly StateRow[], until: number): number {
  const starts = told.filter(({ kind }) => kind === 'start').map(({ at_ms: at }) => at)
  return told.filter(
    ({ kind, at_ms: at, was, became }) =>
      kind === 'change' &&
      became === 'running' &&
      (was === 'stopped' || was === 'stopping' || was === 'starting') &&
      at >= until - monthDays * dayMs &&
      at < until &&
      !starts.some((start) => Math.abs(start - at) <= startSeenMs),
  ).length
}

/** Hours that the resource ran between a scheduled stop and the next scheduled start. */
function overrunHours(told: readonly StateRow[], line: Timeline, until: number): number {
  const from = until - fortnightDays * dayMs
  const orders = told.filter(({ kind }) => kind === 'stop_ordered' || kind === 'start_ordered')
  const ms = orders.reduce((sum, { kind, at_ms: at }, i) => {
    const to = Math.min(orders[i + 1]?.at_ms ?? until, until)
    return kind === 'stop_ordered' && at >= from && at < to ? sum + line.runningMs({ from: at, to }) : sum
  }, 0)
  return ms / hourMs
}
