import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { PeriodOutcome } from '#actors/account/export/verdict.ts'
import type { FileWarning } from '#streams/billing/file/encoding.ts'
import type { RepeatedBill } from '#analytics/billing/repeated-bill.ts'
import type { BillAccounts } from '#streams/billing/line/bill-account.ts'
import type { FormatName } from '#streams/billing/format/format.ts'
import type { Refusals } from '#streams/billing/row/tally.ts'

/**
 * `reading`: its files arrive. `storing`: they are there, and not all lines have been read. `ready`: it may be looked at and applied.
 * `applying`: its end is sent. `held`, `incomplete`: read, and nothing is replaced. `broken`: it can never be applied, or nobody knows
 * what became of its end.
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
  /** As they came. */
  bytes: number
  rows: number
  format: FormatName
  /** What is to be said of the file as a whole. */
  warnings?: FileWarning[]
}

/** What stands where a bill would be. `exportedAt` is null for lines from before exports were known. */
export interface CurrentBill {
  lines: number
  billed: string
  effective: string
  exportedAt: string | null
  /** Not the beginning of an export whose end was never told. */
  whole: boolean
}

/** What a bill would do to a billing period. */
export interface Replacement {
  standing: CurrentBill | null
  replaces: boolean
  lessThanHalf: boolean
  /** Days that show lines now, and that it says nothing of; left out of uploads of earlier versions. */
  daysLost?: string[]
  /** Where nothing stands: another account's bill that has most of what this one names. */
  repeats?: RepeatedBill
}

/** Of one billing period: different lines and their sums, exact text in US dollars; null where nobody can say. */
export interface UploadPeriod {
  period: string
  from: string
  to: string
  lines: number
  billed: string | null
  effective: string | null
  /** Its lines say that they are of less than a month; or somebody has said so of it. */
  someDays?: true
  /** What its lines name; left out of uploads of earlier versions. */
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
    /** That of the export too. */
    id: p.text().primary(),
    cloudAccountId: p.text(),
    exportedAt: p.datetime(3),
    state: p.enum(uploadStates).$type<UploadState>(),
    /** Why it is broken, or was not taken though it was confirmed; for people. */
    message: p.text().nullable(),
    files: p.json<UploadFile[]>(),
    rows: p.bigint('number'),
    accepted: p.bigint('number'),
    refused: p.bigint('number'),
    /** Accepted rows with an amount that is stored rounded to 14 decimal places. */
    rounded: p.bigint('number'),
    reasons: p.json<Refusals[]>(),
    /** What was left out of accepted rows. */
    warnings: p.json<Refusals[]>(),
    /** The exact sums of what the files state, by currency. */
    billed: p.json<Record<string, string>>(),
    periods: p.json<UploadPeriod[]>(),
    /** The newest sequence that was written of each lane: by its lines; once its end is published, by then. */
    lanes: p.json<[number, number][]>(),
    /** Of sums, when it was first seen to have replaced what stood: later ones show it. */
    generation: p.bigint('string').nullable(),
    /** What it came to, once its end was read. */
    outcome: p.json<PeriodOutcome[]>(),
    confirmed: p.boolean(),
    createdAt: p.datetime(3),
    /** When whoever reads the files last said so. */
    heardAt: p.datetime(3),
    appliedAt: p.datetime(3).nullable(),
    /** From then on it is not shown, and may be gone. */
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'bill_upload_created', properties: ['orgId', 'createdAt'] }],
})

/** A bill that was uploaded, to be looked at before it replaces another. Written only by actors/billing/upload.ts; swept by `config/upkeep/sweep-bills.ts`. */
export class BillUpload extends schema.class {}
schema.setClass(BillUpload)
