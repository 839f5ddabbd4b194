import { randomUUID } from 'node:crypto'
import { defineEntity, MikroORM, p } from '@mikro-orm/postgresql'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { defineActor } from '#engine/actor/actor.ts'
import { Asker } from '#engine/actor/ask.ts'
import { systemClock } from '#engine/clock.ts'
import { Engine, type EngineOptions } from '#engine/run/engine.ts'
import { Fault } from '#engine/value/fault.ts'
import { Meter } from '#engine/meter.ts'
import { migrateEngine } from '#engine/store/migrate.ts'
import { NatsLog } from '#engine/store/nats/nats.ts'
import { DataRefused, type FactRow, type FactStore } from '#engine/actor/ports.ts'
import { PostgresStore } from '#engine/store/postgres/postgres.ts'
import { registry } from '#engine/actor/registry.ts'
import { t } from '#engine/value/schema.ts'
import { ingestSubject, subject, type Envelope, type Subject } from '#engine/actor/subject.ts'
import { table } from '#engine/actor/table.ts'
import { natsAt, testLanes, toyStores } from '#test/harness/stores.ts'

const schema = defineEntity({
  name: 'Toy',
  tableName: 'toy',
  properties: {
    orgId: p.string().primary(),
    place: p.string().primary(),
    key: p.string().primary(),
    count: p.integer(),
    total: p.integer(),
    /** The `n` of every message taken, in order. */
    seen: p.json<number[]>(),
    at: p.datetime(3).nullable(),
  },
})
export class Toy extends schema.class {}
schema.setClass(Toy)

const At = t.Object({ place: t.String(), key: t.String(), n: t.Integer() })
const base = {
  kind: 'toy',
  schema: At,
  examples: [{ place: 'p', key: 'k', n: 1 }],
  place: (d: { place: string }) => d.place,
}

export const added = subject({ ...base, name: 'toy.added', summary: 'Adds n.' })
export const addedOnce = subject({ ...base, name: 'toy.added_once', summary: 'Adds n once an id.', once: true })
export const passed = subject({ ...base, name: 'toy.passed', summary: 'Passes n on to the actor `<key>-next`.' })
export const taken = subject({ ...base, kind: 'actor', name: 'toy.taken', summary: 'What was passed on.', once: true })
export const asked = subject({
  ...base,
  kind: 'actor',
  name: 'toy.asked',
  summary: 'Adds n and replies the total.',
  once: true,
})
export const timed = subject({ ...base, name: 'toy.timed', summary: 'Asks to be reminded n milliseconds from now.' })
export const rang = subject({ ...base, kind: 'actor', name: 'toy.rang', summary: 'The reminder.' })
export const broken = subject({ ...base, name: 'toy.broken', summary: 'Throws.' })
export const poisonous = subject({ ...base, name: 'toy.poisonous', summary: 'Ends the process.' })
export const marked = subject({ ...base, name: 'toy.marked', summary: 'Marks its key for the projection.' })
export const called = subject({ ...base, name: 'toy.called', summary: 'Asks for a call to the outside.' })
export const toySubjects: Subject[] = [
  added,
  addedOnce,
  passed,
  taken,
  asked,
  timed,
  rang,
  broken,
  poisonous,
  marked,
  called,
] as unknown as Subject[]

export const toyFact = table({
  name: 'toy_fact',
  row: t.Object({ org: t.String(), place: t.String(), key: t.String(), id: t.String(), n: t.Integer() }),
})

export const toyProjection = { name: 'toy-projection' }
export const toyEffect = { name: 'toy-effect', schema: t.Object({ n: t.Integer() }) }

const keyOf = (d: { key: string }) => d.key
const add = (toy: Toy, n: number) => {
  toy.count++
  toy.total += n
  toy.seen.push(n)
}

export const toyActor = defineActor({
  kind: 'toy',
  entity: Toy,
  address: { orgId: 'orgId', place: 'place', key: 'key' },
  initial: () => ({ count: 0, total: 0, seen: [], at: null }),
  reactions: (on) => [
    on(added, keyOf, (toy, { place, key, n }, turn) => {
      add(toy, n)
      turn.append(toyFact, { org: turn.address.orgId, place, key, id: turn.message.id, n }, turn.message.time)
    }),
    on(addedOnce, keyOf, (toy, { place, key, n }, turn) => {
      add(toy, n)
      turn.append(toyFact, { org: turn.address.orgId, place, key, id: turn.message.id, n }, turn.message.time)
    }),
    on(passed, keyOf, (_, { place, key, n }, turn) => turn.emit(taken, { place, key: `${key}-next`, n })),
    on(taken, keyOf, (toy, { n }) => add(toy, n)),
    on(asked, keyOf, (toy, { n }, turn) => {
      if (n < 0) throw Fault.conflict('negative', 'Only upwards.')
      add(toy, n)
      turn.reply({ total: toy.total })
    }),
    on(timed, keyOf, (toy, data, turn) => {
      toy.at = turn.now
      turn.remind('bell', new Date(turn.now.getTime() + data.n), rang, data)
    }),
    on(rang, keyOf, (toy, { n }) => add(toy, n)),
    on(broken, keyOf, (toy, { n }, turn) => {
      add(toy, n)
      turn.emit(taken, { place: 'p', key: 'never', n })
      throw new Error('broken on purpose')
    }),
    on(poisonous, keyOf, () => process.kill(process.pid, 'SIGKILL')),
    on(marked, keyOf, (toy, { key, n }, turn) => {
      add(toy, n)
      turn.mark(toyProjection, key)
    }),
    on(called, keyOf, (_, { n }, turn) => turn.call(toyEffect, `toy-${turn.address.orgId}-${n}`, { n })),
  ],
})

