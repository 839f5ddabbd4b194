/**
 * The files of the console as browsers get them: our modules with their types taken away, and the modules of the packages
 * they are drawn with, as those ship them. Made once a process, when the first page is asked for; nothing is built before.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export interface Asset {
  readonly media: string
  /** As it is sent; made when it is first asked for. */
  readonly plain: Buffer
  /** A strong validator. */
  readonly etag: string
}

export interface Assets {
  /** Of everything: part of the address of each file, so that one may be kept for ever. */
  readonly version: string
  /** By their place below the version. */
  readonly files: ReadonlyMap<string, Asset>
  /** What modules call the packages, and where each is, below the version. */
  readonly imports: Readonly<Record<string, string>>
  /** Modules that every view needs, each before those that import it. */
  readonly shell: readonly string[]
  /** A module with all that it imports. */
  readonly behind: (entry: string) => readonly string[]
}

const nodeRequire = createRequire(import.meta.url)

const source = (name: string): string => {
  const [, owner, rest] = /^((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(name)!
  const paths = nodeRequire.resolve.paths(owner!) ?? []
  const found = paths.map((place) => path.join(place, owner!, rest!)).find((file) => tryRead(file) !== undefined)
  if (!found) throw new Error(`the console needs ${name}, which is not installed`)
  return tryRead(found)!
}

function tryRead(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Style sheets of packages. */
const sheets = { 'lib/uplot.css': 'uplot/dist/uPlot.min.css' }

interface Library {
  /** Files of packages, one behind the other. */
  from: readonly string[]
  /** What makes a module of what is a script. */
  tail?: string
}

/** What modules may name without a path. The scripts of uPlot and d3 are half the size of their modules. */
const libraries: Readonly<Record<string, Library>> = {
  preact: { from: ['preact/dist/preact.mjs'] },
  'preact/hooks': { from: ['preact/hooks/dist/hooks.mjs'] },
  '@preact/signals-core': { from: ['@preact/signals-core/dist/signals-core.mjs'] },
  '@preact/signals': { from: ['@preact/signals/dist/signals.mjs'] },
  htm: { from: ['htm/dist/htm.mjs'] },
  'lean-qr': { from: ['lean-qr/index.mjs'] },
  uplot: { from: ['uplot/dist/uPlot.iife.min.js'], tail: 'export default uPlot\n' },
  'd3-sankey': {
    from: [
      'd3-array/dist/d3-array.min.js',
      'd3-path/dist/d3-path.min.js',
      'd3-shape/dist/d3-shape.min.js',
      'd3-sankey/dist/d3-sankey.min.js',
    ],
    tail: 'export const { sankey, sankeyLinkHorizontal, sankeyJustify } = globalThis.d3\n',
  },
}

const placeOf = (library: string): string => `lib/${library.replaceAll(/[^\w-]+/g, '-').replace(/^-/, '')}.js`

/** Maps of sources are not shipped: browsers would ask for them in vain. */
const stripSourceMap = (code: string): string => code.replaceAll(/\/\/# sourceMappingURL=.*$/gm, '')

const libraryOf = ({ from, tail = '' }: Library): string =>
  `${from.map((name) => stripSourceMap(source(name))).join('\n;')}\n${tail}`

const web = fileURLToPath(new URL('web/', import.meta.url))
const mediaOf: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Text as it stands on the disk, and what is made of it. */
interface Source {
  place: string
  text: string
  made: (text: string) => string
}

const asItIs = (text: string): string => text
/** Without types and comments. */
const forBrowsers = (text: string): string => stripTypeScriptTypes(text, { mode: 'transform' })

/** The sheet that the page names: browsers ask once for all that it imports, and in its order rules hold. */
const sheet = 'style.css'

const read = (place: string): string => readFileSync(path.join(web, place), 'utf8')

const inlineImports = (text: string): string =>
  text.replaceAll(/^@import '\.\/([^']+)';$/gm, (_, place: string) => read(place))

function ownFiles(): Source[] {
  const names = readdirSync(web, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll(path.sep, '/'))
  return names
    .filter((name) => mediaOf[path.extname(name)] !== undefined && (name === sheet || !name.endsWith('.css')))
    .toSorted()
    .map((place) => ({
      place,
      text: place === sheet ? inlineImports(read(place)) : read(place),
      made: place.endsWith('.ts') ? forBrowsers : asItIs,
    }))
}

const packagesOf = (): Source[] => [
  ...Object.entries(libraries).map(([name, library]) => ({
    place: placeOf(name),
    text: libraryOf(library),
    made: asItIs,
  })),
  ...Object.entries(sheets).map(([place, name]) => ({ place, text: source(name), made: asItIs })),
]

/** What a module imports at once, by its place; not types, nor what it asks for later. */
function importsOf({ place, text }: Source): string[] {
  const named = text.matchAll(/(?:^|;)\s*(?:import|export)\b(?!\s*type\b)(?:[^'"();]*?from)?\s*["']([^"']+)["']/gm)
  return Array.from(named, ([, name]) =>
    name!.startsWith('.') ? path.posix.join(path.posix.dirname(place), name!) : placeOf(name!),
  )
}

/** The modules behind `entry`, each before those that import it. */
function graphOf(entry: string, sources: ReadonlyMap<string, Source>): string[] {
  const seen = new Set<string>()
  const order: string[] = []
  const visit = (place: string) => {
    if (seen.has(place)) return
    seen.add(place)
    const file = sources.get(place)
    if (!file) throw new Error(`a console module imports ${place}, which does not exist`)
    for (const other of importsOf(file)) visit(other)
    order.push(place)
  }
  visit(entry)
  return order
}

function assetOf({ place, text, made }: Source, hash: string): Asset {
  let plain: Buffer | undefined
  return {
    media: mediaOf[path.extname(place)] ?? mediaOf['.ts']!,
    etag: `"${hash}"`,
    get plain() {
      return (plain ??= Buffer.from(made(text)))
    },
  }
}

function make(): Assets {
  const sources = new Map([...packagesOf(), ...ownFiles()].map((one) => [one.place, one]))
  const files = new Map<string, Asset>()
  // What is made of them is this Node's doing.
  const all = createHash('sha256').update(process.version)
  for (const [place, one] of sources) {
    const hash = createHash('sha256').update(process.version).update(one.text).digest('base64url')
    all.update(`${place}\n${hash}\n`)
    files.set(place, assetOf(one, hash))
  }
  const imports = Object.fromEntries(Object.keys(libraries).map((name) => [name, placeOf(name)]))
  const behind = (entry: string) => graphOf(entry, sources)
  return { version: all.digest('hex').slice(0, 12), files, imports, shell: behind('main.ts'), behind }
}

let cachedAssets: Assets | undefined

/** @throws Error where a package is not installed */
export const assets = (): Assets => (cachedAssets ??= make())

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)
const compressedFiles = new Map<string, Promise<Buffer>>()

export type Encoding = 'br' | 'gzip' | 'identity'

/** The best that a browser takes. */
export const encodingOf = (accepted: string): Encoding =>
  /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : 'identity'

/** The file in an encoding: compressed once, then kept. */
export function encodeAsset({ plain, etag }: Asset, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'identity') return Promise.resolve(plain)
  const key = `${encoding} ${etag}`
  const kept = compressedFiles.get(key)
  if (kept) return kept
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length }
  const fresh = encoding === 'br' ? brotliAsync(plain, { params }) : gzipAsync(plain, { level: 9 })
  compressedFiles.set(key, fresh)
  return fresh
}
