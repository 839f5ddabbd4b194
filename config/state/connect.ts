/** Opens the clients of the three stores and brings their schemas up to date. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client'
import { MikroORM } from '@mikro-orm/postgresql'
import { connect as connectNats, type NatsConnection } from '@nats-io/transport-node'
import pg from 'pg'
import { actorEntities, capabilityMigrations } from '#actors/index.ts'
import { migrate as migrateClickHouse } from '#analytics/store/migrate.ts'
import { systemClock } from '#engine/clock.ts'
import { parseJson } from '#engine/value/json.ts'
import { engineMigrations, migrate, migrations } from '#engine/store/migrate.ts'
import { AwayShards } from '#engine/store/clickhouse/away-shards.ts'
import { Shards } from '#engine/store/clickhouse/shards.ts'
import { behindReload, NatsLog } from '#engine/store/nats/nats.ts'
import { inboxPrefix } from '#engine/actor/subject.ts'
import { tenantRole, tenantSetting } from '#engine/actor/tenant-policy.ts'
import { isNarrowedPage, PreparedStatements } from '#engine/store/postgres/prepared-statements.ts'
import { connectionOptions, serverUrls } from '#engine/store/postgres/primary.ts'
import { PostgresStore } from '#engine/store/postgres/postgres.ts'
import type { Reporter } from '#engine/reporter.ts'
import { DeadLetter } from '#http/dead-letter/entity.ts'
import { identityEntities } from '#http/identity/index.ts'
import { isAway, isOutOfSpace } from '#http/store/fault.ts'
import { visibleOrg } from '#http/store/tenant.ts'
import { alone } from '#config/process/advisory-lock.ts'
import { withStoreError } from '#config/process/wait-for-stores.ts'
import { realClock, testClock, type ProductClock } from '#config/process/clock.ts'
import { embeddedDatabase, reachable, socketOf } from '#config/embedded/clickhouse/address.ts'
import { Disks } from './disk.ts'
import { Installation } from './installation.ts'
import { shardAddresses } from '#config/settings/settings-store.ts'
import type { Settings } from '#config/settings/settings.ts'

export interface StoreUrls {
  postgres: string
  nats: string
  clickhouse: string
  /** Database of the embedded ClickHouse; if missing, the URL contains it. */
  database?: string
}

export interface Connections {
  settings: Settings
  report: Reporter
  orm: MikroORM
  store: PostgresStore
  /** The ClickHouse server of each organization. */
  shards: Shards
  /** Those that are away, once somebody watches. */
  awayShards: AwayShards
  /** The server of `CLICKHOUSE_URL`: the only one, unless `CLICKHOUSE_SHARDS` names others. */
  clickhouse: ClickHouseClient
  nats: NatsConnection
  log: NatsLog
  /** Whether the stores belong together. */
  installation: Installation
  disks: Disks
  clock: ProductClock
  /** Set by the engine; called when the process has lost its lanes. */
  onLeaseLost: { call: () => void }
  close(): Promise<void>
}

/** PostgreSQL migrations, in order. A test proves that they equal the entities. */
export const postgresMigrations = [
  ...engineMigrations,
  ...migrations(new URL('../../actors/migrations/', import.meta.url), [
    '001_inventory',
    '002_parent_index',
    '003_security',
  ]),
  ...migrations(new URL('../../http/identity/migrations/', import.meta.url), [
    '001_identity',
    '002_people',
    '003_row_level_security',
  ]),
  ...migrations(new URL('../../actors/migrations/', import.meta.url), [
    '004_job',
    '005_team',
    '006_resource_group',
    '007_billing_sync',
    '008_unit_metric',
    '009_budget',
    '010_anomaly',
    '011_export',
    '012_scheduler_event',
    '013_snapshot',
    '014_bills',
    '015_billing_sync_export',
  ]),
  ...migrations(new URL('../../http/identity/migrations/', import.meta.url), ['004_answer_in_transaction']),
  ...capabilityMigrations,
  ...migrations(new URL('../../http/identity/migrations/', import.meta.url), [
    '005_token_scope',
    '006_sign_in',
    '007_saml_domain',
    '008_saml_key',
    '009_stream_user',
    '011_dead_letter',
    '012_anomaly_notify',
    '013_sign_in_link',
    '014_oidc',
    '015_scim',
    '016_anomaly_recurring',
    '017_consolidated',
    '018_organization_closing',
    '019_outside_mail',
    '020_quota',
    '021_saml_verifier',
    '022_token_end',
    '023_saml_issuer',
    '024_first_steps',
    '025_agent_refresh',
  ]),
]

