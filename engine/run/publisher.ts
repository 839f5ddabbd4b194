/** How the product itself puts events on the ingest stream: as any producer would. */
import { randomUUID } from 'node:crypto'
import type { Clock, Log, Published } from '#engine/actor/ports.ts'
import type { Static, TSchema } from '#engine/value/schema.ts'
import { uuidOf } from '#engine/value/id.ts'
import { Pack, packId } from '#engine/value/pack.ts'
import type { Outlet } from '#engine/actor/turn.ts'
import {
  ingestSubject,
  manyPlaces,
  messageIdMax,
  orgWide,
  subjectToken,
  type Envelope,
  type Subject,
} from '#engine/actor/subject.ts'

export interface Event<S extends TSchema = TSchema> {
  subject: Subject<S>
  orgId: string
  data: Static<S>
  /** Where the subject leaves its place to the subject's token. */
  place?: string
  id?: string
  time?: Date
}

/** What calls to the outside report waits so long for more of its kind, milliseconds: a message costs the stream a write to disk. */
const togetherMs = 5

interface Gathering {
  subject: string
  pack: Pack<string>
  sent: Promise<void>
}

export class Publisher {
  private readonly log: Log
  private readonly clock: Clock
  private readonly source: string
  private readonly gathering = new Map<string, Gathering>()

  constructor(log: Log, clock: Clock, source: string) {
    this.log = log
    this.clock = clock
    this.source = source
  }

  /** Resolves once the event is durable; tries again under the same id while that is not known, for half a minute. */
  async publish<S extends TSchema>(event: Event<S>): Promise<Published> {
    const envelope = this.envelope(event as unknown as Event)
    return this.send(eventSubject(event as unknown as Event), envelope.id, JSON.stringify(envelope))
  }

  /**
   * Hands out an order as `turn.post` does, for one that says what no turn may know. The stream has it once under `id` for two
   * minutes, and its reader knows a repeat by it.
   */
  async post<S extends TSchema>(outlet: Outlet<S>, orgId: string, id: string, data: Static<S>): Promise<Published> {
    const subject = `${outlet.prefix}.${subjectToken(orgId)}.${subjectToken(outlet.key(data))}`
    const time = new Date(this.clock.now()).toISOString()
    const envelope: Envelope = { id, type: outlet.name, schemaVersion: 1, orgId, time, source: this.source, data }
    return this.send(subject, id, JSON.stringify(envelope))
  }

  /** Events of one address as one message, in order. `id` names the message for the server's own memory of repeats. */
  async publishTogether(id: string, events: readonly [Event, ...Event[]]): Promise<Published> {
    return this.send(
      eventSubject(events[0]),
      id,
      `[${events.map((event) => JSON.stringify(this.envelope(event))).join(',')}]`,
    )
  }

  /**
   * As `publish`, for what actors are told of many things at once: what comes within a few milliseconds for one lane goes as
   * one message. What is told later never overtakes what was told before, unless that had to be sent again.
   */
  async report<S extends TSchema>(event: Event<S>): Promise<void> {
    const { subject, orgId, data } = event
    const place = subject.place?.(data)
    const lane = place === undefined ? undefined : this.log.laneOf(subjectToken(orgId), subjectToken(place))
    if (subject.kind !== 'actor' || lane === undefined) return void (await this.publish(event))
    const envelope = this.envelope(event as unknown as Event)
    const body = JSON.stringify(envelope)
    const to = `lane.${lane}.actor.${subjectToken(orgId)}.${manyPlaces}`
    const open = this.gathering.get(to)
    const at = open?.pack.hasRoom(body) ? open : this.gather(to)
    at.pack.add(envelope.id, body)
    return at.sent
  }

  private gather(subject: string): Gathering {
    const pack = new Pack<string>()
    const made: Gathering = { subject, pack, sent: this.clock.sleep(togetherMs).then(() => this.sendPack(made)) }
    this.gathering.set(subject, made)
    return made
  }

  private async sendPack(made: Gathering): Promise<void> {
    const { subject, pack } = made
    if (this.gathering.get(subject) === made) this.gathering.delete(subject)
    await this.send(subject, packId(pack.items), pack.body)
  }

  private envelope({ subject, orgId, data, id, time }: Event): Envelope {
    const at = (time ?? new Date(this.clock.now())).toISOString()
    return { id: idOf(id), type: subject.name, schemaVersion: 1, orgId, time: at, source: this.source, data }
  }

  private async send(subject: string, id: string, body: string): Promise<Published> {
    for (let pause = 100; ; pause *= 2) {
      try {
        return await this.log.publish({ subject, id, body })
      } catch (error) {
        if (pause > 12_800) throw error
        await this.clock.sleep(pause)
      }
    }
  }
}

/** Names that clouds give are in ids of calls, and may make them longer than a message's id is taken: such a one is named by its hash. */
function idOf(id: string | undefined): string {
  if (id === undefined) return randomUUID()
  return id.length > messageIdMax ? uuidOf('message', id) : id
}

/** The subject an event goes out on. */
export const eventSubject = ({ subject, orgId, data, place }: Event): string =>
  ingestSubject(subject.kind, orgId, place ?? subject.place?.(data as never) ?? orgWide)
