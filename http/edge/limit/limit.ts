/** Token buckets (decision G-04), in this process only; `shared-limit.ts` has those shared by all processes. */

export interface Rate {
  /** The name in headers. */
  readonly name: string
  /** 0 means no limit. */
  readonly perMinute: number
  /** Maximum requests at once, and the content of an idle caller's bucket. */
  readonly burst: number
}

export interface LimitResult {
  readonly isAllowed: boolean
  /** Whole requests left. */
  readonly left: number
  /** Seconds until the bucket is full again, and until the next request is allowed (0 if it is now). */
  readonly fullIn: number
  readonly retryAfter: number
}

/** Rate limiters of the edge. */
export interface Limits {
  /** Takes one request of `key` from its bucket. */
  take(rate: Rate, key: string): LimitResult | Promise<LimitResult>
  /** Whether a request of `key` would be allowed now, as far as this process knows. */
  isOpen(rate: Rate, key: string): boolean
}

interface Bucket {
  tokens: number
  at: number
}

/** Larger than the possible error of summed fractions. */
export const rounding = 1e-6

/** Maximum remembered callers; above it, the one that was idle longest is forgotten. */
const bucketsMax = 100_000

export class Limiter implements Limits {
  private readonly buckets = new Map<string, Bucket>()
  private readonly now: () => number

  /** `now` is in milliseconds. */
  constructor(now: () => number) {
    this.now = now
  }

  /** Takes one request of `key` from its bucket. */
  take(rate: Rate, key: string): LimitResult {
    const perMs = rate.perMinute / 60_000
    const at = this.now()
    const id = `${rate.name}\n${key}`
    const before = this.buckets.get(id) ?? { tokens: rate.burst, at }
    const tokens = Math.min(rate.burst, before.tokens + Math.max(0, at - before.at) * perMs)
    const isAllowed = tokens >= 1 - rounding
    const rest = isAllowed ? Math.max(0, tokens - 1) : tokens
    this.keep(id, { tokens: rest, at })
    return toLimitResult(rate, isAllowed, rest)
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

/** The result for a caller that leaves `rest` in a bucket. */
export function toLimitResult(rate: Rate, isAllowed: boolean, rest: number): LimitResult {
  const perSecond = rate.perMinute / 60
  return {
    isAllowed,
    left: Math.floor(rest + rounding),
    fullIn: Math.ceil((rate.burst - rest) / perSecond - rounding),
    retryAfter: isAllowed ? 0 : Math.max(1, Math.ceil((1 - rest) / perSecond - rounding)),
  }
}

export interface Rates {
  /** An organization, over all its callers; or a caller without an organization. */
  readonly caller: Rate
  /** A person, over all their organizations. */
  readonly person?: Rate
  /** An address block, on sign-in routes. */
  readonly auth: Rate
  /** An address block, on links to exported files. */
  readonly inbound: Rate
  /** An address block whose tokens are refused. */
  readonly refused?: Rate
}

/** The headers of the IETF draft "RateLimit header fields for HTTP". */
export const limitHeaders = ({ name, perMinute }: Rate, { left, fullIn }: LimitResult): Record<string, string> => ({
  'RateLimit-Policy': `"${name}";q=${perMinute};w=60`,
  RateLimit: `"${name}";r=${left};t=${fullIn}`,
})
