/** What is to be known of a bill that a connector read: of its rows, and of whole files. Bounded, whatever the bill is. */
import { t, type Static } from '#engine/value/schema.ts'
import { Period } from './messages.ts'
import type { RowMessage } from '#streams/billing/row/reading.ts'
import type { RowPosition } from '#streams/billing/row/tally.ts'
import { cutText, text } from '#streams/text.ts'

/** Kinds of warnings of one sort, of rows or of files, that are told of one billing period; places of each. */
const kindsMax = 10
const placesMax = 5
const messageMax = 500
const fileMax = 200

/** Warnings of one account that are kept. */
export const warningsMax = 100

const number = t.Optional(t.Integer({ minimum: 1 }))

export const BillWarning = t.Object({
  period: Period,
  code: text({ maxLength: 64 }),
  /** What was said of the first. */
  message: text({ maxLength: messageMax }),
  /** Rows, or files where a whole file is meant. */
  count: t.Integer({ minimum: 1 }),
  /** The first of them; without a number for a whole file. */
  first: t.Array(t.Object({ file: text({ maxLength: fileMax }), row: number, element: number }), {
    maxItems: placesMax,
  }),
})
export type BillWarning = Static<typeof BillWarning>

type WarningEntry = Omit<BillWarning, 'period'>

export class BillWarnings {
  private readonly rows = new Map<string, WarningEntry>()
  private readonly files = new Map<string, WarningEntry>()
  /** The last row of each code. */
  private readonly last = new Map<string, string>()

  /** A row counts once, whatever number of its cells are meant. */
  ofRow(place: RowPosition, said: RowMessage): void {
    const key = JSON.stringify(place)
    if (this.last.get(said.code) === key) return
    this.last.set(said.code, key)
    note(this.rows, said.code, place, said)
  }

  /** Columns that bear one name are told of by their names. */
  ofFile(file: string, said: RowMessage): void {
    const key = `${said.code} ${said.message}`
    const isFull = this.files.size >= kindsMax && !this.files.has(key)
    const alike = isFull && [...this.files].find(([, { code }]) => code === said.code)
    note(this.files, alike ? alike[0] : key, { file }, said)
  }

  /** Whole files first, then rows, the most frequent first. */
  list(period: string): BillWarning[] {
    return [this.files, this.rows].flatMap((known) =>
      [...known.values()]
        .toSorted((a, b) => b.count - a.count)
        .slice(0, kindsMax)
        .map((found) => ({ period, ...found })),
    )
  }
}

function note(
  known: Map<string, WarningEntry>,
  key: string,
  place: RowPosition | { file: string },
  { code, message }: RowMessage,
): void {
  let found = known.get(key)
  if (!found) known.set(key, (found = { code, message: cutText(message, messageMax), count: 0, first: [] }))
  found.count++
  if (found.first.length < placesMax) found.first.push({ ...place, file: fileName(place.file) })
}

/** Of a long name the end, which tells files of one export apart. */
function fileName(name: string): string {
  const kept = name.length > fileMax ? `…${name.slice(1 - fileMax)}` : name
  return cutText(kept, fileMax)
}
