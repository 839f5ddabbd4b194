/** Suggests the known name or value nearest to an unknown one. */
import { closest } from 'fastest-levenshtein'

/**
 * Ignores common variations of names: `cloudAccountId` equals `cloud_account_id`. Longer texts than any name are
 * compared by their start.
 */
const plain = (name: string): string =>
  name
    .slice(0, 64)
    .toLowerCase()
    .replaceAll(/[_\s-]/g, '')

/** The one of `known` with the smallest edit distance; the first of several. None if the list is empty. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const names = known.map(plain)
  return known.length === 0 ? undefined : known[names.indexOf(closest(plain(given), names))]
}

/** `; did you mean ...?`, or nothing if the list is empty. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = nearest(given, known)
  return name === undefined ? '' : `; did you mean ${name}?`
}
