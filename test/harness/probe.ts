/** An actor that notes what it is given, in order, passes on and is reminded: what chaos may lose, double or turn around. */
import { defineEntity, p } from '@mikro-orm/postgresql'
import { defineActor } from '#engine/actor/actor.ts'
import { t } from '#engine/value/schema.ts'
import { subject, type Subject } from '#engine/actor/subject.ts'

const schema = defineEntity({
  name: 'ChaosProbe',
  tableName: 'chaos_probe',
  properties: {
    orgId: p.string().primary(),
    place: p.string().primary(),
    key: p.string().primary(),
    /** The `n` of every message taken, in order. */
    seen: p.json<number[]>(),
    /** Of those another probe passed on to this one. */
    delivered: p.json<number[]>(),
    /** Of the reminders that came. */
    rang: p.json<number[]>(),
  },
})
export class ChaosProbe extends schema.class {}
schema.setClass(ChaosProbe)

/** The probe's table; its columns are those of the entity. */
export const probeTable = `create table if not exists chaos_probe (org_id text not null, place text not null, key text not null,
  seen jsonb not null, delivered jsonb not null, rang jsonb not null, primary key (org_id, place, key))`

const Note = t.Object({
  place: t.String(),
  key: t.String(),
  n: t.Integer(),
  pass: t.Optional(t.Boolean()),
  /** Milliseconds until the reminder that is asked for. */
  bellMs: t.Optional(t.Integer()),
})
const base = {
  kind: 'chaos',
  schema: Note,
  examples: [{ place: 'p', key: 'k', n: 1 }],
  place: (d: { place: string }) => d.place,
}

export const noted = subject({ ...base, name: 'chaos.noted', summary: 'Notes n once an id.', once: true })
export const thrown = subject({ ...base, name: 'chaos.thrown', summary: 'Throws.' })
export const deadly = subject({ ...base, name: 'chaos.deadly', summary: 'Ends the process.' })
const delivered = subject({
  ...base,
  kind: 'actor',
  name: 'chaos.delivered',
  summary: 'What was passed on.',
  once: true,
})
const rang = subject({ ...base, kind: 'actor', name: 'chaos.rang', summary: 'The reminder.' })
export const probeSubjects = [noted, thrown, deadly, delivered, rang] as unknown as readonly Subject[]

const keyOf = (d: { key: string }) => d.key

/** Where what is noted at a place is passed on to: another actor, mostly of another lane. */
export const beyond = (place: string): string => `${place}-beyond`

export const probeActor = defineActor({
  kind: 'chaos-probe',
  entity: ChaosProbe,
  address: { orgId: 'orgId', place: 'place', key: 'key' },
  initial: () => ({ seen: [], delivered: [], rang: [] }),
  reactions: (on) => [
    on(noted, keyOf, (probe, { place, key, n, pass, bellMs }, turn) => {
      probe.seen.push(n)
      if (pass) {
        turn.emit(delivered, { place: beyond(place), key, n })
        turn.publish('chaos', 'passed', { place, key, n })
      }
      if (bellMs !== undefined) turn.remind(`bell-${n}`, new Date(turn.now.getTime() + bellMs), rang, { place, key, n })
    }),
    on(delivered, keyOf, (probe, { n }) => void probe.delivered.push(n)),
    on(rang, keyOf, (probe, { n }) => void probe.rang.push(n)),
    on(thrown, keyOf, (probe, { n }) => {
      probe.seen.push(n)
      throw new Error('thrown on purpose')
    }),
    on(deadly, keyOf, () => process.kill(process.pid, 'SIGKILL')),
  ],
})
