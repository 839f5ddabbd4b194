/**
 * Finds files with the same content, whatever their names and whether gzipped or not. Compares the first 64 KiB; only
 * files with the same beginning are hashed completely.
 */
import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { chunkBytes, plainBytes, type Chunks, type PlainBytes } from './head.ts'
import { fileFault } from './file-fault.ts'
import type { FileWarning } from './encoding.ts'
import { chunksOf, spoolToFile } from './spool.ts'

export const duplicateOf = (name: string): FileWarning => ({
  code: 'file_duplicate',
  message: `Skipped: identical to ${name}.`,
})

const begins = ({ head }: PlainBytes): string => hash('sha256', head, 'hex')

/** A file that can be opened repeatedly. */
export interface Again {
  open: () => Promise<string | Readable>
}

/** Maps each duplicate to the first file with the same content. Unreadable files are ignored. */
export async function duplicatesIn<F extends Again>(files: readonly F[]): Promise<Map<F, F>> {
  const byBegin = new Map<string, F[]>()
  for (const file of files) {
    const begin = await read(file, async (plain) => begins(plain))
    if (begin !== undefined) byBegin.set(begin, [...(byBegin.get(begin) ?? []), file])
  }
  const found = new Map<F, F>()
  for (const alike of byBegin.values()) {
    if (alike.length < 2) continue
    const byContent = new Map<string, F>()
    for (const file of alike) {
      const content = await read(file, ({ chunks }) => contentHash(chunks))
      const first = content === undefined ? undefined : byContent.get(content)
      if (first !== undefined) found.set(file, first)
      else if (content !== undefined) byContent.set(content, file)
    }
  }
  return found
}

/** A hash of the file's uncompressed content; undefined if it cannot be read. */
export const contentOf = (file: Again): Promise<string | undefined> =>
  read(file, async ({ chunks }) => (await contentHash(chunks)).slice(0, 32))

async function read<T>(file: Again, work: (plain: PlainBytes) => Promise<T>): Promise<T | undefined> {
  let stream: Readable | undefined
  try {
    const input = await file.open()
    stream = typeof input === 'string' ? createReadStream(input, { highWaterMark: chunkBytes }) : input
    return await work(await plainBytes(stream))
  } catch {
    return undefined
  } finally {
    stream?.destroy()
  }
}

async function contentHash(chunks: Chunks): Promise<string> {
  const sum = createHash('sha256')
  for await (const chunk of chunks) sum.update(chunk)
  return sum.digest('hex')
}

/** Finds duplicates among files that are streamed one after another, each only once. */
export class Contents {
  /** Names by content hash, by hash of the beginning. */
  readonly #seen = new Map<string, Map<string, string>>()

  /**
   * Runs `work` on the file unless an earlier file had the same content; then returns that file's name. A file with the
   * same beginning as an earlier one is written to a temporary file first, because its content must be known before any
   * of it is used.
   */
  async unlessSeen(
    name: string,
    stream: Readable,
    work: (input: Readable) => Promise<void>,
  ): Promise<string | undefined> {
    const plain = await plainBytes(stream).catch(thrown)
    const begin = begins(plain)
    const alike = this.#seen.get(begin)
    const sum = createHash('sha256')
    if (!alike) {
      await work(Readable.from(hashing(plain.chunks, sum), { objectMode: false }))
      this.#seen.set(begin, new Map([[sum.digest('hex'), name]]))
      return undefined
    }
    const kept = await spoolToFile(hashing(plain.chunks, sum)).catch(thrown)
    try {
      const content = sum.digest('hex')
      const first = alike.get(content)
      if (first !== undefined) return first
      await work(Readable.from(chunksOf(kept), { objectMode: false }))
      alike.set(content, name)
      return undefined
    } finally {
      await kept.close()
    }
  }
}

const thrown = (error: unknown): never => {
  throw fileFault(error)
}

async function* hashing(chunks: Chunks, sum: { update: (chunk: Buffer) => unknown }): Chunks {
  for await (const chunk of chunks) {
    sum.update(chunk)
    yield chunk
  }
}
