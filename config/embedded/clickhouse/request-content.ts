/**
 * Reads the content of requests as ClickHouse does: compressed by HTTP or in ClickHouse's own format, plain or as a
 * form.
 */
import type http from 'node:http'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { unpack } from './compression.ts'
import { refusal } from './error-codes.ts'

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)

export interface RequestContent {
  /** Empty if the request is a form. */
  readonly body: Buffer
  /** From the URL, then from the form. */
  readonly fields: readonly [string, string][]
  readonly isForm: boolean
}

/** Reads request bodies, up to a total number of bytes at once. */
export class Intake {
  private readonly bodyMaxBytes: number
  private readonly heldMaxBytes: number
  /** Bytes of the requests in progress. */
  private held = 0

  constructor(bodyMaxBytes: number, heldMaxBytes: number) {
    this.bodyMaxBytes = bodyMaxBytes
    this.heldMaxBytes = heldMaxBytes
  }

  /** The body counts until `work` is done. @throws Error in the engine's words */
  async take<T>(req: http.IncomingMessage, url: URL, work: (carried: RequestContent) => Promise<T>): Promise<T> {
    let own = 0
    const count = (bytes: number): void => {
      own += bytes
      this.held += bytes
      if (own > this.bodyMaxBytes) throw refusal(223, `The body exceeds ${this.bodyMaxBytes / 2 ** 20} MB.`)
      if (this.held > this.heldMaxBytes) throw refusal(202, 'Too much data is being sent at once.')
    }
    try {
      const body = await this.bodyOf(req, url, count)
      const form = await formOf(req, body)
      const fields = [...url.searchParams, ...(form ?? [])]
      return await work({ body: form ? Buffer.alloc(0) : body, fields, isForm: form !== undefined })
    } finally {
      this.held -= own
    }
  }

  private async bodyOf(req: http.IncomingMessage, url: URL, count: (bytes: number) => void): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of req as AsyncIterable<Buffer>) {
      count(chunk.length)
      chunks.push(chunk)
    }
    const sent = await this.decoded(req, Buffer.concat(chunks), count)
    if (url.searchParams.get('decompress') !== '1') return sent
    const unpacked = await unpack(sent, this.bodyMaxBytes)
    count(unpacked.length - sent.length)
    return unpacked
  }

  private async decoded(req: http.IncomingMessage, body: Buffer, count: (bytes: number) => void): Promise<Buffer> {
    const encoding = req.headers['content-encoding'] ?? 'identity'
    if (encoding === 'identity' || body.length === 0) return body
    if (encoding !== 'gzip') throw refusal(36, `The encoding ${encoding} is not supported. Use gzip.`)
    const unpacked = await gunzip(body, { maxOutputLength: this.bodyMaxBytes }).catch((error: Error) => {
      throw refusal(354, `The body cannot be decompressed: ${error.message}.`)
    })
    count(unpacked.length - body.length)
    return unpacked
  }
}

/**
 * The fields of a form, which can contain parameters that are too long for a URL. Undefined if the body is not a form.
 */
async function formOf(req: http.IncomingMessage, body: Buffer): Promise<[string, string][] | undefined> {
  const type = req.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return undefined
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  return [...form].map(([name, value]) => [name, typeof value === 'string' ? value : ''])
}
