/** Random access to the bytes of a file, or of a stream that is first written to a temporary file. */
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Fault } from '#engine/value/fault.ts'

export interface Bytes {
  size: number
  /** @throws Fault `invalid` `file_unreadable` if the file became shorter */
  read: (at: number, length: number) => Promise<Buffer>
  close: () => Promise<void>
}

export interface FileBytes extends Bytes {
  handle: FileHandle
}

/** Maximum bytes of a temporary file, because the disk is shared. */
const spoolMax = 32 * 1024 ** 3

export async function bytesOf(file: string): Promise<FileBytes> {
  return ofHandle(await open(file, 'r'))
}

/**
 * Writes a stream to a temporary file in `TMPDIR`. The file has no name, so nobody else can open it, and it disappears
 * when it is closed, even if this process is killed.
 * @throws Fault `invalid` `file_too_large`
 */
export async function spoolToFile(chunks: AsyncIterable<Buffer>, bytesMax = spoolMax): Promise<FileBytes> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tidemark-'))
  const handle = await open(path.join(folder, 'file'), 'wx+', 0o600).finally(() => rm(folder, { recursive: true }))
  try {
    let size = 0
    for await (const chunk of chunks) {
      size += chunk.length
      if (size > bytesMax) throw Fault.invalid('file_too_large', `The file has more than ${bytesMax} bytes.`)
      await handle.write(chunk)
    }
    return await ofHandle(handle)
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function ofHandle(handle: FileHandle): Promise<FileBytes> {
  const { size } = await handle.stat()
  return {
    handle,
    size,
    async read(at, length) {
      const bytes = Buffer.allocUnsafeSlow(length)
      let have = 0
      while (have < length) {
        const { bytesRead } = await handle.read(bytes, have, length - have, at + have)
        if (bytesRead === 0) throw Fault.invalid('file_unreadable', 'The file became shorter while it was being read.')
        have += bytesRead
      }
      return bytes
    },
    close: () => handle.close(),
  }
}

/** Streams the bytes from the beginning. */
export async function* chunksOf(bytes: Bytes, chunkBytes = 256 * 1024): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.size; at += chunkBytes) yield await bytes.read(at, Math.min(chunkBytes, bytes.size - at))
}
