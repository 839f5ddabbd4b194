/**
 * Values of a message that no turn reads. Only their positions in the message's bytes are kept until they are written
 * to a row of a table; they never become objects.
 */
import { parseJson } from '#engine/value/json.ts'

/**
 * `text`: a string without escapes. `decimal`: plain notation with at most 15 digits, quoted or not. `map`: an object
 * whose values are such strings.
 */
export type HeldKind = 'text' | 'decimal' | 'map'

/** The properties of one kind of message whose values may be held. Each has a fixed slot number. */
export class Slots {
  readonly names: readonly string[]
  readonly kinds: readonly HeldKind[]
  private readonly places: ReadonlyMap<string, number>

  constructor(kinds: Readonly<Record<string, HeldKind>>) {
    this.names = Object.keys(kinds)
    this.kinds = Object.values(kinds)
    this.places = new Map(this.names.map((name, place) => [name, place]))
  }

  /** The slot number; -1 for a property that is never held. */
  of(name: string): number {
    return this.places.get(name) ?? -1
  }
}

/** Property of scanned data, and of rows made from it, that contains the held values. */
export const heldKey: unique symbol = Symbol('held')

export interface Holding {
  [heldKey]?: HeldValues
}

/**
 * Integers of one shared array that stores positions for many messages: an array per message would cost more than
 * scanning one.
 */
const slabNumbers = 1 << 16
let slab = new Int32Array(slabNumbers)
let slabUsed = 0

/** Positions of the held values of one message. */
export class HeldValues {
  readonly bytes: Buffer
  readonly slots: Slots
  private readonly at: Int32Array
  private readonly base: number

  constructor(bytes: Buffer, slots: Slots) {
    const count = slots.names.length * 2
    if (slabUsed + count > slabNumbers) {
      slab = new Int32Array(slabNumbers)
      slabUsed = 0
    }
    this.bytes = bytes
    this.slots = slots
    this.at = slab
    this.base = slabUsed
    slabUsed += count
  }

  /** Byte position where the value begins, after its opening quote or bracket. */
  from(slot: number): number {
    return this.at[this.base + slot * 2]!
  }

  /** Byte position where the value ends; 0 if there is none. */
  to(slot: number): number {
    return this.at[this.base + slot * 2 + 1]!
  }

  set(slot: number, from: number, to: number): void {
    this.at[this.base + slot * 2] = from
    this.at[this.base + slot * 2 + 1] = to
  }

  has(name: string): boolean {
    const slot = this.slots.of(name)
    return slot >= 0 && this.to(slot) !== 0
  }

  /** Makes `name` hold the same value as `source`. False if `source` holds none. */
  copy(name: string, source: string): boolean {
    const from = this.slots.of(source)
    if (from < 0 || this.to(from) === 0) return false
    this.set(this.slots.of(name), this.from(from), this.to(from))
    return true
  }
}

/**
 * Data of a scanned message: the properties that turns read, and the held values. `toJSON` returns the original data.
 */
export class ScannedData implements Holding {
  readonly [heldKey]: HeldValues
  /** Byte positions of the data in its message. */
  readonly #from: number
  readonly #to: number

  constructor(own: HeldValues, from: number, to: number) {
    this[heldKey] = own
    this.#from = from
    this.#to = to
  }

  toJSON(): unknown {
    return parseJson(this[heldKey].bytes.toString('utf8', this.#from, this.#to))
  }
}
