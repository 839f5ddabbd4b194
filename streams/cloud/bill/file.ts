/** Reads one file of an exported bill, for all clouds alike. */
import type { Readable } from 'node:stream'
import { firstOf } from '#engine/value/day.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { membersOf } from '#streams/billing/file/member.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import type { Accepted, ReadOptions } from '#streams/billing/row/reading.ts'
import { unreadable } from './fault.ts'
import type { BillRefusals } from './refusals.ts'

/** Lines of one page. */
const pageMax = 1000

export interface BillFile {
  name: string
  content: Readable
  /** YYYY-MM: the billing period that the file is of. */
  month: string
  /** Days that are asked for, both included. */
  from: string
  to: string
  /** What people may do where the file cannot be read. */
  fixHint: string
  refusals: BillRefusals
}

type Options = Omit<ReadOptions, 'rates' | 'byPeriod' | 'month'>

/**
 * Pages of lines, of all files that an archive has. Rows that cannot be read are told to `refusals`.
 * @throws `bill_unreadable` for a file that is no bill, or broken
 */
export async function* billLines(file: BillFile, options: Options): AsyncGenerator<BillingLine[]> {
  const members = membersOf(file.name, file.content)
  try {
    for await (const { name, input } of members) yield* memberLines({ ...file, name, content: input }, options)
  } catch (error) {
    throw unreadable(file.name, error, file.fixHint)
  }
}

async function* memberLines(
  { name, content, fixHint, refusals, ...wanted }: BillFile,
  options: Options,
): AsyncGenerator<BillingLine[]> {
  const all = { ...options, rates: {}, byPeriod: true, month: wanted.month }
  const opened = await openBillingFile(content, all).catch((error: unknown) => {
    throw unreadable(name, error, fixHint)
  })
  let page: BillingLine[] = []
  try {
    for await (const reading of opened.rows) {
      const place = `${name}, ${opened.unit} ${reading.row}`
      if ('refused' in reading) refusals.refuse(place, reading)
      else if (isWanted(reading, wanted)) {
        refusals.take(reading.cost)
        for (const { message } of reading.warnings ?? []) refusals.warn(place, message)
        page.push(reading.line)
      }
      if (page.length < pageMax) continue
      yield page
      page = []
    }
  } catch (error) {
    throw unreadable(name, error, fixHint)
  } finally {
    opened.close()
  }
  if (page.length > 0) yield page
}

/** Credits, refunds and adjustments of a bill may be of days before its month. */
function isWanted({ cost: { x_Day: day } }: Accepted, { month, from, to }: Pick<BillFile, 'month' | 'from' | 'to'>) {
  const first = firstOf(month)
  return day <= to && (day >= from || (from <= first && day < first))
}
