/** Files and documents in the encodings that clients take: compressed when they are first requested, then kept. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { reply, type Reply } from '#http/store/reply.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

export type Encoding = 'br' | 'gzip' | 'identity'

/** The best that a client takes. */
export const encodingOf = (accepted: string): Encoding =>
  /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : 'identity'

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)
const compressed = new Map<string, Promise<Buffer>>()

/** `name` stands for the content: it differs between two contents. */
export function encode(name: string, plain: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'identity') return Promise.resolve(plain)
  const key = `${encoding} ${name}`
  const kept = compressed.get(key)
  if (kept) return kept
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length }
  const fresh = encoding === 'br' ? brotliAsync(plain, { params }) : gzipAsync(plain, { level: 9 })
  compressed.set(key, fresh)
  return fresh
}

interface Content {
  /** Stands for the content. */
  name: string
  plain: Buffer
  media: string
  /** How long clients may keep it. */
  caching: string
}

/** The content in the best encoding; only a 304 if the client has it already. */
export async function replyEncoded(headers: Headers, { name, plain, media, caching }: Content): Promise<Reply<never>> {
  const encoding = encodingOf(String(headers['accept-encoding'] ?? ''))
  const etag = `"${name}${encoding === 'identity' ? '' : `-${encoding}`}"`
  const said = {
    ETag: etag,
    Vary: 'Accept-Encoding',
    'Cache-Control': caching,
    ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
  }
  if (String(headers['if-none-match'] ?? '').includes(etag))
    return reply('' as never, { status: 304, headers: said, media })
  return reply((await encode(name, plain, encoding)) as never, { media, headers: said })
}

export const nameOfContent = (plain: Buffer): string => createHash('sha256').update(plain).digest('base64url')
