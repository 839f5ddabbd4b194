/** Tag keys as parameters write them, so that any key can be named: one rule for all of them. */

/**
 * The key that is written so. A backslash takes its meaning from the colon that would end a key, from the comma that would end an item
 * of a list, and from a backslash; before anything else it is a backslash.
 */
export const tagKeyOf = (written: string): string => written.replaceAll(/\\([\\:,])/g, '$1')

/** `KEY:VALUE`, or `KEY` alone, whose value is empty: the first colon without a backslash ends the key. The value is taken as it is. */
export function tagOf(written: string): { key: string; value: string } {
  const [, key = '', value = ''] = /^((?:\\.|[^:])*)(?::(.*))?$/s.exec(written) ?? []
  return { key: tagKeyOf(key), value }
}

/** Commas that no backslash stands before, or pairs of them alone. */
const between = /(?<=(?:^|[^\\])(?:\\\\)*),/

/** The items of a list: a comma after a backslash is part of one, and the backslash is gone. Other backslashes stay. */
export const itemsOf = (list: string): string[] =>
  list.split(between).map((item) => item.replaceAll(/\\([\\,])/g, (pair, sign) => (sign === ',' ? sign : pair)))
