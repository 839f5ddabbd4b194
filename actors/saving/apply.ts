/** How claims change when a recommendation is applied or reopened, and when its resource is observed. */
import { dayMs } from '#engine/value/day.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static } from '#engine/value/schema.ts'
import type { stateSettled } from '#streams/resource/messages.ts'
import type { savingClaimed } from '#streams/saving.ts'
import { endOf, isRunning, keyOf, kindOf, recommendationSource, type Claim } from './claim.ts'
import type { Saving } from './entity.ts'
import { offsOf, type Off, type Stop } from './off-time.ts'

type Word = Static<typeof savingClaimed.schema>

/** The state of the resource when the recommendation is applied. */
interface ResourceState {
  rate: string | null
  instanceType: string
  isStopped: boolean
  isDeleted: boolean
}

interface ClaimChange {
  claims: Claim[]
  stops?: Stop[]
  ends?: string[]
}

const places = 14
const monthDays = 30n

const perDay = (savingsUsd: string): string =>
  plain(((toUnits(savingsUsd, places) ?? 0n) + monthDays / 2n) / monthDays, places)

/** A stop by a person counts for the recommendation that the person then sets to applied. */
const byHand: ReadonlySet<string> = new Set(['manual', 'bulk'])

/** Starts one claim for each recommendation and time of applying; a repeat changes nothing. */
export function apply(saving: Saving, word: Word, standing: ResourceState | undefined): ClaimChange {
  const claim = claimOf(saving, word, standing)
  if (saving.claims.some((known) => known.id === claim.id || isAhead(known, word))) return { claims: saving.claims }
  const offs = offsOf(saving)
  const from = Date.parse(word.at)
  const now = offs.find((off) => off.from <= from && from < off.until)
  const own = now && !claim.isCycle && byHand.has(now.source) ? now : undefined
  const stopped = offs.filter((off) => off !== own && off.from < from).map(keyOf)
  const saved = saving.claims
    .filter((known) => known.source !== recommendationSource && !isBegunBy(known, own))
    .map(keyOf)
  const others = [...stopped, ...saved]
  const begun = { ...claim, others: [...new Set(others)], ...(own && { from: new Date(own.from).toISOString() }) }
  const isIdle = claim.kind === 'usage' && !claim.isCycle && !now && standing?.isStopped === true
  return { claims: [...saving.claims, begun], stops: isIdle ? [stopOf(begun, word.at, standing)] : [] }
}

/** Whether the claim was started by this stop. */
const isBegunBy = (claim: Claim, off: Off | undefined): boolean => off !== undefined && keyOf(claim) === keyOf(off)

/** Whether a claim of this recommendation was applied later, or is running. */
const isAhead = (claim: Claim, { recommendationId, at }: Word): boolean =>
  claim.source === recommendationSource &&
  claim.sourceId === recommendationId &&
  (Date.parse(claim.appliedAt) >= Date.parse(at) || isRunning(claim, Date.parse(at)))

function claimOf(saving: Saving, word: Word, standing: ResourceState | undefined): Claim {
  const { recommendationId, ruleId, category, provider, region, resourceType, at, jobId, size } = word
  const { rate = null, instanceType = '', isDeleted = false } = standing ?? {}
  const kind = kindOf(word.actionType, rate !== null)
  return {
    id: uuidOf('saving', saving.orgId, recommendationId, at),
    source: recommendationSource,
    sourceId: recommendationId,
    ruleId,
    category,
    provider,
    region,
    resourceType,
    kind,
    isCycle: word.actionType === 'schedule',
    from: at,
    until: null,
    why: '',
    notBefore: '',
    perDay: perDay(word.savingsUsd),
    appliedAt: at,
    jobId,
    others: [],
    seenFrom: kind === 'gone' && isDeleted ? at : null,
    // The price per hour before: all of it is saved once the resource is deleted. For another size the saving is known
    // once that is observed.
    rate: kind === 'gone' || kind === 'rate' ? rate : null,
    size,
    was: instanceType === size ? '' : instanceType,
  }
}

const stopOf = (claim: Claim, at: string, { rate, instanceType }: ResourceState): Stop => {
  const { provider, region, resourceType, sourceId, id } = claim
  const of = { provider, region, resourceType, rate, instanceType }
  return { ...of, at, sourceId, actionId: `claim/${id}`, source: recommendationSource }
}

/** The recommendation was not applied after all: it saves nothing from then on. */
export function takeBack(saving: Saving, { recommendationId, at }: Word): ClaimChange {
  const time = Date.parse(at)
  const isMeant = (claim: Claim) =>
    claim.source === recommendationSource &&
    claim.sourceId === recommendationId &&
    Date.parse(claim.appliedAt) <= time &&
    endOf(claim) > time
  const own = offsOf(saving).some(
    (off) => off.source === recommendationSource && off.sourceId === recommendationId && off.until > time,
  )
  return {
    claims: saving.claims.map((claim) => (isMeant(claim) ? { ...claim, until: at, why: 'reopened' } : claim)),
    ends: own ? [at] : [],
  }
}

type SettledState = Static<typeof stateSettled.schema> & { rate: string | null }

/** Updates claims by an observation: the resource is deleted, exists again, or has another size. */
export function settleClaims(saving: Saving, seen: SettledState): Claim[] {
  const at = Date.parse(seen.at)
  return saving.claims.map((claim) => {
    if (!isRunning(claim, at) || Date.parse(claim.from) > at + dayMs) return claim
    if (claim.kind === 'gone') return goneClaim(claim, seen)
    if (seen.deleted) return claim.source === recommendationSource ? endAsLeft(claim, seen.at) : claim
    return claim.kind === 'rate' ? sizedClaim(claim, seen) : claim
  })
}

/** Ends claims on a deleted resource that was discovered again, in any state. */
export const backAgain = (claims: readonly Claim[], at: string): Claim[] =>
  claims.map((claim) =>
    claim.kind === 'gone' && claim.seenFrom !== null && isRunning(claim, Date.parse(at)) ? endAsLeft(claim, at) : claim,
  )

const endAsLeft = (claim: Claim, at: string): Claim => ({ ...claim, until: at, why: 'left' })

function goneClaim(claim: Claim, { deleted, at }: SettledState): Claim {
  if (deleted) return claim.seenFrom === null ? { ...claim, seenFrom: at } : claim
  return claim.seenFrom === null ? claim : endAsLeft(claim, at)
}

/** An hour of the new size saves the difference to the price of the old one. */
function sizedClaim(claim: Claim, { instanceType, rate, at }: SettledState): Claim {
  if (instanceType === '') return claim
  const isThere = claim.size === '' ? instanceType !== claim.was : instanceType === claim.size
  if (claim.seenFrom !== null) return isThere ? claim : endAsLeft(claim, at)
  if (!isThere) return claim
  const [before, after] = [claim.rate, rate].map((one) => (one === null ? undefined : toUnits(one, places)))
  const isKnown = before !== undefined && after !== undefined && claim.was !== ''
  return { ...claim, seenFrom: at, rate: isKnown ? plain(before - after, places) : null }
}
