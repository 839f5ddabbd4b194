import { defineActor } from '#engine/actor/actor.ts'
import type { Effect, Turn } from '#engine/actor/turn.ts'
import { addMonths, dayOf, monthOf } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { next, parse } from '#streams/cron/messages.ts'
import {
  exportRunEnded,
  exportRunRequested,
  exportScheduleChanged,
  exportScheduleDue,
  exportScheduleRemoved,
  type ExportTimes,
} from '#streams/export.ts'
import { notification, raise } from '#streams/notification/messages.ts'
import { ExportScheduleState, runsMax } from './entity.ts'

/** Writes the months once; implemented in `run.ts`. `editions` are those that need not be written again. */
export const runExport = {
  name: 'run-export-schedule',
  schema: t.Object({
    scheduleId: t.String(),
    runId: t.String(),
    at: t.String(),
    months: t.Array(t.String()),
    editions: t.Record(t.String(), t.String()),
  }),
} satisfies Effect
export type ExportRunInput = Static<typeof runExport.schema>

/** Months whose editions are remembered. */
const editionsMax = 48

/** The editions of the newest months, after some were written. */
function newest(known: Readonly<Record<string, string>>, written: readonly { month: string; edition: string }[]) {
  const editions = { ...known, ...Object.fromEntries(written.map(({ month, edition }) => [month, edition])) }
  const byMonth = Object.entries(editions).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(byMonth.slice(-editionsMax))
}

/**
 * The first due time after `after`: an hour skipped by daylight saving time is due at the first minute after the gap,
 * an hour that occurs twice the first time.
 */
export const nextExport = ({ every, day, hour, timezone }: ExportTimes, after: Date): Date =>
  next(parse(every === 'day' ? `0 ${hour} * * *` : `0 ${hour} ${day} * *`), timezone, after)!

/** Runs one scheduled export: one run at a time, so that no two write the same month. */
export const exportScheduleActor = defineActor({
  kind: 'export-schedule',
  entity: ExportScheduleState,
  address: { orgId: 'orgId', key: 'scheduleId' },
  initial: () => ({ times: null, changedAt: null, nextDueAt: null, liveRunId: '', editions: {}, runs: [] }),
  reactions: (on) => [
    on(
      exportScheduleChanged,
      ({ scheduleId }) => scheduleId,
      (state, { times, isOther }, turn) => {
        const { time } = turn.message
        if (state.changedAt && time < state.changedAt) return
        Object.assign(state, { times, changedAt: time })
        if (isOther) state.editions = {}
        schedule(state, turn)
      },
    ),
    on(
      exportScheduleDue,
      ({ scheduleId }) => scheduleId,
      (state, _due, turn) => {
        if (!state.times) return
        // Runs missed during an outage are made up for once: each writes whole months.
        if (state.liveRunId === '') start(state, turn, { months: [], isRequested: false })
        schedule(state, turn)
      },
      { existing: true },
    ),
    on(
      exportRunRequested,
      ({ scheduleId }) => scheduleId,
      (state, { months }, turn) => {
        if (state.liveRunId === '') start(state, turn, { months, isRequested: true })
        turn.reply({ runId: state.liveRunId, omittedMonths: omittedMonths(state, monthsOf(months, turn)) })
      },
    ),
    on(
      exportRunEnded,
      ({ scheduleId }) => scheduleId,
      (state, { runId, name, ownerId, months, failure }, turn) => {
        const run = state.runs.find((one) => one.runId === runId)
        if (state.liveRunId === runId) state.liveRunId = ''
        if (!run || run.endedAt !== null) return
        const ended = {
          endedAt: turn.now.toISOString(),
          status: failure ? ('failed' as const) : ('succeeded' as const),
          reason: failure?.message ?? '',
          fixHint: failure?.fixHint ?? '',
          months: months.map(({ edition: _edition, ...month }) => month),
        }
        state.runs = state.runs.map((one) => (one === run ? { ...run, ...ended } : one))
        state.editions = newest(state.editions, months)
        if (failure) tellFailure(state, { runId, name, ownerId, ...failure }, turn)
      },
      { existing: true },
    ),
    on(
      exportScheduleRemoved,
      ({ scheduleId }) => scheduleId,
      (_state, _removed, turn) => {
        turn.forget('due')
        turn.remove()
      },
    ),
  ],
})

function schedule(state: ExportScheduleState, turn: Turn): void {
  const { times, scheduleId } = state
  state.nextDueAt = times ? nextExport(times, turn.now) : null
  if (state.nextDueAt) turn.remind('due', state.nextDueAt, exportScheduleDue, { scheduleId })
  else turn.forget('due')
}

/** Without named months: the current one, and the one before, which its edition leaves out once it no longer changes. */
function monthsOf(named: readonly string[], { now }: Turn): string[] {
  const month = monthOf(dayOf(now))
  return named.length > 0 ? [...new Set(named)].toSorted() : [addMonths(month, -1), month]
}

/** Those of `months` that the run in progress does not contain. */
function omittedMonths({ runs, liveRunId }: ExportScheduleState, months: readonly string[]): string[] {
  const { requestedMonths = [] } = runs.find(({ runId }) => runId === liveRunId) ?? {}
  return months.filter((month) => !requestedMonths.includes(month))
}

function start(state: ExportScheduleState, turn: Turn, wanted: { months: string[]; isRequested: boolean }): void {
  const { orgId, scheduleId } = state
  const { isRequested } = wanted
  const months = monthsOf(wanted.months, turn)
  const runId = turn.id()
  const at = turn.now.toISOString()
  state.liveRunId = runId
  const begun = {
    runId,
    startedAt: at,
    endedAt: null,
    isRequested,
    requestedMonths: months,
    status: 'running' as const,
  }
  state.runs = [{ ...begun, reason: '', fixHint: '', months: [] }, ...state.runs].slice(0, runsMax)
  const editions = isRequested ? {} : Object.fromEntries(months.flatMap((one) => editionOf(state, one)))
  turn.call(runExport, `export-schedule/${orgId}/${scheduleId}/${runId}`, { scheduleId, runId, at, months, editions })
}

const editionOf = ({ editions }: ExportScheduleState, month: string): [string, string][] =>
  Object.hasOwn(editions, month) ? [[month, editions[month]!]] : []

interface FailedRun {
  runId: string
  name: string
  ownerId: string
  message: string
  fixHint: string
}

/** Channels that subscribe to failed actions of the organization hear of it, and who created the schedule gets a mail. */
function tellFailure(
  { orgId, scheduleId }: ExportScheduleState,
  { runId, name, ownerId, message, fixHint }: FailedRun,
  turn: Turn,
): void {
  const event = notification('resource.failed', {
    id: turn.id(),
    orgID: orgId,
    occurredAt: turn.now,
    title: `The scheduled export ${name} failed`,
    summary: fixHint === '' ? message : `${message} ${fixHint}`,
    scope: { type: 'org', id: '' },
    data: { action: 'export', exportScheduleID: scheduleId, runID: runId, userID: ownerId, errorMessage: message },
  })
  raise(turn, event)
}
