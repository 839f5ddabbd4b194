/**
 * Hashes a message's data without parsing it, to tell whether two messages with the same key have the same content. One
 * property may differ: it identifies the occasion (for example the run), not the content.
 */
import { hash } from 'node:crypto'
import { isSame, type JsonBytes } from './json-bytes.ts'

/** Names of properties of a message's data, all of them strings. */
export interface FingerprintFields {
  /** Identifies what the message is about, within `place`. */
  key: string
  place: string
  /** Its value is left out of the hash; whether it is present counts. */
  except: string
}

/** Fingerprint of one message's data. `except` is empty if the property is absent. */
export interface Fingerprint {
  key: string
  place: string
  except: string
  /** If two messages have the same hash, their data differs at most in `except`. */
  hash: string
}

/**
 * Scans the data that begins at `json.at` and moves past it. Undefined if it is unsupported: the caller then parses the
 * message.
 */
export type FingerprintScanner = (json: JsonBytes) => Fingerprint | undefined

interface Part {
  bytes: Buffer
  slot: number
}

const quote = 34
const [keySlot, placeSlot, exceptSlot] = [0, 1, 2]
const textBytesMax = 1024
/** Bytes; longer data is not scanned. */
const bytesMax = 1 << 16
const scratch = Buffer.alloc(bytesMax)

export function createFingerprintScanner({ key, place, except }: FingerprintFields): FingerprintScanner {
  const parts = [key, place, except].map((name, slot): Part => ({ bytes: Buffer.from(name), slot }))
  return (json) => scanFingerprint(json, parts)
}

function scanFingerprint(json: JsonBytes, parts: readonly Part[]): Fingerprint | undefined {
  const from = json.at
  const ends = [0, 0, 0, 0, 0, 0]
  if (!json.take(123)) return undefined
  do if (!member(json, parts, ends)) return undefined
  while (json.take(44))
  if (!json.take(125) || json.at - from > bytesMax) return undefined
  const text = (slot: number) => json.bytes.toString('utf8', ends[slot * 2], ends[slot * 2 + 1])
  if (ends[keySlot * 2 + 1] === 0 || ends[placeSlot * 2 + 1] === 0) return undefined
  const hidden: readonly [number, number] = [ends[exceptSlot * 2]!, ends[exceptSlot * 2 + 1]!]
  return {
    key: text(keySlot),
    place: text(placeSlot),
    except: text(exceptSlot),
    hash: hashOf(json, from, hidden),
  }
}

/** Moves past a member, and records the position of its value if it is one of the parts. False if it is unsupported. */
function member(json: JsonBytes, parts: readonly Part[], ends: number[]): boolean {
  if (!json.take(quote)) return false
  const name = json.at
  const nameEnd = json.plainEnd(name)
  if (nameEnd < 0) return false
  json.at = nameEnd + 1
  if (!json.take(58)) return false
  json.next()
  const from = json.at
  const part = parts.find(
    ({ bytes }) => bytes.length === nameEnd - name && isSame(json.bytes, name, bytes, 0, bytes.length),
  )
  const to = part === undefined ? json.valueEnd(from) : textEnd(json, from)
  if (to < 0) return false
  json.at = to
  if (part === undefined) return true
  const isFirst = ends[part.slot * 2 + 1] === 0
  ends[part.slot * 2] = from + 1
  ends[part.slot * 2 + 1] = to - 1
  return isFirst
}

/**
 * The position after the string at `from`. -1 unless it is a string that is not empty, not too long and has no escapes.
 */
function textEnd(json: JsonBytes, from: number): number {
  if (json.bytes[from] !== quote) return -1
  const end = json.plainEnd(from + 1)
  return end > from + 1 && end - from <= textBytesMax ? end + 1 : -1
}

function hashOf({ bytes, at }: JsonBytes, from: number, [hiddenFrom, hiddenTo]: readonly [number, number]): string {
  if (hiddenTo === 0) return hash('sha256', bytes.subarray(from, at), 'base64')
  const before = bytes.copy(scratch, 0, from, hiddenFrom)
  const all = before + bytes.copy(scratch, before, hiddenTo, at)
  return hash('sha256', scratch.subarray(0, all), 'base64')
}
