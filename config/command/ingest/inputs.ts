/** The files that a command reads: those that are named, those in folders and below prefixes of buckets, and entries of archives. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import type { FileWarning } from '#streams/billing/file/encoding.ts'
import {
  chosenFiles,
  isManifestName,
  manifestOf,
  manifestText,
  type ListedFile,
  type Manifest,
} from '#streams/billing/file/manifest.ts'
import { archiveAt, archiveOf, billEntries } from '#streams/billing/file/member.ts'
import { spoolToFile } from '#streams/billing/file/spool.ts'
import type { Archive } from '#streams/billing/file/zip.ts'
import { isPrefix, listedBelow } from './prefix.ts'
import type { Settings } from '#config/settings/settings.ts'

/** One file, as a path or a stream of its bytes. */
export interface Input {
  name: string
  /** When it was written. */
  at: Date
  open: () => Promise<string | Readable>
  /** It can be opened again. */
  isLasting: boolean
  /** It may be no bill: then it is named and left out. */
  isDoubtful?: boolean
}

/** A warning of a file, by its name. */
export interface InputWarning extends FileWarning {
  file: string
}

/** A file of a folder or a bucket. */
export interface StoredFile extends ListedFile {
  name: string
  open: () => Promise<string | Readable>
}

/** @throws Error for a file that does not exist */
export function mustExist(given: string): void {
  if (!isPrefix(given) && !existsSync(given)) throw new Error(`File ${given} was not found.`)
}

export class Inputs implements AsyncDisposable {
  readonly files: Input[] = []
  readonly warnings: InputWarning[] = []
  readonly #archives: Archive[] = []

  async [Symbol.asyncDispose](): Promise<void> {
    for (const archive of this.#archives) await archive.close()
  }

  async add(given: string, settings: Settings): Promise<void> {
    if (isPrefix(given)) return this.#addStored(given, await storedBelow(given, settings))
    const found = statSync(given)
    if (found.isDirectory()) return this.#addStored(given, filesBelow(given))
    const open = () => Promise.resolve(given)
    const archive = found.isFile() ? await ofFile(given, () => archiveAt(given)) : undefined
    if (archive) return this.#addArchive(given, archive)
    this.files.push({ name: given, at: found.mtime, open, isLasting: found.isFile() })
  }

  /** Bills of a folder, or of a bucket: those that manifests name, where there are any. */
  async #addStored(given: string, all: readonly StoredFile[]): Promise<void> {
    const manifests: Manifest[] = []
    const known = new Set<StoredFile>()
    for (const one of all.filter((stored) => isManifestName(stored.path))) {
      const manifest = manifestOf(one, await textOf(one))
      if (manifest) manifests.push(manifest)
      known.add(one)
    }
    const { files, left } = await ofFile(given, async () => chosenFiles(all, manifests))
    const why = 'Not listed in the latest export manifest: skipped.'
    for (const { name } of left) this.#skip(name, why)
    for (const one of all)
      if (!known.has(one) && !files.includes(one) && !left.includes(one)) this.#skip(one.name, unknown)
    if (files.length === 0) throw Fault.invalid('file_format', `${given} contains no CSV, JSON or Parquet files.`)
    for (const { name, at, open } of files) {
      if (/\.zip$/i.test(name)) await this.#addArchive(name, await ofFile(name, () => archiveIn(open)))
      else
        this.files.push({
          name,
          at,
          open,
          isLasting: true,
          isDoubtful: /\.json$/i.test(name) && manifests.length === 0,
        })
    }
  }

  async #addArchive(name: string, archive: Archive): Promise<void> {
    this.#archives.push(archive)
    const { found, skipped } = await ofFile(name, async () => billEntries(archive))
    for (const one of skipped) this.#skip(`${name}/${one}`, unknown)
    for (const entry of found)
      this.files.push({ name: `${name}/${entry.name}`, at: entry.at, open: entry.open, isLasting: true })
  }

  #skip(file: string, message: string): void {
    this.warnings.push({ code: 'file_skipped', file, message })
  }
}

const unknown = 'Not a CSV, JSON or Parquet file by its name: skipped.'

/** Several files may have been given: says which one it was. @throws `error` itself where it is not about the file */
async function ofFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'invalid') throw error
    throw Fault.invalid(error.code, `${file}: ${error.message}`, error.detail)
  }
}

/** Keys of one bucket are called as they would be given. */
async function storedBelow(given: string, settings: Settings): Promise<StoredFile[]> {
  const [root = ''] = /^(?:https:\/\/[^/]+\/[^/]+|\w+:\/\/[^/]+)/.exec(given) ?? []
  const found = await listedBelow(given, settings)
  return found.map(({ key, at, open }) => ({ path: key, name: `${root}/${key}`, at, open }))
}

function filesBelow(folder: string): StoredFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const name = path.join(entry.parentPath, entry.name)
      const open = () => Promise.resolve(name)
      return { name, path: path.relative(folder, name).split(path.sep).join('/'), at: statSync(name).mtime, open }
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

async function archiveIn(open: StoredFile['open']): Promise<Archive> {
  const input = await open()
  if (typeof input !== 'string') return archiveOf(await spoolToFile(input as AsyncIterable<Buffer>))
  const archive = await archiveAt(input)
  if (!archive) throw Fault.invalid('zip_invalid', 'Not a valid zip archive: the zip header is missing.')
  return archive
}

async function textOf({ name, open }: StoredFile): Promise<string> {
  const input = await open()
  return typeof input === 'string' ? readFile(input, 'utf8') : manifestText(name, input as AsyncIterable<Buffer>)
}
