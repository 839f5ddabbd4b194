/** The guard's answer, and what it remembers. Pure. */
import { dayMs } from '#engine/value/day.ts'
import { checks, counts, monthMs, sinceOf, type GuardAnswer, type GuardRequest, type Grounds } from './check.ts'
import type { Grant } from './entity.ts'

export interface GuardDecision {
  /** Undefined for a question that a later one has replaced. */
  answer: GuardAnswer | undefined
  grants: Grant[]
}

/** Milliseconds after which a granted change cannot be in progress any more. */
const liveMaxMs = 35 * dayMs
export const grantsMax = 5000

/** `grants`: those of the organization, oldest first. */
export function decide(asked: GuardRequest, grants: readonly Grant[], grounds: Grounds, now: Date): GuardDecision {
  const known = dropOld(grants, now.getTime())
  const own = known.find(({ jobId }) => jobId === asked.jobId)
  if (own && own.n >= asked.n) return { answer: own.n === asked.n ? { answer: 'yes' } : undefined, grants: known }
  const others = known.filter((grant) => grant !== own)
  const goesOn = own?.isLive === true
  const one = { asked, grounds, guardrail: grounds.guardrail, others, now: now.getTime(), goesOn }
  for (const check of checks) {
    const answer = check(one)
    if (answer) return { answer, grants: known }
  }
  return { answer: { answer: 'yes' }, grants: grant(asked, others, grounds, now) }
}

/** `grants` with the new one in place of an earlier one of the same job. */
export const grant = (asked: GuardRequest, grants: readonly Grant[], grounds: Grounds, now: Date): Grant[] =>
  capGrants([...grants.filter(({ jobId }) => jobId !== asked.jobId), toGrant(asked, grounds, now)])

/** The workflow does not continue with what it was granted, by this question or an earlier one. */
export const leave = (grants: readonly Grant[], { jobId, n }: { jobId: string; n: number }): Grant[] =>
  grants.map((grant) => (grant.jobId === jobId && n >= grant.n ? { ...grant, isLive: false } : grant))

function dropOld(grants: readonly Grant[], now: number): Grant[] {
  const [live, other] = [sinceOf(now, liveMaxMs), sinceOf(now, monthMs)]
  return grants.filter(({ isLive, at }) => at >= (isLive ? live : other))
}

/** Drops the least needed grants: starts, which do not count, then the oldest; never a live one. */
function capGrants(grants: Grant[]): Grant[] {
  const spare = grants
    .filter(({ isLive }) => !isLive)
    .toSorted((a, b) => Number(counts(a)) - Number(counts(b)))
    .slice(0, Math.max(0, grants.length - grantsMax))
  return grants.filter((grant) => !spare.includes(grant))
}

function toGrant(asked: GuardRequest, { groups }: Grounds, now: Date): Grant {
  const { jobId, n, cloudAccountId, resourceUid, template, costUsd } = asked
  const at = now.toISOString()
  return {
    jobId,
    n,
    cloudAccountId,
    resourceUid,
    template,
    at,
    costUsd,
    groups: groups.map(({ id }) => id),
    isLive: true,
  }
}
