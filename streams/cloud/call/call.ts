/**
 * Calls to real clouds, whatever the cloud: paced, tried again, and given up where the far side is down. Clients of clouds never
 * try again by themselves, so that what is counted here is what was asked.
 */
import type { Fault } from '#engine/value/fault.ts'
import type { Clock } from '#engine/actor/ports.ts'
import { bucketOf, cloudFault } from '#streams/cloud/connector.ts'
import { outcomes, type CallMeter, type CallOutcome } from './meter.ts'

/** One door of a cloud, as it counts calls: quotas are an account's, a service's and a region's. */
export interface Door {
  provider: string
  account: string
  service: string
  /** Empty for what has none. */
  region: string
  /** What is asked for there; left out: nobody tells one from another. One that fails alone closes nothing to the others. */
  operation?: string
}

export interface CallRules {
  /** Calls a second in the long run, and at once where none came before. */
  perSecond: number
  burst: number
  tries: number
  /** Full jitter: a pause is 0 to as much, doubled each time up to the most. Milliseconds. */
  pauseMs: number
  pauseMaxMs: number
  /** Repeats beside calls of the same account in the last minute: this share of them, and at least so many. */
  budgetShare: number
  budgetMin: number
  timeoutMs: number
  /**
   * After so many failures in a row nothing is asked there for so long, then one call tries. Where all of them are of one
   * operation, that alone is not asked for.
   */
  breakAfter: number
  breakMs: number
}

export const usualRules: CallRules = {
  perSecond: 20,
  burst: 40,
  tries: 4,
  pauseMs: 200,
  pauseMaxMs: 10_000,
  budgetShare: 0.1,
  budgetMin: 10,
  timeoutMs: 30_000,
  breakAfter: 5,
  breakMs: 30_000,
}

export interface CallerOptions {
  clock: Clock
  meter: CallMeter
  /** 0 <= x < 1, for jitter. */
  random: () => number
  rules?: Partial<CallRules>
}

const minuteMs = 60_000

/** Failures in a row, and what comes of them. */
interface Breaker {
  failures: number
  /** Which operations have failed. */
  failing: Set<string>
  /** Nothing is asked before; 0 while closed. */
  openUntil: number
}

interface DoorState extends Breaker {
  tokens: number
  at: number
  byOperation: Map<string, Breaker>
}

const unbroken = (): Breaker => ({ failures: 0, failing: new Set(), openUntil: 0 })

/** What an account has asked in the last minute. */
interface Spent {
  since: number
  calls: number
  repeats: number
}

export class Caller {
  private readonly doors = new Map<string, DoorState>()
  private readonly spent = new Map<string, Spent>()
  private readonly options: CallerOptions
  private readonly rules: CallRules

  constructor(options: CallerOptions) {
    this.options = options
    this.rules = { ...usualRules, ...options.rules }
  }

  /**
   * Does `ask` until it succeeds, is refused, or has failed too often. `faultOf` says what an error of the cloud is: a cloudFault.
   * Only what is `transient` is asked again, and only where `repeatable` is not false.
   * @throws the fault of the last try; `cloud_unreachable` of bucket `transient` while the door is known to be down
   */
  async call<T>(
    door: Door,
    ask: (signal: AbortSignal) => Promise<T>,
    faultOf: (error: unknown) => Fault,
    { signal, repeatable = true }: { signal?: AbortSignal | undefined; repeatable?: boolean } = {},
  ): Promise<T> {
    const state = this.doorOf(door)
    const spent = this.spentBy(door)
    spent.calls++
    for (let attempt = 1; ; attempt++) {
      this.checkOpen(door, state)
      await this.turn(state, signal)
      const late = AbortSignal.timeout(this.rules.timeoutMs)
      try {
        const answer = await ask(signal ? AbortSignal.any([signal, late]) : late)
        this.note(door, state, 'ok')
        return answer
      } catch (error) {
        signal?.throwIfAborted()
        // Clients put an error of their own around the one of the signal.
        const fault = late.aborted ? timedOut(error) : faultOf(error)
        this.note(door, state, outcomeOf(fault))
        const isLast = !repeatable || attempt >= this.rules.tries || bucketOf(fault) !== 'transient'
        if (isLast || !this.mayRepeat(door)) throw fault
        await this.pause(attempt, retryAfterOf(fault), signal)
      }
    }
  }

