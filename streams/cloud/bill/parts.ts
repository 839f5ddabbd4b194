/** Reads the files of one billing period as one bill, for all clouds. */
import type { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { duplicateOf, duplicatesIn } from '#streams/billing/file/duplicate.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { notBill, notBillCodes } from '#streams/billing/file/member.ts'
import { surveyOf } from '#streams/billing/reader.ts'
import type { Provider } from '#streams/names.ts'
import { billLines, type BillFile } from './file.ts'

export interface BillPart {
  name: string
  at: Date
  open: () => Promise<Readable>
  /** It may contain lines of other billing periods. */
  isMixed?: boolean
}

/** The billing period and days to read, and where unreadable rows are reported. */
export type PartsAsked = Omit<BillFile, 'name' | 'content' | 'isMixed'>

export interface PartsReading {
  accountId: string
  provider: Provider
  /**
   * True if a manifest lists the parts: then all Parquet files have the same columns. Otherwise a JSON document may not
   * be a bill; it is left out with a warning.
   */
  isNamed: boolean
}

/** Surveys all parts before reading any, if there are several; a part with the same content as another is left out. */
export async function* partLines(
  parts: readonly BillPart[],
  asked: PartsAsked,
  { accountId, provider, isNamed }: PartsReading,
): AsyncGenerator<BillingLine[]> {
  const { warnings } = asked.refusals
  const same = parts.length > 1 ? await duplicatesIn(parts) : new Map<BillPart, BillPart>()
  for (const [{ name }, first] of same) warnings.ofFile(name, duplicateOf(first.name))
  const read = parts.filter((part) => !same.has(part))
  // A single file is surveyed while it is read.
  const survey = isSeveral(read)
    ? {
        survey: await surveyOf(
          read.map((part) => shaped(part, isNamed)),
          'auto',
        ),
      }
    : {}
  const ids = new LineIds(1 << 12)
  for (const part of read) {
    const { name, at: exportedAt, isMixed = false } = part
    const file = { ...asked, isMixed, name, content: await part.open() }
    try {
      yield* billLines(file, { format: 'auto', accountId, exportedAt, ids, provider, ...survey })
    } catch (error) {
      if (isNamed || !isNoBill(name, error)) throw error
      warnings.ofFile(name, notBill)
    }
  }
}

const isNoBill = (name: string, error: unknown): boolean =>
  /\.json$/i.test(name) && error instanceof Fault && notBillCodes.has(String(error.detail['reason']))

/** True for archives too, which may contain several files. */
const isSeveral = (parts: readonly BillPart[]): boolean =>
  parts.length > 1 || parts.some(({ name }) => /\.zip$/i.test(name))

const shaped = (part: BillPart, isNamed: boolean) => ({
  ...part,
  ...(isNamed && /\.parquet$/i.test(part.name) && { shape: 'parquet' }),
})
