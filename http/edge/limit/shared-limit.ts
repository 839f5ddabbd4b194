/**
 * Token buckets shared by all processes (decision G-04), in PostgreSQL. A process takes a tenth of a bucket at once and
 * distributes it itself: few requests wait for the store, and all processes together never exceed the rate. If the
 * store does not respond, each process limits on its own.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Limiter, rounding, toLimitResult, type Limits, type Rate, type LimitResult } from './limit.ts'
import { asService } from '#http/store/tenant.ts'

/** The request to draw from a bucket. */
interface Drawing {
  id: string
  burst: number
  perSecond: number
  /** Requests wanted, and requests drawn before and not used. */
  want: number
  back: number
  at: Date
}

/** Draws up to the wanted number; returns what remains in the bucket. */
export type Draw = (drawing: Drawing) => Promise<{ drawn: number; left: number }>

/** Milliseconds after which unused requests go back, the same as for cached callers. */
const keptMs = 5_000
/** Share of a bucket that is drawn at once. */
const portion = 0.1
/**
 * Milliseconds during which an empty bucket is not queried again: a caller above its rate must not keep the store busy.
 */
const drainedMs = 50
/** Milliseconds that the store may take, and during which it is not used after it took longer or failed. */
const patienceMs = 1_000
const aloneMs = 5_000
/** Maximum remembered buckets. */
const heldMax = 100_000

interface LocalBucket {
  own: number
  /** Whether the last draw returned less than requested. */
  isDrained: boolean
  /** Requests in the bucket, at time `at`. */
  left: number
  at: number
}

export class SharedLimiter implements Limits {
  private readonly held = new Map<string, LocalBucket>()
  private readonly drawing = new Map<string, Promise<void>>()
  private readonly alone: Limiter
  private aloneUntil = -Infinity
  private readonly draw: Draw
  private readonly now: () => number

  /** `now` is in milliseconds. */
  constructor(draw: Draw, now: () => number) {
    this.draw = draw
    this.now = now
    this.alone = new Limiter(now)
  }

  async take(rate: Rate, key: string): Promise<LimitResult> {
    const id = `${rate.name}\n${key}`
    for (;;) {
      if (Math.abs(this.aloneUntil - this.now()) <= aloneMs && this.now() < this.aloneUntil)
        return this.alone.take(rate, key)
      const known = this.known(rate, id)
      if (known) return known
      // All requests for the same bucket wait for one draw.
      const drawing = this.drawing.get(id) ?? this.drawn(rate, id)
      this.drawing.set(id, drawing)
      await drawing
    }
  }

  isOpen(rate: Rate, key: string): boolean {
    const held = this.held.get(`${rate.name}\n${key}`)
    return !held || held.own >= 1 || this.leftNow(rate, held) >= 1 - rounding
  }

  /** The result, if it follows from what was drawn; undefined if the store must be queried. */
  private known(rate: Rate, id: string): LimitResult | undefined {
    const held = this.held.get(id)
    const age = held ? this.now() - held.at : Infinity
    if (!held || age < 0 || age >= keptMs) return undefined
    const left = this.leftNow(rate, held)
    if (held.own >= 1) {
      held.own--
      return toLimitResult(rate, true, Math.min(rate.burst, held.own + left))
    }
    // Others can only have taken more since.
    const mayBeLeft = left >= 1 - rounding && !(held.isDrained && age < drainedMs)
    return mayBeLeft ? undefined : toLimitResult(rate, false, Math.min(left, 1 - rounding))
  }

  private leftNow(rate: Rate, { left, at }: LocalBucket): number {
    return Math.min(rate.burst, left + (Math.max(0, this.now() - at) * rate.perMinute) / 60_000)
  }

  private async drawn(rate: Rate, id: string): Promise<void> {
    const before = this.held.get(id)
    const back = before?.own ?? 0
    if (before) before.own = 0
    const at = this.now()
    const drawing = { id, burst: rate.burst, perSecond: rate.perMinute / 60, want: Math.ceil(rate.burst * portion) }
    try {
      const { drawn, left } = await within(this.draw({ ...drawing, back, at: new Date(at) }))
      this.held.delete(id)
      this.held.set(id, { own: drawn, isDrained: drawn < drawing.want, left, at })
      if (this.held.size > heldMax) this.held.delete(this.held.keys().next().value!)
    } catch {
      // Each request that needs the store finds out itself that it is unavailable.
      this.aloneUntil = this.now() + aloneMs
    } finally {
      this.drawing.delete(id)
    }
  }
}

/** @throws Error when it takes too long */
async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the store is too slow')), patienceMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

// A clock that is less than a minute behind is another process's; more than that, it was set back.
const drawSql = `
  insert into rate_bucket as b (id, tokens, taken, at) values (?, ?, ?, ?)
  on conflict (id) do update set (tokens, taken, at) = (
    select level - given, given, moment
    from (select level, moment, least(excluded.taken, floor(level + 1e-6)) as given
          from (select least(excluded.tokens + excluded.taken,
                             b.tokens + ?::float8 + greatest(0, extract(epoch from excluded.at - b.at)) * ?::float8) as level,
                       case when excluded.at < b.at - interval '1 minute' then excluded.at
                            else greatest(b.at, excluded.at) end as moment) as refilled) as handed)
  returning tokens, taken`

/** Draws with one statement. */
export const drawIn =
  (em: () => EntityManager): Draw =>
  ({ id, burst, perSecond, want, back, at }) =>
    asService(async () => {
      const values = [id, burst - want, want, at.toISOString(), back, perSecond]
      const [row] = await em().execute<{ tokens: number; taken: number }[]>(drawSql, values)
      return { drawn: Number(row!.taken), left: Number(row!.tokens) }
    })
