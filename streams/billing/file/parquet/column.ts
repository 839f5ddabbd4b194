/** Reads one column of one row group page by page. One page and the dictionary are in memory. */
import type { ColumnMetaData, PageHeader } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { Fault } from '#engine/value/fault.ts'
import type { Bytes } from '#streams/billing/file/spool.ts'
import { broken, unread } from './fault.ts'
import { dictionaryOf, openPage, type Page, type PageParts } from './page.ts'
import type { NestedValues } from './record.ts'
import type { Leaf } from './schema.ts'
import { converter, type Convert } from './value.ts'

/** Maximum bytes of one page, compressed or not. Below: of all pages in memory. */
const pageMax = 256 * 1024 * 1024
const heldMax = 1024 * 1024 * 1024
/** Maximum values of one row; more means that the file is corrupt. */
const rowMax = 1_000_000
const windowBytes = 128 * 1024
/** Maximum bytes of a page header, which may contain minimum and maximum values. */
const headerMax = 1024 * 1024

/** Counts the bytes of all columns' pages in memory. */
export class PageMemory {
  #bytes = 0

  change(by: number): void {
    this.#bytes += by
    if (this.#bytes > heldMax) throw unread('has pages that need more than 1 GiB of memory at once')
  }
}

export class ColumnReader {
  readonly #file: Bytes
  readonly #chunk: ColumnMetaData
  readonly #leaf: Leaf
  readonly #held: PageMemory
  readonly #convert: Convert
  #at: number
  readonly #end: number
  #window: { at: number; bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) }
  #dictionary: readonly unknown[] = []
  #dictionaryBytes = 0
  #page: Page | undefined
  #pageBytes = 0
  /** Values left in the page. Below: in the column after this page. */
  #left = 0
  #behind: number
  /** Repetition level that was read ahead; -1 if none. */
  #ahead = -1

  constructor(file: Bytes, chunk: ColumnMetaData, leaf: Leaf, held: PageMemory) {
    this.#file = file
    this.#chunk = chunk
    this.#leaf = leaf
    this.#held = held
    this.#convert = converter(leaf.element)
    const { dictionary_page_offset: dictionary, data_page_offset: data } = chunk
    this.#at = Number(dictionary && dictionary < data ? dictionary : data)
    this.#end = this.#at + Number(chunk.total_compressed_size)
    this.#behind = Number(chunk.num_values)
    if (this.#at < 4 || this.#end > file.size || !(this.#behind >= 0))
      throw broken(`the file ends inside ${this.#name}`)
  }

  get #name(): string {
    return this.#leaf.path.join('.')
  }

  /** The next rows of a column that is not nested: its values, undefined for null. */
  async flat(count: number): Promise<unknown[]> {
    const values: unknown[] = Array(count)
    for (let row = 0; row < count;) {
      if (this.#left === 0) await this.#nextPage()
      const till = Math.min(count, row + this.#left)
      this.#left -= till - row
      this.#read(() => {
        const { definition, next } = this.#page!
        const most = this.#leaf.definitionMax
        for (; row < till; row++) values[row] = !definition || definition.next() === most ? next() : undefined
      })
    }
    return values
  }

  /** The next rows of a nested column. */
  async levelled(count: number): Promise<NestedValues> {
    const found: NestedValues = { values: [], definitions: [], repetitions: [], at: 0 }
    for (let rows = 0; ;) {
      if (this.#left === 0) {
        if (rows === count && this.#behind === 0) return found
        await this.#nextPage()
      }
      const isOver = this.#read(() => {
        for (; this.#left > 0; this.#left--) {
          if (this.#ahead < 0) this.#ahead = this.#page!.repetition?.next() ?? 0
          if (this.#ahead === 0 && rows++ === count) return true
          if (rows === 0) throw broken(`${this.#name} starts inside a row`)
          this.#take(found)
        }
        return false
      })
      if (isOver) return found
    }
  }

  #take(found: NestedValues): void {
    const { definition, next } = this.#page!
    const { definitionMax, repetitionMax } = this.#leaf
    const level = definition ? definition.next() : definitionMax
    if (level > definitionMax || this.#ahead > repetitionMax) throw broken(`${this.#name} has invalid levels`)
    found.definitions.push(level)
    found.repetitions.push(this.#ahead)
    this.#ahead = -1
    found.values.push(level === definitionMax ? next() : undefined)
    if (found.values.length > rowMax) throw broken(`rows of ${this.#name} have more than ${rowMax} values`)
  }

  /** @throws Fault `invalid` `parquet_invalid` if the column has more values than its rows */
  end(): void {
    if (this.#left > 0 || this.#behind > 0) throw broken(`${this.#name} has more rows than the file`)
    this.#held.change(-this.#pageBytes - this.#dictionaryBytes)
  }

  /** Turns errors of the library and of out-of-range reads into faults. */
  #read<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw error instanceof Fault ? error : broken(`a page of ${this.#name} ends early`)
    }
  }

  async #nextPage(): Promise<void> {
    this.#page = undefined
    while (!this.#page) {
      if (this.#behind === 0 || this.#at >= this.#end) throw broken(`${this.#name} has fewer rows than the file`)
      const parts = await this.#parts()
      this.#read(() => this.#open(parts))
    }
  }

  #open(parts: PageParts): void {
    const { type, uncompressed_page_size: size } = parts.header
    if (type === 'DICTIONARY_PAGE') {
      this.#held.change(size - this.#dictionaryBytes)
      this.#dictionaryBytes = size
      this.#dictionary = dictionaryOf(parts, this.#leaf, this.#convert)
    } else if (type === 'DATA_PAGE' || type === 'DATA_PAGE_V2') {
      this.#held.change(size - this.#pageBytes)
      this.#pageBytes = size
      const page = openPage(parts, this.#leaf, this.#dictionary, this.#convert)
      if (!(page.count >= 0 && page.count <= this.#behind)) throw broken(`${this.#name} has more values than declared`)
      this.#page = page.count > 0 ? page : undefined
      this.#left = page.count
      this.#behind -= page.count
    }
  }

  async #parts(): Promise<PageParts> {
    const header = await this.#header()
    const { compressed_page_size: packed, uncompressed_page_size: size } = header
    if (!(packed >= 0 && size >= 0) || this.#at + packed > this.#end) throw broken(`a page of ${this.#name} ends early`)
    if (packed > pageMax || size > pageMax) throw unread(`has a page of ${this.#name} of more than ${pageMax} bytes`)
    const bytes = await this.#bytes(packed)
    this.#at += packed
    return { header, bytes, codec: this.#chunk.codec }
  }

  async #header(): Promise<PageHeader> {
    for (let size = windowBytes / 4; ; size *= 4) {
      const bytes = await this.#bytes(Math.min(size, this.#end - this.#at))
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
      try {
        const header = parquetHeader(reader)
        this.#at += reader.offset
        return header
      } catch {
        if (size >= headerMax || bytes.length < size) throw broken(`a page of ${this.#name} has no header`)
      }
    }
  }

  /** The next bytes of the column; reads ahead. */
  async #bytes(size: number): Promise<Buffer> {
    const from = this.#at - this.#window.at
    if (from < 0 || from + size > this.#window.bytes.length) {
      const ahead = Math.min(Math.max(size, windowBytes), this.#end - this.#at)
      this.#window = { at: this.#at, bytes: await this.#file.read(this.#at, ahead) }
      return this.#window.bytes.subarray(0, size)
    }
    return this.#window.bytes.subarray(from, from + size)
  }
}
