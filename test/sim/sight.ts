/** Actors of the simulation that are told over and over what they know: one that keeps when, and one that follows it. */
import { defineActor } from '#engine/actor/actor.ts'
import { t } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'

export class Sight {
  orgId!: string
  place!: string
  key!: string
  value!: string
  /** When it was seen last, and in which round. */
  at!: Date
  round!: string
  changes!: number
  moves!: number
  /** Since it was moved, until somebody sees it later than this. */
  until!: Date | null
}

export class Shadow {
  orgId!: string
  place!: string
  key!: string
  value!: string
  at!: Date
  changes!: number
}

const at = { place: t.String(), key: t.String(), n: t.Integer() }
const place = (d: { place: string }) => d.place
const declared = { kind: 'seen', examples: [], place }

/** Says the same of a key most of the time. */
export const seen = subject({
  ...declared,
  name: 'sim.seen',
  summary: 'seen',
  schema: t.Object({ ...at, value: t.String(), round: t.Optional(t.String()) }),
  echo: { key: 'key', place: 'place', except: 'round' },
})
export const moved = subject({ ...declared, name: 'sim.moved', summary: 'moved', schema: t.Object(at) })
export const vanished = subject({ ...declared, name: 'sim.vanished', summary: 'vanished', schema: t.Object(at) })
/** Changes nothing. */
export const noted = subject({ ...declared, name: 'sim.noted', summary: 'noted', schema: t.Object(at) })
export const sightSubjects = [seen, moved, vanished, noted]

/** How long what was moved goes on. */
const restMs = 300

const keyOf = (d: { key: string }) => d.key
const address = { orgId: 'orgId', place: 'place', key: 'key' } as const

const sightActor = defineActor({
  kind: 'sight',
  entity: Sight,
  address,
  initial: () => ({ value: '', at: new Date(0), round: '', changes: 0, moves: 0, until: null }),
  reactions: (on) => [
    on(
      seen,
      keyOf,
      (sight, { value, round }, turn) => {
        const { time } = turn.message
        if (time < sight.at) return turn.ignore()
        sight.at = time
        if (round) sight.round = round
        if (sight.until && time > sight.until) Object.assign(sight, { until: null, changes: sight.changes + 1 })
        if (sight.value === value) return
        sight.value = value
        sight.changes++
      },
      {
        echo: {
          role: 'leads',
          sets: (time, round) => ({ at: time, ...(round && { round }) }),
          isQuiet: ({ until }) => until === null,
        },
      },
    ),
    on(
      moved,
      keyOf,
      (sight, _, turn) => {
        sight.moves++
        sight.until = new Date(turn.message.time.getTime() + restMs)
      },
      { existing: true },
    ),
    on(vanished, keyOf, (_, _data, turn) => turn.remove(), { existing: true }),
    on(noted, keyOf, () => {}, { steady: true }),
  ],
})

const shadowActor = defineActor({
  kind: 'shadow',
  entity: Shadow,
  address,
  initial: () => ({ value: '', at: new Date(0), changes: 0 }),
  reactions: (on) => [
    on(
      seen,
      keyOf,
      (shadow, { value }, turn) => {
        if (turn.message.time < shadow.at) return
        shadow.at = turn.message.time
        if (shadow.value === value) return
        shadow.value = value
        shadow.changes++
      },
      {
        follows: 'sight',
        echo: {
          role: 'follows',
          passing: ['at'],
          leans: ({ value }) => value,
          stands: async (asked) => asked.map(({ on: value }) => value !== 'restless'),
        },
      },
    ),
    on(vanished, keyOf, (_, _data, turn) => turn.remove(), { existing: true }),
  ],
})

export const sightActors = [sightActor, shadowActor]

/** Of the entities above: which properties are there, and which are times. */
export const sightEntities = {
  sight: ['value', 'at', 'round', 'changes', 'moves', 'until'],
  shadow: ['value', 'at', 'changes'],
}

/** What a key must have come to. */
export interface Seen {
  value: string
  at: number
  round: string
  changes: number
  moves: number
  until: number
  /** Of whoever follows. */
  shadowed: { value: string; changes: number }
}

const unseen = (): Seen => ({
  value: '',
  at: 0,
  round: '',
  changes: 0,
  moves: 0,
  until: Infinity,
  shadowed: { value: '', changes: 0 },
})

/** What one message makes of what there is of its key, in the order of its lane. */
export function foldSight(type: string, data: { value?: string; round?: string }, time: number, before?: Seen) {
  if (type === vanished.name) return undefined
  if (type === noted.name) return before
  if (type === moved.name) return before && { ...before, moves: before.moves + 1, until: time + restMs }
  const sight = before ?? unseen()
  return time < sight.at ? before : seenAgain(sight, data, time)
}

function seenAgain(sight: Seen, data: { value?: string; round?: string }, time: number): Seen {
  const { value = '', round } = data
  const isNew = value !== sight.value
  const isOver = time > sight.until
  const changes = sight.changes + (isNew ? 1 : 0) + (isOver ? 1 : 0)
  const until = isOver ? Infinity : sight.until
  const shadowed = isNew ? { value, changes: sight.shadowed.changes + 1 } : sight.shadowed
  return { ...sight, at: time, round: round ?? sight.round, value, changes, until, shadowed }
}

export const showSight = ({ value, at: seenAt, round, changes, moves, shadowed }: Seen): string =>
  [value, seenAt, round, changes, moves, shadowed.value, shadowed.changes].join('/')