export const entities = [...actorEntities, ...identityEntities, DeadLetter]

/**
 * NATS servers from a setting. The client ignores credentials in addresses, so those of the first address are used for
 * all. The client also does not require TLS for `tls:` addresses; here they do, so that no password is sent without
 * TLS.
 */
export function natsServers(urls: string): { servers: string[]; user?: string; pass?: string; tls?: object } {
  const all = urls.split(',').map((text) => new URL(text))
  const { username, password } = all[0]!
  const servers = all.map(({ protocol, host }) => `${protocol}//${host}`)
  const secured = all.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}
  if (username === '') return { servers, ...secured }
  return { servers, ...secured, user: decodeURIComponent(username), pass: decodeURIComponent(password) }
}

/** The servers as shown to producers: separated by commas, without credentials. */
export const natsAddress = (urls: string): string => natsServers(urls).servers.join(',')

// Tags and specs may have any property names (`__proto__` too), so JSON is parsed in the same way as messages.
for (const type of [pg.types.builtins.JSON, pg.types.builtins.JSONB])
  pg.types.setTypeParser(type, (text) => parseJson(text))

/** What each connection of the edge is switched to: '' or `org:<id>`. */
const switchedTo = new WeakMap<pg.PoolClient, string>()

/**
 * Limits a connection to the rows that the current request may see (`http/store/tenant.ts`), before its first
 * statement.
 */
async function switchConnection(connection: pg.PoolClient): Promise<void> {
  const orgId = visibleOrg()
  const wanted = orgId === undefined ? '' : `org:${orgId}`
  if ((switchedTo.get(connection) ?? '') === wanted) return
  // Until the statement succeeds, the connection's state is unknown.
  switchedTo.set(connection, 'unknown')
  await connection.query(`select set_config('role', $1, false), set_config('${tenantSetting}', $2, false)`, [
    orgId === undefined ? 'none' : tenantRole,
    orgId ?? '',
  ])
  switchedTo.set(connection, wanted)
}

/**
 * Switches every connection taken from the pool. If that fails, or the connection is lost while in use, it is returned
 * to the pool here: code in a transaction may not be able to, and the pool would then be short of a connection for
 * good.
 */
function switching(pool: pg.Pool): void {
  const take = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  const taken = async (callback?: unknown): Promise<pg.PoolClient> => {
    if (callback) throw new Error('connections of the edge are only acquired through promises')
    const connection = await take()
    preparing(connection)
    releasedOnce(connection)
    try {
      await switchConnection(connection)
      return connection
    } catch (error) {
      connection.release(error as Error)
      throw error
    }
  }
  Object.assign(pool, { connect: taken })
}

/**
 * Shared by all connections of the edge, because they run the same statements. The tenant role has separate ones:
 * PostgreSQL would plan a statement again at every change of role.
 */
const preparedStatements = {
  tenant: new PreparedStatements(isNarrowedPage),
  service: new PreparedStatements(isNarrowedPage, 'tidemark_service_'),
}
/** Error codes for a prepared statement that became invalid because a column changed, or that no longer exists. */
const stale = new Set(['0A000', '26000'])
const isPreparing = new WeakSet<pg.PoolClient>()

/** Makes a connection use prepared statements for frequent statements with values. */
function preparing(connection: pg.PoolClient): void {
  if (isPreparing.has(connection)) return
  isPreparing.add(connection)
  const query = connection.query.bind(connection) as (...given: unknown[]) => unknown
  const named = (...given: unknown[]): unknown => {
    const [text, values, ...rest] = given
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return query(...given)
    const role = switchedTo.get(connection)?.startsWith('org:') ? 'tenant' : 'service'
    const name = preparedStatements[role].nameOf(text)
    if (name === undefined) return query(...given)
    const asked = query({ name, text, values }, ...rest)
    const again = (error: { code?: string }) => {
      if (stale.has(error.code ?? '')) return query(text, values)
      throw error
    }
    return asked instanceof Promise ? asked.catch(again) : asked
  }
  Object.assign(connection, { query: named })
}

