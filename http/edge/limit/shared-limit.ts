/**
 * Token buckets that all processes draw from (decision G-04), in PostgreSQL. A process draws a tenth of a bucket at once and
 * hands it out itself: few requests wait for the store, and all processes together never hand out more than the rate. Where
 * the store does not answer, a process limits by itself.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Limiter, rounding, taken, type Limits, type Rate, type Taken } from './limit.ts'
import { asService } from '#http/store/tenant.ts'

/** What a draw asks of a bucket. */
interface Drawing {
  id: string
  burst: number
  perSecond: number
  /** Requests that are wanted, and those drawn before that were not used. */
  want: number
  back: number
  at: Date
}

/** Draws up to what is wanted; what is left in the bucket after. */
export type Draw = (drawing: Drawing) => Promise<{ drawn: number; left: number }>

/** How long a portion may be kept: then what is left of it goes back. As long as what is known of callers. */
const keptMs = 5_000
/** Part of a bucket that is drawn at once. */
const portion = 0.1
/** How long a bucket that was found drained is not asked again: a caller beyond its rate does not make the store busy. */
const drainedMs = 50
/** How long the store may take, and how long it is left alone when it took longer or failed. */
const patienceMs = 1_000
const aloneMs = 5_000
/** Buckets remembered. */
const heldMax = 100_000

interface Held {
  own: number
  /** Whether the last draw gave less than it wanted. */
  isDrained: boolean
  /** In the bucket, at `at`. */
  left: number
  at: number
}

export class SharedLimiter implements Limits {
  private readonly held = new Map<string, Held>()
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

  async take(rate: Rate, key: string): Promise<Taken> {
    const id = `${rate.name}\n${key}`
    for (;;) {
      if (Math.abs(this.aloneUntil - this.now()) <= aloneMs && this.now() < this.aloneUntil)
        return this.alone.take(rate, key)
      const known = this.known(rate, id)
      if (known) return known
      // All that wait for the same bucket wait for one draw.
      const drawing = this.drawing.get(id) ?? this.drawn(rate, id)
      this.drawing.set(id, drawing)
      await drawing
    }
  }

  isOpen(rate: Rate, key: string): boolean {
    const held = this.held.get(`${rate.name}\n${key}`)
    return !held || held.own >= 1 || this.leftNow(rate, held) >= 1 - rounding
  }

  /** The answer, where it follows from what was drawn; undefined where the store must be asked. */
  private known(rate: Rate, id: string): Taken | undefined {
    const held = this.held.get(id)
    const age = held ? this.now() - held.at : Infinity
    if (!held || age < 0 || age >= keptMs) return undefined
    const left = this.leftNow(rate, held)
    if (held.own >= 1) {
      held.own--
      return taken(rate, true, Math.min(rate.burst, held.own + left))
    }
    // Others can only have taken more.
    const mayBeLeft = left >= 1 - rounding && !(held.isDrained && age < drainedMs)
    return mayBeLeft ? undefined : taken(rate, false, Math.min(left, 1 - rounding))
  }

  private leftNow(rate: Rate, { left, at }: Held): number {
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
      // Requests that need the store are told by themselves that it is away.
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

// A clock that is behind by less than a minute is another process's; by more, it was set back.
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

/** Draws in one statement. */
export const drawIn =
  (em: () => EntityManager): Draw =>
  ({ id, burst, perSecond, want, back, at }) =>
    asService(async () => {
      const values = [id, burst - want, want, at.toISOString(), back, perSecond]
      const [row] = await em().execute<{ tokens: number; taken: number }[]>(drawSql, values)
      return { drawn: Number(row!.taken), left: Number(row!.tokens) }
    })
