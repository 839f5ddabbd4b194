/** CSV by RFC 4180, as the API writes it: records end with CR LF, cells are quoted if needed. */

export type Cell = string | number | null

const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/
const formula = /^[=+\-@\t\r]/
const special = /[",\r\n]/

/** Text that a spreadsheet would read as a formula starts with an apostrophe; numbers are unchanged. */
function cellText(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = formula.test(value) && !number.test(value) ? `'${value}` : value
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('')
