/**
 * Values of a message that no turn reads: they stay where they stand in its bytes until they are written into a row of a
 * table, and never become objects.
 */
import { parseJson } from '#engine/value/json.ts'

/** What a held value is. `text`: a string without escapes. `decimal`: plain notation of at most 15 digits. `map`: an object of such strings. */
export type HeldKind = 'text' | 'decimal' | 'map'

/** The values that may be held of one kind of message, each with a place of its own. */
export class Slots {
  readonly names: readonly string[]
  readonly kinds: readonly HeldKind[]
  private readonly places: ReadonlyMap<string, number>

  constructor(kinds: Readonly<Record<string, HeldKind>>) {
    this.names = Object.keys(kinds)
    this.kinds = Object.values(kinds)
    this.places = new Map(this.names.map((name, place) => [name, place]))
  }

  /** -1 for a name that is never held. */
  of(name: string): number {
    return this.places.get(name) ?? -1
  }
}

/** Under it the data of a message, and a row made of it, have what is held. */
export const heldKey: unique symbol = Symbol('held')

export interface Holding {
  [heldKey]?: HeldValues
}

/** Numbers that places of held values are kept in, in one piece for many messages: an array each would cost more than scanning one. */
const slabNumbers = 1 << 16
let slab = new Int32Array(slabNumbers)
let slabUsed = 0

/** What is held of one message. */
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

  /** Where the value of a slot begins, without its quotes or brackets. */
  from(slot: number): number {
    return this.at[this.base + slot * 2]!
  }

  /** Where it ends; 0 where there is none. */
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

  /** Lets `name` hold what `source` does. False where that holds nothing. */
  copy(name: string, source: string): boolean {
    const from = this.slots.of(source)
    if (from < 0 || this.to(from) === 0) return false
    this.set(this.slots.of(name), this.from(from), this.to(from))
    return true
  }
}

/** The data of a scanned message: properties that turns read, and what is held. As JSON it is what came. */
export class ScannedData implements Holding {
  readonly [heldKey]: HeldValues
  /** Where it stands in the bytes of its message. */
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
