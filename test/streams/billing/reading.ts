import { Readable } from 'node:stream'
import type { BillingLine } from '#streams/billing/messages.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import type { AcceptedLine, Reading, ReadOptions } from '#streams/billing/row/reading.ts'

/** A file's content in chunks of `size` bytes: small ones cut every token in two. */
export function bytes(content: string | Buffer, size = 65536): Readable {
  const all = Buffer.from(content as string)
  const chunks: Buffer[] = []
  for (let at = 0; at < all.length; at += size) chunks.push(all.subarray(at, at + size))
  return Readable.from(chunks, { objectMode: false })
}

export const exportedAt = new Date('2026-02-01T00:00:00Z')

/** What reading `content` as a bill of account acct-1 comes to. */
export async function readAll(content: string | Buffer, options: Partial<ReadOptions> = {}): Promise<Reading[]> {
  const whole: ReadOptions = {
    format: 'auto',
    accountId: 'acct-1',
    rates: {},
    exportedAt,
    ids: new LineIds(),
    ...options,
  }
  const out: Reading[] = []
  for await (const reading of (await openBillingFile(bytes(content), whole)).rows) out.push(reading)
  return out
}

/** As `readAll` for files of which every row is accepted. @throws when one is not */
export async function accepted(content: string | Buffer, options: Partial<ReadOptions> = {}): Promise<AcceptedLine[]> {
  return (await readAll(content, options)).map((reading) => {
    if ('refused' in reading) throw new Error(`row ${reading.row}: ${reading.refused.code} ${reading.refused.message}`)
    return reading
  })
}

export const lines = async (content: string | Buffer, options: Partial<ReadOptions> = {}): Promise<BillingLine[]> =>
  (await accepted(content, options)).map(({ line }) => line)

export const codes = async (content: string | Buffer, options: Partial<ReadOptions> = {}): Promise<string[]> =>
  (await readAll(content, options)).map((reading) => ('refused' in reading ? reading.refused.code : 'accepted'))

/** CSV of objects: the columns of all of them, a cell quoted where it has to be. */
export function csv(...rows: Record<string, string | number>[]): string {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cell = (value: string | number = '') =>
    /[",\n]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : `${value}`
  return `${[header.map(cell), ...rows.map((row) => header.map((name) => cell(row[name])))].map((cells) => cells.join(',')).join('\n')}\n`
}
