import type { BillingLine } from '#streams/billing/messages.ts'
import type { Warn } from './literal.ts'
import type { Survey } from '#streams/billing/row/survey.ts'

type Line = Omit<BillingLine, 'lineId' | 'cloudAccountId'>

/** A billing line as a format reads it, before the command gives it an id, an account and a rate. */
export interface LineDraft {
  line: Line
  /** The file's own name of the line, unique within one day of the file; most formats have none. */
  identity?: string
  /** Further lines that the row comes to: together they are what it says. */
  also?: readonly Line[]
}

/** What a format has besides the row: what the whole bill says, and whom it tells of cells that are left out. */
export interface RowTools {
  survey: Survey
  warn: Warn
}

type DefinedMembers<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** `values` without those that are undefined: an absent column and an empty one are the same. */
export function withoutUndefined<T extends object>(values: T): DefinedMembers<T> {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete (values as Record<string, unknown>)[name]
  }
  return values as DefinedMembers<T>
}
