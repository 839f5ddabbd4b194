import type { BillingLine } from '#streams/billing/messages.ts'
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
