/**
 * The databases in which analysts ask: one an organization, and one more for those who may see its security events. Their views
 * are the product's, run with the product's rights (`SQL SECURITY DEFINER`), and show what the row policies show of the database
 * one asks in. They are in memory, made at the first question after a start of the server.
 */
import type { ClickHouseClient } from '@clickhouse/client'
import { isUuid } from '#engine/id.ts'
import { askedViews } from '#analytics/store/tenancy.ts'
import { databaseOf } from '#config/embedded/users.ts'

const securityViews = new Set(['security_events'])

export class AnalystDatabases {
  private readonly clickhouse: ClickHouseClient
  /** Whose views run: the product's user. */
  private readonly definer: string
  private readonly made = new Map<string, Promise<void>>()
  private readonly views = askedViews()

  constructor(clickhouse: ClickHouseClient, definer = 'default') {
    this.clickhouse = clickhouse
    this.definer = definer
  }

  /** The database for an organization, which is there once this resolves. */
  async of(orgId: string, seesSecurity: boolean): Promise<string> {
    if (!isUuid(orgId)) throw new Error('an organization is named by its id')
    const name = databaseOf(orgId, seesSecurity)
    const making = this.made.get(name) ?? this.make(name, seesSecurity)
    this.made.set(name, making)
    making.catch(() => this.made.delete(name))
    await making
    return name
  }

  /** Whether the server has the database still. One that was started anew has not, and `of` makes it again. */
  async isThere(orgId: string, seesSecurity: boolean): Promise<boolean> {
    const database = databaseOf(orgId, seesSecurity)
    const query = 'SELECT count() > 0 AS isThere FROM system.tables WHERE database = {database:String}'
    const found = await this.clickhouse.query({ query, query_params: { database }, format: 'JSONEachRow' })
    const [row] = await found.json<{ isThere: number }>()
    if (!row?.isThere) this.made.delete(database)
    return Boolean(row?.isThere)
  }

  private async make(database: string, seesSecurity: boolean): Promise<void> {
    const command = (query: string) => this.clickhouse.command({ query })
    await command(`CREATE DATABASE IF NOT EXISTS \`${database}\` ENGINE = Memory`)
    for (const { name, select } of this.views)
      if (seesSecurity || !securityViews.has(name))
        // Tables without a database are those of the one this is asked in: the product's.
        await command(viewText(`\`${database}\`.${name}`, this.definer, select))
  }
}

/** Names cannot be bound here: the engine takes every parameter of a view's text for one of the view. Ids and files make them. */
const viewText = (name: string, definer: string, select: string): string =>
  `CREATE VIEW IF NOT EXISTS ${name} DEFINER = \`${definer}\` SQL SECURITY DEFINER AS\n${select}`
