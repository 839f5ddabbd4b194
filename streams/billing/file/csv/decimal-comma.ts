/**
 * Converts numbers in CSV that was saved with decimal commas. With semicolons or tabs as delimiters, `1.234,5` means
 * 1234.5.
 */
import type { CsvRecord } from './text.ts'
import type { FileWarning } from '#streams/billing/file/encoding.ts'
import { resumeRows } from '#streams/billing/file/batch/resume.ts'

/**
 * Numbers with only one possible meaning: other than three digits after the mark, or a zero or groups of three digits
 * before it.
 */
const certain = {
  comma: /^[-+]?(?:\d+,(?!\d{3}(?!\d))\d+|0,\d+|\d{1,3}(?:\.\d{3})+,\d+)(?:e[-+]?\d+)?$/i,
  point: /^[-+]?(?:\d+\.(?!\d{3}(?!\d))\d+|0\.\d+|\d{1,3}(?:,\d{3})+\.\d+)(?:e[-+]?\d+)?$/i,
}
const withComma = /^[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?(?:e[-+]?\d+)?$/i

/** Records, and characters of them, that are searched for decimal commas. */
const recordsMax = 1000
const charactersMax = 1024 * 1024

/**
 * Yields the records with decimal points. They stay unchanged if the first records contain no decimal commas, or
 * decimal points too.
 */
export async function* withPoints(
  records: AsyncGenerator<CsvRecord, void>,
  header: readonly string[],
  warn: (warning: FileWarning) => void,
): AsyncGenerator<CsvRecord, void> {
  const amounts = header.flatMap((name, at) => (/cost|price|quantity|amount|rate/i.test(name) ? [at] : []))
  const ahead: CsvRecord[] = []
  let example: string | undefined
  let hasPoints = false
  for (let size = 0; ahead.length < recordsMax && size < charactersMax;) {
    const next = await records.next()
    if (next.done) break
    ahead.push(next.value)
    size += next.value.cells.reduce((sum, cell) => sum + cell.length, 0)
    const cells = amounts.map((at) => next.value.cells[at]?.trim() ?? '')
    example ??= cells.find((cell) => certain.comma.test(cell))
    hasPoints ||= cells.some((cell) => certain.point.test(cell))
  }
  const isRead = example !== undefined && !hasPoints
  if (isRead)
    warn({ code: 'decimal_comma', message: `Commas were read as decimal points: ${example} as ${pointed(example!)}.` })
  for await (const record of resumeRows(ahead, records)) {
    const { cells } = record
    if (isRead) for (const at of amounts) if (cells[at] !== undefined) cells[at] = pointed(cells[at])
    yield record
  }
}

const pointed = (cell: string): string =>
  withComma.test(cell.trim()) ? cell.trim().replaceAll('.', '').replace(',', '.') : cell
