/** Scheduled exports: costs written to an object store of the organization at fixed times, and their messages. */
import { orgWide, subject } from '#engine/actor/subject.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { Provider } from '#streams/names.ts'
import { text } from '#streams/text.ts'

export const destinationKinds = ['s3', 'azure_blob', 'gcs'] as const
export type DestinationKind = (typeof destinationKinds)[number]

/** The cloud of each kind of store. */
export const providerOf = {
  s3: 'aws',
  azure_blob: 'azure',
  gcs: 'gcp',
} as const satisfies Record<DestinationKind, Provider>

export const exportFormats = ['parquet', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]
export const focusVersions = ['1.4', '1.2'] as const
export type FocusVersion = (typeof focusVersions)[number]

/** A part of a month as one object. The sums are of its rows, exact decimal text in US dollars. */
export interface FocusPart {
  body: Buffer
  rows: number
  sums: Readonly<Record<(typeof sumColumns)[number], string>>
}

/** The amounts that a manifest has sums of. */
export const sumColumns = ['BilledCost', 'EffectiveCost', 'ListCost', 'ContractedCost'] as const

/** All lines of an organization in a billing period (YYYY-MM), in parts of limited size. */
export type FocusParts = (month: {
  orgId: string
  month: string
  format: ExportFormat
  version: FocusVersion
}) => AsyncIterable<FocusPart>

const Month = t.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' })

/** When a schedule is due. */
export const ExportTimes = t.Object({
  every: t.Enum(['day', 'month']),
  /** For monthly schedules; otherwise 1. */
  day: t.Integer({ minimum: 1, maximum: 28 }),
  hour: t.Integer({ minimum: 0, maximum: 23 }),
  timezone: text({ minLength: 1 }),
})
export type ExportTimes = Static<typeof ExportTimes>

/** The result of a run for one month. `unchanged`: the lines are those of the last run, so nothing was written. */
export const ExportedMonth = t.Object({
  month: Month,
  outcome: t.Enum(['written', 'unchanged']),
  rows: t.Integer(),
  files: t.Integer(),
  bytes: t.Integer(),
  billedCostUSD: text(),
  /** Identifies the lines: the same until one of them changes. */
  edition: text(),
})
export type ExportedMonth = Static<typeof ExportedMonth>

const ofOrg = { kind: 'actor', place: () => orgWide } as const
const scheduleId = text({ minLength: 1 })

/**
 * Command: run the schedule at these times from now on, or (null) never. `isOther`: what it writes, or where to, has
 * changed, so nothing that was written before counts.
 */
export const exportScheduleChanged = subject({
  ...ofOrg,
  name: 'export_schedule.changed',
  summary: 'Set the times of a scheduled export, or turn it off.',
  once: true,
  schema: t.Object({ scheduleId, times: t.Union([ExportTimes, t.Null()]), isOther: t.Boolean() }),
  examples: [{ scheduleId: 's-1', times: { every: 'day', day: 1, hour: 6, timezone: 'UTC' }, isOther: true }],
})

/** Reminder: a run of the schedule is due. */
export const exportScheduleDue = subject({
  ...ofOrg,
  name: 'export_schedule.due',
  summary: 'A scheduled export is due.',
  schema: t.Object({ scheduleId }),
  examples: [{ scheduleId: 's-1' }],
})

/**
 * Command: run now, also if nothing has changed. Without months: those of a scheduled run. Replies `{ runId,
 * omittedMonths }`: that of the run in progress, if there is one, and the requested months that it does not contain.
 */
export const exportRunRequested = subject({
  ...ofOrg,
  name: 'export_schedule.run_requested',
  summary: 'Run a scheduled export now.',
  once: true,
  schema: t.Object({ scheduleId, months: t.Array(Month, { maxItems: 36 }) }),
  examples: [{ scheduleId: 's-1', months: ['2026-01'] }],
})

/** A run has ended. With a failure, `months` are empty. */
export const exportRunEnded = subject({
  ...ofOrg,
  name: 'export_schedule.run_ended',
  summary: 'A run of a scheduled export ended.',
  once: true,
  schema: t.Object({
    scheduleId,
    runId: text({ minLength: 1 }),
    /** The schedule, for people, and who is told when it fails. */
    name: text(),
    ownerId: text(),
    months: t.Array(ExportedMonth),
    failure: t.Union([t.Object({ message: text(), fixHint: text() }), t.Null()]),
  }),
  examples: [
    {
      scheduleId: 's-1',
      runId: 'r-1',
      name: 'Warehouse',
      ownerId: '',
      months: [
        {
          month: '2026-01',
          outcome: 'written',
          rows: 120,
          files: 1,
          bytes: 20480,
          billedCostUSD: '402.60',
          edition: '120 402.60 402.60 1768435200.000',
        },
      ],
      failure: null,
    },
  ],
})

/** Command: the schedule is deleted. What it has written stays. */
export const exportScheduleRemoved = subject({
  ...ofOrg,
  name: 'export_schedule.removed',
  summary: 'A scheduled export was deleted.',
  once: true,
  schema: t.Object({ scheduleId }),
  examples: [{ scheduleId: 's-1' }],
})

export const exportMessages = [
  exportScheduleChanged,
  exportScheduleDue,
  exportRunRequested,
  exportRunEnded,
  exportScheduleRemoved,
]
