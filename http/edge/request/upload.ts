/** Reads the uploaded files of a request as streams, so that no file is in memory as a whole. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { Fault } from '#engine/value/fault.ts'
import { inPieces } from './deadline.ts'
import { badInput } from '#http/edge/problem.ts'

export interface UploadBounds {
  /** The media type of a body that is the file itself. */
  media: string
  /** For the whole body. */
  bytesMax: number
  /** It may take as long as it keeps arriving. */
  isLong?: true
}

/** `name` is the file name in the form; undefined if the body is the file itself. */
type Read<T> = (file: Readable, name?: string) => Promise<T>

/**
 * Runs `read` on the file: the field `file` of a multipart form, or the whole body of type `media`. The rest of a
 * refused body is dropped, so that the response reaches the caller.
 * @throws what `read` throws; Fault `unsupported_media_type`, `body_too_large`, `malformed_request`,
 * `validation_failed`
 */
export async function readUpload<T>(request: IncomingMessage, bounds: UploadBounds, read: Read<T>): Promise<T> {
  let result: { value: T } | undefined
  await readUploads(request, { ...bounds, filesMax: 1 }, async (file) => {
    result = { value: await read(file) }
  })
  return result!.value
}

/** The same for several files, one after the other: each field `file` of the form, in order. @throws as `readUpload` */
export async function readUploads(
  request: IncomingMessage,
  bounds: UploadBounds & { filesMax: number },
  read: Read<void>,
): Promise<void> {
  const type = checkUpload(request, bounds)
  try {
    const body = Readable.from(limitBytes(request, bounds), { objectMode: false })
    if (type !== formType) return await read(body)
    return await fromForm(request.headers['content-type'] ?? '', body, bounds, read)
  } finally {
    request.resume()
  }
}

const formType = 'multipart/form-data'

/**
 * Checks the headers of a body before any of it is read. Returns its media type.
 * @throws Fault `unsupported_media_type`, `body_too_large`
 */
export function checkUpload(request: IncomingMessage, { media, bytesMax }: UploadBounds): string {
  const { headers } = request
  try {
    const type = /^[^;]*/
      .exec(headers['content-type'] ?? '')?.[0]
      .trim()
      .toLowerCase()
    if ((headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity') {
      throw Fault.invalid('unsupported_media_type', 'Send the body without a Content-Encoding.')
    }
    if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
    if (type === formType || type === media) return type
    throw Fault.invalid('unsupported_media_type', `Send the file as ${media}, or in a multipart/form-data form.`)
  } catch (error) {
    request.resume()
    throw error
  }
}

const tooLarge = (bytesMax: number): Fault =>
  Fault.invalid('body_too_large', `The body, including its form parts, must not be larger than ${bytesMax} bytes.`)
const malformedFault = (): Fault =>
  Fault.invalid('malformed_request', 'The body is not a valid form, or it is incomplete.')

async function* limitBytes(request: IncomingMessage, { bytesMax, isLong }: UploadBounds): AsyncGenerator<Buffer> {
  let bytes = 0
  try {
    const chunks = isLong ? inPieces(request) : (request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      yield chunk
    }
  } catch (error) {
    throw error instanceof Fault ? error : malformedFault()
  }
}

const oneFile = () =>
  badInput({
    in: 'body',
    name: '/file',
    code: 'one_file',
    message: 'must be given exactly once, as the only file in the form',
  })
const someFiles = (filesMax: number) =>
  badInput({
    in: 'body',
    name: '/file',
    code: 'files',
    message: `must be given 1 to ${filesMax} times, and no other files in the form`,
  })

/** Fields that are not files are ignored. */
async function fromForm(
  contentType: string,
  body: Readable,
  { filesMax }: { filesMax: number },
  read: Read<void>,
): Promise<void> {
  const form = formOf(contentType, filesMax)
  const refused = () => (filesMax === 1 ? oneFile() : someFiles(filesMax))
  const over = new AbortController()
  const opened: BusboyFileStream[] = []
  let work = Promise.resolve()
  form.on('file', (name: string, file: BusboyFileStream, filename: string) => {
    file.on('error', () => {})
    if (name !== 'file' || opened.length === filesMax) {
      over.abort(refused())
      return
    }
    opened.push(file)
    work = work.then(() => read(file, filename))
    work.catch((error: unknown) => over.abort(error))
  })
  try {
    await pipeline(body, form, { signal: over.signal })
    if (opened.length === 0) throw refused()
    await work
  } catch (error) {
    const cause: unknown = over.signal.aborted ? over.signal.reason : error
    for (const file of opened) file.destroy()
    // The reader must finish before the error is reported.
    await work.catch(() => {})
    throw cause instanceof Fault ? cause : malformedFault()
  }
}

/** A part without a file name is a field; the limits are for the other contents of a form. */
function formOf(contentType: string, filesMax: number): BusboyInstance {
  try {
    const files = filesMax + 1
    const limits = { fields: 20, fieldNameSize: 100, fieldSize: 10_000, files, parts: 28 + files, headerPairs: 20 }
    return new Busboy({ headers: { 'content-type': contentType }, limits })
  } catch {
    throw malformedFault()
  }
}
