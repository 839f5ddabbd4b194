import type { BillingLine } from '#streams/billing.ts'

/** A billing line as a format reads it, before the command gives it an id, an account and a rate. */
export interface Draft {
  line: Omit<BillingLine, 'lineId' | 'cloudAccountId'>
  /** The file's own name of the line, unique within one day of the file; most formats have none. */
  identity?: string
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** `values` without those that are undefined: an absent column and an empty one are the same. */
export function withoutUndefined<T extends object>(values: T): Given<T> {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete (values as Record<string, unknown>)[name]
  }
  return values as Given<T>
}
