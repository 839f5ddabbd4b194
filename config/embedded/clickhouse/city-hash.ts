/**
 * CityHash128 of version 1.0.2 (Google, MIT), which ClickHouse uses for its checksums; later versions give other
 * values.
 */

const K0 = 0xc3a5c85c97cb3127n
const K1 = 0xb492b66fbe98f273n
const K2 = 0x9ae16a3b2f90404fn
const K3 = 0xc949d7c7509e6557n
const MUL = 0x9ddfea08eb382d69n

type Pair = readonly [low: bigint, high: bigint]

const u64 = (value: bigint) => BigInt.asUintN(64, value)
const times = (a: bigint, b: bigint) => BigInt.asUintN(64, a * b)
const plus = (a: bigint, b: bigint) => BigInt.asUintN(64, a + b)
const rotate = (value: bigint, bits: bigint) => u64((value >> bits) | u64(value << (64n - bits)))
const shiftMix = (value: bigint) => value ^ (value >> 47n)

function hash16(u: bigint, v: bigint): bigint {
  const a = shiftMix(times(u ^ v, MUL))
  return times(shiftMix(times(v ^ a, MUL)), MUL)
}

/** The hash of a buffer, low half first. */
export function cityHash128(bytes: Uint8Array): Pair {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const at = (i: number) => view.getBigUint64(i, true)
  const n = bytes.length
  if (n >= 16) return hashSeeded(view, 16, at(0) ^ K3, at(8))
  if (n >= 8) return hashSeeded(view, n, at(0) ^ times(BigInt(n), K0), at(n - 8) ^ K1)
  return hashSeeded(view, 0, K0, K1)
}

/** Hash of the bytes from `from` on. */
function hashSeeded(view: DataView, from: number, low: bigint, high: bigint): Pair {
  return view.byteLength - from < 128 ? murmur(view, from, low, high) : long(view, from, low, high)
}

function murmur(view: DataView, from: number, low: bigint, high: bigint): Pair {
  const at = (i: number) => view.getBigUint64(i, true)
  const end = view.byteLength
  const n = end - from
  let [a, b] = [low, high]
  let c: bigint
  let d: bigint
  if (n <= 16) {
    a = times(shiftMix(times(a, K1)), K1)
    c = plus(times(b, K1), hash0to16(view, from))
    d = shiftMix(plus(a, n >= 8 ? at(from) : c))
  } else {
    c = hash16(plus(at(end - 8), K1), a)
    d = hash16(plus(b, BigInt(n)), plus(c, at(end - 16)))
    a = plus(a, d)
    for (let i = from; i < end - 16; i += 16) {
      a = times(a ^ times(shiftMix(times(at(i), K1)), K1), K1)
      b ^= a
      c = times(c ^ times(shiftMix(times(at(i + 8), K1)), K1), K1)
      d ^= c
    }
  }
  a = hash16(a, c)
  b = hash16(d, b)
  return [a ^ b, hash16(b, a)]
}

function hash0to16(view: DataView, from: number): bigint {
  const end = view.byteLength
  const n = BigInt(end - from)
  if (n > 8n) {
    const b = view.getBigUint64(end - 8, true)
    return hash16(view.getBigUint64(from, true), rotate(plus(b, n), n)) ^ b
  }
  if (n >= 4n) {
    const first = BigInt(view.getUint32(from, true))
    return hash16(plus(n, first << 3n), BigInt(view.getUint32(end - 4, true)))
  }
  if (n === 0n) return K2
  const y = view.getUint8(from) + view.getUint8(from + (Number(n) >> 1)) * 2 ** 8
  const z = Number(n) + view.getUint8(end - 1) * 2 ** 2
  return times(shiftMix(times(BigInt(y), K2) ^ times(BigInt(z), K3)), K2)
}

/** The 56 bytes of state are in local variables: objects would be slower. */
function long(view: DataView, from: number, low: bigint, high: bigint): Pair {
  const at = (i: number) => view.getBigUint64(i, true)
  const end = view.byteLength
  let [x, y] = [low, high]
  let z = times(BigInt(end - from), K1)
  let v0 = plus(times(rotate(y ^ K1, 49n), K1), at(from))
  let v1 = plus(times(rotate(v0, 42n), K1), at(from + 8))
  let w0 = plus(times(rotate(plus(y, z), 35n), K1), x)
  let w1 = times(rotate(plus(x, at(from + 88)), 53n), K1)
  /** The weak hash of 32 bytes; the result is in `h0` and `h1`. */
  let h0 = 0n
  let h1 = 0n
  const weak = (i: number, a: bigint, b: bigint): void => {
    const first = plus(a, at(i))
    const last = at(i + 24)
    const sum = u64(first + at(i + 8) + at(i + 16))
    h0 = plus(sum, last)
    h1 = u64(rotate(u64(b + first + last), 21n) + rotate(sum, 44n) + first)
  }
  let i = from
  for (; end - i >= 128; i += 128) {
    for (let half = i; half < i + 128; half += 64) {
      x = times(rotate(u64(x + y + v0 + at(half + 16)), 37n), K1) ^ w1
      y = times(rotate(u64(y + v1 + at(half + 48)), 42n), K1) ^ v0
      z = rotate(z ^ w0, 33n)
      weak(half, times(v1, K1), plus(x, w0))
      ;[v0, v1] = [h0, h1]
      weak(half + 32, plus(z, w1), y)
      ;[w0, w1] = [h0, h1]
      ;[z, x] = [x, z]
    }
  }
  y = u64(y + times(rotate(w0, 37n), K0) + z)
  x = plus(x, times(rotate(plus(v0, z), 49n), K0))
  for (let done = 32; done < end - i + 32; done += 32) {
    y = plus(times(rotate(u64(y - x), 42n), K0), v1)
    w0 = plus(w0, at(end - done + 16))
    x = plus(times(rotate(x, 49n), K0), w0)
    w0 = plus(w0, v0)
    weak(end - done, v0, v1)
    ;[v0, v1] = [h0, h1]
  }
  x = hash16(x, v0)
  y = hash16(y, w0)
  return [plus(hash16(plus(x, v1), w1), y), hash16(plus(x, w1), plus(y, v1))]
}
