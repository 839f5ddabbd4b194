/**
 * The only source of randomness in the simulated cloud: a hash of the seed and the given words, 0 to 1. It has no
 * state, so a value does not depend on earlier calls.
 */
export function chance(seed: string, ...words: readonly (string | number)[]): number {
  return hash(seed, words) / 2 ** 53
}

/** A number between `low` and `high`. */
export function between(low: number, high: number, seed: string, ...words: readonly (string | number)[]): number {
  return low + (high - low) * chance(seed, ...words)
}

/** `length` hexadecimal digits. */
export function hex(length: number, seed: string, ...words: readonly (string | number)[]): string {
  let digits = ''
  for (let part = 0; digits.length < length; part += 1) {
    digits += hash(seed, [...words, part])
      .toString(16)
      .padStart(14, '0')
  }
  return digits.slice(0, length)
}

/** 53 bits of the cyrb53 hash: two 32-bit multiplicative hashes, mixed. */
function hash(seed: string, words: readonly (string | number)[]): number {
  const text = `${seed}\n${words.join('\n')}`
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}
