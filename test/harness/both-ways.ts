/** The lines of a bill as rows of the store: of every row read as a whole, and with what rows share read once. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { LineStore, type LinePorts } from '#actors/billing/line-store.ts'
import { billLine } from '#analytics/billing/tables.ts'
import { ColumnBlock } from '#engine/store/clickhouse/column-block.ts'
import type { ClickHouseColumn } from '#engine/store/clickhouse/row-binary.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import type { RowUnit } from '#streams/billing/file/source.ts'
import type { Reading, ReadOptions } from '#streams/billing/row/reading.ts'
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

/** A store of lines in memory. `own`: the columns that lines have of their own, once they are known. */
function memoryStore() {
  const parts: Buffer[] = []
  const announced: unknown[] = []
  const ports: LinePorts = {
    newBlock: async (names) => new ColumnBlock(billColumns, names),
    insert: async ({ bytes }) => void parts.push(bytes),
    announce: async (stored) => void announced.push(stored),
  }
  const tally = new Tally()
  const found = { rows: 0, same: 0, refused: [] as string[], announced }
  const lines = new LineStore(ports, bill)
  const take = (unit: RowUnit, reading: Reading) => {
    tally.add('a', unit, reading)
    if ('refused' in reading) return void found.refused.push(`${reading.row} ${reading.refused.code}`)
    found.rows++
    lines.take(reading)
  }
  const ended = async (): Promise<StoredBill> => {
    await lines.flush()
    return { ...found, bytes: Buffer.concat(parts), tally: tally.report() }
  }
  return { lines, tally, found, take, ended }
}

/**
 * What is stored of a bill: where rows share what was read once, and where every row is read as a whole. Both write the
 * same columns in the same order.
 */
export async function bothWays(
  open: () => string | Readable,
  given: Partial<ReadOptions> = {},
): Promise<{ together: StoredBill; apart: StoredBill }> {
  const options = { format: 'auto', accountId: 'acct-1', rates: {}, exportedAt: new Date(bill.at), ...given } as const
  const opened = () => openBillingFile(open(), { byPeriod: true, ...options, ids: new LineIds() })
  const [together, apart] = [memoryStore(), memoryStore()]
  const first = await opened()
  await first.into({
    async begin(own) {
      await together.lines.begin(own)
      await apart.lines.begin(own)
    },
    takeSame(template, own) {
      together.found.rows++
      together.found.same++
      together.tally.addSame(own)
      together.lines.takeSame(template, own)
    },
    take: (reading) => together.take(first.unit, reading),
    pause: () => together.lines.pause(),
  })
  const { rows, unit } = await opened()
  for await (const reading of rows) {
    apart.take(unit, reading)
    await apart.lines.pause()
  }
  return { together: await together.ended(), apart: await apart.ended() }
}
