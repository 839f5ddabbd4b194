/** Reads one file of an exported bill, for all clouds. */
import type { Readable } from 'node:stream'
import { firstOf, lastOf } from '#engine/value/day.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { membersOf, skippedEntry } from '#streams/billing/file/member.ts'
import type { RowUnit } from '#streams/billing/file/source.ts'
import { openBillingFile, type BillSink, type LineSink } from '#streams/billing/reader.ts'
import type { AcceptedLine, Reading, ReadOptions } from '#streams/billing/row/reading.ts'
import { placeOf } from '#streams/billing/row/tally.ts'
import { unreadable } from './fault.ts'
import type { BillRefusals } from './refusals.ts'

/** Lines per page. */
const pageMax = 1000

export interface BillFile {
  name: string
  content: Readable
  /** YYYY-MM: the billing period to read. */
  month: string
  /** The file may contain lines of other billing periods, which are left out. */
  isMixed?: boolean
  /** Requested days, both included. */
  from: string
  to: string
  /** Hint for people if the file cannot be read. */
  fixHint: string
  refusals: BillRefusals
  /** Takes the lines in place of pages. */
  lines?: LineSink | undefined
}

type Options = Omit<ReadOptions, 'rates' | 'byPeriod' | 'month'>

/**
 * Pages of lines, from all files of an archive. Unreadable rows and warnings are added to `refusals`.
 * @throws `bill_unreadable` for a file that is broken or not a bill
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
  const { lines, ...days } = wanted
  try {
    if (lines) await opened.into(sinkOf(lines, { name, unit: opened.unit, refusals }, days))
    else
      for await (const reading of opened.rows) {
        if (note(reading, { name, unit: opened.unit, refusals }, days)) page.push(reading.line)
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

interface Noting {
  name: string
  unit: RowUnit
  refusals: BillRefusals
}

type Wanted = Pick<BillFile, 'month' | 'isMixed' | 'from' | 'to'>

/** Counts a row. True for a line that is wanted. */
function note(reading: Reading, { name, unit, refusals }: Noting, wanted: Wanted): reading is AcceptedLine {
  if (isOfOther(reading, wanted)) return false
  if ('refused' in reading) {
    refusals.refuse(`${name}, ${unit} ${reading.row}`, reading)
    return false
  }
  if (!isWanted(reading.cost.x_Day, wanted)) return false
  refusals.take(reading.cost)
  for (const warning of reading.warnings ?? []) refusals.warnings.ofRow(placeOf(name, unit, reading.row), warning)
  return true
}

const sinkOf = (lines: LineSink, noting: Noting, wanted: Wanted): BillSink => ({
  begin: (own) => lines.begin(own),
  takeSame(template, own) {
    if (isOfOther(own, wanted) || !isWanted(own.day, wanted)) return
    noting.refusals.takeAmount(own.costs[0]!)
    lines.takeSame(template, own)
  },
  take(reading) {
    if (note(reading, noting, wanted)) lines.take(reading)
  },
  pause: () => lines.pause(),
})

/** A refused row without a billing period counts for every period. */
const isOfOther = ({ period }: { period?: string }, { month, isMixed }: Wanted): boolean =>
  isMixed === true && period !== undefined && period !== month

/**
 * Credits, refunds and adjustments of a bill may be on days before its month. If the bill's month is in another time
 * zone, charges of its last hours are on the day after it.
 */
function isWanted(day: string, { month, from, to }: Wanted): boolean {
  const [first, last] = [firstOf(month), lastOf(month)]
  return (day >= from || (from <= first && day < first)) && (day <= to || (to >= last && day > last))
}
