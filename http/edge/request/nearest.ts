/** What a caller may have meant by a name or a value that we do not know. */
import { closest } from 'fastest-levenshtein'

/** As people vary names: `cloudAccountId` is `cloud_account_id`. Longer texts than any name are told apart by their beginning. */
const plain = (name: string): string =>
  name
    .slice(0, 64)
    .toLowerCase()
    .replaceAll(/[_\s-]/g, '')

/** The one of `known` with the fewest letters to change; the first of several. None where nothing is known. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const names = known.map(plain)
  return known.length === 0 ? undefined : known[names.indexOf(closest(plain(given), names))]
}

/** `; did you mean ...?`, or nothing where nothing is known. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = nearest(given, known)
  return name === undefined ? '' : `; did you mean ${name}?`
}
