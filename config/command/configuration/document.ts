/** Reads configuration files: YAML, one document per thing, or JSON. */
import fs from 'node:fs'
import path from 'node:path'
import { CORE_SCHEMA, loadAll } from 'js-yaml'
import { UsageError } from '#config/command/line/command.ts'
import { allKinds, type Kind, type Members } from './kind.ts'

/** One thing that a file describes; references are not resolved yet. */
export interface Document {
  kind: Kind
  given: Members
  /** Where it is, for messages. */
  at: string
}

const isFile = (name: string): boolean => /\.(ya?ml|json)$/i.test(name)

/**
 * All documents of files and folders, each folder with its YAML and JSON files, sorted by name.
 * @throws UsageError naming file and document
 */
export function readDocuments(paths: readonly string[]): Document[] {
  const files = paths.flatMap(filesOf)
  return files.flatMap((file) => {
    const documents = parsed(file).filter((one) => one !== undefined && one !== null)
    return documents.map((one, n) => documentOf(one, documents.length > 1 ? `${file}, document ${n + 1}` : file))
  })
}

function filesOf(given: string): string[] {
  const found = fs.statSync(given, { throwIfNoEntry: false })
  if (!found) throw new UsageError(`There is no file ${given}.`)
  if (!found.isDirectory()) return [given]
  const files = fs.readdirSync(given).filter(isFile).toSorted()
  if (files.length === 0) throw new UsageError(`${given} has no file that ends in .yaml, .yml or .json.`)
  return files.map((name) => path.join(given, name))
}

function parsed(file: string): unknown[] {
  try {
    // Dates stay text, as the API takes them.
    return loadAll(fs.readFileSync(file, 'utf8'), { schema: CORE_SCHEMA, filename: file })
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
}

function documentOf(found: unknown, at: string): Document {
  if (typeof found !== 'object' || found === null || Array.isArray(found))
    throw new UsageError(`${at} must be an object with a kind.`)
  const { kind: word = 'domain' in found ? 'policy' : undefined, ...given } = found as Record<string, unknown>
  const kind = allKinds.find(({ name }) => name === word)
  if (!kind) {
    const names = allKinds.map(({ name }) => name)
    const wrong =
      word === undefined
        ? 'has no kind'
        : `has the unknown kind ${typeof word === 'string' ? word : JSON.stringify(word)}`
    throw new UsageError(`${at} ${wrong}. Kinds: ${names.join(', ')}.`)
  }
  checkMembers(kind, given, at)
  return { kind, given, at }
}

function checkMembers(kind: Kind, given: Members, at: string): void {
  const known = [...kind.key, ...kind.fields]
  const stranger = Object.keys(given).find((name) => !known.includes(name))
  if (stranger !== undefined)
    throw new UsageError(`${at}: a ${kind.name} has no member ${stranger}. Its members: ${known.join(', ')}.`)
}
