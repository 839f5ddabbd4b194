/** How the product itself puts events on the ingest stream: as any producer would. */
import { randomUUID } from 'node:crypto'
import type { Clock, Log, Published } from '#engine/ports.ts'
import type { Static, TSchema } from '#engine/schema.ts'
import { ingestSubject, orgWide, type Envelope, type Subject } from '#engine/subject.ts'

export interface Event<S extends TSchema = TSchema> {
  subject: Subject<S>
  orgId: string
  data: Static<S>
  /** Where the subject leaves its place to the subject's token. */
  place?: string
  id?: string
  time?: Date
}

export class Publisher {
  private readonly log: Log
  private readonly clock: Clock
  private readonly source: string

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

  /** Events of one address as one message, in order. `id` names the message for the server's own memory of repeats. */
  async publishTogether(id: string, events: readonly [Event, ...Event[]]): Promise<Published> {
    return this.send(
      eventSubject(events[0]),
      id,
      `[${events.map((event) => JSON.stringify(this.envelope(event))).join(',')}]`,
    )
  }

  private envelope({ subject, orgId, data, id, time }: Event): Envelope {
    const at = (time ?? new Date(this.clock.now())).toISOString()
    return { id: id ?? randomUUID(), type: subject.name, schemaVersion: 1, orgId, time: at, source: this.source, data }
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

/** The subject an event goes out on. */
export const eventSubject = ({ subject, orgId, data, place }: Event): string =>
  ingestSubject(subject.kind, orgId, place ?? subject.place?.(data as never) ?? orgWide)
