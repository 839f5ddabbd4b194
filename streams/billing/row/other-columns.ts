/**
 * Columns of a bill that its format does not have. Each is kept with its line under its name with the prefix `x_`.
 * Columns whose names already begin with `x_` are always kept, even if they are also read.
 */
import { memoize } from '#streams/billing/format/columns.ts'
import { otherBytesMax } from '#streams/billing/line/cost-line.ts'
import type { Format } from '#streams/billing/format/format.ts'
import { tagMap, type Warn } from '#streams/billing/format/literal.ts'
import type { Fields, Source } from '#streams/billing/file/source.ts'

/** Maximum per line. */
const otherColumnsMax = 64

/** Maximum characters of a key in a map column. */
const nameMax = 512

/** Our own exports have these columns as an object in this one. */
const ourName = 'x_OtherColumns'

/** A column, and the name under which it is kept. */
type Other = readonly [column: string, name: string]

export class OtherColumns {
  private readonly nulls: Format['nulls']
  private readonly nameOf: (column: string) => string
  /** Set if all rows of the file have the same columns. */
  private readonly ofAll: readonly Other[] | undefined

  constructor({ knows, nulls }: Format, { kind, header }: Pick<Source, 'kind' | 'header'>) {
    this.nulls = nulls
    this.nameOf = memoize((column) => (/^x_/i.test(column) ? column : knows(column) ? '' : `x_${column}`))
    if (kind !== 'json') this.ofAll = this.othersIn(header)
  }

  /** Whether cells of this column are kept. */
  has(column: string): boolean {
    return this.nameOf(column) !== ''
  }

  /** Undefined if the row has none. Columns beyond the limits are left out, in the row's order, with a warning. */
  of(fields: Fields, warn: Warn): Record<string, string> | undefined {
    const others = this.ofAll ?? this.othersIn(Object.keys(fields))
    if (others.length === 0) return undefined
    const kept = new Map<string, string>()
    const left: string[] = []
    let bytes = 0
    for (const [name, value] of this.valuesOf(fields, others, warn)) {
      const size = Buffer.byteLength(name) + Buffer.byteLength(value)
      const hasRoom = kept.size < otherColumnsMax && bytes + size <= otherBytesMax
      const fits = hasRoom && name.length <= nameMax && !kept.has(name)
      if (fits) kept.set(name, value)
      else left.push(name)
      if (fits) bytes += size
    }
    if (left.length > 0) warn('columns_left_out', leftOut(left))
    return kept.size === 0 ? undefined : Object.fromEntries(kept)
  }

  private othersIn(columns: readonly string[]): Other[] {
    const others: Other[] = []
    for (const column of columns) {
      const name = this.nameOf(column)
      if (name !== '') others.push([column, name])
    }
    return others
  }

  private *valuesOf(fields: Fields, others: readonly Other[], warn: Warn): Generator<readonly [string, string]> {
    for (const [column, name] of others) {
      if (name === ourName) yield* entriesOf(tagMap(fields[column], warn))
      else {
        const text = textOf(fields[column])
        if (text.trim() !== '' && !this.nulls?.has(text)) yield [name.toWellFormed(), text]
      }
    }
  }
}

const entriesOf = (map: object = {}) => Object.entries(map).map(([name, value]) => [name, textOf(value)] as const)

const textOf = (value: unknown): string =>
  (typeof value === 'string'
    ? value
    : value === undefined || value === null
      ? ''
      : JSON.stringify(value)
  ).toWellFormed()

const namedMax = 3

function leftOut(names: readonly string[]): string {
  const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : ''
  const named = names.slice(0, namedMax).map((name) => name.slice(0, 80))
  return `A line keeps up to ${otherColumnsMax} other columns of ${otherBytesMax} bytes in total. Left out: ${named.join(', ')}${more}.`
}
