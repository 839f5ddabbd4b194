/** Warnings about a bill that a connector read, about rows and about whole files. Their number is limited. */
import { t, type Static } from '#engine/value/schema.ts'
import { Period } from './messages.ts'
import type { RowMessage } from '#streams/billing/row/reading.ts'
import type { RowPosition } from '#streams/billing/row/tally.ts'
import { cutText, text } from '#streams/text.ts'

/** Maximum kinds of warnings per billing period, separately for rows and files. Below: maximum positions of each. */
const kindsMax = 10
const placesMax = 5
const messageMax = 500
const fileMax = 200

/** Maximum stored warnings of an account. */
export const warningsMax = 100

const number = t.Optional(t.Integer({ minimum: 1 }))

export const BillWarning = t.Object({
  period: Period,
  code: text({ maxLength: 64 }),
  /** The message about the first occurrence. */
  message: text({ maxLength: messageMax }),
  /** Number of rows, or of files if the warning is about whole files. */
  count: t.Integer({ minimum: 1 }),
  /** The first positions; without a number for a whole file. */
  first: t.Array(t.Object({ file: text({ maxLength: fileMax }), row: number, element: number }), {
    maxItems: placesMax,
  }),
})
export type BillWarning = Static<typeof BillWarning>

type WarningEntry = Omit<BillWarning, 'period'>

export class BillWarnings {
  private readonly rows = new Map<string, WarningEntry>()
  private readonly files = new Map<string, WarningEntry>()
  /** The last row with each code. */
  private readonly last = new Map<string, string>()

  /** A row counts once per code, even if several cells are affected. */
  ofRow(place: RowPosition, said: RowMessage): void {
    const key = JSON.stringify(place)
    if (this.last.get(said.code) === key) return
    this.last.set(said.code, key)
    note(this.rows, said.code, place, said)
  }

  /** Warnings about columns are kept separately by message, which contains the column name. */
  ofFile(file: string, said: RowMessage): void {
    const key = `${said.code} ${said.message}`
    const isFull = this.files.size >= kindsMax && !this.files.has(key)
    const alike = isFull && [...this.files].find(([, { code }]) => code === said.code)
    note(this.files, alike ? alike[0] : key, { file }, said)
  }

  /** Files first, then rows; most frequent first. */
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

/** Of a long name the end is kept, which tells the files of an export apart. */
function fileName(name: string): string {
  const kept = name.length > fileMax ? `…${name.slice(1 - fileMax)}` : name
  return cutText(kept, fileMax)
}
