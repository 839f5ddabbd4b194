/** Reads one file of an exported bill, for all clouds alike. */
import type { Readable } from 'node:stream'
import { firstOf, lastOf } from '#engine/value/day.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { membersOf, skippedEntry } from '#streams/billing/file/member.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import type { AcceptedLine, Reading, ReadOptions } from '#streams/billing/row/reading.ts'
import { placeOf } from '#streams/billing/row/tally.ts'
import { unreadable } from './fault.ts'
import type { BillRefusals } from './refusals.ts'

/** Lines of one page. */
const pageMax = 1000

export interface BillFile {
  name: string
  content: Readable
  /** YYYY-MM: the billing period that is read. */
  month: string
  /** The file may have lines of other billing periods too: these are left out. */
  isMixed?: boolean
  /** Days that are asked for, both included. */
  from: string
  to: string
  /** What people may do where the file cannot be read. */
  fixHint: string
  refusals: BillRefusals
}

type Options = Omit<ReadOptions, 'rates' | 'byPeriod' | 'month'>

/**
 * Pages of lines, of all files that an archive has. Rows that cannot be read, and warnings, are told to `refusals`.
 * @throws `bill_unreadable` for a file that is no bill, or broken
 */
export async function* billLines(file: BillFile, options: Options): AsyncGenerator<BillingLine[]> {
  const { warnings } = file.refusals
  const members = membersOf(file.name, file.content, (entry) => warnings.ofFile(entry, skippedEntry))
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
  const all = { ...options, rates: {}, byPeriod: true, ...(!wanted.isMixed && { month: wanted.month }) }
  const opened = await openBillingFile(content, all).catch((error: unknown) => {
    throw unreadable(name, error, fixHint)
  })
  let page: BillingLine[] = []
  try {
    for await (const reading of opened.rows) {
      if (isOfOther(reading, wanted)) continue
      if ('refused' in reading) refusals.refuse(`${name}, ${opened.unit} ${reading.row}`, reading)
      else if (isWanted(reading, wanted)) {
        refusals.take(reading.cost)
        const place = placeOf(name, opened.unit, reading.row)
        for (const warning of reading.warnings ?? []) refusals.warnings.ofRow(place, warning)
        page.push(reading.line)
      }
      if (page.length < pageMax) continue
      yield page
      page = []
    }
    for (const warning of opened.warnings) refusals.warnings.ofFile(name, warning)
  } catch (error) {
    throw unreadable(name, error, fixHint)
  } finally {
    opened.close()
  }
  if (page.length > 0) yield page
}

/** A row that is refused and does not say its billing period is of any. */
const isOfOther = ({ period }: Reading, { month, isMixed }: Pick<BillFile, 'month' | 'isMixed'>): boolean =>
  isMixed === true && period !== undefined && period !== month

/**
 * Credits, refunds and adjustments of a bill may be of days before its month; and where its month is one of another time zone, charges of
 * its last hours are of the day after it.
 */
function isWanted(
  { cost: { x_Day: day } }: AcceptedLine,
  { month, from, to }: Pick<BillFile, 'month' | 'from' | 'to'>,
) {
  const [first, last] = [firstOf(month), lastOf(month)]
  return (day >= from || (from <= first && day < first)) && (day <= to || (to >= last && day > last))
}
