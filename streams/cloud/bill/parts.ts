/** Reads the files of one billing period as the one bill that they are, for all clouds alike. */
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
  /** It may have lines of other billing periods. */
  isMixed?: boolean
}

/** The billing period and the days that are asked for, and who is told of rows that cannot be read. */
export type PartsAsked = Omit<BillFile, 'name' | 'content' | 'isMixed'>

export interface PartsReading {
  accountId: string
  provider: Provider
  /** A manifest names the parts: those in Parquet have the same columns. Else a JSON document may be no bill: it is left out, and said so. */
  isNamed: boolean
}

/** What several parts say together is found out before any is read; one with the content of another is left out. */
export async function* partLines(
  parts: readonly BillPart[],
  asked: PartsAsked,
  { accountId, provider, isNamed }: PartsReading,
): AsyncGenerator<BillingLine[]> {
  const { warnings } = asked.refusals
  const same = parts.length > 1 ? await duplicatesIn(parts) : new Map<BillPart, BillPart>()
  for (const [{ name }, first] of same) warnings.ofFile(name, duplicateOf(first.name))
  const read = parts.filter((part) => !same.has(part))
  // One alone is looked through as it is read.
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

/** An archive may have several files. */
const isSeveral = (parts: readonly BillPart[]): boolean =>
  parts.length > 1 || parts.some(({ name }) => /\.zip$/i.test(name))

const shaped = (part: BillPart, isNamed: boolean) => ({
  ...part,
  ...(isNamed && /\.parquet$/i.test(part.name) && { shape: 'parquet' }),
})
