import { broken } from './fault.ts'

/** Maximum bits of an index: a wider one would need a dictionary larger than a page. */
const widthMax = 24

/**
 * Reads levels and dictionary indices one at a time: runs of one value, and bit-packed groups of eight. Nothing is
 * expanded ahead, so a run of a billion values takes no memory.
 */
export class RunReader {
  readonly #bytes: Uint8Array
  readonly #end: number
  readonly #width: number
  readonly #mask: number
  #at: number
  /** Values left in the run. */
  #left = 0
  #isPacked = false
  #value = 0
  /** Bits of the packed run already read. */
  #bit = 0

  constructor(bytes: Uint8Array, from: number, to: number, width: number) {
    if (width > widthMax || from > to || to > bytes.length) throw broken('a page does not have its declared content')
    this.#bytes = bytes
    this.#at = from
    this.#end = to
    this.#width = width
    this.#mask = 2 ** width - 1
  }

  next(): number {
    if (this.#width === 0) return 0
    if (this.#left === 0) this.#begin()
    this.#left--
    return this.#isPacked ? this.#unpack() : this.#value
  }

  #unpack(): number {
    const bytes = this.#bytes
    const width = this.#width
    let at = this.#at + (this.#bit >>> 3)
    const shift = this.#bit & 7
    if (at + ((shift + width - 1) >>> 3) >= this.#end) throw broken('a page ends early')
    this.#bit += width
    let value = bytes[at]! >>> shift
    for (let have = 8 - shift; have < width; have += 8) value |= bytes[++at]! << have
    if (this.#left === 0) this.#at += this.#bit >>> 3
    return value & this.#mask
  }

  #begin(): void {
    while (this.#left === 0) {
      const header = this.#varint()
      this.#isPacked = (header & 1) === 1
      if (this.#isPacked) {
        this.#left = (header >>> 1) * 8
        this.#bit = 0
      } else {
        this.#left = header >>> 1
        this.#value = 0
        for (let i = 0; i < (this.#width + 7) >>> 3; i++) this.#value |= this.#byte() << (8 * i)
        if (this.#value > this.#mask) throw broken('a page has a level that its column does not have')
      }
    }
  }

  #varint(): number {
    let value = 0
    for (let shift = 0; shift < 32; shift += 7) {
      const byte = this.#byte()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
    throw broken('a page has no number where one is expected')
  }

  #byte(): number {
    if (this.#at >= this.#end) throw broken('a page ends early')
    return this.#bytes[this.#at++]!
  }
}
