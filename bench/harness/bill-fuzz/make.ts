/** Makes one mutated file: of a recorded bill, as one of the kinds of files that clouds deliver. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Base, Table } from './base.ts'
import { byteMutations, csvOf, tableMutations, type Random } from './mutate.ts'
import { zipped } from './zipped.ts'

export interface Made {
  path: string
  /** `aws-cur csv.gz`. */
  format: string
  /** What was done to it. */
  kind: string
  /** Parquet that is yet to be written, from a file of text. */
  packed?: { from: string; to: string; style: number }
  /** What its bytes suffer once they are there. */
  damage?: (bytes: Buffer) => Buffer
}

const containers = ['csv', 'csv', 'csv', 'csv.gz', 'zip', 'utf-16le', 'utf-16be', 'windows-1252', 'parquet', 'parquet', 'jsonl', 'json'] as const // prettier-ignore
type Container = (typeof containers)[number]

/** The `n`-th file: its base, its container and what is done to it are left to chance. */
export function made(random: Random, all: readonly Base[], folder: string, n: number): Made {
  const base = all[Math.floor(random() * all.length)]!
  const container = base.json ? (['jsonl', 'json', 'parquet'] as const)[n % 3]! : containers[n % containers.length]!
  const kind = kindOf(random, base)
  const table = base.table && (tableMutations[kind]?.(random, base.table) ?? base.table)
  const name = path.join(folder, `${n}.${container}`)
  const about = { path: name, format: `${base.format} ${container}`, kind }
  const mutate = byteMutations[kind] ?? ((_random: Random, bytes: Buffer) => bytes)
  if (container === 'parquet') {
    const packed = packedOf(random, base.json ?? csvOf(table!, false, '\n'), name)
    return { ...about, packed, ...(kind in byteMutations && { damage: (bytes) => mutate(random, bytes) }) }
  }
  const text = Buffer.from(textOf(random, container, base.json ?? table!))
  // Of what is packed, bytes are damaged before or after.
  const isBefore = random() < 0.4
  const whole = contained(container, isBefore ? mutate(random, text) : text)
  writeFileSync(name, isBefore ? whole : mutate(random, whole))
  return about
}

/** What Parquet is written from: a CSV file, or one of JSON lines. */
function packedOf(random: Random, text: string, to: string): NonNullable<Made['packed']> {
  const from = `${to}.${text.startsWith('{') ? 'jsonl' : 'csv'}`
  writeFileSync(from, text)
  return { from, to, style: Math.floor(random() * 10_000) }
}

function kindOf(random: Random, base: Base): string {
  const kinds = [...(base.table ? Object.keys(tableMutations) : []), ...Object.keys(byteMutations), 'none']
  return kinds[Math.floor(random() * kinds.length)]!
}

function textOf(random: Random, container: Container, bill: string | Table): string {
  if (typeof bill === 'string') return container === 'json' ? `[${bill.replaceAll('\n', ',\n')}]` : bill
  if (container.startsWith('json')) return jsonOf(container, bill)
  return csvOf(bill, random() < 0.3, random() < 0.3 ? '\r\n' : '\n')
}

function jsonOf(container: Container, { header, rows }: Table): string {
  const names = new Set(header)
  const objects = rows.map((row) =>
    JSON.stringify(Object.fromEntries([...names].map((name) => [name, row[header.indexOf(name)] ?? null]))),
  )
  return container === 'json' ? `[${objects.join(',\n')}]` : `${objects.join('\n')}\n`
}

function contained(container: Container, bytes: Buffer): Buffer {
  switch (container) {
    case 'csv.gz':
      return gzipSync(bytes)
    case 'zip':
      return zipped([
        ['a.csv', bytes],
        ['b/c.csv', bytes.subarray(0, Math.max(bytes.lastIndexOf('\n', -2) + 1, 1))],
      ])
    case 'utf-16le':
      return Buffer.from(`\uFEFF${bytes.toString()}`, 'utf16le')
    case 'utf-16be':
      return Buffer.from(`\uFEFF${bytes.toString()}`, 'utf16le').swap16()
    case 'windows-1252':
      return Buffer.from(
        bytes.toString().replaceAll(/(?<=\n.*)(?:zon|icros|oogl|ent)/gs, (part) => part.replace(/[oe]/, 'ö')),
        'latin1',
      )
    case 'csv':
    case 'json':
    case 'jsonl':
    case 'parquet':
      return bytes
  }
}
