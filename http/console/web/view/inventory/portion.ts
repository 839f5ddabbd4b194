/** What an address holds: uids may be long, and a page of them longer than a server takes. */

/** Bytes of uids in one address: a server takes 16 kB with all its headers. */
const bytesMax = 6000

/** Uids in portions that an address holds. */
export function portionsOf(uids: readonly string[]): string[][] {
  const portions: string[][] = [[]]
  let bytes = 0
  for (const uid of new Set(uids)) {
    const size = encodeURIComponent(uid).length + 30
    if (bytes + size > bytesMax && portions.at(-1)!.length > 0) {
      portions.push([])
      bytes = 0
    }
    portions.at(-1)!.push(uid)
    bytes += size
  }
  return portions
}