/** Facts kept in memory under their key and version, as a ReplacingMergeTree would; `refuse` stands for values no column takes. */
export class MemoryFacts implements FactStore {
  readonly rows = new Map<string, { n: number; version: bigint }>()
  inserts = 0
  away = false
  /** Inserts that came while it was away. */
  refused = 0

  async insert(_table: string, rows: readonly FactRow[]): Promise<void> {
    if (this.away) {
      this.refused++
      throw new Error('away')
    }
    this.inserts++
    for (const fact of rows) {
      const row = fact as { org: string; key: string; id: string; n: number; x_Version: bigint }
      if (row.n === 666) throw new DataRefused('no column takes 666')
      const id = `${row.org}/${row.key}/${row.id}`
      const version = row.x_Version
      if (version >= (this.rows.get(id)?.version ?? 0n)) this.rows.set(id, { n: row.n, version })
    }
  }

  total(org: string): number {
    return [...this.rows].filter(([id]) => id.startsWith(`${org}/`)).reduce((sum, [, { n }]) => sum + n, 0)
  }
}

export interface ToyWorld {
  engine: Engine
  store: PostgresStore
  log: NatsLog
  facts: MemoryFacts
  meter: Meter
  asker: Asker
  connection: NatsConnection
  org: string
  send(
    subject: Subject,
    data: unknown,
    options?: { id?: string; time?: string; dedupe?: string; orgId?: string },
  ): Promise<void>
  toy(key: string, place?: string, orgId?: string): Promise<Toy | undefined>
  until(what: string, check: () => Promise<boolean> | boolean): Promise<void>
  close(): Promise<void>
}

let orm: Promise<MikroORM> | undefined

async function database(url: string): Promise<MikroORM> {
  const found = await MikroORM.init({ clientUrl: url, entities: [Toy] })
  await migrateEngine(url)
  await found.schema.update({ safe: true, dropTables: false })
  return found
}

/**
 * An engine of its own, with toy actors, on the shared servers; one fresh organization. `isAway` names organizations whose messages are
 * stored to be run later.
 */
export async function toyWorld(
  options: Partial<EngineOptions> = {},
  isAway?: (orgId: string) => boolean,
): Promise<ToyWorld> {
  const stores = await toyStores()
  orm ??= database(stores.postgres.url)
  const metadata = (await orm).getMetadata()
  const connection = await connect({ ...natsAt(stores.nats.url), maxReconnectAttempts: -1 })
  const log = await NatsLog.open(connection)
  await log.createStreams(testLanes, { laneBytesMax: 1e9 })
  const facts = new MemoryFacts()
  const meter = new Meter()
  const engineHolder: { engine?: Engine } = {}
  const store = new PostgresStore({
    url: stores.postgres.url,
    owner: randomUUID(),
    leaseMs: 3000,
    connections: 8,
    onLeaseLost: () => engineHolder.engine?.leaseLost(),
  })
  await store.createLanes(testLanes)
  const quiet = { info: () => {}, warn: () => {}, error: () => {} }
  const engine = new Engine({
    lanes: testLanes,
    registry: registry([toyActor as never], toySubjects, metadata),
    log,
    store,
    facts,
    reads: { rows: async (sql, params) => (await store.pool.query(sql, [...params])).rows, facts: async () => [] },
    clock: systemClock,
    shift: () => 0,
    meter,
    report: quiet,
    limits: { countMax: 1000, bytesMax: 1e7, waitMs: 100, activationsMax: 10_000, idleMs: 60_000, keepMessages: 1000 },
    projections: [],
    effects: [],
    leaseMs: 3000,
    ...(isAway && { parking: { store, isAway } }),
    ...options,
  })
  engineHolder.engine = engine
  const asker = new Asker(connection, log, systemClock)
  const org = `org-${randomUUID()}`
  engine.start()
  return {
    engine,
    store,
    log,
    facts,
    meter,
    asker,
    connection,
    org,
    send: async (
      subject,
      data,
      { id = randomUUID(), time = new Date().toISOString(), dedupe = id, orgId = org } = {},
    ) => {
      const envelope: Envelope = { id, type: subject.name, schemaVersion: 1, orgId, time, data }
      const place = subject.place?.(data as never) ?? 'p'
      await log.publish({
        subject: ingestSubject(subject.kind, orgId, place),
        id: dedupe,
        body: JSON.stringify(envelope),
      })
    },
    toy: async (key, place = 'p', orgId = org) =>
      (await (await orm!).em.fork().findOne(Toy, { orgId, place, key })) ?? undefined,
    until,
    close: async () => {
      await engine.drain()
      asker.close()
      await connection.close()
      await store.leave()
      await store.close()
    },
  }
}

/**
 * Pauses between two looks of `until`, milliseconds. A look is work for the process that is waited for, so they grow by half each time, and
 * after a look that takes long, such as a report, the pause is as long as the look.
 */
const pauseMs = { first: 20, last: 60, longest: 500 }

/**
 * Waits for `check`, at most so many seconds, which only what never comes takes: machines are shared.
 * @throws naming what it waited for
 */
export async function until(
  what: string | (() => string),
  check: () => Promise<boolean> | boolean,
  seconds = 120,
): Promise<void> {
  const end = performance.now() + seconds * 1000
  for (let pause = pauseMs.first; ; pause = Math.min(1.5 * pause, pauseMs.last)) {
    const began = performance.now()
    if (await check()) return
    const now = performance.now()
    if (now > end) throw new Error(`waited ${seconds} s for: ${typeof what === 'string' ? what : what()}`)
    await systemClock.sleep(Math.max(pause, Math.min(now - began, pauseMs.longest)))
  }
}
