/** Zip archives: each entry is a file of its own, unpacked as it is read. */
import { crc32 } from 'node:zlib'
import { Readable } from 'node:stream'
import { fromFdPromise, type Entry, type ZipFile } from 'yauzl'
import { Fault } from '#engine/value/fault.ts'
import { notRead } from './head.ts'
import type { FileBytes } from './spool.ts'

interface ArchiveEntry {
  /** With its folders. */
  name: string
  at: Date
  bytes: number
  /** Its bytes from the beginning, as often as it is asked for. */
  open: () => Promise<Readable>
}

export interface Archive {
  /** In the order of their names. */
  entries: readonly ArchiveEntry[]
  close: () => Promise<void>
}

const entriesMax = 10_000
/** What deflate makes of zeros is a thousandth: entries that come to more share their bytes. */
const ratioMax = 1100

const broken = (what: string): Fault => Fault.invalid('zip_invalid', `The zip archive is corrupt: ${what}.`)

/** @throws Fault `invalid` `zip_invalid`, `file_format`: an Excel workbook, an entry that is encrypted or packed in another way */
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

/** @throws Fault `invalid` `zip_invalid` where its bytes are not those that were packed */
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
