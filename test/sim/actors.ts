/** The actor kind of the simulation: every kind of effect an actor may have, each in the smallest form that can be checked. */
import type { MetadataStorage } from '@mikro-orm/core'
import { defineActor } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Reads } from '#engine/actor/ports.ts'
import { registry } from '#engine/actor/registry.ts'
import { t } from '#engine/value/schema.ts'
import { subject, type Subject } from '#engine/actor/subject.ts'
import { table } from '#engine/actor/table.ts'
import { sightActors, sightEntities, sightSubjects } from '#test/sim/sight.ts'
import type { Turn } from '#engine/actor/turn.ts'

export class Sim {
  orgId!: string
  place!: string
  key!: string
  /** How many messages took effect, and the `n` of each, in order. */
  count!: number
  seen!: number[]
  /** Beyond 32 bits the state store refuses it. */
  size!: number
  at!: Date | null
}

const At = t.Object({ place: t.String(), key: t.String(), n: t.Integer() })
const declare = (name: string, options: { once?: true; kind?: string } = {}) =>
  subject({
    name: `sim.${name}`,
    kind: 'sim',
    summary: name,
    schema: At,
    examples: [],
    place: (d: { place: string }) => d.place,
    ...options,
  })

/** Appends a fact of its own and restates the one of its actor. */
export const added = declare('added')
export const addedOnce = declare('added_once', { once: true })
/** Emits `taken` to the actor `<key>-next` of another place, and an event. */
export const passed = declare('passed')
export const taken = declare('taken', { kind: 'actor', once: true })
export const asked = declare('asked', { kind: 'actor', once: true })
/** Is reminded 0 to 2 seconds later; the same again replaces it, `silenced` forgets it. */
export const timed = declare('timed')
export const silenced = declare('silenced')
export const rang = declare('rang', { kind: 'actor' })
export const marked = declare('marked')
/** Asks for a call to the outside, which reports back by `reported`. */
export const called = declare('called')
export const reported = declare('reported', { kind: 'actor', once: true })
export const closed = declare('closed')
export const removed = declare('removed')
/** Is for actors alone that there are. */
export const watched = declare('watched')
export const watchedByOurselves = declare('watched_by_ourselves', { kind: 'actor' })
/** Needs a read of a store before its turn. */
export const consulted = declare('consulted')
/** Bad ones: throws; ends the process; gives the state store, or the fact store, what it refuses. */
export const broken = declare('broken')
export const poisonous = declare('poisonous')
export const swollen = declare('swollen')
export const unstorable = declare('unstorable')

export const simSubjects = [
  added,
  addedOnce,
  passed,
  taken,
  asked,
  timed,
  silenced,
  rang,
  marked,
  called,
  reported,
  closed,
  removed,
  consulted,
  watched,
  watchedByOurselves,
  broken,
  poisonous,
  swollen,
  unstorable,
]
export const allSubjects = [...simSubjects, ...sightSubjects] as readonly { name: string; once?: boolean }[]

/** One row a message id: a message that comes twice, and takes effect twice, restates its row. `nth`: which of its actor's messages it was, from 0. */
export const simFact = table({
  name: 'sim_fact',
  row: t.Object({ id: t.String(), place: t.String(), key: t.String(), n: t.Integer(), nth: t.Integer() }),
})
/** One row an actor: the message whose producer's time is the latest. */
export const simLatest = table({
  name: 'sim_latest',
  row: t.Object({ place: t.String(), key: t.String(), n: t.Integer() }),
  order: 1,
})
export const factTables = [
  { name: simFact.name, key: ['id'], integers: ['n', 'nth'] },
  { name: simLatest.name, key: ['place', 'key'], integers: ['n'] },
]

export const simProjection = { name: 'sim-projection' }
export const simEffect = { name: 'sim-effect', schema: At }
export const places = ['p0', 'p1', 'p2'] as const
export const org = 'org'

/** What the harness adds to the reads of a process: how it dies in a turn. */
export interface SimReads extends Reads {
  die(n: number): void
}

