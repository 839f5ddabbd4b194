/** Reads the one file of a request as it comes, so that no file is ever held whole. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { Fault } from '#engine/fault.ts'
import { badInput } from '#http/edge/problem.ts'

export interface UploadBounds {
  /** The media type of a body that is the file itself. */
  media: string
  /** Of the whole body. */
  bytesMax: number
}

type Read<T> = (file: Readable) => Promise<T>

/**
 * Runs `read` on the file: the field `file` of a multipart form, or the whole body of `media`. What is left of a body that
 * is refused is dropped, so that the answer reaches the caller.
 * @throws what `read` throws; Fault `unsupported_media_type`, `body_too_large`, `malformed_request`, `validation_failed`
 */
export async function readUpload<T>(request: IncomingMessage, bounds: UploadBounds, read: Read<T>): Promise<T> {
  const { headers } = request
  try {
    const type = /^[^;]*/
      .exec(headers['content-type'] ?? '')?.[0]
      .trim()
      .toLowerCase()
    if ((headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity') {
      throw Fault.invalid('unsupported_media_type', 'Send the body without a Content-Encoding.')
    }
    if (Number(headers['content-length'] ?? 0) > bounds.bytesMax) throw tooLarge(bounds.bytesMax)
    const body = Readable.from(bounded(request, bounds.bytesMax), { objectMode: false })
    if (type === 'multipart/form-data') return await fromForm(headers['content-type'] ?? '', body, read)
    if (type === bounds.media) return await read(body)
    throw Fault.invalid('unsupported_media_type', `Send the file as ${bounds.media}, or in a multipart/form-data form.`)
  } finally {
    request.resume()
  }
}

const tooLarge = (bytesMax: number): Fault =>
  Fault.invalid('body_too_large', `A file has at most ${bytesMax} bytes, its form included.`)
const malformed = (): Fault => Fault.invalid('malformed_request', 'The body is no form, or ended before its end.')

async function* bounded(request: IncomingMessage, bytesMax: number): AsyncGenerator<Buffer> {
  let bytes = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      yield chunk
    }
  } catch (error) {
    throw error instanceof Fault ? error : malformed()
  }
}

const oneFile = () =>
  badInput({ in: 'body', name: '/file', code: 'one_file', message: 'must be there once, as the only file of the form' })

/** Fields that are no files are passed over. */
async function fromForm<T>(contentType: string, body: Readable, read: Read<T>): Promise<T> {
  const form = formOf(contentType)
  const over = new AbortController()
  let opened: BusboyFileStream | undefined
  let result: Promise<T> | undefined
  form.on('file', (name: string, file: BusboyFileStream) => {
    file.on('error', () => {})
    if (name !== 'file' || result !== undefined) {
      over.abort(oneFile())
      return
    }
    opened = file
    result = read(file)
    result.catch((error: unknown) => over.abort(error))
  })
  try {
    await pipeline(body, form, { signal: over.signal })
    if (result === undefined) throw oneFile()
    return await result
  } catch (error) {
    opened?.destroy()
    const cause: unknown = over.signal.aborted ? over.signal.reason : error
    throw cause instanceof Fault ? cause : malformed()
  }
}

/** A part without a file name is a field; the bounds are of what else a form may hold. */
function formOf(contentType: string): BusboyInstance {
  try {
    const limits = { fields: 20, fieldNameSize: 100, fieldSize: 10_000, files: 2, parts: 30, headerPairs: 20 }
    return new Busboy({ headers: { 'content-type': contentType }, limits })
  } catch {
    throw malformed()
  }
}
