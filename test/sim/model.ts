/** What the log must have come to, worked out from the log alone: the messages of each lane, one after the other, in order. */
import { type Envelope, header, manyPlaces, tokenId } from '#engine/actor/subject.ts'
import * as actors from '#test/sim/actors.ts'
import { org } from '#test/sim/actors.ts'
import type { Stored } from '#test/sim/log.ts'
import { foldSight, sightSubjects, type Seen } from '#test/sim/sight.ts'

export interface Expected {
  /** The `n` of the messages that took effect, by `place/key`, in order; no entry for an actor without a row. */
  actors: Map<string, number[]>
  /** `place/key/n/nth` by message id: of a message that took effect twice, the second. */
  facts: Map<string, string>
  /** By `place/key`: the `n` whose time is the latest. */
  latest: Map<string, { n: number; time: number }>
  /** Dead letters by id, with their codes. */
  dead: Map<string, string>
  /** The `n` of effects, in any order. */
  passed: number[]
  taken: number[]
  called: number[]
  reported: number[]
  asked: Map<number, 'ok' | 'refused' | 'late'>
  /** Reminders that are still to come, by `place/key`. */
  standing: Map<string, number>
  /** Ids of messages that had to be sent on, and of those that arrived. */
  forwarded: Set<string>
  arrived: Set<string>
  poison: number[]
  /** By `place/key`: what was seen of it. */
  sights: Map<string, Seen>
}

/** `killed` are the ids of the messages that were set aside because processes died of them: chance decides on those. */
export function expectedOf(history: readonly (readonly Stored[])[], killed: ReadonlySet<string>): Expected {
  const expected: Expected = {
    actors: new Map(),
    facts: new Map(),
    latest: new Map(),
    dead: new Map(),
    passed: [],
    taken: [],
    called: [],
    reported: [],
    asked: new Map(),
    standing: new Map(),
    forwarded: new Set(),
    arrived: new Set(),
    poison: [],
    sights: new Map(),
  }
  const forwards = new Set(
    history
      .flat()
      .map((message) => message.id)
      .filter((id) => id.startsWith('forward-')),
  )
  history.forEach((messages, lane) => new LaneModel(expected, lane, killed, forwards).fold(messages))
  return expected
}

/** The envelopes of a body; undefined where one is none. */
export function envelopes(body: Uint8Array): (Envelope | undefined)[] {
  try {
    const parsed = JSON.parse(Buffer.from(body).toString()) as unknown
    return (Array.isArray(parsed) ? parsed : [parsed]) as Envelope[]
  } catch {
    return [undefined]
  }
}

/** A message on its way to its actor, with what the lane knows of it. */
interface Letter {
  id: string
  at: string
  n: number
  data: { place: string; key: string; n: number }
  envelope: Envelope
  message: Stored
}

class LaneModel {
  private readonly expected: Expected
  private readonly lane: number
  private readonly killed: ReadonlySet<string>
  /** Ids of what was sent on: out of another place's token. */
  private readonly forwards: ReadonlySet<string>
  private readonly seen = new Set<string>()
  private clock = 0

  constructor(expected: Expected, lane: number, killed: ReadonlySet<string>, forwards: ReadonlySet<string>) {
    this.forwards = forwards
    this.expected = expected
    this.lane = lane
    this.killed = killed
  }

  fold(messages: readonly Stored[]): void {
    for (const message of messages) {
      this.clock = Math.max(this.clock, message.at)
      envelopes(message.body).forEach((envelope, index) => this.one(message, envelope, index))
    }
  }

