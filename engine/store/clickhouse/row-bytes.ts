/** A buffer that grows. */
export class RowBytes {
  private buffer: Buffer
  private view: DataView
  private at = 0

  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafe(Math.max(capacity, 4096))
    this.view = viewOf(this.buffer)
  }

  private room(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes))
    this.buffer.copy(larger, 0, 0, this.at)
    this.buffer = larger
    this.view = viewOf(larger)
  }

  varint(n: number): void {
    this.room(5)
    let left = n
    for (; left >= 0x80; left >>>= 7) this.buffer[this.at++] = (left & 0x7f) | 0x80
    this.buffer[this.at++] = left
  }

  text(value: string): void {
    this.room(value.length * 3 + 5)
    if (value.length < 128 && this.ascii(value)) return
    this.varint(Buffer.byteLength(value))
    this.at += this.buffer.write(value, this.at)
  }

  /**
   * Most texts are short ASCII: those are written faster than a call of the encoder takes. False if this one is not.
   */
  private ascii(value: string): boolean {
    const { buffer, at } = this
    const { length } = value
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i)
      if (code > 127) return false
      buffer[at + 1 + i] = code
    }
    buffer[at] = length
    this.at = at + 1 + length
    return true
  }

  /** A text that is already in UTF-8 bytes. Most are short: those are copied faster than a call takes. */
  copy(bytes: Buffer, from: number, to: number): void {
    const length = to - from
    this.varint(length)
    this.room(length)
    const { buffer, at } = this
    if (length < 48) for (let i = 0; i < length; i++) buffer[at + i] = bytes[from + i]!
    else bytes.copy(buffer, at, from, to)
    this.at = at + length
  }

  /** A byte that is set later. */
  placeholder(): number {
    this.byte(0)
    return this.at - 1
  }

  fill(at: number, byte: number): void {
    this.buffer[at] = byte
  }

  byte(n: number): void {
    this.room(1)
    this.buffer[this.at++] = n
  }

  /** `size` bytes, little endian, two's complement. */
  integer(n: bigint, size: 1 | 2 | 4 | 8 | 16): void {
    this.room(size)
    if (size === 16) {
      this.view.setBigUint64(this.at, BigInt.asUintN(64, n), true)
      this.view.setBigUint64(this.at + 8, BigInt.asUintN(64, n >> 64n), true)
    } else if (size === 8) this.view.setBigUint64(this.at, BigInt.asUintN(64, n), true)
    else this.buffer.writeUIntLE(Number(BigInt.asUintN(size * 8, n)), this.at, size)
    this.at += size
  }

  /** A safe integer as 16 bytes. */
  int128(n: number): void {
    const high = Math.floor(n / 2 ** 32)
    const sign = high < 0 ? -1 : 0
    this.words(n, high, sign, sign)
  }

  /** The lowest 32 bits of each of these integers, lowest word first. */
  words(a: number, b: number, c: number, d: number): void {
    this.room(16)
    const { view, at } = this
    view.setInt32(at, a, true)
    view.setInt32(at + 4, b, true)
    view.setInt32(at + 8, c, true)
    view.setInt32(at + 12, d, true)
    this.at = at + 16
  }

  int32(n: number): void {
    this.room(4)
    this.view.setInt32(this.at, n, true)
    this.at += 4
  }

  uint32(n: number): void {
    this.room(4)
    this.view.setUint32(this.at, n, true)
    this.at += 4
  }

  int64(n: number): void {
    this.integer(BigInt(n), 8)
  }

  double(n: number): void {
    this.room(8)
    this.view.setFloat64(this.at, n, true)
    this.at += 8
  }

  /** Bytes of columns, already encoded. */
  append(bytes: Buffer): void {
    this.room(bytes.length)
    bytes.copy(this.buffer, this.at)
    this.at += bytes.length
  }

  get length(): number {
    return this.at
  }

  done(): Buffer {
    return this.buffer.subarray(0, this.at)
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView => new DataView(buffer, byteOffset, byteLength)
