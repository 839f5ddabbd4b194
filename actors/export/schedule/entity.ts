import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { SealedColumn } from '#engine/seal.ts'
import type { StorePlace } from '#streams/delivery/object-store.ts'
import {
  destinationKinds,
  exportFormats,
  focusVersions,
  type ExportedMonth,
  type ExportTimes,
} from '#streams/export.ts'

const schedule = defineEntity({
  name: 'ExportSchedule',
  tableName: 'export_schedule',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    id: p.uuid().primary(),
    /** Who created it, and is told when it fails: a user id, or that of a machine token. */
    ownerId: p.text(),
    /** 1 to 100 characters. */
    name: p.text(),
    kind: p.enum(destinationKinds),
    place: p.json<StorePlace>(),
    /** Empty, or ends with a slash. */
    prefix: p.text(),
    /** Where it writes, as one text: two schedules at one location would delete each other's files. */
    location: p.text(),
    /** The connected account whose credentials are used; empty: its own. */
    cloudAccountId: p.text(),
    /** Sealed, never shown. Null: those of the account. */
    credentials: p.text().nullable(),
    format: p.enum(exportFormats),
    /** Of FOCUS. */
    version: p.enum(focusVersions),
    times: p.json<ExportTimes>(),
    isOn: p.boolean(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'export_schedule_location', properties: ['orgId', 'location'] }],
})

/** An export that is repeated. Written only by actors/export/schedule/change.ts. */
export class ExportSchedule extends schedule.class {}
schedule.setClass(ExportSchedule)

/** Credentials for the destination. */
export const destinationSealed: SealedColumn = {
  table: 'export_schedule',
  column: 'credentials',
  isOfOrg: true,
  purpose: 'write scheduled exports',
}

/** Runs that are kept of a schedule: two months of a daily one. */
export const runsMax = 62

/** One run. Times are ISO 8601. */
export interface ExportRun {
  runId: string
  startedAt: string
  /** Null while it runs, tries included. */
  endedAt: string | null
  isRequested: boolean
  /** Months to write. Missing in runs that older versions started. */
  requestedMonths?: readonly string[]
  status: 'running' | 'succeeded' | 'failed'
  /** Why it failed, and what to do about it; empty if it did not. */
  reason: string
  fixHint: string
  months: Omit<ExportedMonth, 'edition'>[]
}

const state = defineEntity({
  name: 'ExportScheduleState',
  tableName: 'export_schedule_state',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    scheduleId: p.text().primary(),
    /** Null while it is off. */
    times: p.json<ExportTimes>().nullable(),
    /** When the times were last set: older changes that arrive late are ignored. */
    changedAt: p.datetime(3).nullable(),
    nextDueAt: p.datetime(3).nullable(),
    /** The run in progress; empty if there is none. */
    liveRunId: p.text().default(''),
    /** The editions of the months that were last written, by month. */
    editions: p.json<Record<string, string>>(),
    /** Newest first, at most `runsMax`. */
    runs: p.json<ExportRun[]>().default([]),
  },
})

/** When a schedule runs, and its runs. Written only by the export-schedule actor. */
export class ExportScheduleState extends state.class {}
state.setClass(ExportScheduleState)
