/** Reads the rows of one bill file, one at a time. */
import { plain, toUnits } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { columns, foldName, type Columns } from '#streams/billing/format/columns.ts'
import type { CostLine } from '#streams/billing/line/cost-line.ts'
import { isNumbered, isoDay, ownOrder, type DayOrder } from './day-order.ts'
import type { LineDraft } from '#streams/billing/format/draft.ts'
import { exchangeOf } from '#streams/billing/line/exchange.ts'
import type { Format } from '#streams/billing/format/format.ts'
import { identifying, rowHash, type LineId } from '#streams/billing/line/line-id.ts'
import type { Warn } from '#streams/billing/format/literal.ts'
import { OtherColumns } from './other-columns.ts'
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import type { AcceptedLine, ReadOptions, RowMessage } from './reading.ts'
import { sound } from '#streams/billing/line/repair-line.ts'
import type { Fields, Source } from '#streams/billing/file/source.ts'
import { SameRows } from './same-rows.ts'
import type { Survey } from './survey.ts'

type RunOptions = ReadOptions & { survey: Survey }
type Line = Omit<AcceptedLine, 'row'>

export class RowReader {
  private readonly format: Format
  private readonly options: RunOptions
  private readonly file: number
  private readonly sentAt: string
  /** Columns that identify a line; undefined if rows are nested and each has its own. */
  private readonly named: readonly string[] | undefined
  private readonly others: OtherColumns
  readonly same: SameRows
  /** Currencies of the lines so far. */
  private readonly currencies = new Set<string>()
  /** The row that was read last. */
  row: Columns = {}
  /** The current row's draft; undefined if the format refused it. */
  private draft: LineDraft | undefined
  /** The format of an earlier file if it differs; undefined again after the warning. */
  private otherFormat: string | undefined

  constructor(format: Format, source: Source, options: RunOptions) {
    const { kind, header } = source
    this.format = format
    this.options = options
    this.file = options.ids.file()
    this.sentAt = options.exportedAt.toISOString()
    const isFlat = kind === 'csv' || (kind === 'parquet' && !format.deep)
    this.named = isFlat ? identifying(header.map(foldName)) : undefined
    this.others = new OtherColumns(format, source)
    const first = (options.survey.format ??= format.name)
    this.otherFormat = first === format.name ? undefined : first
    this.same = new SameRows(format, source, this.others, options, this.file)
  }

  /** Returns the lines of a row, usually one. @throws Fault `invalid` with the reason for refusing the row */
  read(fields: Fields): Line[] {
    const row = columns(fields, this.format)
    this.row = row
    const warnings: RowMessage[] = []
    const warn: Warn = (code, message) => void warnings.push({ code, message })
    this.draft = undefined
    this.draft = this.drafted(row, fields, warn)
    this.warnOfFormats(warn)
    this.checkCurrency(this.draft.line, warn)
    const { line: first, also = [], identity } = this.draft
    const others = this.others.of(fields, warn)
    return [first, ...also].map((part, n) => {
      const given = this.given(others ? { ...part, x_OtherColumns: others } : part)
      const { line, cost } = sound(given, this.options.exportedAt, warn)
      const period = periodOf(cost)
      if (n === 0) warnOutside(cost, warn)
      const name = n === 0 || identity === undefined ? identity : `${identity}/also${n}`
      const { id, isNew } = this.lineId(cost.x_Day, name, row, period)
      line.lineId = id
      cost.x_LineId = id
      return {
        line,
        cost,
        period,
        isNew,
        ...(warnings.length > 0 && { warnings: warnings.splice(0) }),
        ...(n > 0 && { isFurther: true }),
      }
    })
  }

  /** Amount of the last refused row in US dollars; undefined if unknown. */
  refusedUsd(): string | undefined {
    if (!this.draft) return undefined
    try {
      const given = this.given(this.draft.line)
      const amount = toUnits(given.BilledCost ?? given.costUSD ?? '', moneyPlaces)
      if (amount === undefined) return undefined
      return plain(exchangeOf(given)?.toDollars('BilledCost', amount) ?? amount, moneyPlaces)
    } catch {
      return undefined
    }
  }