  private one(message: Stored, envelope: Envelope | undefined, index: number): void {
    const id = `${this.lane}-${message.seq}-${index}`
    const code = refusalCode(envelope)
    if (code) return void this.expected.dead.set(id, this.killed.has(id) ? 'killed_process' : code)
    const data = envelope!.data as Letter['data']
    const [, , token = ''] = message.subject.split('.')
    const isForwarded = this.forwards.has(`forward-${message.seq}-${index}-${this.lane}`)
    const isPlaced = token === manyPlaces || tokenId(token) === data.place
    if (isForwarded || (!isPlaced && !this.killed.has(id))) {
      return void this.expected.forwarded.add(envelope!.id)
    }
    this.expected.arrived.add(envelope!.id)
    if (this.killed.has(id)) return void this.expected.dead.set(id, 'killed_process')
    this.deliver({ id, at: `${data.place}/${data.key}`, n: data.n, data, envelope: envelope!, message })
  }

  private deliver(letter: Letter): void {
    const { message, envelope, at, n } = letter
    const deadline = message.headers[header.deadline]
    const isLate = deadline !== undefined && this.clock > Date.parse(deadline)
    if (onces.has(envelope.type)) {
      if (this.seen.has(envelope.id)) return
      if (!isLate) this.seen.add(envelope.id)
    }
    const due = envelope.reminder?.due
    if (due !== undefined) {
      if (this.expected.standing.get(at) !== due) return
      this.expected.standing.delete(at)
      if (actors.isRingRefused(n)) return void this.expected.dead.set(letter.id, 'data_refused')
    }
    if (isLate) return void this.expected.asked.set(n, 'late')
    this.effect(letter)
  }

  private effect(letter: Letter): void {
    const { expected } = this
    const { id, at, n, envelope } = letter
    if (sightTypes.has(envelope.type)) return this.see(letter)
    const refuse = {
      'sim.poisonous': () => expected.poison.push(n),
      'sim.broken': () => expected.dead.set(`${id}-sim`, 'internal'),
      'sim.swollen': () => expected.dead.set(id, 'data_refused'),
      'sim.unstorable': () => expected.dead.set(id, 'data_refused'),
    }[envelope.type]
    if (refuse) return void refuse()
    if (envelope.type === actors.asked.name && n % 5 === 0) return void expected.asked.set(n, 'refused')
    if (envelope.type.startsWith('sim.added')) this.append(letter)
    expected.actors.set(at, [...(expected.actors.get(at) ?? []), n])
    const follow = {
      'sim.asked': () => expected.asked.set(n, 'ok'),
      'sim.removed': () => expected.actors.delete(at),
      'sim.timed': () => expected.standing.set(at, this.clock + actors.reminderMs(n)),
      'sim.silenced': () => expected.standing.delete(at),
      'sim.passed': () => expected.passed.push(n),
      'sim.taken': () => expected.taken.push(n),
      'sim.called': () => expected.called.push(n),
      'sim.reported': () => expected.reported.push(n),
    }[envelope.type]
    follow?.()
  }

  private see({ at, envelope }: Letter): void {
    const { sights } = this.expected
    const now = foldSight(envelope.type, envelope.data as object, Date.parse(envelope.time), sights.get(at))
    if (now) sights.set(at, now)
    else sights.delete(at)
  }

  private append({ at, n, envelope }: Letter): void {
    const { facts, latest, actors: states } = this.expected
    facts.set(envelope.id, `${at}/${n}/${states.get(at)?.length ?? 0}`)
    const time = Date.parse(envelope.time)
    if (time >= (latest.get(at)?.time ?? 0)) latest.set(at, { n, time })
  }
}

const onces: ReadonlySet<string> = new Set(actors.allSubjects.filter((s) => s.once).map((s) => s.name))
const types: ReadonlySet<string> = new Set(actors.allSubjects.map((s) => s.name))
const sightTypes: ReadonlySet<string> = new Set(sightSubjects.map((s) => s.name))

function refusalCode(envelope: Envelope | undefined): string | undefined {
  if (!envelope) return 'malformed_json'
  if (typeof envelope.type !== 'string') return 'validation_failed'
  if (envelope.orgId !== org) return 'foreign_organization'
  if (!types.has(envelope.type)) return 'unknown_type'
  return Number.isInteger((envelope.data as { n: unknown }).n) ? undefined : 'validation_failed'
}
