/** What becomes of bills on their way: bytes flipped, files cut, headers in disorder, cells that no cloud writes. */
import type { Table } from './base.ts'

export type Random = () => number

const below = (random: Random, count: number): number => Math.floor(random() * count)
const oneOf = <T>(random: Random, all: readonly T[]): T => all[below(random, all.length)]!

const oddAmounts = [
  '1,234.56', '1.234,56', '12,5', 'NaN', 'Infinity', '-Infinity', '-0', '+7.25', '1e3', '1E-7', '-2.5e-3', '1e400', '999999999999999999',
  '1000000000000000000', '123456789012345678.123456789', '0.00000000000000001', '.5', '5.', '', ' ', ' 3.5 ', '$4', '4 USD', '4%', '(4.00)',
  '0x10', '1_000', '--1', '١٢', '4\u00a0', "'4", 'NULL', 'null', 'None', '-', '#REF!', '1 000', '4\0', '0000004.10', '1.2.3', '1e', 'true',
] // prettier-ignore
const oddDates = [
  '2026-02-30', '2026-13-01', '0000-00-00', '1969-12-31', '9999-12-31', '2026-10-05T23:30:00-05:00', '2026-10-05 23:30:00 UTC',
  '2026-10-05T24:00:00Z', '2026-10-05T25:00:00Z', '05/10/2026', '10/25/2026', '25.10.2026', '10/05/2026 23:30:00 -05:00', '10/05/2026 xyz',
  '10/05/2026 11:30 PM', '45935', '1791158400', '', 'yesterday', '2026-10-5', '20261005', '2026-10-05T10:00:00+99:00', '2026-10-05T10',
  '10/05/2026T23:30:00Z', '10/05/2026 25:61', '5 Oct 2026', '2026/10/05', '2026-10-05T10:00:00.123456789Z', 'NULL',
] // prettier-ignore
const oddTexts = ['"', '""', 'a"b', 'a\nb', 'a\r\nb,c', 'x\0y', '\ud83d\ude00', 'é', ',', ';', '\t', "'", '{', '{"a": "b', "[{'amount': 1}]", '\\"', 'x'.repeat(9000), '[]', '[null]', '[{"amount":"abc"}]', '[{"amount":-1.5,"type":"PROMOTION"}]', 'USD', 'EUR', 'NOK', 'usd ', 'Usage', 'SavingsPlanNegation', 'EdpDiscount'] // prettier-ignore

const isAmount = (name: string): boolean => /cost|amount|credits|rate|commitment|fee/i.test(name)
const isDate = (name: string): boolean => /date|start|end|time/i.test(name)
const isOfSum = (name: string): boolean =>
  /^(?:billedcost|effectivecost|chargeperiodstart|billingcurrency(?:code)?|xbilledcostinusd|xeffectivecostinusd|xbillingexchangerate|lineitem(?:net)?unblendedcost|lineitemlineitemtype|lineitemusagestartdate|lineitemcurrencycode|savingsplan(?:savingsplaneffectivecost|totalcommitmenttodate|usedcommitment|savingsplanarn)|splitlineitem.*|reservationeffectivecost|cost|credits|currency|currencyconversionrate|usagestarttime|costinbillingcurrency|pretaxcost|date|usagedatetime)$/i.test(name.replaceAll(/[^a-z0-9]/gi, '')) // prettier-ignore

function oddFor(random: Random, name: string): string {
  const isLikely = random() < 0.85
  if (isLikely && isDate(name)) return oneOf(random, oddDates)
  return oneOf(random, isLikely && isAmount(name) ? oddAmounts : oddTexts)
}

/** A column that a sum depends on, mostly. */
function columnIn(random: Random, { header }: Table): number {
  const counting = header.flatMap((name, at) => (isOfSum(name) ? [at] : []))
  return counting.length > 0 && random() < 0.8 ? oneOf(random, counting) : below(random, header.length)
}

const withCell = (table: Table, row: number, column: number, cell: string): Table => ({
  header: table.header,
  rows: table.rows.map((cells, at) => (at === row ? cells.with(column, cell) : cells)),
})

const withName = ({ header, rows }: Table, column: number, name: string): Table => ({
  header: header.with(column, name),
  rows,
})

