/** What files are in what was given: the file itself, or those in the zip archive that it is. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import type { FileWarning } from './encoding.ts'
import { readHead, chunkBytes, isZip } from './head.ts'
import { bytesOf, spoolToFile, type FileBytes } from './spool.ts'
import { openArchive, type Archive } from './zip.ts'

/** A file that can be read once. */
export interface Member {
  /** An entry is named after its archive: `october.zip/week-1.csv`. */
  name: string
  input: Readable
}

/** What is said of a file that is no bill by its name. */
export const skippedEntry: FileWarning = {
  code: 'file_skipped',
  message: 'Skipped: the file name does not end like a CSV, JSON or Parquet file.',
}

/** Why a JSON document that nobody named as a bill is none. */
export const notBillCodes: ReadonlySet<string> = new Set(['format_unknown', 'json_invalid', 'file_empty'])
export const notBill: FileWarning = { code: 'file_skipped', message: 'JSON file without billing data: skipped.' }

/** Whether a file can be a bill, by its name. */
export const isBillName = (name: string): boolean =>
  /\.(?:csv|tsv|json|jsonl|ndjson|parquet|zip|gz)$/i.test(name) && !/(?:^|\/)(?:\.|__MACOSX\/)/.test(name)

/** Entries of an archive that are read, and the names of those that are not. @throws Fault `invalid` `file_format` where there is none */
export function billEntries({ entries }: Archive): { found: Archive['entries']; skipped: string[] } {
  const found = entries.filter(({ name }) => isBillName(name))
  const skipped = entries.filter(({ name }) => !isBillName(name)).map(({ name }) => name)
  if (found.length > 0) return { found, skipped }
  const what = skipped.length > 0 ? `it contains ${skipped.slice(0, 5).join(', ')}` : 'it is empty'
  throw Fault.invalid('file_format', `The zip archive has no CSV, JSON or Parquet file: ${what}.`)
}

/** The archive that a file of this machine is; undefined for any other. */
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

/** The files in a stream, one after the other; an archive is put into a file first. `skip` is told of entries that are no bills. */
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
