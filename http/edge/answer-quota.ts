/**
 * Limits the number and size of the responses that are kept for Idempotency-Keys, per organization. The counts are at
 * most ten seconds old and include what this process has added since, so other processes can exceed the limits for that
 * long.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { dayMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { asService } from '#http/store/tenant.ts'

/** Responses with the same owner are counted together: an organization, or a caller without one. */
export interface AnswerOwner {
  orgId: string
  principal: string
}

export interface AnswerLimits {
  /** Maximum responses per owner; 0 means no limit. */
  readonly answers: number
  /** Maximum bytes of these, as stored. */
  readonly bytes: number
}

interface StoredCount {
  answers: number
  bytes: number
}

interface CachedCount {
  readonly until: number
  readonly kept: Promise<StoredCount>
}

const knownMs = 10_000
const knownMax = 10_000
/** At the limit, the oldest are dropped until this share of it is used, so that this does not run for each response. */
const leftShare = 0.75
const retryAfterSeconds = 600

const ownerCondition = `org_id = ? and (org_id <> '' or principal = ?)`

const countSql = `
  select count(*)::float8 as answers, coalesce(sum(octet_length(sealed)), 0)::float8 as bytes
  from idempotent_answer where ${ownerCondition} and started_at > ?`

// Drops the content of a response if it and all newer ones together exceed the limit.
const dropSql = `
  update idempotent_answer as a set sealed = ?
  from (select org_id, principal, route, key, sum(octet_length(sealed)) over (order by started_at desc, principal, route, key) as bytes
        from idempotent_answer where ${ownerCondition} and sealed is not null) as aged
  where (a.org_id, a.principal, a.route, a.key) = (aged.org_id, aged.principal, aged.route, aged.key)
    and aged.bytes > ? and octet_length(a.sealed) > ?`

const tooManyKeys = (answers: number): Fault =>
  Fault.invalid(
    'too_many_keys',
    `At most ${answers} requests with an Idempotency-Key are stored per day, and the limit is reached. Send this one without the key, or try again later.`,
    { retryAfter: retryAfterSeconds },
  )

export class AnswerQuota {
  private readonly known = new Map<string, CachedCount>()
  private readonly em: () => EntityManager
  private readonly limits: AnswerLimits
  private readonly now: () => number

  /** `now` is in milliseconds. */
  constructor(em: () => EntityManager, limits: AnswerLimits, now: () => number) {
    this.em = em
    this.limits = limits
    this.now = now
  }

  /**
   * Makes room for the response to a request that was just recorded. `dropped` is the content that replaces a dropped
   * response.
   * @throws Fault `invalid` `too_many_keys` if there are too many
   */
  async take(owner: AnswerOwner, dropped: () => string): Promise<void> {
    const before = this.known.get(keyOf(owner))
    const counting = this.keptBy(owner)
    const kept = await counting
    // The count made for this request already includes it.
    if (before?.kept === counting) kept.answers++
    if (this.limits.answers > 0 && kept.answers > this.limits.answers) {
      kept.answers--
      throw tooManyKeys(this.limits.answers)
    }
    if (kept.bytes > this.limits.bytes) await this.drop(owner, dropped())
  }

  /** Counts a stored response if its owner is known; otherwise the next count includes it. */
  add(owner: AnswerOwner, bytes: number): void {
    const known = this.known.get(keyOf(owner))
    known?.kept.then(
      (kept) => (kept.bytes += bytes),
      () => {},
    )
  }

  private keptBy(owner: AnswerOwner): Promise<StoredCount> {
    const key = keyOf(owner)
    const now = this.now()
    const known = this.known.get(key)
    if (known && now < known.until && known.until - now <= knownMs) return known.kept
    const kept = this.count(owner, new Date(now - dayMs))
    this.known.delete(key)
    this.known.set(key, { until: now + knownMs, kept })
    if (this.known.size > knownMax) this.known.delete(this.known.keys().next().value!)
    kept.catch(() => this.known.delete(key))
    return kept
  }

  private count({ orgId, principal }: AnswerOwner, since: Date): Promise<StoredCount> {
    return asService(async () => {
      const [row] = await this.em().execute<StoredCount[]>(countSql, [orgId, principal, since.toISOString()])
      return row!
    })
  }

  private async drop(owner: AnswerOwner, dropped: string): Promise<void> {
    const { orgId, principal } = owner
    const values = [dropped, orgId, principal, this.limits.bytes * leftShare, dropped.length]
    await asService(() => this.em().execute(dropSql, values))
    this.known.delete(keyOf(owner))
  }
}

const keyOf = ({ orgId, principal }: AnswerOwner): string => (orgId === '' ? `caller ${principal}` : `org ${orgId}`)
