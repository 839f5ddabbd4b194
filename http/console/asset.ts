/** The files of the console as browsers get them. `config` bundles them; here they are compressed and served. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** What the page loads: names of files, and the icon as an address that contains it. */
export interface PageFiles {
  readonly script: string
  readonly style: string
  readonly icon: string
  /** By view: every module that it needs at once, those of the frame included. */
  readonly views: Readonly<Record<string, readonly string[]>>
}

export interface ConsoleFiles {
  readonly page: PageFiles
  /** By name, which contains a hash of the content: browsers may keep a file forever. */
  readonly files: ReadonlyMap<string, Buffer>
}

export type Encoding = 'br' | 'gzip' | 'identity'

/** The best that a browser takes. */
export const encodingOf = (accepted: string): Encoding =>
  /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : 'identity'

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)
const compressedFiles = new Map<string, Promise<Buffer>>()

/** The file in an encoding: compressed when it is first requested, then kept. */
export function encodeAsset(name: string, plain: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'identity') return Promise.resolve(plain)
  const key = `${encoding} ${name}`
  const kept = compressedFiles.get(key)
  if (kept) return kept
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length }
  const fresh = encoding === 'br' ? brotliAsync(plain, { params }) : gzipAsync(plain, { level: 9 })
  compressedFiles.set(key, fresh)
  return fresh
}
