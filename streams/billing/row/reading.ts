/** Options for reading a bill, and the results of its rows. */
import type { BillingLine } from '#streams/billing/messages.ts'
import type { CostLine } from '#streams/billing/line/cost-line.ts'
import type { DayOrder } from './day-order.ts'
import type { FormatName } from '#streams/billing/format/format.ts'
import type { LineIds } from '#streams/billing/line/line-id.ts'
import type { Survey } from './survey.ts'
import type { CostProvider } from '#streams/names.ts'

export interface ReadOptions {
  format: FormatName | 'auto'
  accountId: string
  /** US dollars per unit of a currency, by code: `{ CAD: '0.73' }`. */
  rates: Readonly<Record<string, string>>
  /** Export time for rows without one. */
  exportedAt: Date
  /** Shared by all files of a run. */
  ids: LineIds
  /** Line ids are unique per billing period, because they belong to an export. */
  byPeriod?: boolean
  /** Provider of rows that name none. */
  provider?: CostProvider
  /** Survey of all files of the run, including this one; without it the file is surveyed first. */
  survey?: Survey
  /** Order of dates such as `05/02/2026`; found out if missing. */
  dates?: DayOrder
  /** Billing month of the bill, if known: YYYY-MM. */
  month?: string
}

/** A message about a row: a stable code, and text for people. */
export interface RowMessage {
  code: string
  message: string
}

export interface AcceptedLine {
  /** Row number, in the file's unit. */
  row: number
  line: BillingLine
  /** The line for the fact table: day, US dollars, purchase type. */
  cost: CostLine
  /** Billing period: the UTC month of BillingPeriodStart, otherwise of its day. */
  period: string
  /** False if an earlier line had the same id in its period on its day; this line restates it. */
  isNew: boolean
  /** What was left out of the row. */
  warnings?: readonly RowMessage[]
  /** True for all lines of a row except the first. */
  isFurther?: boolean
}

export interface RefusedRow {
  row: number
  refused: RowMessage
  /** Its amount in US dollars, if known. */
  billedUsd?: string
  /** The billing period (YYYY-MM), if known. */
  period?: string
}

export type Reading = AcceptedLine | RefusedRow