function shuffled(random: Random, count: number): number[] {
  const order = Array.from({ length: count }, (_, i) => i)
  for (let i = count - 1; i > 0; i--) {
    const j = below(random, i + 1)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  return order
}

function oddCells(random: Random, table: Table): Table {
  let out = table
  for (let n = 1 + below(random, 3); n > 0 && table.rows.length > 0; n--) {
    const column = columnIn(random, table)
    out = withCell(out, below(random, table.rows.length), column, oddFor(random, table.header[column]!))
  }
  return out
}

function renamed(random: Random, table: Table): Table {
  const column = columnIn(random, table)
  const name = table.header[column]!
  const at = below(random, name.length)
  const spellings = [name.toUpperCase(), ` ${name} `, name.replaceAll('/', '_'), `${name.slice(0, at)}${name.slice(at + 1)}`, `${name.slice(0, at)}z${name.slice(at + 1)}`, '', `x_${name}`] // prettier-ignore
  return withName(table, column, oneOf(random, spellings))
}

function swappedNames(random: Random, table: Table): Table {
  const [a, b] = [columnIn(random, table), columnIn(random, table)]
  return withName(withName(table, a, table.header[b]!), b, table.header[a]!)
}

function longer(random: Random, { header, rows }: Table): Table {
  const at = below(random, Math.max(1, rows.length))
  const extra = oneOf(random, [[''], ['x'], ['', ''], ['7']])
  return { header, rows: rows.map((row, i) => (i === at ? [...row, ...extra] : row)) }
}

function shorter(random: Random, { header, rows }: Table): Table {
  const at = below(random, Math.max(1, rows.length))
  const from = below(random, header.length)
  const end = random() < 0.5 ? header.length : from + 1
  return { header, rows: rows.map((row, i) => (i === at ? row.toSpliced(from, end - from) : row)) }
}

/** By name. Each leaves a table that is written as it should be. */
export const tableMutations: Readonly<Record<string, (random: Random, table: Table) => Table>> = {
  'columns shuffled': (random, { header, rows }) => {
    const order = shuffled(random, header.length)
    const put = (cells: readonly string[]) => order.map((at) => cells[at]!)
    return { header: put(header), rows: rows.map(put) }
  },
  'rows swapped': (random, { header, rows }) => ({
    header,
    rows: shuffled(random, rows.length).map((at) => rows[at]!),
  }),
  'rows twice': (random, { header, rows }) => ({ header, rows: [...rows, ...rows.filter(() => random() < 0.3)] }),
  'cells odd': oddCells,
  'header renamed': renamed,
  'headers swapped': swappedNames,
  'header twice': (random, table) => withName(table, columnIn(random, table), table.header[columnIn(random, table)]!),
  'cells too many': longer,
  'cells missing': shorter,
}

const splice = (bytes: Buffer, at: number, count: number, put: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + count)])

function flipped(random: Random, bytes: Buffer): Buffer {
  const out = Buffer.from(bytes)
  for (let n = 1 + below(random, 3); n > 0 && out.length > 0; n--) {
    const at = below(random, out.length)
    out[at] = random() < 0.6 ? out[at]! ^ (1 << below(random, 8)) : below(random, 256)
  }
  return out
}

export const byteMutations: Readonly<Record<string, (random: Random, bytes: Buffer) => Buffer>> = {
  'bytes flipped': flipped,
  'quote lost': (random, bytes) => {
    const all = Array.from(bytes, (byte, at) => (byte === 34 ? at : -1)).filter((at) => at >= 0)
    return all.length === 0
      ? bytes
      : splice(bytes, oneOf(random, all), 1, Buffer.from(oneOf(random, ['', 'x', "'", ' '])))
  },
  cut: (random, bytes) => bytes.subarray(0, below(random, bytes.length)),
  'bytes lost': (random, bytes) => splice(bytes, below(random, bytes.length), 1 + below(random, 40)),
  'bytes put in': (random, bytes) => {
    const sign = oneOf(random, ['"', ',', '\n', '\0', '\r', '";', '"\n', '\\', '0', 'é', '\u2028', '{', ']'])
    return splice(bytes, below(random, bytes.length), 0, Buffer.from(sign))
  },
}

export const csvOf = ({ header, rows }: Table, isQuoted: boolean, end: string): string =>
  [header, ...rows].map((cells) => cells.map((cell) => quoted(cell, isQuoted)).join(',') + end).join('')

const quoted = (cell: string, always: boolean): string =>
  always || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
