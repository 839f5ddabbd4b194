/**
 * The databases that analysts query: one for each organization and set of rights in use (decision G-126). Each has only
 * the views that the rights permit. The views run with the product's rights (`SQL SECURITY DEFINER`); the row policies
 * limit their rows by the name of the current database. The databases are in memory: they are created at the first
 * query after a server start, and the one not queried for longest is dropped if there are too many.
 */
import { createHash } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { isUuid } from '#engine/value/id.ts'
import { askedViews } from '#analytics/store/tenancy.ts'
import { hiddenColumns, readableViews, type ViewRight } from '#http/identity/token/analyst-view.ts'
import { plainColumns, shownColumns } from '#config/analyst/column.ts'
import { databaseOf, databasesFrom } from '#config/analyst/database-name.ts'
import { columnDescription, parametersOf, viewComment } from '#config/analyst/description.ts'

/** Maximum databases: each has about 70 views and takes about a megabyte of the server's memory. */
const keptMax = 200

export class AnalystDatabases {
  private readonly clickhouse: ClickHouseClient
  /** The product's user, with whose rights the views run. */
  private readonly definer: string
  private readonly max: number
  /** By name, the most recently used last. */
  private readonly made = new Map<string, Promise<void>>()
  private readonly views = askedViews()

  constructor(clickhouse: ClickHouseClient, definer = 'default', max = keptMax) {
    this.clickhouse = clickhouse
    this.definer = definer
    this.max = max
  }

  /** Returns the name of the database for an organization and these rights; creates it if necessary. */
  async of(orgId: string, held: readonly ViewRight[]): Promise<string> {
    if (!isUuid(orgId)) throw new Error('an organization must be named by its ID')
    const name = databaseOf(orgId, held)
    const making = this.made.get(name) ?? this.make(name, orgId, held)
    this.made.delete(name)
    this.made.set(name, making)
    making.catch(() => this.made.delete(name))
    await making
    await this.dropOldest()
    return name
  }

  /** Whether the server still has the database. After a restart it does not; then `of` creates it again. */
  async isThere(orgId: string, held: readonly ViewRight[]): Promise<boolean> {
    const database = databaseOf(orgId, held)
    const query = 'SELECT count() > 0 AS isThere FROM system.tables WHERE database = {database:String}'
    const [row] = await this.rows<{ isThere: number }>(query, { database })
    if (!row?.isThere) this.made.delete(database)
    return Boolean(row?.isThere)
  }

  /** If the dropped database is being queried right now, the gate has it created again. */
  private async dropOldest(): Promise<void> {
    const [oldest] = this.made.keys()
    if (oldest === undefined || this.made.size <= this.max) return
    this.made.delete(oldest)
    await this.command(`DROP DATABASE IF EXISTS \`${oldest}\``)
  }

  private async make(database: string, orgId: string, held: readonly ViewRight[]): Promise<void> {
    const texts = this.textsOf(database, orgId, held)
    // A database left by another version has other views.
    const print = createHash('sha256').update(texts.join('\n')).digest('hex')
    const query = 'SELECT comment FROM system.databases WHERE name = {database:String}'
    const [there] = await this.rows<{ comment: string }>(query, { database })
    if (there && there.comment !== print) await this.command(`DROP DATABASE IF EXISTS \`${database}\``)
    await this.command(`CREATE DATABASE IF NOT EXISTS \`${database}\` ENGINE = Memory COMMENT '${print}'`)
    for (const text of texts) await this.command(text)
  }

  private textsOf(database: string, orgId: string, held: readonly ViewRight[]): string[] {
    const readable = new Set(readableViews(held))
    // Grants cannot tell the databases of one organization apart, so each view returns rows only if the current
    // database has at least its rights.
    const from = databasesFrom(orgId, held).map((name) => `'${name}'`)
    return this.views
      .filter(({ name }) => readable.has(name))
      .map(({ name, select }) => {
        const hidden = hiddenColumns(name, held)
        const columns = shownColumns(name, hidden)
        const guarded = `SELECT ${columns} FROM\n(\n${select}\n)\nWHERE currentDatabase() IN (${from.join(', ')})`
        // The engine stores no columns of a view with parameters.
        const declared = parametersOf(select).length > 0 ? '' : ` (${declaredColumns(name, hidden)})`
        const head = `\`${database}\`.${name}${declared} DEFINER = \`${this.definer}\``
        return viewText(head, guarded, viewComment({ name, select }))
      })
  }

  private command = (query: string): Promise<unknown> => this.clickhouse.command({ query })

  private async rows<T>(query: string, params: Record<string, string>): Promise<T[]> {
    return (await this.clickhouse.query({ query, query_params: params, format: 'JSONEachRow' })).json<T>()
  }
}

/** Columns with their types and comments. The types are required: without them the engine accepts no comments. */
const declaredColumns = (view: string, hidden: readonly string[]): string =>
  plainColumns(view, hidden)
    .map(({ name, type }) => `\`${name}\` ${type} COMMENT ${quoteString(columnDescription(view, name))}`)
    .join(', ')

const quoteString = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/**
 * Names and comments cannot be bound: the engine would take every bound parameter for a parameter of the view. They
 * come only from ids and from files of the product. A table name without a database refers to the database of the
 * connection that creates the view: the product's.
 */
const viewText = (head: string, select: string, comment: string): string =>
  `CREATE VIEW IF NOT EXISTS ${head} SQL SECURITY DEFINER AS\n${select}\nCOMMENT ${quoteString(comment)}`