function releasedOnce(connection: pg.PoolClient): void {
  const release = connection.release.bind(connection)
  const lost = () => connection.release(new Error('the connection was lost'))
  let isOut = true
  connection.release = (error) => {
    if (!isOut) return
    isOut = false
    connection.off('end', lost)
    release(error)
  }
  connection.once('end', lost)
}

const engineConnections = 12
const edgeConnections = 20

/**
 * Milliseconds before a second connection attempt to NATS. A server that is reloading its accounts may forget a new
 * connection.
 */
const greetingMs = 3_000

/** Returns the first of two connections; the second is only started if the first takes longer than `greetingMs`. */
async function connectHedged(connecting: () => Promise<NatsConnection>): Promise<NatsConnection> {
  const first = connecting()
  const isSlow = await Promise.race([first.then(() => false), sleep(greetingMs, true, { ref: false })])
  if (!isSlow) return first
  const both = [first, connecting()]
  const won = await Promise.any(both).catch(() => first)
  for (const one of both) void one.then((other) => (other === won ? undefined : other.close())).catch(() => {})
  return won
}

async function openNats(urls: string): Promise<NatsConnection> {
  const servers = natsServers(urls)
  const client = {
    ...servers,
    name: 'tidemark',
    inboxPrefix,
    // Milliseconds. A loaded machine may need more than the default 20 s; a missing server refuses at once.
    timeout: 60_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
  }
  return withStoreError(
    'NATS',
    'NATS_URL',
    servers.servers,
    connectHedged(() => behindReload(() => connectNats(client))),
  )
}

/** The installation that the streams belong to; undefined if there are none. */
export async function streamsOwner(urls: string): Promise<string | undefined> {
  const nats = await openNats(urls)
  try {
    return await (await NatsLog.open(nats)).owner()
  } finally {
    await nats.close()
  }
}

