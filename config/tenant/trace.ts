/**
 * Searches for an organization's data in everything that stores rows, messages or files: by column if there is one,
 * otherwise by its id in the text.
 */
import { readdir } from 'node:fs/promises'
import { organizationRows } from '#analytics/store/organization/organization.ts'
import { subjectToken } from '#engine/actor/subject.ts'
import { postgresClient } from '#engine/store/postgres/primary.ts'
import { allTables } from '#config/tenant/tables.ts'
import type { Connections } from '#config/state/connect.ts'

/** Where data was found, and the number of rows or messages. */
export interface Trace {
  place: string
  count: number
}

/** The record of the deletion stays. */
const keptTables = new Set(['closed_organization'])

export interface TraceTools extends Pick<Connections, 'store' | 'shards' | 'log'> {
  exportsFolder: string
}

/** Everything that still contains the id, in any column of any table. */
export async function traces(tools: TraceTools, orgId: string): Promise<Trace[]> {
  const { shards, log, store, exportsFolder } = tools
  const inPostgres = await postgresTraces(store.url, orgId)
  const inClickHouse = await shards.each(({ client }) => organizationRows(client, orgId))
  const messages = await log.messagesOf(subjectToken(orgId), await store.cursors())
  const files = (await readdir(exportsFolder).catch(() => [])).filter((name) => name.includes(orgId))
  return [
    ...inPostgres,
    ...inClickHouse.flatMap((rows) => Array.from(rows, ([table, count]) => ({ place: `clickhouse ${table}`, count }))),
    ...Array.from(messages, ([stream, count]) => ({ place: `nats ${stream}`, count })),
    ...files.map((name) => ({ place: `exports ${name}`, count: 1 })),
  ]
}

/**
 * Searches each row as text, including JSON columns. Uses a separate connection without the usual timeouts, because it
 * reads whole tables.
 */
async function postgresTraces(url: string, orgId: string): Promise<Trace[]> {
  const client = postgresClient(url, { application_name: 'tidemark-trace' })
  client.on('error', () => {})
  await client.connect()
  try {
    const found: Trace[] = []
    for (const { name } of await allTables(client)) {
      if (keptTables.has(name)) continue
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from "${name}" t where position($1 in t::text) > 0`,
        [orgId],
      )
      if (rows[0]!.count > 0) found.push({ place: `postgres ${name}`, count: rows[0]!.count })
    }
    return found
  } finally {
    await client.end()
  }
}
