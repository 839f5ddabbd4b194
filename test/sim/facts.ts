/** The fact store in memory: keyed, versioned rows of which the highest version shows, as a ReplacingMergeTree under FINAL. */
import { DataRefused, type FactRow, type FactStore } from '#engine/actor/ports.ts'
import type { Link } from '#test/sim/link.ts'

export interface FactTable {
  name: string
  key: readonly string[]
  /** Columns that take nothing but integers. */
  integers: readonly string[]
}

export class FactServer {
  private readonly tables: ReadonlyMap<string, { table: FactTable; rows: Map<string, FactRow> }>
  /** Told of every row that comes, and of the one that shows after it. */
  watch: ((table: string, key: string, shown: FactRow) => void) | undefined
  /** Of two versions of a key, whether the new one shows: planted bugs change it. */
  newer = (version: bigint, shown: bigint): boolean => version >= shown

  constructor(tables: readonly FactTable[]) {
    this.tables = new Map(tables.map((table) => [table.name, { table, rows: new Map() }]))
  }

  /** All of the rows or, when a column takes one of them not, none. */
  insert(name: string, given: readonly FactRow[]): void {
    const { table, rows } = this.tables.get(name)!
    if (given.some((row) => table.integers.some((column) => !Number.isInteger(row[column])))) {
      throw new DataRefused(`${name} takes integers only`)
    }
    for (const row of given) {
      const key = table.key.map((column) => String(row[column])).join('\0')
      const shown = rows.get(key)
      if (!shown || this.newer(versionOf(row), versionOf(shown))) rows.set(key, row)
      this.watch?.(name, key, rows.get(key)!)
    }
  }

  rows(name: string): ReadonlyMap<string, FactRow> {
    return this.tables.get(name)!.rows
  }
}

export const versionOf = (row: FactRow): bigint => row['x_Version'] as bigint

export class MemoryFacts implements FactStore {
  private readonly server: FactServer
  private readonly link: Link
  /** How many of the rows land when an insert breaks off. */
  private readonly some: (count: number) => number

  constructor(server: FactServer, link: Link, some: (count: number) => number = () => 0) {
    this.server = server
    this.link = link
    this.some = some
  }

  insert(table: string, rows: readonly FactRow[]): Promise<void> {
    const sent = rows.map((row) => ({ ...row }))
    return this.link(
      'insert',
      () => this.server.insert(table, sent),
      () => this.server.insert(table, sent.slice(0, this.some(sent.length))),
    )
  }
}
