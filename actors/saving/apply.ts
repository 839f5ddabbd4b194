/** What a recommendation that is applied, or open again, and what is seen of its resource make of claims. */
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

/** How the resource stands when the word comes. */
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

/** Stops that a person asked for are of the cause that the person then says is applied. */
const byHand: ReadonlySet<string> = new Set(['manual', 'bulk'])

/** One claim a recommendation and time that it is applied; told again it changes nothing. */
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

/** Whether it is the claim of this stop. */
const isBegunBy = (claim: Claim, off: Off | undefined): boolean => off !== undefined && keyOf(claim) === keyOf(off)

/** Of this recommendation, and applied later, or running. */
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
    // What it costs an hour before: nothing of it remains once it is gone; of another size it is known when that is seen.
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

/** People say that it was not applied: from then on nothing is saved by it. */
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

/** What is seen of the resource: gone, there again, or of another size. */
export function settleClaims(saving: Saving, seen: SettledState): Claim[] {
  const at = Date.parse(seen.at)
  return saving.claims.map((claim) => {
    if (!isRunning(claim, at) || Date.parse(claim.from) > at + dayMs) return claim
    if (claim.kind === 'gone') return goneClaim(claim, seen)
    if (seen.deleted) return claim.source === recommendationSource ? endAsLeft(claim, seen.at) : claim
    return claim.kind === 'rate' ? sizedClaim(claim, seen) : claim
  })
}

/** Of what was gone, and is found again in whatever state. */
export const backAgain = (claims: readonly Claim[], at: string): Claim[] =>
  claims.map((claim) =>
    claim.kind === 'gone' && claim.seenFrom !== null && isRunning(claim, Date.parse(at)) ? endAsLeft(claim, at) : claim,
  )

const endAsLeft = (claim: Claim, at: string): Claim => ({ ...claim, until: at, why: 'left' })

function goneClaim(claim: Claim, { deleted, at }: SettledState): Claim {
  if (deleted) return claim.seenFrom === null ? { ...claim, seenFrom: at } : claim
  return claim.seenFrom === null ? claim : endAsLeft(claim, at)
}

/** An hour of the new size is cheaper by what the old one cost more. */
function sizedClaim(claim: Claim, { instanceType, rate, at }: SettledState): Claim {
  if (instanceType === '') return claim
  const isThere = claim.size === '' ? instanceType !== claim.was : instanceType === claim.size
  if (claim.seenFrom !== null) return isThere ? claim : endAsLeft(claim, at)
  if (!isThere) return claim
  const [before, after] = [claim.rate, rate].map((one) => (one === null ? undefined : toUnits(one, places)))
  const isKnown = before !== undefined && after !== undefined && claim.was !== ''
  return { ...claim, seenFrom: at, rate: isKnown ? plain(before - after, places) : null }
}
