/** What happened to it, of three reports, as one list: changes and requests, actions with their end, and anomalies. */
import type { Reply } from '../../api.ts'
import { newestFirst } from '../../day.ts'
import { usd } from '../../figure.ts'
import type { Mark } from '../../part/chart.tsx'
import type { Period } from '../../part/period.tsx'
import { useReport, type Report } from '../../report.ts'
import { whoText } from '../../part/person.ts'

type Activity = Reply<'GET /reports/resources/activity'>['items'][number]
type Action = Reply<'GET /state-history'>['items'][number]
type Anomaly = Reply<'GET /reports/anomalies'>['items'][number]

/** The kinds, each with the letter that stands in charts. */
export const kinds = [
  { kind: 'state', letter: 'S', title: 'state' },
  { kind: 'change', letter: 'C', title: 'change' },
  { kind: 'action', letter: 'A', title: 'action' },
  { kind: 'schedule', letter: 'P', title: 'schedule' },
  { kind: 'anomaly', letter: '▼', title: 'anomaly' },
] as const
export type EventKind = (typeof kinds)[number]['kind']

export interface ResourceEvent {
  id: string
  /** A time, or a day for what is of a day. */
  at: string
  kind: EventKind
  text: string
  who: string
  /** Of the badge. */
  look: string
  anomaly?: string
}

const kindOf: Readonly<Record<Activity['kind'], EventKind>> = {
  state_transition: 'state',
  configuration_change: 'change',
  scheduler_event: 'schedule',
  action_submission: 'action',
}

/** Rows of one report that are asked for. */
const most = 100

export interface ResourceHistory {
  reports: readonly Report<unknown>[]
  events: readonly ResourceEvent[]
  /** Whether there is more in these days than is asked for. */
  isCut: boolean
}

export function useResourceHistory(
  uid: string,
  account: string | undefined,
  { from, to }: Period,
  when: boolean,
): ResourceHistory {
  const of = { cloud_account_id: account, resource_uid: uid }
  const activity = useReport('GET /reports/resources/activity', {
    query: { ...of, from, to, limit: most },
    on: ['inventory.'],
    when,
  })
  const actions = useReport('GET /state-history', {
    query: { resource_uid: uid, limit: most },
    on: ['inventory.'],
    when,
  })
  const anomalies = useReport('GET /reports/anomalies', {
    query: { ...of, from, to, limit: most },
    on: ['anomaly.'],
    when,
  })
  const within = ({ changedAt }: Action) => changedAt.slice(0, 10) >= from && changedAt.slice(0, 10) <= to
  // What was done is told at the moment of its end: it stands above what led to it.
  const events = newestFirst([
    ...(actions.data?.items ?? []).filter(within).map(ofAction),
    ...(activity.data?.items ?? []).map(ofActivity),
    ...(anomalies.data?.items ?? []).map(ofAnomaly),
  ])
  const lists = [activity.data, actions.data, anomalies.data]
  return { reports: [activity, actions, anomalies], events, isCut: lists.some((list) => (list?.total ?? 0) > most) }
}

const ofActivity = ({ id, at, kind, summary, actor, actorName }: Activity): ResourceEvent => ({
  id,
  at,
  kind: kindOf[kind],
  text: summary,
  who: whoText(actor, actorName),
  look: '',
})

function ofAction({
  id,
  changedAt,
  state,
  changedBy,
  changedByName,
  errorMessage,
  executionState,
}: Action): ResourceEvent {
  const hasFailed = executionState.status === 'failed'
  return {
    id: `action ${id}`,
    at: changedAt,
    kind: changedBy.startsWith('schedule:') ? 'schedule' : 'action',
    text: hasFailed ? `Failed: ${errorMessage ?? executionState.step}` : `Done: ${state}.`,
    who: whoText(changedBy, changedByName),
    look: hasFailed ? 'failed' : 'good',
  }
}

const ofAnomaly = ({ id, date, severity, excessUsd, rootCause }: Anomaly): ResourceEvent => ({
  id: `anomaly ${id}`,
  at: date,
  kind: 'anomaly',
  text: `${usd(excessUsd)} above expected: ${rootCause}`,
  who: '',
  look: severity,
  anomaly: id,
})

/** Anomalies are of the cost, and stand at its value; what else happened is a line through every chart. */
export function marksOf(events: readonly ResourceEvent[], isCost: boolean): Mark[] {
  return events
    .filter(({ kind }) => isCost || kind !== 'anomaly')
    .map(({ at, kind, text, look }) => ({
      period: at.slice(0, 10),
      text: text.length > 60 ? `${text.slice(0, 59)}…` : text,
      severity: look,
      ...(kind !== 'anomaly' && { letter: kinds.find((one) => one.kind === kind)!.letter }),
    }))
}
