/** Columns as arrays in PostgreSQL's own text, which it reads in two thirds of the time that rows of JSON take it. */

/** The literal of an array of texts, numbers and truth values. */
export function arrayOf(values: readonly unknown[]): string {
  const json = JSON.stringify(values)
  return `{${apart.test(json) ? values.map(literal).join(',') : json.slice(1, -1)}}`
}

/** The same of what has members, each as its JSON: an array of text, with no character that the two ways of quoting do not share. */
export const arrayOfJson = (values: readonly unknown[]): string =>
  `{${JSON.stringify(values.map((value) => (value === null ? null : JSON.stringify(value)))).slice(1, -1)}}`

/** What JSON escapes in a way that means something else in an array; or an escaped backslash with such a letter behind it, which does not. */
const apart = /\\[^"\\]/

function literal(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Date) return `"${value.toISOString()}"`
  return `"${String(value as string | number | boolean).replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
