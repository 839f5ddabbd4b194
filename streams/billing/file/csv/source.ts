/** The rows of a CSV file with a header. */
import { Fault } from '#engine/value/fault.ts'
import { CsvSplit } from './split.ts'
import { csvBatches, recordsOf, type CsvBatch, type CsvRecord, type Delimiter } from './text.ts'
import { withPoints } from './decimal-comma.ts'
import type { FileWarning } from '#streams/billing/file/encoding.ts'
import type { Chunks } from '#streams/billing/file/head.ts'
import { distinct, findDuplicateColumns } from '#streams/billing/file/header.ts'
import {
  rowsOf,
  wholeBatch,
  type Fields,
  type RowBatch,
  type SourceRow,
} from '#streams/billing/file/batch/row-batch.ts'

/** Maximum characters of a record; a longer one means a missing quote or bracket. */
export const recordCharactersMax = 4 * 1024 * 1024

interface Table {
  header: readonly string[]
  delimiter: Delimiter
}

export async function csvSource(chunks: Chunks, delimiter: Delimiter, warnings: FileWarning[]) {
  const batches = csvBatches(chunks, delimiter, recordCharactersMax)
  const begun = await begin(batches)
  warnings.push(...findDuplicateColumns(begun.names))
  const table = { header: distinct(begun.names), delimiter }
  const content = { kind: 'csv', unit: 'line', ...table } as const
  const rest = resumed(batches, begun)
  // With comma delimiters, a number with a comma would be two cells.
  if (delimiter !== ',') {
    const numbers = withPoints(recordsOf(rest), table.header, (warning) => void warnings.push(warning))
    return { ...content, rows: rowsOfRecords(numbers, table) }
  }
  const read = rowBatches(rest, table)
  return { ...content, rows: rowsOf(read), batches: read }
}

/** A batch of which records have been taken. */
interface Begun {
  batch: CsvBatch | undefined
  taken: number
}

/** Takes the header. */
async function begin(batches: AsyncGenerator<CsvBatch, void>): Promise<Begun & { names: readonly string[] }> {
  const begun: Begun = { batch: undefined, taken: 0 }
  const take = async (): Promise<readonly string[] | undefined> => {
    while (!begun.batch || begun.taken >= lengthOf(begun.batch)) {
      const next = await batches.next()
      if (next.done) return undefined
      Object.assign(begun, { batch: next.value, taken: 0 })
    }
    const { batch, taken } = begun
    begun.taken++
    return batch instanceof CsvSplit ? batch.cells(taken) : batch.cells
  }
  const first = await take()
  // A line written by Excel that names the delimiter.
  const names = first && /^sep=$/i.test(first.join('')) ? await take() : first
  return { ...begun, names: names ?? [] }
}

const lengthOf = (batch: CsvBatch): number => (batch instanceof CsvSplit ? batch.length : 1)

async function* resumed(rest: AsyncGenerator<CsvBatch, void>, { batch, taken }: Begun): AsyncGenerator<CsvBatch, void> {
  if (batch instanceof CsvSplit && taken < batch.length) yield batch.from(taken)
  yield* rest
}

async function* rowBatches(batches: AsyncIterable<CsvBatch>, table: Table): AsyncGenerator<RowBatch, void> {
  for await (const batch of batches)
    yield batch instanceof CsvSplit ? splitRows(batch, table) : wholeBatch([rowOf(batch, table)])
}

function splitRows(split: CsvSplit, table: Table): RowBatch {
  const count = table.header.length
  return {
    length: split.length,
    row: (n) => rowOf(split.record(n), table),
    place: (n) => split.lines[n]!,
    key(n, columns) {
      if (split.count(n) !== count || split.spans[n] !== 1) return undefined
      let text = ''
      for (const [first, last] of columns) text += split.slice(n, first, last)
      return text
    },
    cell: (n, column) => split.cell(n, column),
  }
}

async function* rowsOfRecords(records: AsyncIterable<CsvRecord>, table: Table): AsyncGenerator<SourceRow, void> {
  for await (const record of records) yield rowOf(record, table)
}

function rowOf({ line, lines, cells }: CsvRecord, { header, delimiter }: Table): SourceRow {
  if (lines > 1 && cells.some((cell) => swallows(cell, delimiter, header.length)))
    return { row: line, fault: unclosedQuoteFault(line, lines) }
  if (cells.length === header.length || fits(cells, header.length))
    return { row: line, fields: fieldsOf(header, cells) }
  return { row: line, fault: raggedRowFault(cells.length, header.length) }
}

/** Extra cells are accepted if they are empty. Missing cells are not: the row may be truncated. */
const fits = (cells: readonly string[], count: number): boolean =>
  cells.length > count && cells.slice(count).every((cell) => cell.trim() === '')

/**
 * Whether a multi-line cell has swallowed rows because of an unclosed quote: its first and last line together then
 * contain about as many delimiters as a row.
 */
function swallows(cell: string, delimiter: Delimiter, count: number): boolean {
  const lines = cell.split(/[\r\n]+/)
  const ends = lines.length < 2 ? [] : [lines[0]!, lines.at(-1)!]
  const found = ends.reduce((sum, part) => sum + part.split(delimiter).length - 1, 0)
  // If the cell begins with a quote, quotes are probably unbalanced, and part of the row may be in other cells.
  return found >= Math.max(delimitersMin, cell.startsWith('"') ? (count - 1) / 2 : count - 1)
}

/** With fewer delimiters it may be normal text. */
const delimitersMin = 3

const unclosedQuoteFault = (line: number, lines: number): Fault =>
  Fault.invalid(
    'quote_unclosed',
    `A quote has no other half: the ends of the rows on lines ${line} to ${line + lines - 1} cannot be determined.`,
  )

const raggedRowFault = (cells: number, expected: number): Fault =>
  Fault.invalid('row_ragged', `The row has ${cells} cells, but the header has ${expected}.`)

function fieldsOf(header: readonly string[], cells: readonly string[]): Fields {
  const fields = Object.create(null) as Fields
  for (let i = 0; i < header.length; i++) fields[header[i]!] = cells[i]
  return fields
}
