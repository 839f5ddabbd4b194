/** Reads the files of an upload as they arrive, and stores their lines as one export, hidden until its end. */
import { Readable } from 'node:stream'
import { SentPeriods } from '#actors/account/export/bill-export.ts'
import type { UploadFile, UploadPeriod } from '#actors/billing/upload-entity.ts'
import { AmountSum } from '#engine/value/amount.ts'
import { Fault } from '#engine/value/fault.ts'
import type { DayOrder } from '#streams/billing/row/day-order.ts'
import type { FormatName } from '#streams/billing/format/format.ts'
import { Contents, duplicateOf } from '#streams/billing/file/duplicate.ts'
import { BillAccountNames } from '#streams/billing/line/bill-account.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import type { RowUnit } from '#streams/billing/file/source.ts'
import { membersOf, skippedEntry } from '#streams/billing/file/member.ts'
import { lookInto, type BillSink, type KnownBill, type LineSink } from '#streams/billing/reader.ts'
import { lineOf, type NotedLine } from '#streams/billing/row/own-part.ts'
import { Survey } from '#streams/billing/row/survey.ts'
import { Tally, type TallyReport } from '#streams/billing/row/tally.ts'
import type { CostProvider } from '#streams/names.ts'

export interface UploadGiven {
  id: string
  cloudAccountId: string
  exportedAt: Date
  format: FormatName | 'auto'
  rates: Readonly<Record<string, string>>
  provider?: CostProvider | undefined
  dates?: DayOrder | undefined
}

/** Maximum different reasons reported, of refusals and of warnings; the most frequent ones. */
const reasonsMax = 20

interface Sums {
  billed: AmountSum
  effective: AmountSum
  /** A line restates another one: then the sums are too high. */
  restates: boolean
}

export class UploadReading {
  private readonly given: UploadGiven
  private readonly lines: LineSink
  private readonly ids = new LineIds()
  private readonly tally = new Tally()
  private readonly sent = new SentPeriods()
  private readonly names = new BillAccountNames()
  private readonly sums = new Map<string, Sums>()
  private readonly files: UploadFile[] = []
  private readonly contents = new Contents()
  /** Facts collected over all files. */
  private readonly survey = new Survey()
  /**
   * Files whose lines can only be read once all files are known, and all files after the first of these, so that a
   * later line restates an earlier one.
   */
  private readonly waiting: { file: UploadFile; bill: KnownBill }[] = []
  private stopped: Fault | undefined

  constructor(given: UploadGiven, lines: LineSink) {
    this.given = given
    this.lines = lines
  }

  /**
   * Reads the next file, or those in it if it is an archive.
   * @throws Fault `refused` with the name of the file and how far it was read; the fault passed to `stop`
   */
  async read(name: string, content: Readable): Promise<void> {
    // If the reader needs no more of it, the rest stays unread.
    const stream = Readable.from(content.iterator({ destroyOnReturn: false }), { objectMode: false })
    let file = fileOf(name)
    try {
      for await (const member of membersOf(name, stream, (skipped) => this.leaveOut(skipped))) {
        file = fileOf(member.name)
        await this.readOne(file, member.input)
      }
    } catch (error) {
      throw ofFile(file, error)
    }
    // Data after the end of the compressed data is ignored.
    content.resume()
  }

  /** A file with the content of an earlier one is not counted again. */
  private async readOne(file: UploadFile, content: Readable): Promise<void> {
    const input = Readable.from(counting(content, file), { objectMode: false })
    this.files.push(file)
    const same = await this.contents.unlessSeen(file.name, input, async (bytes) => {
      const { provider, dates, cloudAccountId: accountId, ...options } = this.given
      const more = { accountId, ids: this.ids, byPeriod: true, ...(provider && { provider }), ...(dates && { dates }) }
      const isBehind = this.waiting.length > 0
      const bill = await lookInto(bytes, { ...options, ...more, survey: this.survey }, isBehind)
      file.format = bill.format
      if (bill.isKept) this.waiting.push({ file, bill })
      else await this.readLines(file, bill)
    })
    if (same === undefined) return
    file.format = this.files.find(({ name }) => name === same)!.format
    file.warnings = [duplicateOf(same)]
  }

