/** Token buckets (decision G-04), in this process alone; `shared-limit.ts` has those of all processes. */

export interface Rate {
  /** As headers name it. */
  readonly name: string
  /** 0: no limit. */
  readonly perMinute: number
  /** Requests at once, and what an idle caller has left. */
  readonly burst: number
}

export interface Taken {
  readonly isAllowed: boolean
  /** Whole requests that are left. */
  readonly left: number
  /** Seconds until the bucket is full again, and until the next request is allowed (0 when it is). */
  readonly fullIn: number
  readonly retryAfter: number
}

/** What the edge limits requests by. */
export interface Limits {
  /** Takes one request of `key` out of its bucket. */
  take(rate: Rate, key: string): Taken | Promise<Taken>
  /** Whether a request of `key` would be allowed now, as far as this process knows. */
  isOpen(rate: Rate, key: string): boolean
}

interface Bucket {
  tokens: number
  at: number
}

/** What sums of fractions may be off by, and more. */
export const rounding = 1e-6

/** Callers remembered; beyond it the one that was idle longest starts anew. */
const bucketsMax = 100_000

export class Limiter implements Limits {
  private readonly buckets = new Map<string, Bucket>()
  private readonly now: () => number

  /** `now` is in milliseconds. */
  constructor(now: () => number) {
    this.now = now
  }

  /** Takes one request of `key` out of its bucket. */
  take(rate: Rate, key: string): Taken {
    const perMs = rate.perMinute / 60_000
    const at = this.now()
    const id = `${rate.name}\n${key}`
    const before = this.buckets.get(id) ?? { tokens: rate.burst, at }
    const tokens = Math.min(rate.burst, before.tokens + Math.max(0, at - before.at) * perMs)
    const isAllowed = tokens >= 1 - rounding
    const rest = isAllowed ? Math.max(0, tokens - 1) : tokens
    this.keep(id, { tokens: rest, at })
    return taken(rate, isAllowed, rest)
  }

  /** Whether a request of `key` would be allowed now. */
  isOpen(rate: Rate, key: string): boolean {
    const before = this.buckets.get(`${rate.name}\n${key}`)
    if (!before) return true
    return before.tokens + (Math.max(0, this.now() - before.at) * rate.perMinute) / 60_000 >= 1
  }

  private keep(id: string, bucket: Bucket): void {
    this.buckets.delete(id)
    this.buckets.set(id, bucket)
    if (this.buckets.size > bucketsMax) this.buckets.delete(this.buckets.keys().next().value!)
  }
}

/** What a caller is told who leaves `rest` in a bucket. */
export function taken(rate: Rate, isAllowed: boolean, rest: number): Taken {
  const perSecond = rate.perMinute / 60
  return {
    isAllowed,
    left: Math.floor(rest + rounding),
    fullIn: Math.ceil((rate.burst - rest) / perSecond - rounding),
    retryAfter: isAllowed ? 0 : Math.max(1, Math.ceil((1 - rest) / perSecond - rounding)),
  }
}

export interface Rates {
  /** An organization, whoever calls; a caller that works in none. */
  readonly caller: Rate
  /** A person, in all organizations together. */
  readonly person?: Rate
  /** A block of addresses, on the routes of signing in. */
  readonly auth: Rate
  /** A block of addresses, on the links to exported files. */
  readonly inbound: Rate
  /** A block of addresses whose tokens are refused. */
  readonly refused?: Rate
}

/** The headers of the IETF draft "RateLimit header fields for HTTP". */
export const limitHeaders = ({ name, perMinute }: Rate, { left, fullIn }: Taken): Record<string, string> => ({
  'RateLimit-Policy': `"${name}";q=${perMinute};w=60`,
  RateLimit: `"${name}";r=${left};t=${fullIn}`,
})
