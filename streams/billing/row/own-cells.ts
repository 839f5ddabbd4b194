/** The cells that rows of a bill have of their own: what of them is read, and what is copied to the line as it is. */
import { toUnits } from '#engine/value/decimal.ts'
import { ownCopy } from '#engine/value/own-copy.ts'
import { foldName } from '#streams/billing/format/columns.ts'
import type { CopiedColumn } from '#streams/billing/format/draft.ts'
import type { Format } from '#streams/billing/format/format.ts'
import { tagMap } from '#streams/billing/format/literal.ts'
import { fixedRanges, type Fields, type Ranges, type RowBatch } from '#streams/billing/file/batch/row-batch.ts'
import { textMap } from '#streams/billing/line/cost-line.ts'
import { pricePlaces } from '#streams/billing/line/precision.ts'
import { isNumbered, isoDay, ownOrder } from './day-order.ts'
import type { OtherColumns } from './other-columns.ts'
import type { Survey } from './survey.ts'

/** A map that many lines have. */
export interface SharedMap {
  value: Readonly<Record<string, string>>
}

/** A column of the file, and the column of the line that gets its cells. */
interface CopiedCell {
  column: number
  name: string
  folded: string
}

/** Maximum characters of a text, and of a price. */
const charactersMax = 8192
/** No text that means null is longer. */
const nullCharacters = 4
/** Maximum maps remembered of each column. */
const mapsMax = 50_000

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000')

export class OwnCells {
  /** The cells that are read or that are part of an id, by folded name. */
  readonly row: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  /** The same with its dates in ISO 8601, for the format. */
  readonly dated: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  /** In the order of `textNames` and so on; an empty cell is the empty text. */
  readonly texts: string[]
  readonly prices: string[]
  readonly maps: (SharedMap | undefined)[]
  readonly textNames: readonly string[]
  readonly priceNames: readonly string[]
  readonly mapNames: readonly string[]
  /** Columns that the format does not have. */
  others: SharedMap | undefined
  readonly hasOthers: boolean
  private readonly nulls: Format['nulls']
  private readonly header: readonly string[]
  private readonly read: readonly CopiedCell[]
  private readonly textCells: readonly CopiedCell[]
  private readonly priceCells: readonly CopiedCell[]
  private readonly mapCells: readonly CopiedCell[]
  private readonly otherCells: readonly number[]
  private readonly otherRanges: Ranges
  private readonly otherColumns: OtherColumns
  private readonly known: readonly Map<unknown, SharedMap | null>[]
  private readonly knownOthers = new Map<string, SharedMap | null>()
  private readonly names: ReadonlySet<string>
  private readonly dates: ReadonlySet<string>
  private readonly isoDates = new Map<string, string>()
  private readonly survey: Survey

  constructor({ measured, nulls, dates }: Format, header: readonly string[], others: OtherColumns, survey: Survey) {
    this.dates = new Set(dates.flat())
    this.survey = survey
    const folded = header.map(foldName)
    const cellsOf = (copied: readonly CopiedColumn[]): CopiedCell[] =>
      copied.flatMap(([name, to]) => {
        const column = folded.indexOf(name)
        return column < 0 ? [] : [{ column, name: to, folded: name }]
      })
    this.nulls = nulls
    this.header = header
    this.otherColumns = others
    this.read = cellsOf([...(measured?.columns ?? [])].map((name) => [name, name]))
    this.textCells = cellsOf(measured?.texts ?? [])
    this.priceCells = cellsOf(measured?.prices ?? [])
    this.mapCells = cellsOf(measured?.maps ?? [])
    this.otherCells = folded.flatMap((_, column) => (others.has(header[column]!) ? [column] : []))
    this.otherRanges = fixedRanges(header.map((_, column) => !this.otherCells.includes(column)))
    this.hasOthers = this.otherCells.length > 0
    const custom = new Set(measured?.custom)
    const copied = [...this.read, ...this.textCells, ...this.priceCells, ...this.mapCells].map((cell) => cell.folded)
    this.names = new Set([
      ...copied,
      ...this.otherCells.map((column) => folded[column]!).filter((name) => !custom.has(name)),
    ])
    this.textNames = this.textCells.map(({ name }) => name)
    this.priceNames = this.priceCells.map(({ name }) => name)
    this.mapNames = this.mapCells.map(({ name }) => name)
    this.texts = this.textCells.map(() => '')
    this.prices = this.priceCells.map(() => '')
    this.maps = this.mapCells.map(() => undefined)
    this.known = this.mapCells.map(() => new Map())
  }

  /** Whether rows have cells of their own in this folded column. */
  has(name: string): boolean {
    return this.names.has(name)
  }

