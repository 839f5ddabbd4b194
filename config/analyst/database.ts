/**
 * The databases in which analysts ask: one for an organization and each set of rights that somebody asks with (decision G-126). One
 * has the views that the rights open, and no other. Its views are the product's, run with the product's rights (`SQL SECURITY
 * DEFINER`), and show what the row policies show of the database one asks in. They are in memory, made at the first question after
 * a start of the server, and dropped when others have been asked since.
 */
import { createHash } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { isUuid } from '#engine/value/id.ts'
import { askedViews } from '#analytics/store/tenancy.ts'
import { hiddenColumns, readableViews, type ViewRight } from '#http/identity/token/analyst-view.ts'
import { plainColumns, shownColumns } from '#config/analyst/column.ts'
import { databaseOf, databasesFrom } from '#config/analyst/database-name.ts'
import { columnDescription, parametersOf, viewComment } from '#config/analyst/description.ts'

/** Databases that are kept: each has some 70 views, and takes about a megabyte of the server. */
const keptMax = 200

export class AnalystDatabases {
  private readonly clickhouse: ClickHouseClient
  /** Whose views run: the product's user. */
  private readonly definer: string
  private readonly max: number
  /** By name, the one asked last at the end. */
  private readonly made = new Map<string, Promise<void>>()
  private readonly views = askedViews()

  constructor(clickhouse: ClickHouseClient, definer = 'default', max = keptMax) {
    this.clickhouse = clickhouse
    this.definer = definer
    this.max = max
  }

  /** The database for an organization and these rights, which is there once this resolves. */
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

  /** Whether the server has the database still. One that was started anew has not, and `of` makes it again. */
  async isThere(orgId: string, held: readonly ViewRight[]): Promise<boolean> {
    const database = databaseOf(orgId, held)
    const query = 'SELECT count() > 0 AS isThere FROM system.tables WHERE database = {database:String}'
    const [row] = await this.rows<{ isThere: number }>(query, { database })
    if (!row?.isThere) this.made.delete(database)
    return Boolean(row?.isThere)
  }

  /** One that is asked at this moment is made again by the gate. */
  private async dropOldest(): Promise<void> {
    const [oldest] = this.made.keys()
    if (oldest === undefined || this.made.size <= this.max) return
    this.made.delete(oldest)
    await this.command(`DROP DATABASE IF EXISTS \`${oldest}\``)
  }

  private async make(database: string, orgId: string, held: readonly ViewRight[]): Promise<void> {
    const texts = this.textsOf(database, orgId, held)
    // One that another version left has other views.
    const print = createHash('sha256').update(texts.join('\n')).digest('hex')
    const query = 'SELECT comment FROM system.databases WHERE name = {database:String}'
    const [there] = await this.rows<{ comment: string }>(query, { database })
    if (there && there.comment !== print) await this.command(`DROP DATABASE IF EXISTS \`${database}\``)
    await this.command(`CREATE DATABASE IF NOT EXISTS \`${database}\` ENGINE = Memory COMMENT '${print}'`)
    for (const text of texts) await this.command(text)
  }

  private textsOf(database: string, orgId: string, held: readonly ViewRight[]): string[] {
    const readable = new Set(readableViews(held))
    // Grants cannot tell the databases of one organization apart. So views answer those alone who ask in a database with their rights.
    const from = databasesFrom(orgId, held).map((name) => `'${name}'`)
    return this.views
      .filter(({ name }) => readable.has(name))
      .map(({ name, select }) => {
        const hidden = hiddenColumns(name, held)
        const columns = shownColumns(name, hidden)
        const guarded = `SELECT ${columns} FROM\n(\n${select}\n)\nWHERE currentDatabase() IN (${from.join(', ')})`
        // Of a view with parameters the engine keeps no columns.
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

/** Columns with their comments. Their types must be named as well: without them the engine takes no comments. */
const declaredColumns = (view: string, hidden: readonly string[]): string =>
  plainColumns(view, hidden)
    .map(({ name, type }) => `\`${name}\` ${type} COMMENT ${quoteString(columnDescription(view, name))}`)
    .join(', ')

const quoteString = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/**
 * Names and comments cannot be bound here: the engine takes every parameter of a view's text for one of the view. Ids and files of the
 * product make them. Tables without a database are those of the one this is asked in: the product's.
 */
const viewText = (head: string, select: string, comment: string): string =>
  `CREATE VIEW IF NOT EXISTS ${head} SQL SECURITY DEFINER AS\n${select}\nCOMMENT ${quoteString(comment)}`
