/** The order of tiles. */

/** The list with the item at `from` moved to `to`; places beyond an end are that end. */
export function moveItem<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, at) => at !== from)
  const place = Math.max(0, Math.min(to, rest.length))
  return [...rest.slice(0, place), list[from]!, ...rest.slice(place)]
}
