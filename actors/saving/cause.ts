/** Derives claims from what is known of a resource: who stopped it, and which recommendations were applied. */
import { addDays, dayMs, dayOf } from '#engine/value/day.ts'
import { uuidOf } from '#engine/value/id.ts'
import { endOf, keyOf, recommendationSource, type Claim } from './claim.ts'
import type { Saving } from './entity.ts'
import { longest, offsOf, type Off, type Stop } from './off-time.ts'

/** Milliseconds without a stop after which a schedule's claim ends; a later stop starts a new claim. */
export const cycleMs = 35 * dayMs
/** Days for which ended claims are kept, as long as bills are checked again. */
const heldDays = 46
/** Maximum claims of one resource; the oldest ended ones are dropped first. */
const claimsMax = 50

const iso = (at: number): string => new Date(at).toISOString()

/** The claim of an applied recommendation to stop the resource, if the stop falls into it. */
const causeOf = (claims: readonly Claim[], stop: Stop): Claim | undefined =>
  claims.find(
    (claim) =>
      claim.source === recommendationSource &&
      claim.kind === 'usage' &&
      (stop.jobId ? claim.jobId === stop.jobId : isAfter(claim, stop)),
  )

function isAfter(claim: Claim, { at, source, sourceId }: Stop): boolean {
  const time = Date.parse(at)
  return Date.parse(claim.from) <= time && time < endOf(claim) && !claim.others.includes(keyOf({ source, sourceId }))
}

/** Assigns each stop to its cause; each cause has one claim. */
const attributeStops = (stops: readonly Stop[], claims: readonly Claim[]): Stop[] =>
  stops.map((stop) => {
    const cause = stop.source === recommendationSource ? undefined : causeOf(claims, stop)
    return cause ? { ...stop, source: recommendationSource, sourceId: cause.sourceId } : stop
  })

/** Updates the claims of `saving` by its stops and ends. */
export function followStops(saving: Saving): void {
  saving.stops = attributeStops(saving.stops, saving.claims)
  const offs = offsOf(saving)
  const claims = saving.claims.map((claim) => (claim.source === recommendationSource ? noteOff(claim, offs) : claim))
  const actions = new Set(saving.stops.map(({ actionId }) => uuidOf('saving', saving.orgId, actionId)))
  const begun = new Set<string>()
  for (const off of offs) {
    if (off.source === '' || off.source === recommendationSource) continue
    const id = uuidOf('saving', saving.orgId, off.actionId)
    const at = claims.findIndex((claim) => claim.id === id || isOfCycle(claim, off))
    const until = off.until < longest(off.from) ? iso(off.until) : null
    if (at === -1) claims.push(claimOf(saving, off, until))
    else
      claims[at] = { ...claims[at]!, from: earlier(claims[at]!.from, iso(off.from)), until, why: until ? 'left' : '' }
    begun.add(at === -1 ? id : claims[at]!.id)
  }
  // A stop that turned out to have no effect has no claim.
  const known = claims.filter(
    (claim) => claim.source === recommendationSource || begun.has(claim.id) || !actions.has(claim.id),
  )
  saving.claims = apart(known).toSorted(byFrom)
}

/** Whether a schedule's claim is between two stops: the resource runs now, but the claim has not ended. */
const isBetween = ({ source, isCycle, until, why }: Claim, now: number): boolean =>
  source === 'schedule' && isCycle && why === 'left' && until !== null && now - Date.parse(until) < cycleMs

/** A claim as people see it: between two stops of a schedule it is shown as running. */
export const toCurrentClaim = (claim: Claim, now: Date): Claim =>
  isBetween(claim, now.getTime()) ? { ...claim, until: null, why: '' } : claim

const earlier = (a: string, b: string): string => (Date.parse(a) <= Date.parse(b) ? a : b)

const isOfCycle = (claim: Claim, off: Off): boolean =>
  claim.isCycle && keyOf(claim) === keyOf(off) && off.from - endOf(claim) < cycleMs

function claimOf(saving: Saving, off: Off, until: string | null): Claim {
  const { provider, region, resourceType, source, sourceId } = off
  return {
    provider,
    region,
    resourceType,
    source,
    sourceId,
    id: uuidOf('saving', saving.orgId, off.actionId),
    ruleId: '',
    category: '',
    kind: 'usage',
    isCycle: source === 'schedule',
    from: iso(off.from),
    until,
    why: until ? 'left' : '',
    notBefore: '',
    perDay: null,
    appliedAt: '',
    jobId: '',
    others: [],
    seenFrom: iso(off.from),
    rate: null,
    size: '',
    was: '',
  }
}

/**
 * For a recommendation to stop: since when the resource is stopped for it. Unless it is a schedule, the claim ends once
 * the resource runs again.
 */
function noteOff(claim: Claim, offs: readonly Off[]): Claim {
  const own = offs.find((off) => keyOf(off) === keyOf(claim) && off.until > Date.parse(claim.from))
  if (claim.kind !== 'usage' || !own) return claim
  const seenFrom = claim.seenFrom === null ? iso(own.from) : earlier(claim.seenFrom, iso(own.from))
  const isOver = claim.until === null && !claim.isCycle && own.until < longest(own.from)
  return { ...claim, seenFrom, ...(isOver && { until: iso(own.until), why: 'left' as const }) }
}

/** The baseline of a claim starts after every other claim of its kind has started or ended. */
function apart(claims: readonly Claim[]): Claim[] {
  return claims.map((claim) => {
    const from = Date.parse(claim.from)
    const moments = claims
      .filter((other) => other.id !== claim.id && other.kind === claim.kind)
      .flatMap((other) => [Date.parse(other.from), endOf(other)])
      .filter((at) => at < from)
    const days = moments.map((at) => addDays(dayOf(at), 1))
    return { ...claim, notBefore: [claim.notBefore, ...days].toSorted().at(-1)! }
  })
}

/** Drops claims that ended longer ago than bills are checked, and ends running ones by their age. */
export function pruneClaims(claims: readonly Claim[], now: number): Claim[] {
  const kept = claims.filter((claim) => heldUntil(claim) >= now).map((claim) => endByAge(claim, now))
  return kept
    .toSorted((a, b) => endOf(b) - endOf(a))
    .slice(0, claimsMax)
    .toSorted(byFrom)
}

const endByAge = (claim: Claim, now: number): Claim =>
  claim.until !== null || endOf(claim) > now ? claim : { ...claim, until: iso(endOf(claim)), why: 'age' }

/** Until then bills may still verify it. */
export const heldUntil = (claim: Claim): number => endOf(claim) + heldDays * dayMs

/** Order of claims in verification: by start. */
export const byFrom = (a: Pick<Claim, 'from' | 'id'>, b: Pick<Claim, 'from' | 'id'>): number =>
  Date.parse(a.from) - Date.parse(b.from) || (a.id < b.id ? -1 : 1)
