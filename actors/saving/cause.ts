/** Claims as they follow from what is known of a resource: of who stopped it, and of recommendations that were applied. */
import { addDays, dayMs, dayOf } from '#engine/value/day.ts'
import { uuidOf } from '#engine/value/id.ts'
import { endOf, keyOf, recommendationSource, type Claim } from './claim.ts'
import type { Saving } from './entity.ts'
import { longest, offsOf, type Off, type Stop } from './off-time.ts'

/** A schedule that has stopped nothing for so long saves nothing any more; when it does again, that is a claim of its own. */
export const cycleMs = 35 * dayMs
/** Claims that are over are held as long as bills are looked at again. */
const heldDays = 46
/** Claims of one resource at most; the oldest that are over go first. */
const claimsMax = 50

const iso = (at: number): string => new Date(at).toISOString()

/** A recommendation to stop it that stands: what stops it now does so for that cause. */
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

/** Each stop under the name of whose saving it is: of one cause there is one claim. */
const attributeStops = (stops: readonly Stop[], claims: readonly Claim[]): Stop[] =>
  stops.map((stop) => {
    const cause = stop.source === recommendationSource ? undefined : causeOf(claims, stop)
    return cause ? { ...stop, source: recommendationSource, sourceId: cause.sourceId } : stop
  })

/** Brings the claims of `saving` in line with its stops and ends. */
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
  // A stop that turned out to change nothing began none.
  const known = claims.filter(
    (claim) => claim.source === recommendationSource || begun.has(claim.id) || !actions.has(claim.id),
  )
  saving.claims = apart(known).toSorted(byFrom)
}

/** Of a schedule between one stop and the next: on for now, and not over. */
const isBetween = ({ source, isCycle, until, why }: Claim, now: number): boolean =>
  source === 'schedule' && isCycle && why === 'left' && until !== null && now - Date.parse(until) < cycleMs

/** A claim as people are told of it: what rests until the schedule stops it again goes on. */
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

/** Of a recommendation to stop: since when it is off for it; where it is no schedule, it is over once the resource runs again. */
function noteOff(claim: Claim, offs: readonly Off[]): Claim {
  const own = offs.find((off) => keyOf(off) === keyOf(claim) && off.until > Date.parse(claim.from))
  if (claim.kind !== 'usage' || !own) return claim
  const seenFrom = claim.seenFrom === null ? iso(own.from) : earlier(claim.seenFrom, iso(own.from))
  const isOver = claim.until === null && !claim.isCycle && own.until < longest(own.from)
  return { ...claim, seenFrom, ...(isOver && { until: iso(own.until), why: 'left' as const }) }
}

/** A baseline begins behind whatever another claim of its kind began or ended. */
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

/** Without those that are over for longer than their bills are looked at; one that nothing else ends is over by its age. */
export function pruneClaims(claims: readonly Claim[], now: number): Claim[] {
  const kept = claims.filter((claim) => heldUntil(claim) >= now).map((claim) => endByAge(claim, now))
  return kept
    .toSorted((a, b) => endOf(b) - endOf(a))
    .slice(0, claimsMax)
    .toSorted(byFrom)
}

const endByAge = (claim: Claim, now: number): Claim =>
  claim.until !== null || endOf(claim) > now ? claim : { ...claim, until: iso(endOf(claim)), why: 'age' }

/** Until then what its bills prove may be told. */
export const heldUntil = (claim: Claim): number => endOf(claim) + heldDays * dayMs

/** The order of layers: who came first lies below. */
export const byFrom = (a: Pick<Claim, 'from' | 'id'>, b: Pick<Claim, 'from' | 'id'>): number =>
  Date.parse(a.from) - Date.parse(b.from) || (a.id < b.id ? -1 : 1)
