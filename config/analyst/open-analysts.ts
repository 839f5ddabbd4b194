/** Opens the analysts' port if ClickHouse can keep organizations apart. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { ClickHouseError, ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client'
import { organizationTables } from '#analytics/store/tenancy.ts'
import { mainShard, type Shard } from '#engine/store/clickhouse/shards.ts'
import { isAway } from '#http/store/fault.ts'
import { Limiter } from '#http/edge/limit/limit.ts'
import { AnalystDatabases } from '#config/analyst/database.ts'
import { openGate, type AnalystServer, type Gate } from '#config/analyst/gate.ts'
import { measureQuestions } from '#config/analyst/measure.ts'
import { upstreamAt } from '#config/analyst/upstream.ts'
import type { Connections } from '#config/state/connect.ts'
import { socketOf } from '#config/embedded/clickhouse/address.ts'
import { refusal } from '#config/embedded/clickhouse/error-codes.ts'
import { onKeptPort } from '#config/embedded/port.ts'
import { shardAddresses } from '#config/settings/settings-store.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'

/** Wrong tokens per minute from one block of addresses. */
const wrongPerMinute = 30

/**
 * `clickhouseUrl` is the address that the product itself uses. Undefined if ClickHouse is the operator's own and has no
 * user for analysts.
 * @throws Error in words for the operator: a port in use, a user that may read more than it should
 */
export async function openAnalysts(
  { connections, product }: { connections: Connections; product: Product },
  clickhouseUrl: string,
): Promise<Gate | undefined> {
  const { settings, shards, clock, installation } = connections
  const url = socketOf(clickhouseUrl) === undefined ? settings.clickhouseAnalystsUrl : clickhouseUrl
  if (url === undefined) return undefined
  const addresses = shardAddresses(settings.clickhouseShards)
  const servers = new Map<ClickHouseClient, AnalystServer>()
  const opened = async ({ name, client }: Shard): Promise<AnalystServer | undefined> => {
    const own = name === mainShard ? clickhouseUrl : addresses.get(name)!
    const analystUrl = name === mainShard ? url : analystUrlOf(own, settings.clickhouseAnalystsUrl)
    if (analystUrl === undefined) return undefined
    const server = servers.get(client) ?? (await openServer(client, own, analystUrl))
    servers.set(client, server)
    return server
  }
  for (const shard of shards.all)
    await opened(shard).catch((error: unknown) => {
      // It is opened by its first query.
      if (shard.name === mainShard || !isAway(error)) throw error
    })
  const note = measureQuestions(product.get(tokens.meter).registry)
  const open = (port: number) =>
    openGate({
      host: settings.analystsHost,
      port,
      callerOf: (token) => product.get(tokens.identity).authenticator.analyst(token),
      isWhole: () => !installation.misfits.some(({ store }) => store !== 'nats'),
      serverOf: async (orgId) => {
        const server = await opened(await shards.shardOf(orgId))
        if (!server) throw refusal(497, 'The ClickHouse server of your organization has no user for analysts.')
        return server
      },
      disconnect: () => servers.forEach(({ upstream }) => upstream.close()),
      note,
      limiter: new Limiter(() => clock.now()),
      refused: { name: 'analysts', perMinute: wrongPerMinute, burst: wrongPerMinute },
      trustedProxies: settings.trustedProxies,
    })
  if (settings.analystsPort !== 0) return open(settings.analystsPort)
  // The port is kept, so that an address entered in a tool stays valid after restarts.
  const folder = path.join(settings.dataDir, 'analysts')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return onKeptPort(folder, open)
}

/** A server on the network has the analysts' user of `CLICKHOUSE_ANALYSTS_URL`, with the same password. */
function analystUrlOf(shardUrl: string, analystsUrl: string | undefined): string | undefined {
  if (socketOf(shardUrl) !== undefined || analystsUrl === undefined) return socketOf(shardUrl) && shardUrl
  const { username, password } = new URL(analystsUrl)
  return Object.assign(new URL(shardUrl), { username, password }).href
}

/** `productUrl` has the product's user, `url` that of analysts. */
async function openServer(client: ClickHouseClient, productUrl: string, url: string): Promise<AnalystServer> {
  const isEmbedded = socketOf(url) !== undefined
  if (!isEmbedded) {
    await checkUser(url)
    const missing = await withoutPolicy(client)
    if (missing.length > 0)
      throw new Error(
        `ClickHouse has no row policy for analysts on ${missing.join(', ')}: run the SQL printed by \`tidemark analyst rights\`.`,
      )
  }
  const definer = isEmbedded ? 'default' : decodeURIComponent(new URL(productUrl).username) || 'default'
  return { databases: new AnalystDatabases(client, definer), upstream: upstreamAt(url) }
}

/** The organization tables without a row policy that limits them to the current database's organization. */
export async function withoutPolicy(clickhouse: ClickHouseClient, tables = organizationTables()): Promise<string[]> {
  const query = `SELECT table FROM system.row_policies
    WHERE database = currentDatabase() AND select_filter LIKE '%substring(currentDatabase()%'`
  const rows = await (await clickhouse.query({ query, format: 'JSONEachRow' })).json<{ table: string }>()
  const narrowed = new Set(rows.map(({ table }) => table))
  return tables.map(({ name }) => name).filter((name) => !narrowed.has(name))
}

/** Checks that the analysts' user cannot read the tables directly. @throws Error if it can */
async function checkUser(url: string): Promise<void> {
  const client = createClient({ url, request_timeout: 10_000, log: { level: ClickHouseLogLevel.OFF } })
  const name = 'CLICKHOUSE_ANALYSTS_URL'
  try {
    await client.command({ query: 'SELECT count() FROM tidemark.cost_fact' })
  } catch (error) {
    if (error instanceof ClickHouseError && error.code === '497') return
    const { message } = error as Error
    throw new Error(
      `${name} cannot be used: ${message} Create its user with the SQL printed by \`tidemark analyst rights\`.`,
      {
        cause: error,
      },
    )
  } finally {
    await client.close()
  }
  throw new Error(
    `${name} uses a user that can read all organizations. Create a restricted user with the SQL printed by \`tidemark analyst rights\`.`,
  )
}
