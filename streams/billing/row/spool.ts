/** Keeps rows that are read twice: in memory up to a limit, otherwise in a temporary file. */
import { Fault } from '#engine/value/fault.ts'
import type { Fields, SourceRow } from '#streams/billing/file/source.ts'
import { chunksOf, spoolToFile, type FileBytes } from '#streams/billing/file/spool.ts'

/** Maximum characters in memory. */
const heldMax = 8 * 1024 * 1024

export interface KeptRows {
  /** Can be read once. */
  rows: AsyncGenerator<SourceRow, void>
  /** Releases rows that are not read to the end. */
  close: () => void
}

/** Reads all of `rows`, calling `look` with each. The result yields them again. */
export async function spooledRows(rows: AsyncIterable<SourceRow>, look: (row: SourceRow) => void): Promise<KeptRows> {
  const all = textsOf(rows, look)
  const held: string[] = []
  for (let size = 0; size <= heldMax; size += held.at(-1)!.length) {
    const next = await all.next()
    if (next.done) return { rows: parseRows(held), close: () => {} }
    held.push(next.value)
  }
  const bytes = await spoolToFile(bytesOf(held, all))
  return { rows: readSpooledRows(bytes), close: () => void bytes.close() }
}

async function* textsOf(rows: AsyncIterable<SourceRow>, look: (row: SourceRow) => void): AsyncGenerator<string, void> {
  for await (const row of rows) {
    look(row)
    yield `${textOf(row)}\n`
  }
}

async function* bytesOf(held: string[], rest: AsyncIterable<string>): AsyncGenerator<Buffer> {
  yield Buffer.from(held.splice(0).join(''))
  for await (const text of rest) yield Buffer.from(text)
}

async function* parseRows(texts: readonly string[]): AsyncGenerator<SourceRow, void> {
  for (const text of texts) yield rowOf(text)
}

async function* readSpooledRows(bytes: FileBytes): AsyncGenerator<SourceRow, void> {
  const decoder = new TextDecoder()
  try {
    let rest = ''
    for await (const chunk of chunksOf(bytes)) {
      const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = texts.pop()!
      for (const text of texts) yield rowOf(text)
    }
  } finally {
    await bytes.close()
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
