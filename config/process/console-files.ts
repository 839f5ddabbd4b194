/** The console's files: bundled when the sources have changed since the last start, otherwise read from the cache folder. */
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { ConsoleFiles } from '#http/console/asset.ts'
import { bundleConsole, type Sources } from './bundle-console.ts'
import { root } from './root.ts'

const web = path.join(root, 'http', 'console', 'web')
const manifest = 'page.json'

let read: Promise<ConsoleFiles> | undefined

/** The same for the whole process: sources that change later show at the next start. @throws Error where a source is broken */
export const consoleFiles = (): Promise<ConsoleFiles> => (read ??= readFiles(path.join(root, '.cache', 'console')))

/** @param cache a folder for what was bundled; only the newest bundle is kept */
export async function readFiles(cache: string): Promise<ConsoleFiles> {
  const sources = readSources()
  const folder = path.join(cache, await keyOf(sources))
  const kept = await readBundle(folder)
  if (kept) return kept
  const fresh = await bundleConsole(web, sources)
  // Where nothing can be written, or another process was first, this process has what it needs all the same.
  await keepBundle(folder, fresh).catch(() => undefined)
  return fresh
}

function readSources(): Sources {
  const names = readdirSync(web, { recursive: true, encoding: 'utf8' })
  // What the types of answers are decides nothing here, and an image does not have that file.
  const some = names.filter((name) => /\.(tsx?|css|svg)$/.test(name) && name !== 'operation.ts').toSorted()
  // One after another they take a fifth of what they take all at once.
  return new Map(some.map((name) => [name.replaceAll(path.sep, '/'), readFileSync(path.join(web, name), 'utf8')]))
}

/** Of all that a bundle is made from: the sources, the packages with their versions, and how they are bundled. */
async function keyOf(sources: Sources): Promise<string> {
  const hash = createHash('sha256')
  for (const [name, text] of sources) hash.update(JSON.stringify([name, text]))
  for (const file of [path.join(root, 'package.json'), path.join(import.meta.dirname, 'bundle-console.ts')])
    hash.update(await fs.readFile(file))
  return hash.digest('hex').slice(0, 16)
}

async function readBundle(folder: string): Promise<ConsoleFiles | undefined> {
  const names = await fs.readdir(folder).catch((): string[] => [])
  if (!names.includes(manifest)) return undefined
  const contents = await Promise.all(names.map((name) => fs.readFile(path.join(folder, name))))
  const files = new Map(names.map((name, at) => [name, contents[at]!]))
  const page = JSON.parse(files.get(manifest)!.toString()) as ConsoleFiles['page']
  files.delete(manifest)
  return { page, files }
}

/** Whole or not at all; bundles of earlier sources are removed. */
async function keepBundle(folder: string, { page, files }: ConsoleFiles): Promise<void> {
  const cache = path.dirname(folder)
  await fs.mkdir(cache, { recursive: true })
  const before = await fs.readdir(cache)
  const fresh = `${folder}-${randomUUID()}`
  // Readable to other users: an image is bundled by another one than it runs as.
  await fs.mkdir(fresh)
  try {
    await Promise.all(Array.from(files, ([name, content]) => fs.writeFile(path.join(fresh, name), content)))
    await fs.writeFile(path.join(fresh, manifest), JSON.stringify(page))
    await fs.rename(fresh, folder)
  } catch (error) {
    await fs.rm(fresh, { recursive: true, force: true })
    throw error
  }
  await Promise.all(before.map((name) => fs.rm(path.join(cache, name), { recursive: true, force: true })))
}
