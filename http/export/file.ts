/** Exports as files of one folder, each under its id. */
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isUuid } from '#engine/id.ts'
import { pieces } from '#http/csv.ts'
import { textOf, type Format, type Sheet } from '#http/export/sheet.ts'
import { tooLarge } from '#http/report/receipt.ts'

/** What the edge keeps exports with. */
export interface Exports {
  readonly folder: string
  /** What links are signed with: 32 bytes. */
  readonly secret: Buffer
  /** Rows of one file. */
  readonly rowsMax: number
}

/** How long a file is kept. */
export const keptMs = 24 * 3_600_000

export const pathOf = ({ folder }: Pick<Exports, 'folder'>, id: string): string => path.join(folder, id)

/**
 * Writes a sheet under its id, whole or not at all, a row at a time. The file's time is `now`, so that the clock of the
 * product says when it is old.
 * @throws Fault `refused` `report_too_large`
 */
export async function write(
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
    await pipeline(Readable.from(pieces(text)), createWriteStream(part, { mode: 0o600, flush: true }))
    await utimes(part, now, now)
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  return { rows, bytes: (await stat(file)).size }
}

/** Removes the files that are older than a day, those included that nothing knows of any more. How many. */
export async function sweep(folder: string, now: Date): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  let removed = 0
  for (const name of names.filter((one) => isUuid(one.replace(/\.part$/, '')))) {
    const file = path.join(folder, name)
    const found = await stat(file).catch(() => undefined)
    if (!found || now.getTime() - found.mtimeMs < keptMs) continue
    await rm(file, { force: true })
    removed++
  }
  return removed
}
