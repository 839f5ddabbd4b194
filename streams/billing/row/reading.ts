/** What a bill is read with, and what its rows come to. */
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
  /** US dollars for one unit of a currency, by its code: `{ CAD: '0.73' }`. */
  rates: Readonly<Record<string, string>>
  /** Stands in where the file has no column for it. */
  exportedAt: Date
  /** Of this run of the command: shared by all its files. */
  ids: LineIds
  /** Lines are known by their billing period too: they are of an export. */
  byPeriod?: boolean
  /** Stands in for rows that name no provider at all. */
  provider?: CostProvider
  /** What all files of the run say together, this one among them; else it is looked through first. */
  survey?: Survey
  /** How dates such as `05/02/2026` are read; else it is found out. */
  dates?: DayOrder
  /** YYYY-MM: what the bill is known to be of. */
  month?: string
}

/** What is said of a row: a stable code, and words for people. */
export interface RowMessage {
  code: string
  message: string
}

export interface AcceptedLine {
  /** In the unit of the file. */
  row: number
  line: BillingLine
  /** What the line comes to in the fact table: day, US dollars, purchase type. */
  cost: CostLine
  /** The billing period it is of: the UTC month of BillingPeriodStart, else of its day. */
  period: string
  /** No line before it had its id, in its period on its day; another restates that one. */
  isNew: boolean
  /** What was left out of it. */
  warnings?: readonly RowMessage[]
  /** The row has come to another line before. */
  isFurther?: boolean
}

export interface RefusedRow {
  row: number
  refused: RowMessage
  /** What it would have been billed, in US dollars, where that can be told. */
  billedUsd?: string
  /** The billing period (YYYY-MM), as far as the row says it. */
  period?: string
}

export type Reading = AcceptedLine | RefusedRow
