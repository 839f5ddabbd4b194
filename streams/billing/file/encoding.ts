/**
 * Converts text to UTF-8. UTF-16 is recognized by its byte order mark or by zero bytes. Text that is not valid UTF-8 is
 * read as Windows-1252, with a warning: all of it from the first character outside ASCII, or, if valid multi-byte
 * characters came before, only the invalid bytes. No byte is replaced by a replacement character.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { Fault } from '#engine/value/fault.ts'
import type { FileHead, Chunks } from './head.ts'

/** A warning about a whole file. */
export interface FileWarning {
  /** Stable identifier. */
  code:
    | 'encoding_windows_1252'
    | 'encoding_mixed'
    | 'decimal_comma'
    | 'file_duplicate'
    | 'file_skipped'
    | 'column_twice'
  message: string
}

type Warn = (warning: FileWarning) => void

export function utf8Chunks({ head, chunks }: FileHead, warn: Warn): Chunks {
  const wide = wideOf(head)
  return wide ? fromUtf16(chunks, wide) : decodeBytes(chunks, warn)
}

type Wide = 'utf-16le' | 'utf-16be'

/** Recognized by a byte order mark, or by a zero byte in each of the first four characters. */
function wideOf(head: Buffer): Wide | undefined {
  const start = head.toString('latin1', 0, 8)
  if (/^(?:\u00ff\u00fe|(?:[^\0]\0){4})/.test(start)) return 'utf-16le'
  return /^(?:\u00fe\u00ff|(?:\0[^\0]){4})/.test(start) ? 'utf-16be' : undefined
}

async function* fromUtf16(chunks: Chunks, encoding: Wide): Chunks {
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    for await (const chunk of chunks) {
      const text = decoder.decode(chunk, { stream: true })
      if (text !== '') yield Buffer.from(text)
    }
    const last = decoder.decode()
    if (last !== '') yield Buffer.from(last)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw Fault.invalid('encoding_invalid', 'The text is UTF-16 and contains an incomplete character.')
  }
}

async function* decodeBytes(chunks: Chunks, warn: Warn): Chunks {
  const state = { isNarrow: false, hasWide: false, hasWarned: false }
  let carry: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = carry.length > 0 ? Buffer.concat([carry, chunk]) : chunk
    const end = state.isNarrow ? bytes.length : wholeEnd(bytes)
    carry = bytes.subarray(end)
    if (end > 0) yield toUtf8(bytes.subarray(0, end), state, warn)
  }
  if (carry.length > 0) yield toUtf8(carry, state, warn)
}

interface State {
  /** Everything from here on is Windows-1252. */
  isNarrow: boolean
  /** A valid multi-byte character has occurred. */
  hasWide: boolean
  hasWarned: boolean
}

function toUtf8(bytes: Buffer, state: State, warn: Warn): Buffer {
  if (state.isNarrow) return narrow(bytes)
  if (isUtf8(bytes)) {
    if (!state.hasWide) state.hasWide = !isAscii(bytes)
    return bytes
  }
  state.isNarrow = !state.hasWide && !beginsWide(bytes)
  state.hasWide = true
  if (!state.hasWarned) warn(state.isNarrow ? isWindows : isMixed)
  state.hasWarned = true
  return state.isNarrow ? narrow(bytes) : repairMixed(bytes)
}

const isWindows: FileWarning = {
  code: 'encoding_windows_1252',
  message: 'The text is not valid UTF-8. It was read as Windows-1252.',
}
const isMixed: FileWarning = {
  code: 'encoding_mixed',
  message: 'Most of the text is valid UTF-8. The other bytes were read as Windows-1252.',
}

/** Position after the last complete character. */
function wholeEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    return lengthOf(byte) > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** Length of a UTF-8 character in bytes, from its first byte; 1 for any other byte. */
const lengthOf = (byte: number): number => (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1)

/** Whether a valid multi-byte character begins at this position. */
function isLetter(bytes: Buffer, at: number): boolean {
  const length = lengthOf(bytes[at]!)
  return length > 1 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length))
}

const beginsWide = (bytes: Buffer): boolean =>
  isLetter(
    bytes,
    bytes.findIndex((byte) => byte >= 0x80),
  )

/** Windows-1252 characters in place of Latin-1's control characters; five codes are unassigned and stay unchanged. */
const special = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const narrow = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replace(/[\u0080-\u009f]/g, (sign) => special[sign.charCodeAt(0) - 0x80]!))

function repairMixed(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (let at = 0; at < bytes.length;) {
    if (bytes[at]! < 0x80) at++
    else if (isLetter(bytes, at)) at += lengthOf(bytes[at]!)
    else {
      parts.push(bytes.subarray(from, at), narrow(bytes.subarray(at, at + 1)))
      from = ++at
    }
  }
  return Buffer.concat([...parts, bytes.subarray(from)])
}
