import type { Readable } from 'node:stream'
import { Fault } from '#engine/fault.ts'
import { decoder } from '#engine/schema.ts'
import { billingLine, type BillingLine } from '#streams/billing.ts'
import { columns, foldName, type Columns } from '#streams/billing/columns.ts'
import { formatOf, type Format, type FormatName } from '#streams/billing/format.ts'
import { identifying, rowHash, type LineId, type LineIds } from '#streams/billing/line-id.ts'
import { openedRows, openSource, type Fields, type Opened, type Source } from '#streams/billing/source.ts'
import { costLine, type CostLine } from '#streams/billing/cost-line.ts'
import { scaled } from '#engine/decimal.ts'
import type { CostProvider } from '#streams/names.ts'

export interface ReadOptions {
  format: FormatName | 'auto'
  accountId: string
  /** US dollars for one unit of a currency, by its code: `{ CAD: '0.73' }`. */
  rates: Readonly<Record<string, string>>
  /** Stands in where the file has no column for it. */
  exportedAt: Date
  /** Of this run of the command: shared by all its files. */
  ids: LineIds
  /** Lines are known by their billing period too: they are of an export. */
  byPeriod?: boolean
  /** Stands in for rows that name no provider at all. */
  provider?: CostProvider
}

export interface Accepted {
  /** In the unit of the file. */
  row: number
  line: BillingLine
  /** What the line comes to in the fact table: day, US dollars, purchase type. */
  cost: CostLine
  /** The billing period it is of: the UTC month of BillingPeriodStart, else of its day. */
  period: string
  /** No line before it had its id, in its period on its day; another restates that one. */
  isNew: boolean
}

export interface Refused {
  row: number
  refused: { code: string; message: string }
}

export type Reading = Accepted | Refused

/**
 * Opens a bill. A line that comes out of it has passed the subject's schema and `costLine`, so no consumer sets it aside
 * later; a row that does not is refused with its reason.
 * @throws Fault `invalid` when the file as a whole cannot be read: `format_unknown`, `file_empty`, `rate_invalid`, and those of `openSource`
 */
export async function openBillingFile(input: string | Readable, options: ReadOptions): Promise<OpenedBill> {
  const rates = ratesOf(options.rates)
  const source = await openSource(input)
  let name: FormatName | undefined
  const opened = openedRows(source, () => {
    const format = formatOf(options.format, source.header, source.delimiter)
    name = format.name
    return readings(source, rowReader(format, source, { ...options, rates }))
  })
  return { ...opened, format: name! }
}

export interface OpenedBill extends Opened<Reading> {
  format: FormatName
}

async function* readings({ rows }: Source, read: ReadRow): AsyncGenerator<Reading, void> {
  for await (const found of rows) {
    yield 'fault' in found ? refusal(found.row, found.fault) : attempt(found.row, found.fields, read)
  }
}

type ReadRow = (fields: Fields) => Omit<Accepted, 'row'>

function attempt(row: number, fields: Fields, read: ReadRow): Reading {
  try {
    return { row, ...read(fields) }
  } catch (error) {
    if (error instanceof Fault && error.kind === 'invalid') return refusal(row, error)
    throw error
  }
}

function refusal(row: number, fault: Fault): Refused {
  const first = fault.detail.problems?.[0]
  const message = first ? `${first.path} ${first.message}` : fault.message
  return { row, refused: { code: fault.code, message } }
}

const decode = decoder(billingLine.schema)

function rowReader(format: Format, source: Source, options: ReadOptions): ReadRow {
  const file = options.ids.file()
  const sentAt = options.exportedAt.toISOString()
  const named = source.kind === 'csv' ? identifying(source.header.map(foldName)) : undefined
  return (fields) => {
    const row = columns(fields, format)
    const draft = format.read(row, fields)
    draft.line.exportedAt ??= sentAt
    Object.assign(draft.line, standIns(draft.line, options), { lineId: '-', cloudAccountId: options.accountId })
    const line = decode(draft.line)
    const cost = costLine(line, options.exportedAt)
    const period = periodOf(cost)
    const { id, isNew } = lineId(cost.x_Day, draft.identity, row, period)
    line.lineId = id
    cost.x_LineId = id
    return { line, cost, period, isNew }
  }

  function lineId(day: string, identity: string | undefined, row: Columns, period: string): LineId {
    if (identity !== undefined) return options.ids.named(day, identity, file, options.byPeriod ? period : undefined)
    return options.ids.hashed(day, rowHash(row, named ?? identifying(Object.keys(row)), format.caseless))
  }
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

/** What the command line says where the row says nothing. */
function standIns(line: Partial<BillingLine>, options: ReadOptions): Partial<BillingLine> {
  const rate = line.BillingCurrency ? options.rates[line.BillingCurrency.trim().toUpperCase()] : undefined
  const nameless = options.provider !== undefined && providerColumns.every((name) => !line[name])
  return { ...(rate !== undefined && { usdRate: rate }), ...(nameless && { provider: options.provider! }) }
}

function ratesOf(rates: Readonly<Record<string, string>>): Record<string, string> {
  const out = Object.create(null) as Record<string, string>
  for (const [currency, rate] of Object.entries(rates)) {
    if ((scaled(rate, 12) ?? 0n) <= 0n)
      throw Fault.invalid('rate_invalid', `The rate of ${currency} is no number above 0: ${rate}`)
    out[currency.trim().toUpperCase()] = rate
  }
  return out
}
