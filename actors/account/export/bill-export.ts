/** One export of a bill as sent by the command line or an upload: its identity, the count of its lines, and its end. */
import { randomBytes } from 'node:crypto'
import { compareExports, type OpenExport } from '#actors/account/bill/bills.ts'
import {
  contentsMax,
  partsMax,
  periodsMax,
  type BillingLine,
  type billingExportEnded,
} from '#streams/billing/messages.ts'
import type { AcceptedLine } from '#streams/billing/row/reading.ts'
import { isOfSomeDays } from './own-days.ts'
import type { Static } from '#engine/value/schema.ts'

export interface ExportPart {
  index: number
  of: number
}

export interface ExportIdentity {
  id: string
  /** When it was exported, ISO 8601 with milliseconds. */
  at: string
  part?: ExportPart
  /** Contents of the files of this part. */
  contents?: readonly string[]
}

/** Parses `k/n`, where 1 <= k <= n <= 100; undefined for any other text. */
export function partOf(text: string): ExportPart | undefined {
  const [, index, of] = (/^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []).map(Number)
  if (!index || !of || index > of || of > partsMax) return undefined
  return { index, of }
}

/** A UUID of version 7 (RFC 9562): of two from different milliseconds, the later one sorts after the other as text. */
export function uuid7(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0')
  const random = randomBytes(10).toString('hex')
  const variant = '89ab'[Number.parseInt(random[3]!, 16) & 3]!
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`
}

export interface ExportRequest {
  part: ExportPart | undefined
  /** Start a new export, even if one is open. */
  isNew: boolean
  confirmed: boolean
  /** When the files were exported. `nowMs`: when the command runs. */
  at: Date
  nowMs: number
}

/**
 * The export to send: a new one, or for a part the account's newest open export with as many parts that lacks this
 * part, or that is held and now confirmed.
 * @throws Error if that export already has the part
 */
export function chosenExport(
  open: readonly OpenExport[],
  { part, isNew, confirmed, at, nowMs }: ExportRequest,
): ExportIdentity {
  const begun = { id: uuid7(nowMs), at: at.toISOString(), ...(part && { part }) }
  if (!part || isNew) return begun
  const newest = open
    .filter(({ parts }) => parts?.of === part.of)
    .toSorted(compareExports)
    .at(-1)
  if (!newest) return begun
  const isConfirmed = confirmed && newest.state === 'held'
  if (!(part.index in newest.parts!.got) || isConfirmed) return { id: newest.id, at: newest.at, part }
  const missing = missingParts(newest)
  const lacks = missing.length > 0 ? `missing parts: ${missing.join(', ')}` : 'no part is missing'
  const held = newest.state === 'held' ? ' It is on hold: apply it with --yes.' : ''
  throw new Error(
    `ExportPart ${part.index} of ${part.of} was already sent for the open export of ${newest.at}; ${lacks}.${held} Start another export with --new.`,
  )
}

/** Numbers of the parts whose end has not been announced; empty for an export without parts. */
export function missingParts({ parts }: Pick<OpenExport, 'parts'>): number[] {
  if (!parts) return []
  return Array.from({ length: parts.of }, (_, n) => n + 1).filter((index) => !(index in parts.got))
}

/**
 * Assigns a line to this export, whatever export its row names. The ids of lines of different parts are kept apart,
 * because runs know nothing of each other.
 */
export function exportLine({ line, period }: AcceptedLine, { id, at, part }: ExportIdentity): BillingLine {
  const lineId = part ? `${line.lineId}/p${part.index}` : line.lineId
  return { ...line, lineId, exportId: id, exportedAt: at, billingPeriod: period }
}

/** What is sent for one billing period. Days are `YYYY-MM-DD`, both included. */
export interface PeriodSent {
  period: string
  /** Number of different lines. */
  lines: number
  from: string
  to: string
  /** The lines name billing periods that are all shorter than a month. */
  someDays?: true
}

/** Times of a line, as `costLine` formats them. */
interface LineTimes {
  x_Day: string
  BillingPeriodStart?: unknown
  BillingPeriodEnd?: unknown
}

export class SentPeriods {
  readonly #periods = new Map<string, PeriodSent>()
  /** First start and last end of the billing periods that lines name, by period. */
  readonly #named = new Map<string, { from: string; to: string }>()

  add(period: string, line: LineTimes, isNew: boolean): void {
    const { x_Day: day } = line
    this.#name(period, line)
    const known = this.#periods.get(period)
    if (!known) {
      this.#periods.set(period, { period, lines: 1, from: day, to: day })
      return
    }
    if (isNew) known.lines++
    if (day < known.from) known.from = day
    if (day > known.to) known.to = day
  }

  #name(period: string, { BillingPeriodStart: start, BillingPeriodEnd: end }: LineTimes): void {
    const isNamed = typeof start === 'string' && typeof end === 'string'
    // A line that names no billing period may be of any day.
    const own = isNamed ? { from: start.slice(0, 10), to: end.slice(0, 10) } : { from: '', to: '9999' }
    const known = this.#named.get(period)
    if (!known) this.#named.set(period, own)
    else if (own.from < known.from) known.from = own.from
    if (known && own.to > known.to) known.to = own.to
  }

  get size(): number {
    return this.#periods.size
  }

  /** Oldest first. */
  periods(): PeriodSent[] {
    const isShort = [...this.#named].every(([period, { from, to }]) => isOfSomeDays(period, from, to))
    return [...this.#periods.values()]
      .map((sent): PeriodSent => (isShort ? { ...sent, someDays: true } : sent))
      .toSorted((a, b) => (a.period < b.period ? -1 : 1))
  }
}

type ExportEnd = Static<typeof billingExportEnded.schema>

/**
 * The messages that announce the end of the export, in order. A bill of more periods than one message can name is
 * announced in several parts, with the same effect.
 */
export function endsOf(
  { id, at, part, contents }: ExportIdentity,
  cloudAccountId: string,
  sent: readonly PeriodSent[],
  { confirmed, someDays }: { confirmed: boolean; someDays: boolean },
): ExportEnd[] {
  const all = sent.map(({ period, lines }) => ({ period, lines }))
  const of = Math.ceil(all.length / periodsMax)
  return Array.from({ length: of }, (_, n) => {
    const own = part && { ...part, ...(contents && { contents: contents.slice(0, contentsMax) }) }
    const told = own ?? (of > 1 ? { index: n + 1, of } : undefined)
    return {
      cloudAccountId,
      exportId: id,
      exportedAt: at,
      periods: all.slice(n * periodsMax, (n + 1) * periodsMax),
      ...(told && { part: told }),
      ...(confirmed && { confirmed }),
      ...(someDays && { someDays }),
    }
  })
}
