/** The bill files in an input: the file itself, or the entries of a zip archive. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import type { FileWarning } from './encoding.ts'
import { readHead, chunkBytes, isZip } from './head.ts'
import { bytesOf, spoolToFile, type FileBytes } from './spool.ts'
import { openArchive, type Archive } from './zip.ts'

/** A file that can be read once. */
export interface Member {
  /** For an archive entry, the archive's name comes first: `october.zip/week-1.csv`. */
  name: string
  input: Readable
}

/** Warning about a file whose name is not that of a bill. */
export const skippedEntry: FileWarning = {
  code: 'file_skipped',
  message: 'Skipped: the file name does not end like a CSV, JSON or Parquet file.',
}

/** Faults for which a JSON document is skipped, unless it was named as a bill. */
export const notBillCodes: ReadonlySet<string> = new Set(['format_unknown', 'json_invalid', 'file_empty'])
export const notBill: FileWarning = { code: 'file_skipped', message: 'JSON file without billing data: skipped.' }

/** Whether a file may be a bill, by its name. */
export const isBillName = (name: string): boolean =>
  /\.(?:csv|tsv|json|jsonl|ndjson|parquet|zip|gz)$/i.test(name) && !/(?:^|\/)(?:\.|__MACOSX\/)/.test(name)

/**
 * The entries of an archive that may be bills, and the names of the others.
 * @throws Fault `invalid` `file_format` if there is no bill
 */
export function billEntries({ entries }: Archive): { found: Archive['entries']; skipped: string[] } {
  const found = entries.filter(({ name }) => isBillName(name))
  const skipped = entries.filter(({ name }) => !isBillName(name)).map(({ name }) => name)
  if (found.length > 0) return { found, skipped }
  const what = skipped.length > 0 ? `it contains ${skipped.slice(0, 5).join(', ')}` : 'it is empty'
  throw Fault.invalid('file_format', `The zip archive has no CSV, JSON or Parquet file: ${what}.`)
}

/** Opens a local file as an archive; undefined if it is none. */
export async function archiveAt(path: string): Promise<Archive | undefined> {
  const file = createReadStream(path, { end: 3 })
  const { head } = await readHead(file)
  file.destroy()
  return isZip(head) ? archiveOf(await bytesOf(path)) : undefined
}

export async function archiveOf(file: FileBytes): Promise<Archive> {
  try {
    return await openArchive(file)
  } catch (error) {
    await file.close()
    throw error
  }
}

/**
 * Yields the files of a stream; an archive is first written to a temporary file. `skip` is called for entries that are
 * not bills.
 */
export async function* membersOf(
  name: string,
  stream: Readable,
  skip: (name: string) => void = () => {},
): AsyncGenerator<Member, void> {
  const { head, chunks } = await readHead(stream)
  if (!isZip(head)) {
    yield { name, input: Readable.from(chunks, { objectMode: false, highWaterMark: chunkBytes }) }
    return
  }
  const archive = await archiveOf(await spoolToFile(chunks))
  try {
    const { found, skipped } = billEntries(archive)
    for (const one of skipped) skip(`${name}/${one}`)
    for (const entry of found) yield { name: `${name}/${entry.name}`, input: await entry.open() }
  } finally {
    await archive.close()
  }
}
