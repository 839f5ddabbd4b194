/** Each store as the product starts it and writes to it, with a record of what it acknowledged. */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@clickhouse/client'
import { connect } from '@nats-io/transport-node'
import { migrate } from '#analytics/store/migrate.ts'
import { ClickHouseFacts } from '#engine/store/clickhouse/clickhouse.ts'
import { migrateEngine } from '#engine/store/migrate.ts'
import { NatsLog } from '#engine/store/nats/nats.ts'
import type { Lease } from '#engine/actor/ports.ts'
import { PostgresStore } from '#engine/store/postgres/postgres.ts'
import { reachable } from '#config/embedded/clickhouse/address.ts'
import { startClickHouse } from '#config/embedded/clickhouse/clickhouse.ts'
import { startNats } from '#config/embedded/nats.ts'
import { startPostgres } from '#config/embedded/postgres.ts'
import { root } from '#config/process/root.ts'
import { natsAt } from '#test/harness/stores.ts'

/** A store that is open on a folder. */
export interface Opened {
  pid(): number | undefined
  /** Writers that run at once: each writes one thing more and resolves to its name once it is acknowledged. */
  writers: readonly (() => Promise<string>)[]
  /** Everything that stands in the store, by the names of `writers`. @throws Error when the store contradicts itself */
  found(): Promise<Set<string>>
  close(): Promise<void>
}

export const storeNames = ['postgres', 'nats', 'clickhouse'] as const
export type StoreName = (typeof storeNames)[number]

const quiet = () => {}
/** Lanes, and so writers, of PostgreSQL and NATS. */
const lanes = 4

/** Starts a store on what the folder holds, as the product does. @throws Error when it does not open by itself */
export const openStore: Record<StoreName, (folder: string) => Promise<Opened>> = { postgres, nats, clickhouse }

/** A server that opened, but not as it should have, must not stay on the disk. */
async function orStop<T>(server: { stop(): Promise<void> }, work: Promise<T>): Promise<T> {
  return work.catch(async (error: unknown) => {
    await server.stop()
    throw error
  })
}

/** Commits of lanes: each moves a cursor and leaves one outbox row. */
async function postgres(folder: string): Promise<Opened> {
  const server = await startPostgres(path.join(folder, 'postgres'), quiet)
  await orStop(server, migrateEngine(server.url))
  const owner = `power-${Math.random()}`
  const store = new PostgresStore({ url: server.url, owner, leaseMs: 60_000, connections: 8, onLeaseLost: quiet })
  await store.createLanes(lanes)
  const leases: Lease[] = []
  for (let lane = 0; lane < lanes; lane++) leases.push((await store.acquire(lane))!)
  return {
    pid: () => server.pid(),
    writers: leases.map((lease) => () => commit(store, lease)),
    async found() {
      const rows = await store.pool.query('select id from outbox')
      const cursors = await store.pool.query('select sum(cursor)::int as n from lane')
      if (cursors.rows[0].n !== rows.rowCount) throw new Error('cursors and rows of the same commits differ')
      return new Set(rows.rows.map((row) => row.id as string))
    },
    async close() {
      await store.close()
      await server.stop()
    },
  }
}

async function commit(store: PostgresStore, lease: Lease): Promise<string> {
  const to = lease.cursor + 1
  const id = `${lease.lane}-${to}`
  const none = {
    begun: { seq: 0, done: 0 },
    apart: { seq: 0, done: 0 },
    rows: [],
    reminders: [],
    forgotten: [],
    marks: [],
    effects: [],
    inbox: [],
    written: [],
    dead: [],
  }
  const outbox = [{ id, subject: 'event.power.cut', headers: {}, body: 'x'.repeat(200) }]
  if (!(await store.commit({ ...none, lease, from: lease.cursor, to, clock: 0, outbox }))) throw new Error('refused')
  lease.cursor = to
  return id
}

/** Messages on the lanes' streams, through the server's own mapping. */
async function nats(folder: string): Promise<Opened> {
  const options = { cache: path.join(root, '.cache'), lanes, log: quiet, path: process.env['PATH'] }
  const server = await startNats(path.join(folder, 'nats'), options)
  if (!server.syncAlways) throw new Error(`nats-server ${server.version} cannot sync every publish; 2.10 can`)
  const connection = await connect({ ...natsAt(server.url), maxReconnectAttempts: -1, reconnectTimeWait: 250 })
  const log = await NatsLog.open(connection)
  await orStop(server, log.createStreams(lanes, { laneBytesMax: 2 ** 30 }))
  const run = Math.random().toString(36).slice(2)
  let n = 0
  const publish = async () => {
    const body = `${run}-${++n}`
    const { lane, seq } = await log.publish({ subject: `ingest.power.o${n}.p`, id: body, body })
    return `${lane}/${seq}/${body}`
  }
  return {
    pid: () => server.pid(),
    writers: Array.from({ length: 16 }, () => publish),
    async found() {
      const all = new Set<string>()
      for (let lane = 0; lane < lanes; lane++) for (const name of await readLane(log, lane)) all.add(name)
      return all
    },
    async close() {
      await connection.close()
      await server.stop()
    },
  }
}

async function readLane(log: NatsLog, lane: number): Promise<string[]> {
  const names: string[] = []
  const last = await log.last(lane)
  const reader = await log.read(lane, 1)
  for (let at = 0; at < last;) {
    const list = await reader.next(5000, 1e8, 5000)
    if (list.length === 0) throw new Error(`lane ${lane} ends at ${at} instead of ${last}`)
    at = list.at(-1)!.seq
    names.push(...list.map(({ seq, body }) => `${lane}/${seq}/${Buffer.from(body).toString()}`))
  }
  await reader.close()
  return names
}

/** Rows of a batch: three months, so three parts an insert. */
const batchRows = 99

/** Batches of facts, and merges of them all the while. */
async function clickhouse(folder: string): Promise<Opened> {
  const server = await startClickHouse(path.join(folder, 'clickhouse'), { log: quiet })
  const client = createClient({ ...reachable(server.url), database: server.database, request_timeout: 60_000 })
  await orStop(server, migrate(client))
  const facts = new ClickHouseFacts(client)
  const count = async () => {
    const query = `SELECT org_id AS name, count() AS n FROM metric_sample FINAL GROUP BY org_id`
    const rows = await (await client.query({ query, format: 'JSONEachRow' })).json<{ name: string; n: string }>()
    return rows.filter(({ n }) => Number(n) === batchRows).map(({ name }) => name)
  }
  const run = Math.random().toString(36).slice(2)
  let n = 0
  const insert = async () => {
    const name = `${run}-${++n}`
    await facts.insert('metric_sample', batchOf(name))
    return name
  }
  const merge = async () => {
    await sleep(300)
    await client.command({ query: 'OPTIMIZE TABLE metric_sample' })
    return ''
  }
  return {
    pid: () => server.pid(),
    writers: [insert, insert, insert, insert, merge],
    found: async () => new Set(await count()),
    async close() {
      await client.close()
      await server.stop()
    },
  }
}

const batchOf = (name: string) =>
  Array.from({ length: batchRows }, (_, i) => ({
    org_id: name,
    resource_uid: `r-${i}`,
    metric: 'cpu_percent',
    ts: new Date(Date.UTC(2026, i % 3, 1) + i * 1000).toISOString(),
    value: i,
    cloud_account_id: 'acct-1',
    x_Version: 1n,
  }))
