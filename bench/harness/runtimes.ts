/** The same counting actor on four runtimes: a bare Map, this engine's turns, and two actor libraries. */
import type { EntityClass } from '@mikro-orm/core'
import { dispatch, spawn, start, stop, type Ref } from 'nact'
import { createActor, fromTransition, type Actor as XstateActor, type TransitionActorLogic } from 'xstate'
import { actorId, Activations } from '#engine/lane/activation.ts'
import { defineActor, type Actor } from '#engine/actor/actor.ts'
import { Echoes } from '#engine/lane/message/echo.ts'
import { makeBatch, type BatchTools } from '#engine/lane/batch.ts'
import type { Head } from '#engine/lane/commit/draft.ts'
import type { Message } from '#engine/lane/message/message.ts'
import type { PlainReads } from '#engine/lane/plain-reads.ts'
import type { Lease, Reads, StateStore } from '#engine/actor/ports.ts'
import type { Receiver, Registry } from '#engine/actor/registry.ts'
import type { RowShape } from '#engine/actor/row.ts'
import { t } from '#engine/value/schema.ts'
import { subject, type Subject } from '#engine/actor/subject.ts'
import { table } from '#engine/actor/table.ts'

/** One message as every runtime gets it: for actor `key`; ours takes it as its lanes do, addressed and decoded. */
export interface Sent {
  key: string
  n: number
  message: Message
}

export interface Runtime {
  name: string
  /** Brings the actors into memory, with a count of 0 each. */
  spawn(keys: readonly string[]): Promise<void> | void
  /** Resolves when all are handled, and what they appended is there. The number of facts. */
  run(batch: readonly Sent[]): Promise<number> | number
  end(): void
}

/** An actor's state, and its fact: every message adds to the first and appends one of the others. */
interface Count {
  count: number
  total: number
}
interface Fact {
  key: string
  n: number
  total: number
}

const place = (key: string) => ({ orgId: `org-${key.length}`, place: `account-${key.at(-1)}` })

export function bareMap(): Runtime {
  const actors = new Map<string, Count>()
  const handle = (state: Count, { key, n }: Sent, facts: Fact[]) => {
    state.count++
    state.total += n
    facts.push({ key, n, total: state.total })
  }
  return {
    name: 'bare Map and function (limit)',
    spawn: (keys) => {
      for (const key of keys) actors.set(key, { count: 0, total: 0 })
    },
    run: (batch) => {
      const facts: Fact[] = []
      for (const sent of batch) handle(actors.get(sent.key)!, sent, facts)
      return facts.length
    },
    end: () => actors.clear(),
  }
}

const At = t.Object({ key: t.String(), n: t.Integer() })
const counted = subject({ name: 'bench.counted', kind: 'bench', summary: 'Adds n.', schema: At, examples: [] })
const countFact = table({ name: 'bench_fact', row: t.Object({ key: t.String(), n: t.Integer(), total: t.Integer() }) })

class Counter {
  declare orgId: string
  declare place: string
  declare key: string
  declare count: number
  declare total: number
}

const counter = defineActor({
  kind: 'counter',
  entity: Counter as unknown as EntityClass<Counter>,
  address: { orgId: 'orgId', place: 'place', key: 'key' },
  initial: () => ({ count: 0, total: 0 }),
  reactions: (on) => [
    on(
      counted,
      (data) => data.key,
      (state, { key, n }, turn) => {
        state.count++
        state.total += n
        turn.append(countFact, { key, n, total: state.total }, turn.message.time)
      },
    ),
  ],
}) as unknown as Actor
const column = (name: string) => ({ property: name, column: name, type: 'text', isDate: false, isNullable: false })
const shape: RowShape = {
  table: 'counter',
  columns: ['orgId', 'place', 'key', 'count', 'total'].map(column),
  address: { orgId: 'orgId', place: 'place', key: 'key' },
}
const receivers: Receiver[] = [{ actor: counter, reaction: counter.reactions.get(counted.name)! }]
const registry: Registry = {
  actors: new Map([['counter', counter]]),
  shapes: new Map([['counter', shape]]),
  subjects: new Map(),
  scanners: new Map(),
  echoes: new Map(),
}

