import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { PeriodOutcome } from '#actors/account/export/verdict.ts'
import type { FileWarning } from '#streams/billing/file/encoding.ts'
import type { RepeatedBill } from '#analytics/billing/repeated-bill.ts'
import type { BillAccounts } from '#streams/billing/line/bill-account.ts'
import type { FormatName } from '#streams/billing/format/format.ts'
import type { Refusals } from '#streams/billing/row/tally.ts'

/**
 * `reading`: its files are arriving. `storing`: the files are complete, but not all lines have been processed. `ready`:
 * it can be previewed and applied. `applying`: its end is sent. `held`, `incomplete`: its end was processed, and
 * nothing was replaced. `broken`: it can never be applied, or the outcome of its end is unknown.
 */
export const uploadStates = [
  'reading',
  'storing',
  'ready',
  'applying',
  'replaced',
  'over',
  'held',
  'incomplete',
  'broken',
  'discarded',
] as const
export type UploadState = (typeof uploadStates)[number]

export interface UploadFile {
  name: string
  /** As received. */
  bytes: number
  rows: number
  format: FormatName
  /** Warnings about the file as a whole. */
  warnings?: FileWarning[]
}

/** The bill that an upload would replace. `exportedAt` is null for lines from before exports were known. */
export interface CurrentBill {
  lines: number
  billed: string
  effective: string
  exportedAt: string | null
  /** False for an export in progress whose end was never announced. */
  whole: boolean
}

/** What an upload would change in a billing period. */
export interface Replacement {
  standing: CurrentBill | null
  replaces: boolean
  lessThanHalf: boolean
  /** Days that show lines now and that it does not contain; missing in uploads of earlier versions. */
  daysLost?: string[]
  /** If nothing is shown yet: a bill of another account that has most of the account ids that this one names. */
  repeats?: RepeatedBill
}

/** One billing period: number of different lines and their sums, exact text in US dollars; null if unknown. */
export interface UploadPeriod {
  period: string
  from: string
  to: string
  lines: number
  billed: string | null
  effective: string | null
  /** Its lines, or a person, declared that it covers less than a month. */
  someDays?: true
  /** The accounts that its lines name; missing in uploads of earlier versions. */
  accounts?: BillAccounts
  /** As it was when the upload was applied. */
  replacement?: Replacement
}

const schema = defineEntity({
  name: 'BillUpload',
  tableName: 'bill_upload',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** Also the id of its export. */
    id: p.text().primary(),
    cloudAccountId: p.text(),
    exportedAt: p.datetime(3),
    state: p.enum(uploadStates).$type<UploadState>(),
    /** Why it is broken, or was not accepted although confirmed; for people. */
    message: p.text().nullable(),
    files: p.json<UploadFile[]>(),
    rows: p.bigint('number'),
    accepted: p.bigint('number'),
    refused: p.bigint('number'),
    /** Number of accepted rows whose amount was rounded to 14 decimal places. */
    rounded: p.bigint('number'),
    reasons: p.json<Refusals[]>(),
    /** Warnings: parts of accepted rows that were ignored. */
    warnings: p.json<Refusals[]>(),
    /** The exact sums that the files state, by currency. */
    billed: p.json<Record<string, string>>(),
    periods: p.json<UploadPeriod[]>(),
    /**
     * The highest sequence written in each lane: by its lines, or, once its end is published, by any message up to
     * then.
     */
    lanes: p.json<[number, number][]>(),
    /** Generation of sums at which it was first seen to have replaced the bill: later sums show it. */
    generation: p.bigint('string').nullable(),
    /** Its outcome, once its end was processed. */
    outcome: p.json<PeriodOutcome[]>(),
    confirmed: p.boolean(),
    createdAt: p.datetime(3),
    /** When the process that reads the files last reported progress. */
    heardAt: p.datetime(3),
    appliedAt: p.datetime(3).nullable(),
    /** At or after this time it is not shown and may be deleted. */
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'bill_upload_created', properties: ['orgId', 'createdAt'] }],
})

/**
 * An uploaded bill that people preview before it replaces another. Written only by actors/billing/upload.ts; swept by
 * `config/upkeep/sweep-bills.ts`.
 */
export class BillUpload extends schema.class {}
schema.setClass(BillUpload)
