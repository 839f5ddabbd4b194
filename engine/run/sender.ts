/** Publishes many events with acknowledgement, several per message. */
import type { PublishAck } from '#engine/actor/ports.ts'
import { eventSubject, type Event, type Publisher } from './publisher.ts'

/**
 * Events per message, and messages in flight. A message of 500 billing lines is about half a megabyte; so is one event
 * with its maximum of metric samples, so events with several samples count by their number.
 */
const eventsMax = 500
const flightMax = 8
const partsOfEvent = 10

/** Collects events into messages with one address each, and keeps a limited number of them in flight. */
export class Sender {
  /** The newest sequence of each lane that was written to. */
  readonly lanes = new Map<number, number>()
  messages = 0
  private readonly publisher: Publisher
  private readonly newId: () => string
  private readonly flight = new Set<Promise<void>>()
  private readonly held = new Map<string, { events: Event[]; size: number }>()
  private failure: unknown

  /** `newId` returns a new UUID for each message. */
  constructor(publisher: Publisher, newId: () => string) {
    this.publisher = publisher
    this.newId = newId
  }

  async add(event: Event): Promise<void> {
    const to = eventSubject(event)
    const size = sizeOf(event)
    if ((this.held.get(to)?.size ?? 0) + size > eventsMax) await this.flush(to)
    const held = this.held.get(to) ?? { events: [], size: 0 }
    this.held.set(to, held)
    held.events.push(event)
    held.size += size
    if (held.size >= eventsMax) await this.flush(to)
  }

  /** Resolves once everything added is durable. @throws if the stream does not accept it */
  async end(): Promise<void> {
    for (const to of Array.from(this.held.keys())) await this.flush(to)
    await Promise.all(this.flight)
    if (this.failure) throw this.failure
  }

  /** Sends a separate message after everything added before. Resolves once it is durable. */
  async last(event: Event): Promise<void> {
    await this.end()
    this.note(await this.publisher.publish(event))
  }

  private note({ lane, seq }: PublishAck): void {
    if (lane !== undefined) this.lanes.set(lane, Math.max(seq, this.lanes.get(lane) ?? 0))
    this.messages++
  }

  private async flush(to: string): Promise<void> {
    const [first, ...rest] = this.held.get(to)?.events ?? []
    if (!first) return
    this.held.delete(to)
    const sent = this.send([first, ...rest]).finally(() => this.flight.delete(sent))
    this.flight.add(sent)
    if (this.flight.size >= flightMax) await Promise.race(this.flight)
    if (this.failure) throw this.failure
  }

  private async send(events: [Event, ...Event[]]): Promise<void> {
    try {
      this.note(await this.publisher.publishTogether(this.newId(), events))
    } catch (error) {
      this.failure ??= error
    }
  }
}

/** The size of an event as a number of single-line events. */
function sizeOf({ data }: Event): number {
  const { samples } = data as { samples?: unknown }
  return Array.isArray(samples) ? Math.max(1, samples.length / partsOfEvent) : 1
}
