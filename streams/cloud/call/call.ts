/**
 * Calls to real clouds, the same for each cloud: rate-limited, retried, and rejected early while the cloud is down.
 * Clients of clouds never retry themselves, so the numbers counted here are the actual requests.
 */
import { pauseBefore, retryAfterOf, type RetrySchedule } from '#engine/actor/retry.ts'
import { minuteMs } from '#engine/value/day.ts'
import type { Fault } from '#engine/value/fault.ts'
import type { Clock } from '#engine/actor/ports.ts'
import { retries } from '#streams/retry.ts'
import { bucketOf, cloudFault } from '#streams/cloud/connector.ts'
import { outcomes, type CallMeter, type CallOutcome } from './meter.ts'

/** One endpoint of a cloud for which it counts calls: quotas are per account, service and region. */
export interface Door {
  provider: string
  account: string
  service: string
  /** Empty if it has none. */
  region: string
  /** The operation; left out: not distinguished. If only one operation fails, the others stay available. */
  operation?: string
}

/** Full jitter: a pause is between 0 and that of the schedule. */
export interface CallRules extends RetrySchedule {
  /** Calls per second in the long run, and calls at once after a quiet time. */
  perSecond: number
  burst: number
  /**
   * Limit of retries, relative to the calls of the same account in the last minute: this share, and at least this many.
   */
  budgetShare: number
  budgetMin: number
  timeoutMs: number
  /**
   * After this many failures in a row no call is made for this long. Then a single one tries, and the others wait for its
   * result. If all failures are of one operation, only that one is blocked.
   */
  breakAfter: number
  breakMs: number
}

