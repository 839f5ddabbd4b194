/** Text of a CSV file (RFC 4180), and saving it. What a spreadsheet would read as a formula starts with an apostrophe. */

const formula = /^[=+\-@\t\r]/

function cellText(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = formula.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvText = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('')

/** Saves a file that the page made. */
export function saveFile(name: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = Object.assign(document.createElement('a'), { href, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(href), 1000)
}