type Data = { place: string; key: string; n: number }
const keyOf = (d: { key: string }) => d.key
const take = (sim: Sim, { n }: Data) => {
  sim.count++
  sim.seen.push(n)
}
const append = (sim: Sim, { place, key, n }: Data, turn: Turn, shown = n) => {
  turn.append(simFact, { id: turn.message.id, place, key, n: shown, nth: sim.count }, turn.message.time)
  turn.append(simLatest, { place, key, n: shown }, turn.message.time)
}
/** Milliseconds until the reminder of a message is due. */
export const reminderMs = (n: number): number => (n * 37) % 2000
/** Whether the state store refuses what comes of a reminder. */
export const isRingRefused = (n: number): boolean => n % 6 === 0
export const nextPlace = (place: string): string => places[(places.indexOf(place as never) + 1) % places.length]!
export const effectKey = ({ place, key, n }: Data): string => `${place}/${key}/${n}`

export const simActor = defineActor({
  kind: 'sim',
  entity: Sim,
  address: { orgId: 'orgId', place: 'place', key: 'key' },
  initial: () => ({ count: 0, seen: [], size: 0, at: null }),
  needs: async (waiting, reads) => {
    if (waiting.some((w) => w.subject.name === consulted.name)) {
      await reads.rows('', [])
      await reads.facts('', {})
    }
    return reads
  },
  reactions: (on) => [
    ...[added, addedOnce].map((which) =>
      on(which, keyOf, (sim, data, turn) => {
        append(sim, data, turn)
        take(sim, data)
      }),
    ),
    ...[taken, reported, closed, consulted].map((which) =>
      on(which, keyOf, take, which === closed ? { barrier: true } : {}),
    ),
    ...[watched, watchedByOurselves].map((which) => on(which, keyOf, take, { existing: true })),
    on(rang, keyOf, (sim, data) => {
      take(sim, data)
      if (isRingRefused(data.n)) sim.size = 2 ** 40
    }),
    on(passed, keyOf, (sim, data, turn) => {
      take(sim, data)
      turn.emit(taken, { place: nextPlace(data.place), key: `${data.key}-next`, n: data.n })
      turn.publish('sim', 'passed', { n: data.n })
    }),
    on(asked, keyOf, (sim, data, turn) => {
      if (data.n % 5 === 0) throw Fault.conflict('fifth', 'Not by fives.')
      take(sim, data)
      turn.reply({ count: sim.count })
    }),
    on(timed, keyOf, (sim, data, turn) => {
      take(sim, data)
      sim.at = turn.now
      turn.remind('bell', new Date(turn.now.getTime() + reminderMs(data.n)), rang, { ...data, n: -data.n })
    }),
    on(silenced, keyOf, (sim, data, turn) => {
      take(sim, data)
      turn.forget('bell')
    }),
    on(marked, keyOf, (sim, data, turn) => {
      take(sim, data)
      turn.mark(simProjection, `${data.place}/${data.key}`)
    }),
    on(called, keyOf, (sim, data, turn) => {
      take(sim, data)
      turn.call(simEffect, effectKey(data), data)
    }),
    on(removed, keyOf, (sim, data, turn) => {
      take(sim, data)
      turn.remove()
    }),
    on(broken, keyOf, (sim, data, turn) => {
      take(sim, data)
      append(sim, data, turn)
      turn.emit(taken, { ...data, key: 'never' })
      throw new Error('broken on purpose')
    }),
    on(poisonous, keyOf, (sim, data, turn) => {
      ;(turn.needs as unknown as SimReads).die(data.n)
      take(sim, data)
    }),
    on(swollen, keyOf, (sim, data) => {
      take(sim, data)
      sim.size = 2 ** 40
    }),
    on(unstorable, keyOf, (sim, data, turn) => {
      take(sim, data)
      append(sim, data, turn, 0.5)
    }),
  ],
})

const keys = ['orgId', 'place', 'key']
const propsOf = (names: readonly string[]) =>
  [...keys, ...names].map((name) => ({
    name,
    fieldNames: [name],
    columnTypes: ['text'],
    runtimeType: name === 'at' || name === 'until' ? 'Date' : 'any',
    nullable: name === 'at' || name === 'until',
  }))
const tables = { sim: ['count', 'seen', 'size', 'at'], ...sightEntities }
const metadata = {
  get: ({ name }: { name: string }) => {
    const tableName = name.toLowerCase() as keyof typeof tables
    return { className: name, tableName, primaryKeys: keys, props: propsOf(tables[tableName]) }
  },
}

export const simRegistry = registry(
  [simActor, ...sightActors] as never,
  [...simSubjects, ...sightSubjects] as unknown as Subject[],
  metadata as unknown as MetadataStorage,
)
