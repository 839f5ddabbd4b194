/** The ports twice over: on the real servers, and in memory. What holds for both, the simulation may rely on. */
import { randomUUID } from 'node:crypto'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { systemClock } from '#engine/clock.ts'
import { ClickHouseFacts } from '#engine/store/clickhouse/clickhouse.ts'
import { migrateEngine } from '#engine/store/migrate.ts'
import { NatsLog } from '#engine/store/nats/nats.ts'
import type { FactStore, Log, StateStore } from '#engine/actor/ports.ts'
import { PostgresStore } from '#engine/store/postgres/postgres.ts'
import type { RowShape } from '#engine/actor/row.ts'
import { emptyDatabase } from '#test/harness/clickhouse.ts'
import { natsAt, testLanes, toyStores } from '#test/harness/stores.ts'
import { Database } from '#test/sim/database.ts'
import { FactServer, MemoryFacts } from '#test/sim/facts.ts'
import { directLink } from '#test/sim/link.ts'
import { Broker, MemoryLog } from '#test/sim/log.ts'
import { MemoryStore } from '#test/sim/state.ts'

/** The state store of one process. */
export type Process = StateStore & { close(): Promise<void> }

export interface Kit {
  /** A lane of the state store that nobody has ever had. */
  freshLane(): Promise<number>
  process(options?: { leaseMs?: number; onLeaseLost?: () => void }): Process
  shape: RowShape
  log: Log
  /** A lane that no `ingest` subject maps to. */
  ownLane: number
  /** Resolves with the first answer to an inbox. */
  listen(inbox: string): Promise<string>
  facts: FactStore
  factTable: string
  /** What shows of a key. */
  fact(key: string): Promise<number | undefined>
  close(): Promise<void>
}

/** The error of work that must fail; undefined when it did not. */
export const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

const column = (name: string, type = 'text') => {
  const isDate = type === 'timestamptz'
  return { property: name, column: name, type, isDate, isNullable: isDate }
}
const shape: RowShape = {
  table: 'contract_row',
  columns: [column('org'), column('place'), column('key'), column('count', 'int'), column('at', 'timestamptz')],
  address: { orgId: 'org', place: 'place', key: 'key' },
}

export async function memoryKit(): Promise<Kit> {
  const db = new Database(() => Date.now())
  const broker = new Broker(testLanes + 1, () => Date.now())
  const server = new FactServer([{ name: 'contract_fact', key: ['key'], integers: ['n'] }])
  const inboxes = new Map<string, (body: string) => void>()
  broker.answered = (inbox, body) => inboxes.get(inbox)?.(body)
  let lanes = 0
  return {
    freshLane: async () => {
      db.createLanes([lanes])
      return lanes++
    },
    process: ({ leaseMs = 5000, onLeaseLost = () => {} } = {}) =>
      new MemoryStore(db, directLink, { owner: randomUUID(), leaseMs, onLeaseLost }),
    shape,
    log: new MemoryLog({ broker, link: directLink, clock: systemClock }),
    ownLane: testLanes,
    listen: (inbox) => new Promise((resolve) => inboxes.set(inbox, resolve)),
    facts: new MemoryFacts(server, directLink),
    factTable: 'contract_fact',
    fact: async (key) => server.rows('contract_fact').get(key)?.['n'] as number | undefined,
    close: async () => {},
  }
}

/** Lanes of the contract: far behind those that engines of other tests run. */
const firstLane = 100_000

export async function serverKit(): Promise<Kit> {
  const { postgres, nats } = await toyStores()
  await migrateEngine(postgres.url)
  const admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  await admin.query(`create table if not exists contract_row
    (org text, place text, key text, count integer not null, at timestamptz, primary key (org, place, key))`)
  const connection = await connect(natsAt(nats.url))
  const log = await NatsLog.open(connection)
  await log.createStreams(testLanes + 1, { laneBytesMax: 1e9 })
  const { ch, drop } = await emptyDatabase()
  await ch.command({
    query: `CREATE TABLE contract_fact (key String, n Int32, x_Version UInt128)
      ENGINE = ReplacingMergeTree(x_Version) ORDER BY key`,
  })
  let lanes = firstLane
  return {
    freshLane: async () => {
      await admin.query('delete from lane where lane = $1', [++lanes])
      await admin.query('insert into lane (lane) values ($1)', [lanes])
      return lanes
    },
    process: ({ leaseMs = 5000, onLeaseLost = () => {} } = {}) =>
      new PostgresStore({ url: postgres.url, owner: randomUUID(), leaseMs, connections: 2, onLeaseLost }),
    shape,
    log,
    ownLane: testLanes,
    listen: (inbox) =>
      new Promise((resolve) => {
        connection.subscribe(inbox, { max: 1, callback: (_, message) => resolve(message.string()) })
      }),
    facts: new ClickHouseFacts(ch),
    factTable: 'contract_fact',
    fact: async (key) => {
      const query = 'SELECT n FROM contract_fact FINAL WHERE key = {key:String}'
      const found = await ch.query({ query, query_params: { key }, format: 'JSONEachRow' })
      return (await found.json<{ n: number }>())[0]?.n
    },
    close: async () => {
      for (const table of ['lane', 'outbox', 'inbox', 'mark', 'reminder', 'dead_letter']) {
        await admin.query(`delete from ${table} where lane >= $1`, [firstLane])
      }
      await Promise.all([admin.end(), connection.close(), drop()])
    },
  }
}
