/**
 * How many calls may begin to each of the parties outside that a work calls: so many at once and a second, so that one that is
 * slow, or asked too much, takes no room from others. Counted in each process by itself.
 */

export interface Pace {
  /** Calls to one party at once; one alone while its calls are slow. */
  atOnce: number
  /** Calls to one party begun a second; 0 is no limit. */
  perSecond: number
  /** The same of one organization, all its parties together. */
  orgPerSecond: number
}

/** So many seconds of calls may come at once where nothing came before. */
const burstSeconds = 10
/** A party whose call took this long is slow until one took less, or it has had none for `slowForMs`; milliseconds. */
const slowMs = 2000
const slowForMs = 600_000

interface Bucket {
  tokens: number
  at: number
}

interface Party {
  orgId: string
  queue: string
  calls: number
  isSlow: boolean
  /** When its newest call ended, milliseconds since 1970. */
  endedAt: number
  bucket: Bucket
}

const partyKey = (orgId: string, queue: string): string => `${orgId}\0${queue}`

export class Pacer {
  /** Those with calls, or that had some lately. */
  private readonly parties = new Map<string, Party>()
  private readonly orgs = new Map<string, Bucket>()
  private readonly pace: Pace
  private readonly now: () => number

  constructor(pace: Pace, now: () => number) {
    this.pace = pace
    this.now = now
  }

  /** Of a party that nothing is known of. */
  get roomMax(): number {
    const { atOnce, perSecond } = this.pace
    return perSecond > 0 ? Math.min(atOnce, burstOf(perSecond)) : atOnce
  }

  /** Of an organization that nothing is known of. */
  get orgRoomMax(): number {
    return Math.floor(burstOf(this.pace.orgPerSecond))
  }

  /** Calls that may begin, to each party that may not have `roomMax`. */
  rooms(): { orgId: string; queue: string; room: number }[] {
    const { atOnce, perSecond } = this.pace
    return Array.from(this.parties, ([key, party]) => {
      const { orgId, queue, calls, bucket } = party
      const tokens = this.filled(bucket, perSecond)
      const isSlow = party.isSlow && (calls > 0 || this.now() - party.endedAt < slowForMs)
      if (calls === 0 && !isSlow && tokens >= burstOf(perSecond)) this.parties.delete(key)
      return { orgId, queue, room: Math.max(0, Math.min((isSlow ? 1 : atOnce) - calls, Math.floor(tokens))) }
    })
  }

  /** Calls that an organization may begin, of those that may not have any number. */
  orgRooms(): Map<string, number> {
    const { orgPerSecond } = this.pace
    const found = new Map<string, number>()
    for (const [orgId, bucket] of this.orgs) {
      const tokens = this.filled(bucket, orgPerSecond)
      if (tokens >= burstOf(orgPerSecond)) this.orgs.delete(orgId)
      else found.set(orgId, Math.floor(tokens))
    }
    return found
  }

  began(orgId: string, queue: string): void {
    const key = partyKey(orgId, queue)
    const { perSecond, orgPerSecond } = this.pace
    const fresh = { orgId, queue, calls: 0, isSlow: false, endedAt: 0 }
    const party = this.parties.get(key) ?? { ...fresh, bucket: this.full(perSecond) }
    party.calls += 1
    party.bucket.tokens -= 1
    this.parties.set(key, party)
    if (orgPerSecond === 0) return
    const bucket = this.orgs.get(orgId) ?? this.full(orgPerSecond)
    bucket.tokens -= 1
    this.orgs.set(orgId, bucket)
  }

  ended(orgId: string, queue: string, tookMs: number): void {
    const party = this.parties.get(partyKey(orgId, queue))
    if (!party) return
    party.calls -= 1
    party.isSlow = tookMs >= slowMs
    party.endedAt = this.now()
  }

  private full(perSecond: number): Bucket {
    return { tokens: burstOf(perSecond), at: this.now() }
  }

  private filled(bucket: Bucket, perSecond: number): number {
    const now = this.now()
    const since = Math.max(0, now - bucket.at)
    bucket.tokens =
      perSecond === 0 ? Infinity : Math.min(burstOf(perSecond), bucket.tokens + (since / 1000) * perSecond)
    bucket.at = now
    return bucket.tokens
  }
}

const burstOf = (perSecond: number): number => (perSecond === 0 ? Infinity : Math.max(1, perSecond * burstSeconds))