  /** Billing period of the last refused row; undefined if unknown. */
  refusedPeriod(): string | undefined {
    const { BillingPeriodStart, ChargePeriodStart, usageDate } = this.draft?.line ?? {}
    const written = [BillingPeriodStart, ChargePeriodStart, usageDate].find(Boolean)
    return typeof written === 'string' ? /^\d{4}-(?:0[1-9]|1[0-2])/.exec(written)?.[0] : undefined
  }

  private drafted(row: Columns, fields: Fields, warn: Warn): LineDraft {
    const { survey } = this.options
    return this.format.read(withIsoDates(row, this.format, survey.order), fields, { survey, warn })
  }

  /**
   * A line without a currency has that of the lines before it, US dollars if none named one.
   * @throws Fault `invalid` `currency_missing` if those lines are in several
   */
  private checkCurrency(line: LineDraft['line'], warn: Warn): void {
    const named = (line.BillingCurrency ?? '').trim().toUpperCase()
    if (named !== '') return void this.currencies.add(named)
    const [only = 'USD', ...others] = this.currencies
    if (others.length > 0)
      throw Fault.invalid(
        'currency_missing',
        `The line names no currency, and lines before it are in ${[only, ...others].join(', ')}.`,
      )
    line.BillingCurrency = only
    warn('currency_missing', `The line names no currency: it was taken as ${only}.`)
  }

  private warnOfFormats(warn: Warn): void {
    if (this.otherFormat === undefined) return
    const formats = `${this.otherFormat} and ${this.format.name}`
    warn('costs_twice', `The bill has files in the formats ${formats}: costs that are exported in both count twice.`)
    this.otherFormat = undefined
  }

  private given(part: LineDraft['line']): BillingLine {
    const { accountId } = this.options
    const given = { ...part, ...standIns(part, this.options), lineId: '-', cloudAccountId: accountId }
    given.exportedAt ??= this.sentAt
    return given
  }

  private lineId(day: string, identity: string | undefined, row: Columns, period: string): LineId {
    const { ids, byPeriod } = this.options
    if (identity !== undefined) return ids.named(day, identity, this.file, byPeriod ? period : undefined)
    return ids.hashed(day, rowHash(row, this.named ?? identifying(Object.keys(row)), this.format.caseless))
  }
}

/** The row with its dates in ISO 8601. */
function withIsoDates(row: Columns, { dates }: Format, order: DayOrder | undefined): Columns {
  let out: Record<string, unknown> | undefined
  for (const name of dates.flat()) {
    const value = row[name]
    // If the rest of the file does not show the order, only unambiguous dates are converted.
    const found = isNumbered(value) ? (order ?? ownOrder(value)) : undefined
    if (found === undefined) continue
    out ??= { ...row }
    out[name] = isoDay(value as string, found)
  }
  return out ?? row
}

/**
 * Warns of usage more than a month outside its billing period. Refunds and corrections of earlier months are normal.
 */
function warnOutside({ x_Day: day, BillingPeriodStart: start, ChargeCategory: category }: CostLine, warn: Warn): void {
  if (typeof start !== 'string' || category !== 'Usage') return
  const [from, to] = [monthsFrom(start, -1), monthsFrom(start, 2)]
  if (day >= from && day < to) return
  warn('charge_outside_period', `A charge dated ${day} is in the billing period ${start.slice(0, 7)}.`)
}

/** The first day of the month `count` months later. */
function monthsFrom(time: string, count: number): string {
  const [year, month] = time.split('-').map(Number)
  return new Date(Date.UTC(year!, month! - 1 + count, 1)).toISOString().slice(0, 10)
}

const periodOf = ({ BillingPeriodStart: start, x_Day: day }: CostLine): string =>
  (typeof start === 'string' ? start : day).slice(0, 7)

const providerColumns = [
  'ServiceProviderName',
  'ProviderName',
  'HostProviderName',
  'PublisherName',
  'InvoiceIssuerName',
  'InvoiceIssuer',
] as const

/** Values of the options for columns that the row does not have. */
function standIns(line: Partial<BillingLine>, options: ReadOptions): Partial<BillingLine> {
  const rate = line.BillingCurrency ? options.rates[line.BillingCurrency.trim().toUpperCase()] : undefined
  const nameless = options.provider !== undefined && providerColumns.every((name) => !line[name])
  return { ...(rate !== undefined && { usdRate: rate }), ...(nameless && { provider: options.provider! }) }
}
