/** Checks a backup from its files alone. */
import path from 'node:path'
import { figuresOf } from './figures.ts'
import { filesOf, hashOfFile, readManifest, type Manifest } from './manifest.ts'
import { readLines } from './postgres.ts'

export interface Verification {
  manifest: Manifest
  files: number
  /** Empty if the backup is complete and unchanged. */
  problems: string[]
}

export async function verifyBackup(folder: string): Promise<Verification> {
  const manifest = readManifest(folder)
  const files = filesOf(manifest)
  const problems: string[] = []
  for (const { path: name, bytes, sha256 } of files) {
    const found = await hashOfFile(path.join(folder, name))
    if (!found) problems.push(`${name} is missing`)
    else if (found.bytes !== bytes) problems.push(`${name} has ${found.bytes} bytes instead of ${bytes}`)
    else if (found.sha256 !== sha256) problems.push(`${name} was changed: its SHA-256 differs`)
  }
  // Damaged files cannot be counted.
  if (problems.length === 0)
    problems.push(...(await differentRows(folder, manifest)), ...(await differentFigures(folder, manifest)))
  return { manifest, files: files.length, problems }
}

async function differentRows(folder: string, { postgres }: Manifest): Promise<string[]> {
  const problems: string[] = []
  for (const { path: name, table, rows } of postgres) {
    let found = 0
    for await (const _ of readLines(path.join(folder, name))) found++
    if (found !== rows) problems.push(`${table} has ${found} rows instead of ${rows}`)
  }
  return problems
}

async function differentFigures(folder: string, manifest: Manifest): Promise<string[]> {
  const found = await figuresOf(folder, manifest.clickhouse)
  const rows = differences(manifest.clickhouseRows, found.clickhouseRows).map(
    ([table, known, now]) => `${table} has ${now ?? 0} rows instead of ${known ?? 0}`,
  )
  const sums = differences(manifest.billedUsd, found.billedUsd).map(
    ([org, known, now]) => `the costs of organization ${org} are $${now ?? 0} instead of $${known ?? 0}`,
  )
  return [...rows, ...sums]
}

const differences = <T>(known: Record<string, T>, found: Record<string, T>) =>
  [...new Set([...Object.keys(known), ...Object.keys(found)])]
    .filter((name) => known[name] !== found[name])
    .map((name) => [name, known[name], found[name]] as const)
