import { distance } from 'fastest-levenshtein'
import { nearest as closest } from '#http/edge/request/nearest.ts'

/** The known word that was probably meant by a mistyped one: at most a third of its characters differ. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const name = closest(given, known)
  const most = Math.floor(given.length / 3)
  return name !== undefined && distance(given.toLowerCase(), name.toLowerCase()) <= most ? name : undefined
}
