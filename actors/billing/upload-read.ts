/** Reads the files of an upload as they come, and sends their lines: of one export, hidden until its end. */
import { Readable } from 'node:stream'
import { exportLine, Sent } from '#actors/account/bill-export.ts'
import type { UploadFile, UploadPeriod } from '#actors/billing/upload-entity.ts'
import type { LineSender } from '#actors/billing/upload-tools.ts'
import { Total } from '#engine/decimal.ts'
import { Fault } from '#engine/fault.ts'
import type { FormatName } from '#streams/billing/format.ts'
import { BillAccountNames } from '#streams/billing/bill-account.ts'
import { LineIds } from '#streams/billing/line-id.ts'
import { openBillingFile, type Accepted } from '#streams/billing/reader.ts'
import { Tally, type TallyReport } from '#streams/billing/tally.ts'
import type { Provider } from '#streams/names.ts'

export interface UploadGiven {
  id: string
  cloudAccountId: string
  exportedAt: Date
  format: FormatName | 'auto'
  rates: Readonly<Record<string, string>>
  provider?: Provider | undefined
}

/** Refusals of the most frequent reasons that are told. */
const reasonsMax = 20

interface Sums {
  billed: Total
  effective: Total
  /** Some line restates another: then the sums are of more than there is. */
  restates: boolean
}

export class UploadReading {
  private readonly given: UploadGiven
  private readonly sender: LineSender
  private readonly ids = new LineIds()
  private readonly tally = new Tally()
  private readonly sent = new Sent()
  private readonly names = new BillAccountNames()
  private readonly sums = new Map<string, Sums>()
  private readonly files: UploadFile[] = []
  private stopped: Fault | undefined

  constructor(given: UploadGiven, sender: LineSender) {
    this.given = given
    this.sender = sender
  }

  /** The next file. @throws Fault `refused` that names the file and how far it was read; the fault it was stopped with */
  async read(name: string, content: Readable): Promise<void> {
    const file: UploadFile = { name, bytes: 0, rows: 0, format: 'focus' }
    try {
      const input = Readable.from(counting(content, file), { objectMode: false })
      const { provider, cloudAccountId: accountId, ...options } = this.given
      const more = { accountId, ids: this.ids, byPeriod: true, ...(provider && { provider }) }
      const opened = await openBillingFile(input, { ...options, ...more })
      file.format = opened.format
      this.files.push(file)
      for await (const reading of opened.rows) {
        if (this.stopped) throw this.stopped
        file.rows++
        this.tally.add(name, opened.unit, reading)
        if (!('refused' in reading)) await this.take(reading)
      }
    } catch (error) {
      throw ofFile(file, error)
    }
    // What stands behind the end of compressed data is of no interest.
    content.resume()
  }

  /** The next row throws this. */
  stop(fault: Fault): void {
    this.stopped = fault
  }

  private async take(reading: Accepted): Promise<void> {
    const { period, cost, isNew } = reading
    this.sent.add(period, cost.x_Day, isNew)
    this.names.add(period, cost)
    let sums = this.sums.get(period)
    if (!sums) this.sums.set(period, (sums = { billed: new Total(), effective: new Total(), restates: false }))
    sums.billed.add(cost.BilledCost)
    sums.effective.add(cost.EffectiveCost)
    sums.restates ||= !isNew
    const { id, exportedAt } = this.given
    await this.sender.send({ ...exportLine(reading, { id, at: exportedAt.toISOString() }), hiddenUntilEnd: true })
  }

  /** What has been read so far. */
  report(): Omit<TallyReport, 'billedUsd'> & { files: UploadFile[]; periods: UploadPeriod[] } {
    const { billedUsd: _all, reasons, ...counts } = this.tally.report()
    const periods = this.sent.periods().map((sent) => {
      const { billed, effective, restates } = this.sums.get(sent.period)!
      const figures = restates ? noFigures : { billed: billed.toString(), effective: effective.toString() }
      return { ...sent, ...figures, accounts: this.names.of(sent.period) }
    })
    return { ...counts, reasons: reasons.slice(0, reasonsMax), files: structuredClone(this.files), periods }
  }
}

const noFigures = { billed: null, effective: null }

/** The stream is left as it is where its reader needs no more of it. */
async function* counting(content: Readable, file: UploadFile): AsyncGenerator<Buffer, void> {
  for await (const chunk of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    file.bytes += chunk.length
    yield chunk
  }
}

/** Says which file it was, and where. @throws `error` itself where it is not about the file */
function ofFile({ name, rows }: UploadFile, error: unknown): unknown {
  if (!(error instanceof Fault) || error.kind !== 'invalid' || error.code === 'malformed_request') return error
  const place = rows > 0 ? ` It broke behind row ${rows} of it.` : ''
  return Fault.refused(error.code, `${name}: ${error.message}${place} Nothing of the upload counts.`, {
    members: { file: name, rows },
  })
}
