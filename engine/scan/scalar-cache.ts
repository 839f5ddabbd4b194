/**
 * Caches scalars that repeat from message to message, such as a provider or an hour: each is parsed and checked once,
 * then recognized by its bytes.
 */
import { Fault } from '#engine/value/fault.ts'
import { decoder, type TSchema } from '#engine/value/schema.ts'
import { isSame } from './json-bytes.ts'

interface Word {
  /** A copy: a slice of a larger buffer would keep the whole buffer in memory. */
  bytes: Uint8Array
  value: unknown
}

/** Maximum cached values of one property; a new value replaces the one with the same hash. */
const wordsMax = 1024
/** Maximum bytes of a cached value; longer ones are parsed each time. */
const bytesMax = 128

export class ScalarCache {
  private readonly decode: (input: unknown) => unknown
  private readonly known: (Word | undefined)[]

  /** With `isKept` false nothing is cached: for ids and other values that do not repeat. */
  constructor(schema: TSchema, isKept = true) {
    this.decode = decoder(schema)
    this.known = isKept ? Array.from({ length: wordsMax }, () => undefined) : []
  }

  /** The value of the JSON text between the positions. Undefined if it is invalid JSON or the schema refuses it. */
  read(bytes: Buffer, from: number, to: number): unknown {
    const length = to - from
    if (this.known.length === 0 || length > bytesMax) return this.make(bytes, from, to)
    const place = placeOf(bytes, from, to)
    const word = this.known[place]
    if (word !== undefined && word.bytes.length === length && isSame(word.bytes, 0, bytes, from, length))
      return word.value
    const value = this.make(bytes, from, to)
    if (value !== undefined) this.known[place] = { bytes: Uint8Array.prototype.slice.call(bytes, from, to), value }
    return value
  }

  private make(bytes: Buffer, from: number, to: number): unknown {
    return this.check(jsonOf(bytes.toString('utf8', from, to)))
  }

  /** Undefined if the schema refuses the value. */
  check(value: unknown): unknown {
    try {
      return this.decode(value)
    } catch (error) {
      if (error instanceof Fault) return undefined
      throw error
    }
  }
}

/** Undefined if the text is invalid JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function placeOf(bytes: Buffer, from: number, to: number): number {
  let sum = to - from
  for (let at = from; at < to; at++) sum = (Math.imul(sum, 31) + bytes[at]!) | 0
  return (sum ^ (sum >>> 15)) & (wordsMax - 1)
}
