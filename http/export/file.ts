/** Exports as files of one folder, each under its id. */
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathOf, type Exports } from '#actors/export/folder.ts'
import { inPieces, tooLarge } from '#http/edge/csv.ts'
import { textOf, type Format, type Sheet } from '#http/export/sheet.ts'

/**
 * Writes a sheet under its id, whole or not at all, a row at a time. The file's time is `now`, so that the clock of the
 * product says when it is old.
 * @throws Fault `refused` `report_too_large`
 */
export async function writeExport(
  exports: Exports,
  { id, sheet, format, now }: { id: string; sheet: Sheet; format: Format; now: Date },
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
  await mkdir(exports.folder, { recursive: true, mode: 0o700 })
  try {
    const text = textOf({ columns: sheet.columns, rows: counted() }, format)
    await pipeline(Readable.from(inPieces(text)), createWriteStream(part, { mode: 0o600, flush: true }))
    await utimes(part, now, now)
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  return { rows, bytes: (await stat(file)).size }
}
