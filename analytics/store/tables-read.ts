/** Which tables an SQL text reads, directly or through views. */
import { readdirSync, readFileSync } from 'node:fs'
import { withoutComments } from '#engine/store/migrate.ts'

const word = /\b[a-z][a-z0-9_]*\b/g
const createPattern = /^CREATE (?:TABLE IF NOT EXISTS|OR REPLACE VIEW) (\w+)/m

interface SchemaNames {
  tables: ReadonlySet<string>
  /** By view name: the tables it reads. */
  views: ReadonlyMap<string, ReadonlySet<string>>
}

let schemaNames: SchemaNames | undefined

/**
 * Names of tables and views have no other meaning in our SQL; if one did, too many tables would be returned, never too
 * few.
 */
export function tablesRead(sql: string): ReadonlySet<string> {
  schemaNames ??= read()
  return tablesIn(sql, schemaNames)
}

function tablesIn(sql: string, { tables, views }: SchemaNames): Set<string> {
  const found = new Set<string>()
  for (const [name] of sql.matchAll(word)) {
    if (tables.has(name)) found.add(name)
    for (const source of views.get(name) ?? []) found.add(source)
  }
  return found
}

function read(): SchemaNames {
  const tables = new Set(files('../tables/').map(nameOf))
  const views = new Map<string, ReadonlySet<string>>()
  // In name order, views use only those before them.
  for (const sql of files('../views/')) views.set(nameOf(sql), tablesIn(sql, { tables, views }))
  return { tables, views }
}

const nameOf = (sql: string): string => createPattern.exec(sql)?.[1] ?? ''

function files(folder: string): string[] {
  const url = new URL(folder, import.meta.url)
  const names = readdirSync(url).toSorted()
  return names.map((name) => withoutComments(readFileSync(new URL(name, url), 'utf8')))
}
