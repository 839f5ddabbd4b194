/** Columns as arrays in PostgreSQL's text format, which it reads in two thirds of the time of rows as JSON. */

/** The literal of an array of texts, numbers and booleans. */
export function arrayOf(values: readonly unknown[]): string {
  const json = JSON.stringify(values)
  return `{${apart.test(json) ? values.map(literal).join(',') : json.slice(1, -1)}}`
}

/**
 * The same for objects, each as its JSON: an array of text without any character that the two escaping rules treat
 * differently.
 */
export const arrayOfJson = (values: readonly unknown[]): string =>
  `{${JSON.stringify(values.map((value) => (value === null ? null : JSON.stringify(value)))).slice(1, -1)}}`

/**
 * JSON escapes that mean something else in an array; or an escaped backslash followed by such a letter, which does not.
 */
const apart = /\\[^"\\]/

function literal(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Date) return `"${value.toISOString()}"`
  return `"${String(value as string | number | boolean).replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
