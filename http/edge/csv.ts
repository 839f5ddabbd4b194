/** CSV by RFC 4180: records end with CR LF, cells are quoted if needed; UTF-8. */
import { Fault } from '#engine/value/fault.ts'

/** A value of a row. Decimals are text, so that no digit is lost. */
export type Cell = string | number | null

const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/
const formula = /^[=+\-@\t\r]/
const special = /[",\r\n]/

/** One record. Text that a spreadsheet would read as a formula starts with an apostrophe; numbers are unchanged. */
export const csvRecord = (cells: readonly Cell[]): string => `${cells.map(cell).join(',')}\r\n`

function cell(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = formula.test(value) && !number.test(value) ? `'${value}` : value
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const charactersMin = 64 * 1024

/** The same text in larger pieces, because one write per row would cost more than the row. */
export async function* inPieces(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string, void> {
  let piece = ''
  for await (const text of texts) {
    piece += text
    if (piece.length < charactersMin) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

/** The file would exceed the maximum number of rows. */
export const tooLarge = (rowsMax: number): Fault =>
  Fault.refused('report_too_large', `A file has at most ${rowsMax} rows. Narrow the range or the filters.`)