/** @throws Error naming the store that cannot be used; what was already opened is closed */
export async function connect(settings: Settings, urls: StoreUrls, report: Reporter): Promise<Connections> {
  const opened: (() => unknown)[] = []
  const close = async () => {
    // All close at the same time, so that one that hangs on a dead server does not keep the others open.
    const ends = opened
      .splice(0)
      .toReversed()
      .map((step) => Promise.resolve(step()))
    for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason
  }
  try {
    return { ...(await open(settings, urls, report, opened)), close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

/** Held while ClickHouse is migrated. */
const migrationLock = 7_402_825

/**
 * Processes that start at once migrate ClickHouse one after the other: one that lags behind would set the order of a
 * table back to that of an older file, which cannot be extended again. Returns the names of `others` that are away.
 */
async function migrateInTurn(
  settings: Settings,
  urls: StoreUrls,
  clickhouse: ClickHouseClient,
  others: ReadonlyMap<string, ClickHouseClient>,
): Promise<string[]> {
  const missing: string[] = []
  const pool = new pg.Pool({ ...connectionOptions(urls.postgres), max: 1 })
  // A lost connection fails the query that needs it.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {})
  try {
    await alone({ pool }, migrationLock, async () => {
      await withStoreError('ClickHouse', 'CLICKHOUSE_URL', [urls.clickhouse], migrateTables(settings, clickhouse))
      for (const [name, client] of others) {
        const url = shardAddresses(settings.clickhouseShards).get(name)!
        const migrating = migrateTables(settings, client)
        await withStoreError(`ClickHouse ${name}`, 'CLICKHOUSE_SHARDS', [url], migrating).catch((error: unknown) => {
          if (!isAway(error)) throw error
          missing.push(name)
        })
      }
    })
    return missing
  } finally {
    await pool.end()
  }
}

export const migrateTables = (settings: Pick<Settings, 'clickhouseReplicated'>, clickhouse: ClickHouseClient) =>
  migrateClickHouse(clickhouse, undefined, settings.clickhouseReplicated)

async function openClickHouse(settings: Settings, urls: StoreUrls, opened: (() => unknown)[]) {
  const clickhouse = clickhouseClient(urls)
  opened.push(() => clickhouse.close())
  const others = new Map(
    Array.from(shardAddresses(settings.clickhouseShards), ([name, url]) => [name, shardClient(url)]),
  )
  for (const client of others.values()) opened.push(() => client.close())
  const names = await migrateInTurn(settings, urls, clickhouse, others)
  const prepare = async (name: string) => {
    const left = await migrateInTurn(settings, urls, clickhouse, new Map([[name, others.get(name)!]]))
    if (left.length > 0) throw new Error(`ClickHouse ${name} is away`)
  }
  return { clickhouse, others, atStart: { names, prepare } }
}

const openMapper = (urls: StoreUrls): Promise<MikroORM> =>
  MikroORM.init({
    clientUrl: serverUrls(urls.postgres)[0]!,
    entities,
    pool: { min: 0, max: edgeConnections },
    // The mapper ignores parameters of the URL, such as sslmode, so the driver gets the URL too.
    driverOptions: {
      ...connectionOptions(urls.postgres),
      application_name: 'tidemark-edge',
      statement_timeout: 5000,
      onPoolCreated: switching,
    },
  })

/** Functions that close the opened parts are added to `opened`. */
async function open(
  settings: Settings,
  urls: StoreUrls,
  report: Reporter,
  opened: (() => unknown)[],
): Promise<Omit<Connections, 'close'>> {
  await withStoreError(
    'PostgreSQL',
    'POSTGRES_URL',
    serverUrls(urls.postgres),
    migrate(urls.postgres, postgresMigrations),
  )
  const { clickhouse, others, atStart } = await openClickHouse(settings, urls, opened)
  const orm = await openMapper(urls)
  opened.push(() => orm.close())
  const onLeaseLost = { call: () => {} }
  const store = new PostgresStore({
    url: urls.postgres,
    owner: `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`,
    leaseMs: settings.leaseMs,
    reach: 2 * settings.batchMessages,
    connections: engineConnections,
    onLeaseLost: () => onLeaseLost.call(),
  })
  opened.push(() => store.close())
  const nats = await openNats(urls.nats)
  opened.push(() => nats.close())
  const log = await NatsLog.open(nats)
  const ports = { rows: store.rows, clock: systemClock }
  const shards = new Shards(clickhouse, others, ports)
  const awayShards = new AwayShards(shards, ports, report, atStart)
  await awayShards.load()
  const installation = new Installation({ store, shards, log, report })
  const cursors = await store.createLanes(settings.lanes)
  if ((await installation.look()).length === 0) {
    await createStreams(settings, { store, log, installation }, cursors)
    // With a full disk, a command can still read.
    await installation.beat().catch((error: unknown) => {
      if (!isOutOfSpace(error)) throw error
    })
  }
  const clock = settings.testHooks ? await testClock(store.pool) : realClock
  opened.push(() => clock.close())
  const disks = new Disks({ settings, pool: store.pool, shards })
  return {
    settings,
    report,
    orm,
    store,
    shards,
    awayShards,
    clickhouse,
    nats,
    log,
    installation,
    disks,
    clock,
    onLeaseLost,
  }
}

/** Creates the streams of all lanes, after the lanes' committed messages, with the installation's id. */
export async function createStreams(
  settings: Pick<Settings, 'lanes' | 'laneBytes' | 'streamReplicas'>,
  { store, log, installation }: Pick<Connections, 'store' | 'log' | 'installation'>,
  cursors: ReadonlyMap<number, number>,
): Promise<void> {
  const { id } = (await installation.bearings()).postgres!
  await log.createStreams(settings.lanes, {
    cursors,
    laneBytesMax: settings.laneBytes,
    replicas: settings.streamReplicas,
    owner: id,
  })
  await store.rows('update installation set nats = true', [])
}

/** An embedded server, which is on a socket, has one database. */
const shardClient = (url: string): ClickHouseClient =>
  clickhouseClient({ clickhouse: url, ...(socketOf(url) !== undefined && { database: embeddedDatabase }) })

export function clickhouseClient(urls: Pick<StoreUrls, 'clickhouse' | 'database'>): ClickHouseClient {
  return createClient({
    ...reachable(urls.clickhouse),
    ...(urls.database && { database: urls.database }),
    request_timeout: 60_000,
    max_open_connections: 16,
    compression: { request: false, response: false },
    // Callers report errors themselves.
    log: { level: ClickHouseLogLevel.OFF },
    json: { parse: <T>(text: string) => parseJson(text) as T },
  })
}
