import type { Fields } from '#streams/billing/file/source.ts'

/**
 * One row's columns by folded name, empty ones left out. Folding keeps the letters and digits in lower case, so that
 * `lineItem/UnblendedCost` and `line_item_unblended_cost`, `PreTaxCost` and `preTaxCost`, `project.id` and a nested
 * `{ project: { id } }` are one name each. Where two columns fold to one name, the first that is not empty counts.
 */
export type Columns = Readonly<Record<string, unknown>>

export interface ColumnOptions {
  /** Nested objects are columns of their own, named after their path; arrays never are. */
  deep?: boolean
  /** Texts that mean nothing, besides the empty one. */
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

/** `read`, worked out once for each of the first 10,000 names: a file has few columns and many rows. */
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

/** The first of the columns that holds something, as text. */
export function textOf(row: Columns, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = row[name]
    if (value !== undefined) return typeof value === 'string' ? value : JSON.stringify(value)
  }
  return undefined
}

/** As `textOf`, for amounts: a number stays one, and blanks are nothing. */
export function amountOf(row: Columns, ...names: string[]): string | number | undefined {
  for (const name of names) {
    const value = row[name]
    if (typeof value === 'number') return value
    const text = value === undefined ? '' : textOf(row, name)!.trim()
    if (text !== '') return text
  }
  return undefined
}
