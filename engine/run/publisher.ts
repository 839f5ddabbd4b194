/** Publishes the product's own events on the ingest stream, like any producer. */
import { randomUUID } from 'node:crypto'
import type { Clock, Log, PublishAck } from '#engine/actor/ports.ts'
import { engineRetries, pauseBefore } from '#engine/actor/retry.ts'
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
  /** For subjects that take the place from the NATS subject. */
  place?: string
  id?: string
  time?: Date
}

/**
 * Milliseconds that a report of an external call waits for others, because each message costs the stream one disk
 * write.
 */
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

  /** Resolves once the event is durable; retries with the same id while that is unknown, for up to half a minute. */
  async publish<S extends TSchema>(event: Event<S>): Promise<PublishAck> {
    const envelope = this.envelope(event)
    return this.send(eventSubject(event), envelope.id, JSON.stringify(envelope))
  }

  /**
   * Publishes an order like `turn.post`, for orders with content that turns must not know. The stream accepts the `id`
   * once within two minutes, and the reader recognizes later repeats by it.
   */
  async post<S extends TSchema>(outlet: Outlet<S>, orgId: string, id: string, data: Static<S>): Promise<PublishAck> {
    const subject = `${outlet.prefix}.${subjectToken(orgId)}.${subjectToken(outlet.key(data))}`
    const time = new Date(this.clock.now()).toISOString()
    const envelope: Envelope = { id, type: outlet.name, schemaVersion: 1, orgId, time, source: this.source, data }
    return this.send(subject, id, JSON.stringify(envelope))
  }

  /** Publishes one or more events of one address as one message, in order. The server drops repeats of `id`. */
  async publishTogether(id: string, events: readonly Event[]): Promise<PublishAck> {
    return this.send(
      eventSubject(events[0]!),
      id,
      `[${events.map((event) => JSON.stringify(this.envelope(event))).join(',')}]`,
    )
  }

  /**
   * Like `publish`, for many reports to actors: reports for the same lane within a few milliseconds become one message.
   * Later reports never overtake earlier ones, unless those had to be sent again.
   */
  async report<S extends TSchema>(event: Event<S>): Promise<void> {
    const { subject, orgId, data } = event
    const place = subject.place?.(data)
    const lane = place === undefined ? undefined : this.log.laneOf(subjectToken(orgId), subjectToken(place))
    if (subject.kind !== 'actor' || lane === undefined) return void (await this.publish(event))
    const envelope = this.envelope(event)
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

  private async send(subject: string, id: string, body: string): Promise<PublishAck> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.log.publish({ subject, id, body })
      } catch (error) {
        const pause = pauseBefore(engineRetries.publish, attempt + 1)
        if (pause === undefined) throw error
        await this.clock.sleep(pause)
      }
    }
  }
}

/**
 * Ids of calls contain names given by clouds, and may be longer than a message id may be: such an id is replaced by its
 * hash.
 */
function idOf(id: string | undefined): string {
  if (id === undefined) return randomUUID()
  return id.length > messageIdMax ? uuidOf('message', id) : id
}

/** The NATS subject of an event. */
export const eventSubject = ({ subject, orgId, data, place }: Event): string =>
  ingestSubject(subject.kind, orgId, place ?? subject.place?.(data as never) ?? orgWide)
