/** Rows of a Parquet file by column. */
import type { Fields, Ranges, RowBatch, SourceRow } from '#streams/billing/file/batch/row-batch.ts'

/** Maximum values of one column that are numbered at the same time. */
const valuesMax = 500_000

/** Numbers the values of a column: equal values have the same number, unless many others came between them. */
export class ValueNumbers {
  readonly #numbers = new Map<unknown, number>()
  #next = 1
  #last: unknown
  #lastNumber = 0

  of(value: unknown): number {
    if (value === this.#last && value !== undefined) return this.#lastNumber
    const known = typeof value === 'object' ? JSON.stringify(value) : value
    let number = this.#numbers.get(known)
    if (number === undefined) {
      if (this.#numbers.size >= valuesMax) this.#numbers.clear()
      this.#numbers.set(known, (number = this.#next++))
    }
    this.#last = value
    return (this.#lastNumber = number)
  }
}

/** Numbers from here on take three characters of a key. */
const long = 0xffff

export class ParquetBatch implements RowBatch {
  readonly #columns: readonly unknown[][]
  readonly #first: number
  readonly #header: readonly string[]
  readonly #numbers: readonly ValueNumbers[]
  readonly length: number

  constructor(
    columns: readonly unknown[][],
    { first, count }: { first: number; count: number },
    header: readonly string[],
    numbers: readonly ValueNumbers[],
  ) {
    this.#columns = columns
    this.#first = first
    this.#header = header
    this.#numbers = numbers
    this.length = count
  }

  place(n: number): number {
    return this.#first + n
  }

  cell(n: number, column: number): unknown {
    return this.#columns[column]![n]
  }

  row(n: number): SourceRow {
    const fields = Object.create(null) as Fields
    for (let column = 0; column < this.#header.length; column++) {
      const value = this.#columns[column]![n]
      if (value !== undefined && value !== null) fields[this.#header[column]!] = value
    }
    return { row: this.place(n), fields }
  }

  key(n: number, columns: Ranges): string {
    const codes: number[] = []
    for (const [first, last] of columns)
      for (let column = first; column <= last; column++) {
        const number = this.#numbers[column]!.of(this.#columns[column]![n])
        if (number < long) codes.push(number)
        else codes.push(long, number >>> 16, number & 0xffff)
      }
    return String.fromCharCode(...codes)
  }
}
