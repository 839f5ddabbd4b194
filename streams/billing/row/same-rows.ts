/**
 * Rows of a bill that share what decides what a line is with an earlier row. Such a row is not normalized again: its
 * line is that of the earlier row, with its own amounts, times, texts, tags and id. Whatever is not plain about a row
 * makes it be read as a whole, so both ways give the same lines.
 */
import { ownCopy } from '#engine/value/own-copy.ts'
import { cellText, foldName, textOf, type Columns } from '#streams/billing/format/columns.ts'
import type { MeasureReader } from '#streams/billing/format/draft.ts'
import type { Format } from '#streams/billing/format/format.ts'
import { fixedRanges, type RowBatch } from '#streams/billing/file/batch/row-batch.ts'
import type { Source } from '#streams/billing/file/source.ts'
import type { CostLine } from '#streams/billing/line/cost-line.ts'
import { digest, identifying, idText, type LineId } from '#streams/billing/line/line-id.ts'
import type { OtherColumns } from './other-columns.ts'
import { isLike, newOwnPart, takeMeasures, windowOf, type OwnPart } from './own-part.ts'
import { OwnCells } from './own-cells.ts'
import type { AcceptedLine, ReadOptions } from './reading.ts'
import type { Survey } from './survey.ts'

/** What rows share. */
export interface LineTemplate {
  /** The line of the first of them. */
  cost: CostLine
  /** The billing period of all; undefined if it is the month of each line's day. */
  period: string | undefined
  /** Days from `from` to before `to` need no warning. */
  from: string
  to: string
  context: Columns
  /** The text of the line's id, in parts between the row's own columns; undefined if rows have names of their own. */
  id: readonly string[] | undefined
}

type Lines = readonly Omit<AcceptedLine, 'row'>[]

/** Maximum templates; further rows that match none are read as a whole. */
const templatesMax = 50_000

export class SameRows {
  readonly own: OwnPart
  private readonly format: Format
  private readonly measured: MeasureReader | undefined
  private readonly options: ReadOptions & { survey: Survey }
  private readonly cells: OwnCells
  private readonly shared: ReturnType<typeof fixedRanges>
  /** Folded columns of an id's text in its order; those of them that rows have of their own. */
  private readonly identifying: readonly string[]
  private readonly ownIds: readonly string[]
  private readonly file: number
  private readonly templates = new Map<string, LineTemplate | null>()
  private readonly isUsed: boolean
  /** The place of ResourceId among the texts, if it is not as it is. */
  private readonly resourceAt: number
  /** Of the row before. */
  private context: Columns = {}
  /** The name of the row in the file, if it has one. */
  private name: string | undefined

  constructor(
    format: Format,
    { header }: Source,
    others: OtherColumns,
    options: ReadOptions & { survey: Survey },
    file: number,
  ) {
    const names = header.map(foldName)
    this.format = format
    this.measured = format.measured
    this.options = options
    this.file = file
    // Of two columns with the same folded name, the first that is not empty counts.
    this.isUsed = format.measured !== undefined && new Set(names).size === names.length
    this.cells = new OwnCells(format, header, others, options.survey)
    this.resourceAt = format.measured?.resourceId ? this.cells.textNames.indexOf('ResourceId') : -1
    const isUnread = (name: string) => format.measured?.isUnread?.(name) === true
    this.shared = fixedRanges(names.map((name) => this.cells.has(name) || isUnread(name)))
    this.identifying = identifying(names)
    this.ownIds = this.identifying.filter((name) => this.cells.has(name))
    this.own = newOwnPart(this.cells)
  }

  /** The key of a row; undefined if it must be read as a whole. */
  keyOf(batch: RowBatch, n: number): string | undefined {
    return this.isUsed ? batch.key(n, this.shared) : undefined
  }

  /** The template for a row of this key, with `own` filled in; undefined if the row must be read as a whole. */
  find(key: string, batch: RowBatch, n: number): LineTemplate | undefined {
    const template = this.templates.get(key)
    if (!template || !this.take(template, batch, n)) return undefined
    const { own } = this
    own.row = batch.place(n)
    const { id, isNew } = this.lineId(template)
    own.id = id
    own.isNew = isNew
    return template
  }

  /** Notes what rows of this key share, if the row's lines show that they can share it. */
  note(key: string, batch: RowBatch, n: number, lines: Lines, row: Columns): void {
    if (this.templates.size >= templatesMax || this.templates.has(key)) return
    if (!this.isShareable(lines, row)) this.templates.set(ownCopy(key), null)
    else if (!lines[0]!.warnings) {
      const template = this.templateOf(batch, n, lines[0]!, row)
      if (template) this.templates.set(ownCopy(key), structuredClone(template))
    }
  }

  /** By what rows of one key have in common. */
  private isShareable(lines: Lines, row: Columns): boolean {
    const [first] = lines
    const isInDollars = first?.cost.x_UsdRate === undefined && first?.line.costUSD === undefined
    return lines.length === 1 && isInDollars && this.measured?.isWhole?.(row) !== true
  }

  private templateOf(batch: RowBatch, n: number, first: Lines[number], row: Columns): LineTemplate | undefined {
    const { cost, period } = first
    const measured = this.measured!
    const context = Object.create(null) as Record<string, unknown>
    for (const name of measured.context) context[name] = row[name]
    const isNamed = measured.read(row, this.options.survey).identity !== undefined
    const template = {
      cost,
      ...windowOf(cost),
      period: typeof cost['BillingPeriodStart'] === 'string' ? period : undefined,
      context,
      id: isNamed ? undefined : this.idParts(row),
    }
    return this.take(template, batch, n) && isLike(this.own, first) ? template : undefined
  }

  /** Fills in `own` but for the id. False if anything about the row is not plain. */
  private take({ context, period, from, to, id }: LineTemplate, batch: RowBatch, n: number): boolean {
    const { own, cells, measured } = this
    if (!cells.take(batch, n)) return false
    if (context !== this.context) {
      for (const name in context) cells.dated[name] = cells.row[name] = context[name]
      this.context = context
    }
    if (this.resourceAt >= 0) cells.texts[this.resourceAt] = measured!.resourceId!(cells.row) ?? ''
    const found = measured!.read(cells.dated, this.options.survey)
    this.name = found.identity
    if ((id === undefined) !== (this.name !== undefined)) return false
    if (!takeMeasures(found, own)) return false
    own.period = period ?? own.day.slice(0, 7)
    return from <= own.day && own.day < to
  }

  private lineId({ id }: LineTemplate): LineId {
    const { ids, byPeriod } = this.options
    const { own, cells } = this
    if (id === undefined) return ids.named(own.day, this.name!, this.file, byPeriod ? own.period : undefined)
    let text = id[0]!
    for (let n = 0; n < this.ownIds.length; n++) {
      const name = this.ownIds[n]!
      text += idText(name, cellText(cells.row, name), this.format.caseless) + id[n + 1]!
    }
    return ids.hashed(own.day, digest(text))
  }

  private idParts(row: Columns): string[] {
    const parts = ['']
    for (const name of this.identifying)
      if (this.cells.has(name)) parts.push('')
      else parts[parts.length - 1] += idText(name, textOf(row, name), this.format.caseless)
    return parts
  }
}
