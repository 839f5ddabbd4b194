/**
 * Rows that are read twice: kept in memory while they are few, then in a file that has no name, so that it is gone with the process.
 */
import { randomBytes } from 'node:crypto'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Fault } from '#engine/fault.ts'
import type { Fields, SourceRow } from '#streams/billing/source.ts'

/** Characters that are kept in memory. */
const heldMax = 8 * 1024 * 1024
const batchMax = 256 * 1024

/** Takes all of `rows`, each of which `look` sees first. What comes back gives them again, once. */
export async function spooled(
  rows: AsyncIterable<SourceRow>,
  look: (row: SourceRow) => void,
): Promise<AsyncGenerator<SourceRow, void>> {
  let held: string[] = []
  let size = 0
  let file: FileHandle | undefined
  const flush = async () => {
    file ??= await nameless()
    await file.write(held.map((text) => `${text}\n`).join(''))
    held = []
    size = 0
  }
  try {
    for await (const row of rows) {
      look(row)
      const text = textOf(row)
      held.push(text)
      size += text.length
      if (size > (file ? batchMax : heldMax)) await flush()
    }
    if (file && held.length > 0) await flush()
  } catch (error) {
    await file?.close()
    throw error
  }
  return file ? stored(file) : kept(held)
}

async function nameless(): Promise<FileHandle> {
  const name = path.join(tmpdir(), `tidemark-${randomBytes(12).toString('hex')}`)
  const file = await open(name, 'wx+', 0o600)
  await unlink(name)
  return file
}

async function* kept(texts: readonly string[]): AsyncGenerator<SourceRow, void> {
  for (const text of texts) yield rowOf(text)
}

async function* stored(file: FileHandle): AsyncGenerator<SourceRow, void> {
  try {
    let rest = ''
    for await (const chunk of file.createReadStream({ start: 0, encoding: 'utf8', autoClose: false })) {
      const texts = (rest + (chunk as string)).split('\n')
      rest = texts.pop()!
      for (const text of texts) yield rowOf(text)
    }
  } finally {
    await file.close()
  }
}

const textOf = (found: SourceRow): string =>
  JSON.stringify(
    'fault' in found ? [found.row, null, found.fault.code, found.fault.message] : [found.row, found.fields],
  )

function rowOf(text: string): SourceRow {
  const [row, fields, code, message] = JSON.parse(text) as [number, Fields | null, string, string]
  if (fields === null) return { row, fault: Fault.invalid(code, message) }
  return { row, fields: Object.assign(Object.create(null) as Fields, fields) }
}
