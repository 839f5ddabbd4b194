/** The lines of a bill as rows of the store: of every row read as a whole, and with what rows share read once. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { LineStore, type LinePorts } from '#actors/billing/line-store.ts'
import { billLine } from '#analytics/billing/tables.ts'
import { RowBlock } from '#engine/store/clickhouse/row-block.ts'
import type { ClickHouseColumn } from '#engine/store/clickhouse/row-binary.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import type { ReadOptions } from '#streams/billing/row/reading.ts'
import { Tally } from '#streams/billing/row/tally.ts'

const folder = new URL('../../analytics/tables/', import.meta.url)

/** The columns of bill_line as its DDL declares them. */
export const billColumns: readonly ClickHouseColumn[] = (() => {
  const texts = readdirSync(folder)
    .filter((name) => /cost_fact|bill_line/.test(name))
    .toSorted()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const found = new Map<string, string>()
  for (const text of texts)
    for (const [, name, type] of text.matchAll(
      /^(?:\s*ADD COLUMN IF NOT EXISTS)?\s+([A-Za-z_]\w+)\s+((?:LowCardinality|Nullable|Map|Decimal|DateTime64|DateTime|Date32|String|UInt\d+|Float64)(?:\((?:[^()]|\([^()]*\))*\))?)/gm,
    ))
      if (!found.has(name!)) found.set(name!, type!)
  const written = new Set([...Object.keys(billLine.row.properties), 'x_Version'])
  return [...found].filter(([name]) => written.has(name)).map(([name, type]) => ({ name, type }))
})()

export interface StoredBill {
  rows: number
  /** Rows that were not read as a whole. */
  same: number
  bytes: Buffer
  refused: string[]
  tally: ReturnType<Tally['report']>
  announced: unknown[]
}

const bill = { id: 'e-1', at: '2026-02-01T00:00:00.000Z', orgId: 'o-1', cloudAccountId: 'acct-1', hiddenUntilEnd: true }

/** What is stored of a bill. `isShared`: rows may share what was read once. */
export async function storedBill(
  open: () => string | Readable,
  isShared: boolean,
  given: Partial<ReadOptions> = {},
): Promise<StoredBill> {
  const parts: Buffer[] = []
  const announced: unknown[] = []
  let own: readonly string[] = []
  const ports: LinePorts = {
    newBlock: async (names) => new RowBlock(billColumns, (own = names)),
    insert: async (bytes) => void parts.push(bytes),
    announce: async (stored) => void announced.push(stored),
  }
  const lines = new LineStore(ports, bill)
  const options = { format: 'auto', accountId: 'acct-1', rates: {}, exportedAt: new Date(bill.at), ...given } as const
  const opened = await openBillingFile(open(), { ids: new LineIds(), byPeriod: true, whole: !isShared, ...options })
  const tally = new Tally()
  const found: StoredBill = { rows: 0, same: 0, bytes: Buffer.alloc(0), refused: [], tally: tally.report(), announced }
  const take = (reading: Parameters<Tally['add']>[2]) => {
    tally.add('a', opened.unit, reading)
    if ('refused' in reading) return void found.refused.push(`${reading.row} ${reading.refused.code}`)
    found.rows++
    lines.take(reading)
  }
  await opened.into({
    begin: (part) => lines.begin(part),
    takeSame(template, part) {
      found.rows++
      found.same++
      tally.addSame(part)
      lines.takeSame(template, part)
    },
    take,
    pause: () => lines.pause(),
  })
  await lines.flush()
  if (own.length === 0) throw new Error('no block was begun')
  return { ...found, bytes: Buffer.concat(parts), tally: tally.report() }
}
