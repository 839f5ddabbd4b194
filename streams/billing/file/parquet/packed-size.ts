/** Determines the uncompressed size of data without decompressing it; undefined if the data is truncated. */

/** Snappy stores the size at the beginning. */
export function snappySize(bytes: Uint8Array): number | undefined {
  let size = 0
  for (let at = 0; at < 5; at++) {
    const byte = bytes[at]
    if (byte === undefined) return undefined
    size += (byte & 0x7f) * 2 ** (7 * at)
    if (byte < 0x80) return size
  }
  return undefined
}

/** Size of an lz4 block: the sum of its literals and matches. */
export function lz4Size(bytes: Uint8Array): number | undefined {
  let [at, size] = [0, 0]
  const lengthOf = (short: number): number => {
    let length = short
    for (let more = short === 15 ? 255 : 0; more === 255; length += more) more = bytes[at++] ?? Number.NaN
    return length
  }
  while (at < bytes.length) {
    const token = bytes[at++]!
    const literals = lengthOf(token >> 4)
    at += literals
    size += literals
    // The last sequence has only literals.
    if (at === bytes.length) return size
    at += 2
    size += lengthOf(token & 15) + 4
  }
  return undefined
}

/** Size of lz4 blocks in Hadoop's framing: before each block are its uncompressed and its compressed length. */
export function framedSize(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let [at, size] = [0, 0]
  while (at + 8 <= bytes.length) {
    size += view.getUint32(at)
    at += 8 + view.getUint32(at + 4)
  }
  return at === bytes.length ? size : undefined
}
