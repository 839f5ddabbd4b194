/** Exports as files of one folder, named by id. */
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathOf, type Exports } from '#actors/export/folder.ts'
import { tooLarge } from '#http/edge/csv.ts'
import { sheetPieces } from '#http/file/content.ts'
import type { Format, Sheet } from '#http/file/sheet.ts'

export interface ExportToWrite {
  id: string
  sheet: Sheet
  format: Format
  now: Date
  /** Reserves more space for the file, and returns how much it may take. @throws Fault if there is none */
  grow: (taken: number, needed: number) => Promise<number>
}

/**
 * Writes a sheet row by row to a file named by its id: the whole file or none. The file's modification time is `now`,
 * so that its age follows the product's clock.
 * @throws Fault `refused` `report_too_large`; what `grow` throws
 */
export async function writeExport(
  exports: Exports,
  { id, sheet, format, now, grow }: ExportToWrite,
): Promise<{ rows: number; bytes: number }> {
  const file = pathOf(exports, id)
  const part = `${file}.part`
  let rows = 0
  async function* counted(): AsyncGenerator<
    Sheet['rows'] extends AsyncIterable<infer R> | Iterable<infer R> ? R : never
  > {
    for await (const row of sheet.rows) {
      if (++rows > exports.rowsMax) throw tooLarge(exports.rowsMax)
      yield row
    }
  }
  async function* fitting(pieces: AsyncIterable<string | Buffer>): AsyncGenerator<Buffer, void> {
    let [taken, bytes] = [0, 0]
    for await (const piece of pieces) {
      const content = typeof piece === 'string' ? Buffer.from(piece) : piece
      bytes += content.length
      if (bytes > taken) taken = await grow(taken, bytes)
      yield content
    }
  }
  await mkdir(exports.folder, { recursive: true, mode: 0o700 })
  try {
    const pieces = sheetPieces({ columns: sheet.columns, rows: counted() }, format)
    await pipeline(Readable.from(fitting(pieces)), createWriteStream(part, { mode: 0o600, flush: true }))
    await utimes(part, now, now)
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  return { rows, bytes: (await stat(file)).size }
}
