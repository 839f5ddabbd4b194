/** One stream of events: what its reader may see, as long as they may see it, and only as fast as they read. */
import { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import type { SentSignal } from '#engine/actor/turn.ts'
import type { Listener } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { ready } from '#streams/live/messages.ts'
import { EventBatch, resyncEvent } from '#streams/live/event-batch.ts'
import { frame, heartbeat, opening, together } from './frame.ts'
import type { LiveEnd, LiveMeter } from './measure.ts'
import { sees } from './visibility.ts'

export interface StreamTimes {
  /** Milliseconds between two heartbeats, which also check what the caller may see. All times here are milliseconds. */
  beatMs: number
  /** Time between two writes of events. */
  pauseMs: number
  /** Maximum time that a reader may read nothing while something waits. */
  stuckMs: number
  /** Maximum age of the list of accounts of the caller's teams. */
  teamsMs: number
}

export interface StreamTools {
  times: StreamTimes
  meter: LiveMeter
  /** Milliseconds since 1970. */
  now: () => number
  /** Called once, when the stream has ended. */
  closed: (stream: LiveStream) => void
}

/** Maximum bytes waiting to be sent, besides collected events. */
const writtenMax = 16_384

export class LiveStream {
  readonly body: Readable
  /** Resolves once the stream has ended and nothing uses it any more. */
  readonly gone: Promise<void>
  caller: Caller
  private readonly listener: Listener
  private readonly tools: StreamTools
  private readonly gathered = new EventBatch()
  private teamAccounts: ReadonlySet<string> = new Set()
  private teamsAt = 0
  /** Whether the client reads what is written, as far as known here. */
  private isTaking = true
  private isPausing = false
  private isOpen = false
  private looking: Promise<void> | undefined
  private why: LiveEnd | undefined
  private readonly beat: NodeJS.Timeout
  private pause: NodeJS.Timeout | undefined
  private stuck: NodeJS.Timeout | undefined
  private over: NodeJS.Timeout | undefined

  constructor(listener: Listener, tools: StreamTools) {
    this.listener = listener
    this.tools = tools
    this.caller = listener.caller
    this.body = new Readable({ highWaterMark: writtenMax, read: () => this.taken() })
    this.gone = new Promise((resolve) => {
      this.body.once('close', () => {
        this.close()
        resolve()
      })
    })
    // A client that disconnects is not an error.
    this.body.on('error', () => {})
    this.beat = setInterval(() => this.beats(), tools.times.beatMs)
    this.endWithToken()
  }

  /**
   * Starts sending. The effect of earlier events is in what a client queries.
   * @throws if the accounts of its teams cannot be read
   */
  async open(): Promise<void> {
    await this.lookAtTeams()
    this.write(`${opening}${frame({ event: ready.name, data: {} })}`)
    this.tools.meter.told(ready.name)
    this.isOpen = true
  }

  tell(told: readonly SentSignal[]): void {
    const own = told.filter((one) => sees(this.caller, one, this.teamAccounts))
    if (own.length === 0 || !this.isOpen || this.why) return
    this.tools.meter.merged(this.gathered.add(own))
    this.flush()
  }

  /** Checks what the caller may see now, one check at a time. Ends the stream if that is nothing. */
  look(): Promise<void> {
    this.looking ??= this.lookOnce().finally(() => (this.looking = undefined))
    return this.looking
  }

  /** What has been written is still sent, if the reader reads it. */
  end(why: LiveEnd): void {
    if (this.why) return
    this.why = why
    // Unread data would keep the connection open.
    if (this.isTaking) this.body.push(null)
    else this.body.destroy()
  }

  private async lookOnce(): Promise<void> {
    const before = this.caller
    try {
      this.caller = await this.listener.again()
      if (this.caller.orgId !== before.orgId) return this.end('refused')
      if (sameScope(before, this.caller)) return await this.lookAtTeams()
      this.teamsAt = 0
      await this.lookAtTeams()
      this.tell([resyncEvent])
    } catch (error) {
      const { kind } = Fault.from(error)
      // While a store is unavailable nobody is disconnected: the next check decides.
      if (kind === 'unauthenticated' || kind === 'forbidden') this.end('refused')
    }
  }

  private async lookAtTeams(): Promise<void> {
    const { now, times } = this.tools
    if (this.caller.reportScope.all || this.caller.reportScope.teamIDs.length === 0) return
    if (now() - this.teamsAt < times.teamsMs) return
    const isFirst = this.teamsAt === 0
    const before = this.teamAccounts
    this.teamAccounts = new Set(await this.listener.teamAccounts(this.caller))
    this.teamsAt = now()
    // Earlier events about the new accounts were not sent.
    if (!isFirst && [...this.teamAccounts].some((id) => !before.has(id))) this.tell([resyncEvent])
  }

  /** Ends the stream when its token expires, even if stores are unavailable. */
  private endWithToken(): void {
    clearTimeout(this.over)
    const { expiresAt } = this.caller
    if (!expiresAt || this.why) return
    const left = expiresAt.getTime() - this.tools.now()
    // Tokens that are valid for longer are checked with the heartbeats.
    if (left <= this.tools.times.beatMs) this.over = setTimeout(() => this.end('refused'), Math.max(0, left))
  }

  private beats(): void {
    if (this.isTaking) this.write(heartbeat)
    this.endWithToken()
    void this.look()
  }

  private flush(): void {
    if (this.isPausing || !this.isTaking || this.why || this.gathered.isEmpty) return
    const all = together(this.gathered.take())
    for (const { event } of all) this.tools.meter.told(event)
    this.isPausing = true
    this.pause = setTimeout(() => {
      this.isPausing = false
      this.flush()
    }, this.tools.times.pauseMs)
    this.write(all.map(frame).join(''))
  }

  private write(text: string): void {
    if (this.why || this.body.destroyed) return
    this.isTaking = this.body.push(text)
    if (this.isTaking) return
    clearTimeout(this.stuck)
    this.stuck = setTimeout(() => {
      this.why ??= 'slow'
      this.body.destroy()
    }, this.tools.times.stuckMs)
  }

  private taken(): void {
    this.isTaking = true
    clearTimeout(this.stuck)
    // Not during a read: data pushed there would request the next read at once.
    if (!this.gathered.isEmpty) setImmediate(() => this.flush())
  }

  private close(): void {
    for (const timer of [this.pause, this.stuck, this.over]) clearTimeout(timer)
    clearInterval(this.beat)
    this.why ??= 'left'
    this.tools.meter.ended(this.why)
    this.tools.closed(this)
  }
}

const sameScope = (one: Caller, other: Caller): boolean => rightsText(one) === rightsText(other)
const rightsText = ({ permissions, isAdmin, reportScope: { all, cloudAccountIDs, teamIDs } }: Caller): string =>
  JSON.stringify([[...permissions].toSorted(), isAdmin, all, cloudAccountIDs, teamIDs])
