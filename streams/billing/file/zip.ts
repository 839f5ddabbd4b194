/** Reads zip archives. Entries are decompressed while they are read. */
import { crc32 } from 'node:zlib'
import { Readable } from 'node:stream'
import { fromFdPromise, type Entry, type ZipFile } from 'yauzl'
import { Fault } from '#engine/value/fault.ts'
import { notRead } from './head.ts'
import type { FileBytes } from './spool.ts'

interface ArchiveEntry {
  /** Including folders. */
  name: string
  at: Date
  bytes: number
  /** Streams the entry from the beginning; can be called repeatedly. */
  open: () => Promise<Readable>
}

export interface Archive {
  /** Sorted by name. */
  entries: readonly ArchiveEntry[]
  close: () => Promise<void>
}

const entriesMax = 10_000
/** Deflate compresses zeros to about a thousandth. If entries exceed this ratio, they share bytes (a zip bomb). */
const ratioMax = 1100

const broken = (what: string): Fault => Fault.invalid('zip_invalid', `The zip archive is corrupt: ${what}.`)

/**
 * @throws Fault `invalid` `zip_invalid`, or `file_format`: an Excel workbook, an encrypted entry or an unsupported
 * compression
 */
export async function openArchive(file: FileBytes): Promise<Archive> {
  const { zip, found } = await listEntries(file)
  if (found.some(({ fileName }) => fileName === '[Content_Types].xml')) throw notRead('an Excel workbook')
  const unpacked = found.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0)
  if (unpacked > ratioMax * file.size) throw broken(`${file.size} bytes cannot hold ${unpacked}`)
  const entries = found.filter(({ fileName }) => !fileName.endsWith('/')).map((entry) => entryOf(zip, entry))
  return {
    entries: entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    close: () => file.close(),
  }
}

async function listEntries(file: FileBytes): Promise<{ zip: ZipFile; found: Entry[] }> {
  try {
    const zip = await fromFdPromise(file.handle.fd, { autoClose: false })
    const found: Entry[] = []
    for await (const entry of zip.eachEntry()) {
      if (found.length >= entriesMax)
        throw Fault.invalid('file_too_large', `The zip archive has more than ${entriesMax} entries.`)
      found.push(entry)
    }
    return { zip, found }
  } catch (error) {
    throw error instanceof Fault ? error : broken(reasonOf(error))
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.slice(0, 200) : 'it cannot be read'

const entryOf = (zip: ZipFile, entry: Entry): ArchiveEntry => ({
  name: entry.fileName,
  at: entry.getLastModDate(),
  bytes: entry.uncompressedSize,
  async open() {
    const name = entry.fileName
    if (entry.isEncrypted()) throw Fault.invalid('file_format', `${name} is encrypted in the zip archive.`)
    if (!entry.canDecodeFileData())
      throw Fault.invalid(
        'file_format',
        `${name} is compressed with method ${entry.compressionMethod}; supported: deflate.`,
      )
    return Readable.from(readEntry(zip, entry), { objectMode: false })
  },
})

/** @throws Fault `invalid` `zip_invalid` if the checksum does not match */
async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer, void> {
  let sum = 0
  try {
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw broken(`${entry.fileName}: ${reasonOf(error)}`)
  }
  if (sum !== entry.crc32) throw broken(`the checksum of ${entry.fileName} does not match`)
}
