/** What no engine can beat where many reminders are due at once: each is read, published, fetched, and its rows are written, without actors. */
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream'
import { Pack } from '#engine/value/pack.ts'
import type { ReminderRow } from '#engine/actor/ports.ts'
import type { Connections } from '#config/state/connect.ts'

export interface Due {
  /** Of actors; the reminders of others are left alone. */
  kind: string
  at: Date
  /** Writes what these change; 5,000 at most. */
  write: (rows: readonly ReminderRow[]) => Promise<void>
}

const writeMax = 5000

/** Makes `bench_<table>` anew, with the indexes of the table, and of its rows those that `where` picks. */
export async function copied(c: Connections, table: string, where = 'false'): Promise<void> {
  await c.store.pool.query(`drop table if exists bench_${table}`)
  await c.store.pool.query(`create table bench_${table} (like ${table} including all)`)
  await c.store.pool.query(`insert into bench_${table} select * from ${table} where ${where}`)
}

/** The same of a table of facts, without its rows. */
export async function copiedFacts(c: Connections, table: string): Promise<void> {
  await c.clickhouse.command({ query: `CREATE OR REPLACE TABLE bench_${table} AS ${table}` })
}

/** All in one transaction. */
export async function committed(c: Connections, statements: readonly (readonly [string, unknown[]])[]): Promise<void> {
  const client = await c.store.pool.connect()
  try {
    await client.query('begin')
    for (const [sql, values] of statements) await client.query(sql, values)
    await client.query('commit')
  } finally {
    client.release()
  }
}

/** Reads what is due page by page, publishes it packed, fetches it and has it written; no messages beside, no calls. Seconds. */
export async function drained(c: Connections, asked: Due): Promise<number> {
  const manager = await jetstreamManager(c.nats)
  await manager.streams.delete('BENCH').catch(() => false)
  await manager.streams.add({ name: 'BENCH', subjects: ['bench.>'], storage: StorageType.File })
  const start = { ack_policy: AckPolicy.None, deliver_policy: DeliverPolicy.All, mem_storage: true }
  const info = await manager.consumers.add('BENCH', start)
  const consumer = await jetstream(c.nats).consumers.get('BENCH', info.name)
  const countSql = 'select count(*)::int as n from reminder where kind = $1 and due <= $2'
  const found = await c.store.pool.query<{ n: number }>(countSql, [asked.kind, asked.at])
  const all = found.rows[0]!.n
  const began = performance.now()
  const published = publishDue(c, asked)
  let rows: ReminderRow[] = []
  let done = 0
  for await (const message of await consumer.consume({ max_bytes: 16 * 1024 * 1024 })) {
    rows.push(...message.json<ReminderRow[]>())
    if (rows.length < writeMax && done + rows.length < all) continue
    await asked.write(rows)
    done += rows.length
    rows = []
    if (done >= all) break
  }
  await published
  return (performance.now() - began) / 1000
}

async function publishDue(c: Connections, { kind, at }: Due): Promise<void> {
  const js = jetstream(c.nats)
  for (let lane = 0; lane < c.settings.lanes; lane++) {
    let last: ReminderRow | undefined
    for (;;) {
      const page: ReminderRow[] = await c.store.dueReminders(lane, at.getTime(), 5000, last)
      if (page.length === 0) break
      last = page.at(-1)
      const packs: Pack<string>[] = [new Pack()]
      for (const row of page.filter((one) => one.kind === kind)) {
        const body = JSON.stringify(row)
        if (!packs.at(-1)!.hasRoom(body)) packs.push(new Pack())
        packs.at(-1)!.add(row.key, body)
      }
      const full = packs.filter(({ items }) => items.length > 0)
      await Promise.all(
        full.map((pack) => js.publish('bench.due', pack.items.length === 1 ? `[${pack.body}]` : pack.body)),
      )
    }
  }
}
