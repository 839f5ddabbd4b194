/**
 * How many answers under Idempotency-Keys an organization has, and how much they take. What is known of it is ten seconds old at most
 * and counts what this process has added since: so long the bounds may be passed by what other processes add.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { asService } from '#http/store/tenant.ts'

/** Whose answers are counted together: those of an organization, or of a caller that works in none. */
export interface AnswerOwner {
  orgId: string
  principal: string
}

export interface AnswerLimits {
  /** Answers of an owner; 0: no limit. */
  readonly answers: number
  /** Bytes of these, as they are kept. */
  readonly bytes: number
}

interface Kept {
  answers: number
  bytes: number
}

interface Known {
  readonly until: number
  readonly kept: Promise<Kept>
}

const knownMs = 10_000
const knownMax = 10_000
/** The oldest are dropped until this part of the limit is left, so that it is not done for each answer. */
const leftShare = 0.75
const dayMs = 24 * 60 * 60_000
const retryAfterSeconds = 600

const owned = `org_id = ? and (org_id <> '' or principal = ?)`

const countSql = `
  select count(*)::float8 as answers, coalesce(sum(octet_length(sealed)), 0)::float8 as bytes
  from idempotent_answer where ${owned} and started_at > ?`

// What is newer than an answer, itself included, takes more than may be kept: its content goes.
const dropSql = `
  update idempotent_answer as a set sealed = ?
  from (select org_id, principal, route, key, sum(octet_length(sealed)) over (order by started_at desc, principal, route, key) as bytes
        from idempotent_answer where ${owned} and sealed is not null) as aged
  where (a.org_id, a.principal, a.route, a.key) = (aged.org_id, aged.principal, aged.route, aged.key)
    and aged.bytes > ? and octet_length(a.sealed) > ?`

const tooManyKeys = (answers: number): Fault =>
  Fault.invalid(
    'too_many_keys',
    `At most ${answers} requests with an Idempotency-Key are stored per day, and the limit is reached. Send this one without the key, or try again later.`,
    { retryAfter: retryAfterSeconds },
  )

export class AnswerRoom {
  private readonly known = new Map<string, Known>()
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
   * Makes room for the answer to a request that was just written down. `dropped` is what stands for one that is kept no more.
   * @throws Fault `invalid` `too_many_keys` where there are too many
   */
  async take(owner: AnswerOwner, dropped: () => string): Promise<void> {
    const before = this.known.get(keyOf(owner))
    const counting = this.keptBy(owner)
    const kept = await counting
    // What was counted for this request has it already.
    if (before?.kept === counting) kept.answers++
    if (this.limits.answers > 0 && kept.answers > this.limits.answers) {
      kept.answers--
      throw tooManyKeys(this.limits.answers)
    }
    if (kept.bytes > this.limits.bytes) await this.drop(owner, dropped())
  }

  /** Counts an answer that was written, where its owner is known; otherwise it is counted with the others. */
  add(owner: AnswerOwner, bytes: number): void {
    const known = this.known.get(keyOf(owner))
    known?.kept.then(
      (kept) => (kept.bytes += bytes),
      () => {},
    )
  }

  private keptBy(owner: AnswerOwner): Promise<Kept> {
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

  private count({ orgId, principal }: AnswerOwner, since: Date): Promise<Kept> {
    return asService(async () => {
      const [row] = await this.em().execute<Kept[]>(countSql, [orgId, principal, since.toISOString()])
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
