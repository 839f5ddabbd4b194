/** Publishes many events with acknowledgement, several together. */
import type { Published } from '#engine/actor/ports.ts'
import { eventSubject, type Event, type Publisher } from './publisher.ts'

/**
 * Events of one message, messages in flight. A message of 500 billing lines is about half a megabyte, and so are as many samples
 * of metrics as an event may hold, with peaks and totals: events of several are counted by them.
 */
const eventsMax = 500
const flightMax = 8
const partsOfEvent = 10

/** Collects events into messages, one address each, and keeps a bounded number of them in flight. */
export class Sender {
  /** Newest sequence of each lane that was written to. */
  readonly lanes = new Map<number, number>()
  messages = 0
  private readonly publisher: Publisher
  private readonly newId: () => string
  private readonly flight = new Set<Promise<void>>()
  private readonly held = new Map<string, { events: Event[]; size: number }>()
  private failure: unknown

  /** `newId` names each message: a UUID that no other one has. */
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

  /** Resolves once everything added is durable. @throws when the stream does not take it */
  async end(): Promise<void> {
    for (const to of Array.from(this.held.keys())) await this.flush(to)
    await Promise.all(this.flight)
    if (this.failure) throw this.failure
  }

  /** Sends a message of its own, behind everything added before. Resolves once it is durable. */
  async last(event: Event): Promise<void> {
    await this.end()
    this.note(await this.publisher.publish(event))
  }

  private note({ lane, seq }: Published): void {
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

/** In events of one line. */
function sizeOf({ data }: Event): number {
  const { samples } = data as { samples?: unknown }
  return Array.isArray(samples) ? Math.max(1, samples.length / partsOfEvent) : 1
}
