/** Tag keys in parameters and scopes: one escaping rule for all of them, so that any key can be written. */

/**
 * The key in its unescaped form. A backslash escapes the colon that would end a key, the comma that would end a list
 * item, and a backslash; before any other character it is a plain backslash.
 */
export const tagKeyOf = (written: string): string => written.replaceAll(/\\([\\:,])/g, '$1')

/**
 * `KEY:VALUE`, or only `KEY` with an empty value: the first colon without a backslash ends the key. The value is used
 * unchanged.
 */
export function tagOf(written: string): { key: string; value: string } {
  const [, key = '', value = ''] = /^((?:\\.|[^:])*)(?::(.*))?$/s.exec(written) ?? []
  return { key: tagKeyOf(key), value }
}

/** The inverse of `tagOf`. */
export const writtenTag = (key: string, value: string): string =>
  `${key.replaceAll(/[\\:]/g, String.raw`\$&`)}:${value}`

/** Commas that are not escaped by a backslash. */
const between = /(?<=(?:^|[^\\])(?:\\\\)*),/

/** The items of a list: an escaped comma is part of an item, without its backslash. Other backslashes stay. */
export const itemsOf = (list: string): string[] =>
  list.split(between).map((item) => item.replaceAll(/\\([\\,])/g, (pair, sign) => (sign === ',' ? sign : pair)))
