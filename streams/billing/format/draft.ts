import type { BillingLine } from '#streams/billing/messages.ts'
import type { focusMoney, focusQuantities } from '#streams/focus-columns.ts'
import type { Columns } from './columns.ts'
import type { Warn } from './literal.ts'
import type { Survey } from '#streams/billing/row/survey.ts'

type Line = Omit<BillingLine, 'lineId' | 'cloudAccountId'>

/** A bill line as a format reads it, before it gets an id, an account and an exchange rate. */
export interface LineDraft {
  line: Line
  /** The line's name in the file, unique within one day of the file; most formats have none. */
  identity?: string
  /** Further lines of the same row; together they are the row's content. */
  also?: readonly Line[]
}

/** The parts of a line that differ between rows that are otherwise the same. */
export type LineMeasures = Pick<
  Line,
  (typeof focusMoney)[number] | (typeof focusQuantities)[number] | 'ChargePeriodStart' | 'ChargePeriodEnd' | 'usdCosts'
> &
  Pick<LineDraft, 'identity'>

/** A folded column of the file, and the column of the line that contains the same text. */
export type CopiedColumn = readonly [column: string, name: string]

/** How a format reads what differs from row to row. Nothing else of the format reads these columns. */
export interface MeasureReader {
  /** Folded columns that `read` reads. */
  columns: ReadonlySet<string>
  /** Folded columns that `read` and the rest of the format read. */
  context: readonly string[]
  read: (row: Columns, survey: Survey) => LineMeasures
  /** Texts and prices that a line has as they are. */
  texts: readonly CopiedColumn[]
  prices: readonly CopiedColumn[]
  /** The line's ResourceId, which is one of `texts` but is not always as it is. The row has `context` and the texts. */
  resourceId?: (row: Columns) => string | undefined
  /** Maps of tags, read by `tagMap`. */
  maps: readonly CopiedColumn[]
  /** Folded columns that the format reads although they begin with `x_`. */
  custom?: readonly string[]
  /** Folded columns that nothing reads and that are not part of an id. */
  isUnread?: (name: string) => boolean
  /** True for rows whose reading depends on other rows, or on how columns belong together. */
  isWhole?: (row: Columns) => boolean
}

/** What a format needs besides the row: what the survey of the whole bill found, and where to report omitted cells. */
export interface RowTools {
  survey: Survey
  warn: Warn
}

type DefinedMembers<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** `values` without undefined members: a missing column and an empty one are the same. */
export function withoutUndefined<T extends object>(values: T): DefinedMembers<T> {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete (values as Record<string, unknown>)[name]
  }
  return values as DefinedMembers<T>
}
