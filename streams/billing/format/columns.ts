import type { Fields } from '#streams/billing/file/source.ts'

/**
 * A row's cells by folded column name, without empty ones. Folding keeps letters and digits in lower case, so that
 * `lineItem/UnblendedCost` and `line_item_unblended_cost`, `PreTaxCost` and `preTaxCost`, `project.id` and a nested `{
 * project: { id } }` are the same name. If two columns have the same folded name, the first that is not empty counts.
 */
export type Columns = Readonly<Record<string, unknown>>

export interface ColumnOptions {
  /** Nested objects become columns named after their path; arrays do not. */
  deep?: boolean
  /** Texts that mean null, besides the empty one. */
  nulls?: ReadonlySet<string>
}

const depthMax = 4

export function columns(fields: Fields, options: ColumnOptions = {}): Columns {
  const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  spread(out, '', fields, options, options.deep ? depthMax : 1)
  return out
}

const holds = (value: unknown): boolean => value !== '' && value !== null && value !== undefined

function spread(
  out: Record<string, unknown>,
  prefix: string,
  fields: Fields,
  options: ColumnOptions,
  depth: number,
): void {
  for (const name in fields) {
    const value = fields[name]
    if (!holds(value)) continue
    if (typeof value === 'object' && depth > 1 && !Array.isArray(value)) {
      spread(out, `${prefix}${name}.`, value as Fields, options, depth - 1)
    } else if (typeof value !== 'string' || !options.nulls?.has(value)) {
      const key = foldName(prefix === '' ? name : prefix + name)
      if (!(key in out)) out[key] = value
    }
  }
}

/** The folded form of a column's name. */
export const foldName = memoize((name) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''))

const namesMax = 10_000

/** Caches `read` for the first 10,000 names: a file has few columns and many rows. */
export function memoize<T>(read: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const value = read(name)
    if (known.size < namesMax) known.set(name, value)
    return value
  }
}

/** A column as text; undefined if it is empty. */
export function cellText(row: Columns, name: string): string | undefined {
  const value = row[name]
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}

/** A column as an amount: numbers stay numbers, and blank text counts as empty. */
export function cellAmount(row: Columns, name: string): string | number | undefined {
  const value = row[name]
  if (typeof value === 'number') return value
  return cellText(row, name)?.trim() || undefined
}

/** The first of the columns that is not empty, as text. */
export function textOf(row: Columns, ...names: string[]): string | undefined {
  for (const name of names) {
    const text = cellText(row, name)
    if (text !== undefined) return text
  }
  return undefined
}

/** The first of the columns that is not empty, as an amount. */
export function amountOf(row: Columns, ...names: string[]): string | number | undefined {
  for (const name of names) {
    const amount = cellAmount(row, name)
    if (amount !== undefined) return amount
  }
  return undefined
}