const usualRules: CallRules = {
  perSecond: 20,
  burst: 40,
  tries: retries.cloudCall.tries,
  pausesMs: retries.cloudCall.pausesMs,
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

/** Failures in a row, and the resulting state. */
interface Breaker {
  failures: number
  /** The operations that have failed. */
  failing: Set<string>
  /** No calls before this time; 0 while closed. */
  openUntil: number
  /** The call that tries after the pause, until it has ended. */
  trial?: Promise<void> | undefined
}

interface DoorState extends Breaker {
  tokens: number
  at: number
  byOperation: Map<string, Breaker>
}

const unbroken = (): Breaker => ({ failures: 0, failing: new Set(), openUntil: 0 })

/** The calls of an account in the last minute. */
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
   * Runs `ask` until it succeeds, is refused, or has failed too often. `faultOf` converts an error of the cloud to a
   * cloudFault.
   * Only `transient` errors and unreadable answers are retried, and only if `repeatable` is not false.
   * @throws the fault of the last attempt; `cloud_unreachable` of bucket `transient` while the endpoint is known to be
   * down
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
      const endTrial = await this.pass(door, state, signal)
      let fault: Fault
      try {
        return await this.attempt(door, state, ask, faultOf, signal)
      } catch (error) {
        signal?.throwIfAborted()
        fault = error as Fault
      } finally {
        endTrial()
      }
      const pause = repeatable ? this.pauseAfter(fault, attempt) : undefined
      if (pause === undefined || !this.mayRepeat(door)) throw fault
      await this.options.clock.sleep(pause, signal)
      signal?.throwIfAborted()
    }
  }

  /** @throws the fault of the call, or the reason of the signal */
  private async attempt<T>(
    door: Door,
    state: DoorState,
    ask: (signal: AbortSignal) => Promise<T>,
    faultOf: (error: unknown) => Fault,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    await this.turn(state, signal)
    const late = new AbortController()
    const timer = setTimeout(
      () => late.abort(new DOMException('No answer in time.', 'TimeoutError')),
      this.rules.timeoutMs,
    )
    timer.unref()
    const end = signal ? AbortSignal.any([signal, late.signal]) : late.signal
    const ended = rejectionAt(end)
    try {
      // Some clients ignore the signal while they sign in.
      const answer = await Promise.race([ask(end), ended.promise])
      this.note(door, state, 'ok')
      return answer
    } catch (error) {
      signal?.throwIfAborted()
      // Clients wrap the error of the signal in their own.
      const fault = late.signal.aborted ? timedOut(error) : faultOf(error)
      this.note(door, state, outcomeOf(fault))
      throw fault
    } finally {
      // Otherwise the answer stays in memory until the time is over.
      clearTimeout(timer)
      ended.forget()
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

  /** Takes one retry from the account's budget, if one is left. */
  private mayRepeat(door: Door): boolean {
    const spent = this.spentBy(door)
    const { budgetShare, budgetMin } = this.rules
    if (spent.repeats >= Math.max(budgetMin, spent.calls * budgetShare)) return false
    spent.repeats++
    return true
  }

  /**
   * Waits while another call tries. Returns what ends the trial of this one, if it is the one that tries.
   * @throws `cloud_unreachable` while the endpoint is known to be down
   */
  private async pass(door: Door, state: DoorState, signal: AbortSignal | undefined): Promise<() => void> {
    for (;;) {
      const alone = door.operation === undefined ? undefined : state.byOperation.get(door.operation)
      this.checkOpen(door, state, alone)
      const trial = state.trial ?? alone?.trial
      if (!trial) return beginTrial([state, ...(alone ? [alone] : [])].filter(({ openUntil }) => openUntil > 0))
      await endOf(trial, signal)
    }
  }

  private checkOpen({ provider, service, region, operation }: Door, state: DoorState, alone?: Breaker): void {
    const now = this.options.clock.now()
    const what = alone && isOut(alone, now) ? `${service} ${operation}` : service
    if (what === service && !isOut(state, now)) return
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
    // If a single operation fails and no other was called, only that operation is blocked.
    if (state.failing.size === 1) state.openUntil = 0
  }

  /** After the pause, one failure is enough. */
  private broken(breaker: Breaker, operation = ''): Breaker {
    breaker.failures++
    breaker.failing.add(operation)
    const { breakAfter, breakMs } = this.rules
    breaker.openUntil = breaker.failures >= breakAfter ? this.options.clock.now() + breakMs : 0
    return breaker
  }

  /** Waits until the bucket has a token, in the order of requests. */
  private async turn(state: DoorState, signal?: AbortSignal): Promise<void> {
    const { perSecond, burst } = this.rules
    const now = this.options.clock.now()
    state.tokens = Math.min(burst, state.tokens + (Math.max(0, now - state.at) / 1000) * perSecond) - 1
    state.at = now
    if (state.tokens < 0) await this.options.clock.sleep((-state.tokens / perSecond) * 1000, signal)
    signal?.throwIfAborted()
  }

  /** Milliseconds; undefined if it is not retried. */
  private pauseAfter(fault: Fault, attempt: number): number | undefined {
    const isTemporary = bucketOf(fault) === 'transient' || fault.code === 'unknown_answer'
    const pause = isTemporary ? pauseBefore(this.rules, attempt + 1) : undefined
    if (pause === undefined) return undefined
    return Math.min(retryAfterOf(fault) ?? 0, minuteMs) + this.options.random() * pause
  }
}

const isOut = ({ openUntil }: Breaker, now: number): boolean => openUntil > now

/** The breakers are after their pause. Returns what ends the trial. */
function beginTrial(breakers: readonly Breaker[]): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const one of breakers) one.trial = promise
  return () => {
    for (const one of breakers) one.trial = undefined
    resolve()
  }
}

/** Once the trial has ended. @throws the reason of the signal */
async function endOf(trial: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const wake = () => resolve()
  signal?.addEventListener('abort', wake)
  await Promise.race([trial, promise])
  signal?.removeEventListener('abort', wake)
  signal?.throwIfAborted()
}

const timedOut = (error: unknown): Fault =>
  cloudFault('transient', 'cloud_timeout', 'The cloud did not respond in time.', {}, error)

/** A cloud that refuses a request, does not know an object, or is busy with it, is available. */
function outcomeOf(fault: Fault): CallOutcome {
  if (fault.code === 'cloud_timeout') return 'timeout'
  if (fault.code === 'busy' || fault.code === 'replaced') return 'refused'
  return outcomes.find((one) => one === fault.code) ?? (bucketOf(fault) === 'transient' ? 'failed' : 'refused')
}

/** Rejects with the signal's reason when it is aborted, until `forget` is called. */
function rejectionAt(signal: AbortSignal): { promise: Promise<never>; forget: () => void } {
  const { promise, reject } = Promise.withResolvers<never>()
  const end = () => reject(signal.reason as Error)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  return { promise, forget: () => signal.removeEventListener('abort', end) }
}