const nothing = new Uint8Array(0)

/** A message as the lane hands it to its turns. */
export function sent(key: string, n: number, seq: number): Sent {
  const at = 1_780_000_000_000 + seq
  const { orgId, place: account } = place(key)
  const data = { key, n }
  const time = new Date(at).toISOString()
  const envelope = { id: `m-${seq}`, type: counted.name, schemaVersion: 1, orgId, time, data } as const
  const log = { seq, subject: `bench.${orgId}.${account}`, headers: {}, body: nothing, at }
  const known = { subject: counted as unknown as Subject, receivers, orgId, place: account }
  return { key, n, message: { log, index: 0, envelope, time: at, ...known } }
}

/** Whole batches as a lane runs them, from addressed messages to what is to be committed; the rows come as a driver's do. */
export function ours(): Runtime {
  const load: StateStore['load'] = async (_, keys) =>
    JSON.parse(JSON.stringify(keys.map((address) => ({ ...address, count: 0, total: 0 })))) as object[]
  const store = { load } as StateStore
  const activations = new Activations(store, Infinity)
  const lease: Lease = { lane: 0, epoch: 1, cursor: 0, clock: 0, ends: 0, suspectUntil: 0, apart: { seq: 0, done: 0 } }
  let head: Head = lease
  const settled = async () => {}
  const fixed = {
    registry,
    store,
    reads: {} as Reads,
    plain: {} as PlainReads,
    activations,
    echoes: new Echoes(registry, 0),
    lease,
    settled,
    portion: 'batch' as const,
  }
  return {
    name: 'this engine',
    async spawn(keys) {
      for (let i = 0; i < keys.length; i += 2000) {
        const called = keys.slice(i, i + 2000).map((key) => {
          const address = { ...place(key), key }
          return { id: actorId('counter', address), address, live: undefined }
        })
        await activations.activate('counter', shape, called)
      }
    },
    async run(batch) {
      const tools: BatchTools = { ...fixed, head }
      const { commit, facts, states } = await makeBatch(
        tools,
        batch.map(({ message }) => message),
      )
      for (const [id, state] of states) activations.set(id, state)
      head = { cursor: commit.to, clock: commit.clock, apart: { seq: 0, done: 0 } }
      activations.passivate(commit.clock, 600_000)
      return facts.values().next().value?.length ?? 0
    },
    end: () => activations.clear(),
  }
}

export function nact(): Runtime {
  const system = start()
  const actors = new Map<string, Ref<Sent>>()
  let facts: Fact[] = []
  let left = 0
  let done = () => {}
  const handle = (state: Count, { key, n }: Sent): Count => {
    const next = { count: state.count + 1, total: state.total + n }
    facts.push({ key, n, total: next.total })
    if (--left === 0) done()
    return next
  }
  return {
    name: 'nact 7.6.2',
    spawn: (keys) => {
      const initialState = { count: 0, total: 0 }
      for (const key of keys) actors.set(key, spawn(system, handle, key, { initialState }))
    },
    async run(batch) {
      facts = []
      left = batch.length
      const all = new Promise<void>((resolve) => (done = resolve))
      for (const message of batch) dispatch(actors.get(message.key)!, message)
      await all
      return facts.length
    },
    end: () => stop(system),
  }
}

type Counted = { type: 'counted'; key: string; n: number }
type CountLogic = TransitionActorLogic<Count, Counted, undefined>

export function xstate(): Runtime {
  const actors = new Map<string, XstateActor<CountLogic>>()
  let facts: Fact[] = []
  const logic: CountLogic = fromTransition(
    (state: Count, { key, n }: Counted): Count => {
      const next = { count: state.count + 1, total: state.total + n }
      facts.push({ key, n, total: next.total })
      return next
    },
    { count: 0, total: 0 },
  )
  return {
    name: 'xstate 5.33.3',
    spawn: (keys) => {
      for (const key of keys) actors.set(key, createActor(logic).start())
    },
    run: (batch) => {
      facts = []
      for (const { key, n } of batch) actors.get(key)!.send({ type: 'counted', key, n })
      return facts.length
    },
    end: () => actors.clear(),
  }
}