  private doorOf({ provider, account, service, region }: Door): DoorState {
    const key = `${provider}\0${account}\0${service}\0${region}`
    let state = this.doors.get(key)
    if (!state) {
      state = { ...unbroken(), tokens: this.rules.burst, at: this.options.clock.now(), byOperation: new Map() }
      this.doors.set(key, state)
    }
    return state
  }

  private spentBy({ provider, account }: Door): Spent {
    const key = `${provider}\0${account}`
    const now = this.options.clock.now()
    let spent = this.spent.get(key)
    if (!spent || now - spent.since >= minuteMs) {
      spent = { since: now, calls: 0, repeats: 0 }
      this.spent.set(key, spent)
    }
    return spent
  }

  /** Takes one repeat from the budget of the account, if there is one left. */
  private mayRepeat(door: Door): boolean {
    const spent = this.spentBy(door)
    const { budgetShare, budgetMin } = this.rules
    if (spent.repeats >= Math.max(budgetMin, spent.calls * budgetShare)) return false
    spent.repeats++
    return true
  }

  private checkOpen({ provider, service, region, operation }: Door, state: DoorState): void {
    const now = this.options.clock.now()
    const alone = operation === undefined ? undefined : state.byOperation.get(operation)
    const what = alone && isOut(alone, now) ? `${service} ${operation}` : service
    if (what === service && !isOut(state, now)) {
      // One call alone tries: the others wait for what it comes to.
      for (const one of [state, alone]) if (one && one.openUntil > 0) one.openUntil = now + this.rules.breakMs
      return
    }
    const where = region === '' ? what : `${what} in ${region}`
    throw cloudFault(
      'transient',
      'cloud_unreachable',
      `${where} of ${provider} keeps failing. Calls to it are paused and will resume soon.`,
    )
  }

  private note(door: Door, state: DoorState, outcome: CallOutcome): void {
    this.options.meter.made(door, outcome)
    const { operation } = door
    if (outcome !== 'failed' && outcome !== 'timeout') {
      Object.assign(state, unbroken())
      if (operation !== undefined) state.byOperation.delete(operation)
      return
    }
    this.broken(state, operation)
    if (operation === undefined) return
    state.byOperation.set(operation, this.broken(state.byOperation.get(operation) ?? unbroken(), operation))
    // What fails alone, while nothing else was heard of, is its own affair.
    if (state.failing.size === 1) state.openUntil = 0
  }

  /** After the pause the first failure suffices. */
  private broken(breaker: Breaker, operation = ''): Breaker {
    breaker.failures++
    breaker.failing.add(operation)
    const { breakAfter, breakMs } = this.rules
    breaker.openUntil = breaker.failures >= breakAfter ? this.options.clock.now() + breakMs : 0
    return breaker
  }

  /** Waits until the bucket has a token, in the order of asking. */
  private async turn(state: DoorState, signal?: AbortSignal): Promise<void> {
    const { perSecond, burst } = this.rules
    const now = this.options.clock.now()
    state.tokens = Math.min(burst, state.tokens + (Math.max(0, now - state.at) / 1000) * perSecond) - 1
    state.at = now
    if (state.tokens < 0) await this.options.clock.sleep((-state.tokens / perSecond) * 1000, signal)
    signal?.throwIfAborted()
  }

  private async pause(attempt: number, leastMs: number, signal?: AbortSignal): Promise<void> {
    const { pauseMs, pauseMaxMs } = this.rules
    const most = Math.min(pauseMaxMs, pauseMs * 2 ** (attempt - 1))
    await this.options.clock.sleep(Math.min(leastMs, minuteMs) + this.options.random() * most, signal)
    signal?.throwIfAborted()
  }
}

const isOut = ({ openUntil }: Breaker, now: number): boolean => openUntil > now

const timedOut = (error: unknown): Fault =>
  cloudFault('transient', 'cloud_timeout', 'The cloud did not respond in time.', {}, error)

/** How long the cloud itself asks to be left alone: `retryAfterMs` of the fault's detail. */
function retryAfterOf({ detail }: Fault): number {
  const asked = detail['retryAfterMs']
  return typeof asked === 'number' && asked > 0 ? asked : 0
}

/** A cloud that refuses, or knows no such thing, is well. */
function outcomeOf(fault: Fault): CallOutcome {
  if (fault.code === 'cloud_timeout') return 'timeout'
  return outcomes.find((one) => one === fault.code) ?? (bucketOf(fault) === 'transient' ? 'failed' : 'refused')
}