  private async readLines(file: UploadFile, bill: KnownBill): Promise<void> {
    const opened = bill.read()
    await opened.into(this.sinkOf(file, opened.unit))
    if (opened.warnings.length > 0) file.warnings = [...opened.warnings]
  }

  private sinkOf(file: UploadFile, unit: RowUnit): BillSink {
    const { lines, tally } = this
    return {
      begin: (own) => lines.begin(own),
      takeSame: (template, own) => {
        file.rows++
        tally.addSame(own)
        const sums = this.note(own.period, lineOf(template, own), own.isNew)
        sums.billed.add(own.costs[0]!)
        sums.effective.add(own.costs[1]!)
        lines.takeSame(template, own)
      },
      take: (reading) => {
        if ('refused' in reading || !reading.isFurther) file.rows++
        tally.add(file.name, unit, reading)
        if ('refused' in reading) return
        const { period, cost, isNew } = reading
        const sums = this.note(period, cost, isNew)
        sums.billed.addText(cost.BilledCost)
        sums.effective.addText(cost.EffectiveCost)
        lines.take(reading)
      },
      pause: () => {
        if (this.stopped) throw this.stopped
        return lines.pause()
      },
    }
  }

  /** Call after the last file: reads those that had to wait. @throws as `read` */
  async finish(): Promise<void> {
    for (const { file, bill } of this.waiting) {
      try {
        await this.readLines(file, bill)
      } catch (error) {
        throw ofFile(file, error)
      }
    }
  }

  /** Releases files that have not been read. */
  close(): void {
    for (const { bill } of this.waiting) bill.close()
  }

  private leaveOut(name: string): void {
    this.files.push({ ...fileOf(name), warnings: [skippedEntry] })
  }

  /** The next row throws this fault. */
  stop(fault: Fault): void {
    this.stopped = fault
  }

  private note(period: string, line: NotedLine, isNew: boolean): Sums {
    this.sent.add(period, line, isNew)
    this.names.add(period, line)
    let sums = this.sums.get(period)
    if (!sums) this.sums.set(period, (sums = { billed: new AmountSum(), effective: new AmountSum(), restates: false }))
    sums.restates ||= !isNew
    return sums
  }

  /** Totals of what has been read so far. */
  report(): Omit<TallyReport, 'billedUsd'> & { files: UploadFile[]; periods: UploadPeriod[] } {
    const { billedUsd: _all, reasons, warnings, ...counts } = this.tally.report()
    const periods = this.sent.periods().map((sent) => {
      const { billed, effective, restates } = this.sums.get(sent.period)!
      const figures = restates ? noFigures : { billed: billed.toString(), effective: effective.toString() }
      return { ...sent, ...figures, accounts: this.names.of(sent.period) }
    })
    const told = { reasons: reasons.slice(0, reasonsMax), warnings: warnings.slice(0, reasonsMax) }
    return { ...counts, ...told, files: structuredClone(this.files), periods }
  }
}

const noFigures = { billed: null, effective: null }

const fileOf = (name: string): UploadFile => ({ name, bytes: 0, rows: 0, format: 'focus' })

async function* counting(content: Readable, file: UploadFile): AsyncGenerator<Buffer, void> {
  for await (const chunk of content as AsyncIterable<Buffer>) {
    file.bytes += chunk.length
    yield chunk
  }
}

/** Adds the name of the file and the row. @throws `error` itself if it is not about the file */
function ofFile({ name, rows }: UploadFile, error: unknown): unknown {
  if (!(error instanceof Fault) || error.kind !== 'invalid' || error.code === 'malformed_request') return error
  const place = rows > 0 ? ` Reading failed after row ${rows}.` : ''
  return Fault.refused(error.code, `${name}: ${error.message}${place} No row of the upload was used.`, {
    members: { file: name, rows },
  })
}
