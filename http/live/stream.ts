/** One stream of events: what its reader may see of what happens, for as long as he may, and no more than he takes. */
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
  /** Between two comments, and looks at what its caller may; milliseconds, as all of them. */
  beatMs: number
  /** Between two writes of events. */
  pauseMs: number
  /** So long a reader may take nothing while something waits. */
  stuckMs: number
  /** How old may be what is known of the accounts of the caller's teams. */
  teamsMs: number
}

export interface StreamTools {
  times: StreamTimes
  meter: LiveMeter
  /** Milliseconds since 1970. */
  now: () => number
  /** Told once, when it is over. */
  closed: (stream: LiveStream) => void
}

/** Bytes that wait to be sent, beside what is gathered. */
const writtenMax = 16_384

export class LiveStream {
  readonly body: Readable
  /** Resolves once it is over and everything has let go of it. */
  readonly gone: Promise<void>
  caller: Caller
  private readonly listener: Listener
  private readonly tools: StreamTools
  private readonly gathered = new EventBatch()
  private teamAccounts: ReadonlySet<string> = new Set()
  private teamsAt = 0
  /** Whether what is written goes out, as far as is known here. */
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
    // Who hung up is no fault.
    this.body.on('error', () => {})
    this.beat = setInterval(() => this.beats(), tools.times.beatMs)
    this.endWithToken()
  }

  /** Begins to tell: of what was before, a client finds the effect when it asks. @throws what the accounts of its teams cannot be asked for */
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

  /** Looks at what the caller may now, once at a time. Ends where that is nothing. */
  look(): Promise<void> {
    this.looking ??= this.lookOnce().finally(() => (this.looking = undefined))
    return this.looking
  }

  /** What is written goes out still, if the reader takes it. */
  end(why: LiveEnd): void {
    if (this.why) return
    this.why = why
    // What is not taken would keep the connection open.
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
      // While a store is away nobody is shut out: the next look tells.
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
    // What was told of them before was not heard.
    if (!isFirst && [...this.teamAccounts].some((id) => !before.has(id))) this.tell([resyncEvent])
  }

  /** Nobody listens by a token that is over, whatever stores are away. */
  private endWithToken(): void {
    clearTimeout(this.over)
    const { expiresAt } = this.caller
    if (!expiresAt || this.why) return
    const left = expiresAt.getTime() - this.tools.now()
    // Those that are good for longer are looked at with the beats.
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
    // Not within a read: what is pushed there would call for the next at once.
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
