import { Fault } from '#engine/value/fault.ts'
/** CSV as RFC 4180 has it: records end with CR LF, cells that need it are quoted; UTF-8. */

/** A value of a row. Decimals are text, so that none of their digits is lost. */
export type Cell = string | number | null

const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/
const formula = /^[=+\-@\t\r]/
const special = /[",\r\n]/

/** One record. What a spreadsheet would take for a formula gets an apostrophe in front; numbers stay as they are. */
export const csvRecord = (cells: readonly Cell[]): string => `${cells.map(cell).join(',')}\r\n`

function cell(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = formula.test(value) && !number.test(value) ? `'${value}` : value
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const charactersMin = 64 * 1024

/** The same text in larger pieces: a write for each row would cost more than the row. */
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

/** A file would have more rows than it may. */
export const tooLarge = (rowsMax: number): Fault =>
  Fault.refused('report_too_large', `A file has at most ${rowsMax} rows. Narrow the range or the filters.`)