  /** False if a cell is not plain. */
  take(batch: RowBatch, n: number): boolean {
    return (
      this.takeRead(batch, n) &&
      this.takeTexts(batch, n) &&
      this.takePrices(batch, n) &&
      this.takeMaps(batch, n) &&
      this.takeOthers(batch, n)
    )
  }

  /** The text of a cell, empty if it has none; undefined if it is another value. */
  private textOf(batch: RowBatch, n: number, column: number): string | undefined {
    const value = batch.cell(n, column)
    if (value === undefined || value === null) return ''
    if (typeof value !== 'string') return undefined
    return value.length <= nullCharacters && this.nulls?.has(value) ? '' : value
  }

  private takeRead(batch: RowBatch, n: number): boolean {
    for (const { column, folded } of this.read) {
      const text = this.textOf(batch, n, column)
      if (text === undefined) return false
      const cell = text === '' ? undefined : text
      this.row[folded] = cell
      this.dated[folded] = cell && this.dates.has(folded) ? this.isoOf(cell) : cell
    }
    return true
  }

  /** A bill has few dates in many rows. */
  private isoOf(cell: string): string {
    let iso = this.isoDates.get(cell)
    if (iso === undefined) {
      const order = isNumbered(cell) ? (this.survey.order ?? ownOrder(cell)) : undefined
      iso = order === undefined ? cell : isoDay(cell, order)
      if (this.isoDates.size < mapsMax) this.isoDates.set(ownCopy(cell), ownCopy(iso))
    }
    return iso
  }

  private takeTexts(batch: RowBatch, n: number): boolean {
    const { texts, textCells, row } = this
    for (let at = 0; at < textCells.length; at++) {
      const { column, folded } = textCells[at]!
      const text = this.textOf(batch, n, column)
      if (text === undefined) return false
      if (text === (row[folded] ?? '')) continue
      if (text.length > charactersMax || !isStorable(text)) return false
      texts[at] = text
      row[folded] = text === '' ? undefined : text
    }
    return true
  }

  private takePrices(batch: RowBatch, n: number): boolean {
    const { priceCells, prices } = this
    for (let at = 0; at < priceCells.length; at++) {
      const text = this.textOf(batch, n, priceCells[at]!.column)
      if (text === undefined) return false
      if (text !== '' && text !== prices[at] && toUnits(text, pricePlaces) === undefined) return false
      prices[at] = text
    }
    return true
  }

  private takeMaps(batch: RowBatch, n: number): boolean {
    for (let at = 0; at < this.mapCells.length; at++) {
      const { column, name, folded } = this.mapCells[at]!
      const cell = batch.cell(n, column)
      const isEmpty = cell === undefined || cell === null || cell === '' || this.nulls?.has(cell as string)
      this.row[folded] = isEmpty ? undefined : cell
      const found = isEmpty ? undefined : this.mapOf(this.known[at]!, name, cell)
      if (found === null) return false
      this.maps[at] = found
    }
    return true
  }

  /** Null if there is something to warn of. */
  private mapOf(known: Map<unknown, SharedMap | null>, name: string, cell: unknown): SharedMap | null {
    const key = typeof cell === 'object' ? JSON.stringify(cell) : cell
    let found = known.get(key)
    if (found !== undefined) return found
    let isPlain = true
    const tags = tagMap(cell, () => (isPlain = false)) ?? {}
    found = isPlain ? { value: structuredClone(textMap(name, tags)) } : null
    if (known.size < mapsMax) known.set(typeof key === 'string' ? ownCopy(key) : key, found)
    return found
  }

  private takeOthers(batch: RowBatch, n: number): boolean {
    if (!this.hasOthers) return true
    const key = batch.key(n, this.otherRanges)!
    let found = this.knownOthers.get(key)
    if (found === undefined) {
      found = this.othersOf(batch, n)
      if (this.knownOthers.size < mapsMax) this.knownOthers.set(ownCopy(key), found)
    }
    if (found === null) return false
    this.others = found
    // An id has these columns, too.
    for (const column of this.otherCells) {
      const value = batch.cell(n, column)
      const isEmpty = value === undefined || value === null || value === '' || this.nulls?.has(value as string)
      this.row[foldName(this.header[column]!)] = isEmpty ? undefined : value
    }
    return true
  }

  private othersOf(batch: RowBatch, n: number): SharedMap | null {
    const fields = Object.create(null) as Fields
    for (const column of this.otherCells) fields[this.header[column]!] = batch.cell(n, column)
    let isPlain = true
    const value = this.otherColumns.of(fields, () => (isPlain = false)) ?? {}
    return isPlain ? { value: structuredClone(textMap('x_OtherColumns', value, charactersMax)) } : null
  }
}
