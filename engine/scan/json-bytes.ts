/**
 * Reads JSON text in bytes without making values. Methods return -1 for text they do not support, which callers parse
 * with `JSON.parse`.
 */
const quote = 34
const backslash = 92

/** JSON text of one message. `at` is the byte position of the reader. */
export class JsonBytes {
  readonly bytes: Buffer
  at = 0
  /** Whether a byte outside ASCII was read, so the text may be invalid UTF-8. */
  isWide = false

  constructor(body: Uint8Array) {
    this.bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  }

  /** Skips whitespace and returns the next byte, without moving past it; not a number at the end. */
  next(): number {
    const { bytes } = this
    let byte = bytes[this.at]!
    while (byte === 32 || byte === 10 || byte === 13 || byte === 9) byte = bytes[++this.at]!
    return byte
  }

  /** Skips whitespace and moves past `byte`. False if another byte follows. */
  take(byte: number): boolean {
    if (this.next() !== byte) return false
    this.at++
    return true
  }

  /**
   * Position of the closing quote of the string whose content begins at `from`. -1 if it has escapes or control
   * characters.
   */
  plainEnd(from: number): number {
    const { bytes } = this
    let high = 0
    for (let at = from; ; at++) {
      const byte = bytes[at]!
      if (byte === quote) {
        if (high > 127) this.isWide = true
        return at
      }
      if (!(byte >= 32) || byte === backslash) return -1
      high |= byte
    }
  }

  /** Position after the scalar at `from`: a string without escapes, or everything up to the next delimiter. */
  scalarEnd(from: number): number {
    const { bytes } = this
    if (bytes[from] === quote) {
      const end = this.plainEnd(from + 1)
      return end < 0 ? -1 : end + 1
    }
    let at = from
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === 44 || byte === 125 || byte === 93 || byte <= 32) break
      if (byte === 123 || byte === 91 || byte === quote || byte > 127) return -1
    }
    return at
  }

  /** Position after the value of any kind at `from`: brackets are counted, strings skipped. -1 if it does not end. */
  valueEnd(from: number): number {
    const { bytes } = this
    if (depthChange(bytes[from]!) !== 1 && bytes[from] !== quote) return this.scalarEnd(from)
    let depth = 0
    for (let at = from; at < bytes.length && at >= 0;) {
      const byte = bytes[at]!
      if (byte > 127 || depth > depthMax) return -1
      depth += depthChange(byte)
      at = byte === quote ? this.stringEnd(at + 1) : at + 1
      if (depth === 0) return at
    }
    return -1
  }

  /** Position after the closing quote of a string that may have escapes. */
  private stringEnd(from: number): number {
    const { bytes } = this
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === quote) return at + 1
      if (byte === backslash) at++
      else if (byte > 127) this.isWide = true
    }
    return -1
  }
}

/** Maximum nesting of a single value; deeper messages are parsed as a whole. */
const depthMax = 16

/** 1 for an opening bracket, -1 for a closing one, 0 otherwise. */
const depthChange = (byte: number): number => (byte === 123 || byte === 91 ? 1 : byte === 125 || byte === 93 ? -1 : 0)

/** Decimal digits that a binary float represents exactly. */
const digitsMax = 15

/**
 * Whether the bytes are a decimal in plain notation with at most 15 digits, at most `places` of them after the point.
 */
export function isShortDecimal(bytes: Uint8Array, from: number, to: number, places: number): boolean {
  const first = bytes[from] === 45 ? from + 1 : from
  let point = -1
  for (let at = first; at < to; at++) {
    const byte = bytes[at]!
    if (byte === 46 && point < 0) point = at
    else if (!isDigit(byte)) return false
  }
  const whole = (point < 0 ? to : point) - first
  const behind = point < 0 ? 0 : to - point - 1
  if (point >= 0 && behind === 0) return false
  return isWhole(bytes, first, whole) && whole + behind <= digitsMax && behind <= places
}

/** Whether the digits before the point are valid JSON: no leading zero. */
const isWhole = (bytes: Uint8Array, first: number, length: number): boolean =>
  length === 1 || (length > 1 && bytes[first] !== 48)

const keyMax = 512
const contentMax = 2048
const entriesMax = 48

/**
 * Position after the object at `from` if a map column can store it: its values are strings without escapes, its names
 * are distinct and do not begin with a digit. -1 otherwise.
 */
export function flatMapEnd(json: JsonBytes, from: number): number {
  const names: number[] = []
  json.at = from + 1
  if (json.take(125)) return json.at
  do if (!entry(json, names)) return -1
  while (json.take(44))
  return json.take(125) ? json.at : -1
}

/** Moves past a member. `names` contains the start and end positions of the names before it. */
function entry(json: JsonBytes, names: number[]): boolean {
  const { bytes } = json
  const name = json.take(quote) ? json.at : -1
  const nameEnd = name < 0 ? -1 : json.plainEnd(name)
  if (nameEnd <= name || nameEnd - name > keyMax || isDigit(bytes[name]!)) return false
  if (names.length > entriesMax * 2 || isKnown(bytes, names, name, nameEnd)) return false
  names.push(name, nameEnd)
  json.at = nameEnd + 1
  if (!json.take(58) || !json.take(quote)) return false
  const end = json.plainEnd(json.at)
  if (end < 0 || end - json.at > contentMax) return false
  json.at = end + 1
  return true
}

const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57

function isKnown(bytes: Uint8Array, names: readonly number[], from: number, to: number): boolean {
  for (let i = 0; i < names.length; i += 2) {
    if (names[i + 1]! - names[i]! === to - from && isSame(bytes, names[i]!, bytes, from, to - from)) return true
  }
  return false
}

export function isSame(a: Uint8Array, aFrom: number, b: Uint8Array, bFrom: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[aFrom + i] !== b[bFrom + i]) return false
  return true
}
