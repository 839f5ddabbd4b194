/** The streams of a process: who listens to which organization, and limits for all of them together. */
import type { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import type { SentSignal } from '#engine/actor/turn.ts'
import type { Listener } from '#http/edge/services.ts'
import { personOf } from '#http/identity/organization/caller.ts'
import type { IdentityChange } from '#http/identity/tools.ts'
import { resyncEvent } from '#streams/live/event-batch.ts'
import { pauseMs } from '#streams/live/teller.ts'
import type { LiveMeter } from './measure.ts'
import { LiveStream, type StreamTimes } from './stream.ts'

/** Maximum streams at once. A person's limit is over all their organizations. */
export const streamsMax = { organization: 50, person: 50, process: 2_000 } as const

/** Milliseconds. */
const usual: StreamTimes = { beatMs: 15_000, pauseMs, stuckMs: 60_000, teamsMs: 60_000 }
/** Milliseconds that streams may take for their last write when the process stops. */
const endMs = 500

/** The source of an organization's events. */
export type Source = (orgId: string, hear: (told: readonly SentSignal[]) => void) => Hearing

interface Hearing {
  /** Resolves once no event is missed. @throws Fault `transient` */
  heard: Promise<void>
  leave: () => void
}

export interface StreamsOptions {
  source: Source
  meter: LiveMeter
  /** Milliseconds since 1970. */
  now: () => number
  times?: StreamTimes
}

interface Room {
  streams: Set<LiveStream>
  hearing: Hearing
}

const tooMany = (who: string, max: number): Fault =>
  Fault.invalid('too_many_streams', `${who} can have at most ${max} streams at once.`, { retryAfter: 30 })

export class LiveStreams {
  private readonly options: StreamsOptions
  private readonly rooms = new Map<string, Room>()
  /** Number of streams by person. */
  private readonly people = new Map<string, number>()
  private count = 0
  private isClosed = false

  constructor(options: StreamsOptions) {
    this.options = options
  }

  /** @throws Fault `invalid` `too_many_streams`, `transient` `unavailable` */
  async open(listener: Listener): Promise<Readable> {
    const { orgId } = listener.caller
    const person = personOf(listener.caller)
    this.checkRoom(orgId, person)
    const { meter, now, times = usual } = this.options
    const stream = new LiveStream(listener, { times, meter, now, closed: (gone) => this.leave(orgId, person, gone) })
    const { hearing } = this.enter(orgId, person, stream)
    try {
      await hearing.heard
      await stream.open()
    } catch (error) {
      stream.body.destroy()
      throw error
    }
    return stream.body
  }

  /** The rights of some callers have changed. */
  look({ userId, sessionId, tokenId, orgId }: IdentityChange): void {
    const principals = [sessionId && `session:${sessionId}`, tokenId && `pat:${tokenId}`]
    for (const [org, { streams }] of this.rooms)
      for (const stream of streams)
        if (org === orgId || stream.caller.userId === userId || principals.includes(stream.caller.principal))
          void stream.look()
  }

  /** All streams may have missed events. */
  resync(): void {
    for (const { streams } of this.rooms.values()) for (const stream of streams) stream.tell([resyncEvent])
  }

  /** Ends all streams; no more can be opened. */
  async close(): Promise<void> {
    this.isClosed = true
    const all = Array.from(this.rooms.values(), ({ streams }) => [...streams]).flat()
    for (const stream of all) stream.end('stopped')
    const late = setTimeout(() => {
      for (const { body } of all) body.destroy()
    }, endMs)
    await Promise.all(all.map(({ gone }) => gone))
    clearTimeout(late)
  }

  private checkRoom(orgId: string, person: string): void {
    if (this.isClosed) throw Fault.transient('unavailable', 'The service is shutting down. Reconnect.')
    if ((this.rooms.get(orgId)?.streams.size ?? 0) >= streamsMax.organization)
      throw tooMany('An organization', streamsMax.organization)
    if ((this.people.get(person) ?? 0) >= streamsMax.person) throw tooMany('A person', streamsMax.person)
    if (this.count >= streamsMax.process) throw new Fault('transient', 'unavailable', 'All streams are in use.')
  }

  private enter(orgId: string, person: string, stream: LiveStream): Room {
    const room = this.rooms.get(orgId) ?? this.roomOf(orgId)
    room.streams.add(stream)
    this.countPerson(person, 1)
    this.options.meter.open(++this.count)
    return room
  }

  private roomOf(orgId: string): Room {
    const streams = new Set<LiveStream>()
    const hearing = this.options.source(orgId, (told) => {
      for (const stream of streams) stream.tell(told)
    })
    const room = { streams, hearing }
    this.rooms.set(orgId, room)
    return room
  }

  private leave(orgId: string, person: string, stream: LiveStream): void {
    const room = this.rooms.get(orgId)
    if (!room?.streams.delete(stream)) return
    this.countPerson(person, -1)
    this.options.meter.open(--this.count)
    if (room.streams.size > 0) return
    room.hearing.leave()
    this.rooms.delete(orgId)
  }

  private countPerson(person: string, change: 1 | -1): void {
    if (person === '') return
    const count = (this.people.get(person) ?? 0) + change
    if (count > 0) this.people.set(person, count)
    else this.people.delete(person)
  }
}
