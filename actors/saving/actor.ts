import { defineActor, type Waiting } from '#engine/actor/actor.ts'
import { addDays, dayOf, days, hourMs, startOf } from '#engine/value/day.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { actionTold } from '#streams/action/messages.ts'
import { stateSettled } from '#streams/resource/messages.ts'
import { savingClaimed, savingDue, savingMeasured } from '#streams/saving.ts'
import { isRunning, type Claim } from './claim.ts'
import { apply, backAgain, settleClaims, takeBack } from './apply.ts'
import { followStops, pruneClaims, heldUntil } from './cause.ts'
import { Saving } from './entity.ts'
import { writeDays, writeProofs } from './ledger.ts'
import { firstChange, isQuiet, newest, offsOf, pruneHistory, type Off } from './off-time.ts'

/** Price, type and state of a resource for the messages of a batch. */
export interface SavingNeed {
  rate: string | null
  instanceType: string
  isStopped: boolean
  isDeleted: boolean
}

/** By `resourceKey`. */
export type SavingNeeds = ReadonlyMap<string, SavingNeed>

export const resourceKey = (orgId: string, account: string, uid: string): string => `${orgId}\0${account}\0${uid}`

/**
 * Savings on one resource: by the cause that stopped it, from a successful stop until it is observed running, deleted
 * or resized; and by recommendations that people have applied. One row for each UTC day and cause, written when it
 * changes, hourly while hours are counted, and when bills verify it.
 */
export const savingActor = defineActor({
  kind: 'saving',
  entity: Saving,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'uid' },
  initial: () => ({ stops: [], ends: [], since: '', carried: [], through: '', claims: [], ledger: {}, measuredAt: '' }),
  needs: savingNeeds,
  reactions: (on) => [
    on(actionTold, (data) => data.resourceUid, takeAction),
    on(stateSettled, (data) => data.resourceUid, takeState, { existing: true }),
    on(savingClaimed, (data) => data.resourceUid, takeClaim),
    on(savingMeasured, (data) => data.resourceUid, takeProofs, { existing: true }),
    on(savingDue, (data) => data.resourceUid, due, { existing: true }),
  ],
})

async function savingNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<SavingNeeds> {
  const wanted = waiting.filter(({ subject, data }) => !isBeside(subject.name, data))
  if (wanted.length === 0) return new Map()
  const rows = await reads.plain<
    { org: string; account: string; uid: string; rate: number | null } & Omit<SavingNeed, 'rate'>
  >(
    `select org_id as org, cloud_account_id as account, uid, hourly_rate_usd as rate, instance_type as "instanceType",
       observed_status = 'stopped' as "isStopped", deleted_at is not null as "isDeleted" from resource
     where (org_id, cloud_account_id, uid) in (select * from unnest($1::text[], $2::text[], $3::text[]))`,
    [
      wanted.map(({ address }) => address.orgId),
      wanted.map(({ address }) => address.place),
      wanted.map(({ address }) => address.key),
    ],
    { maxAgeMs: 0 },
  )
  return new Map(
    rows.map(({ org, account, uid, rate, ...one }) => [
      resourceKey(org, account, uid),
      { ...one, rate: rate === null ? null : String(rate) },
    ]),
  )
}

/** Messages that need nothing from the inventory. */
function isBeside(name: string, data: unknown): boolean {
  if (name === actionTold.name) return !isStop(data as Static<typeof actionTold.schema>)
  return name === stateSettled.name || name === savingMeasured.name
}

/** Only an action that needed a call has changed anything. */
const isDone = ({ status, attempt, endedAt }: Static<typeof actionTold.schema>): boolean =>
  status === 'succeeded' && attempt >= 1 && endedAt !== null

const isStop = (record: Static<typeof actionTold.schema>): boolean => isDone(record) && record.action === 'stop'

function takeAction(saving: Saving, record: Static<typeof actionTold.schema>, turn: Turn): void {
  const { actionId, action, endedAt, provider, region, resourceType, source } = record
  if (!isDone(record) || endedAt === null || isOver(saving, endedAt)) return leave(saving, turn)
  if (action === 'start') return change(saving, turn, { ends: [endedAt] })
  if (saving.stops.some((known) => known.actionId === actionId)) return
  const { rate = null, instanceType = null } = findNeed(turn) ?? {}
  const by = { source: source.type === 'override_expired' ? 'override' : source.type, sourceId: source.id }
  const what = {
    provider,
    region,
    resourceType,
    instanceType,
    rate,
    ...(source.workflow && { jobId: source.workflow.jobId }),
  }
  change(saving, turn, { stops: [{ actionId, at: endedAt, ...by, ...what }] })
}

/** An unknown state, of a resource that cannot be observed, ends nothing. */
function takeState(saving: Saving, data: Static<typeof stateSettled.schema>, turn: Turn): void {
  const { status, deleted, hourlyRateUsd, at } = data
  const isSeen = status !== 'pending' || deleted
  if (!isSeen) return change(saving, turn, { claims: backAgain(saving.claims, at) })
  const seen = { ...data, rate: hourlyRateUsd === null ? null : String(hourlyRateUsd) }
  learn(saving, seen.rate, turn)
  if (!isOver(saving, at)) look(saving, seen, turn)
}

type SettledState = Static<typeof stateSettled.schema> & { rate: string | null }

function look(saving: Saving, seen: SettledState, turn: Turn): void {
  const { status, instanceType, deleted, at } = seen
  const claims = settleClaims(saving, seen)
  const off = offAt(saving, Date.parse(at))
  if (deleted || status === 'running' || isOther(off, instanceType))
    return change(saving, turn, { claims, ends: [at], stops: [] })
  // The instance type was unknown when it was stopped.
  if (off && off.instanceType === null)
    saving.stops = saving.stops.map((stop) => (stop.actionId === off.actionId ? { ...stop, instanceType } : stop))
  change(saving, turn, { claims, stops: off ? [] : seenOff(saving, seen) })
}

/** Observed stopped although nothing here stopped it: counts only if a claim is about its running hours. */
function seenOff(saving: Saving, { at, instanceType, rate }: SettledState): Saving['stops'] {
  const claim = saving.claims.findLast(
    (one) =>
      (one.kind === 'rate' || (one.kind === 'usage' && one.source === 'recommendation')) &&
      isRunning(one, Date.parse(at)),
  )
  if (!claim) return []
  const { provider, region, resourceType } = claim
  const actionId = `seen/${at}`
  return [{ actionId, at, source: '', sourceId: '', provider, region, resourceType, instanceType, rate }]
}

const offAt = (saving: Saving, at: number): Off | undefined =>
  offsOf(saving).find(({ from, until }) => from <= at && at < until)

/** An empty type is unknown. */
const isOther = (off: Off | undefined, instanceType: string): boolean =>
  instanceType !== '' && off !== undefined && off.instanceType !== null && off.instanceType !== instanceType

function takeClaim(saving: Saving, word: Static<typeof savingClaimed.schema>, turn: Turn): void {
  const need = findNeed(turn)
  const known = saving.claims.find(
    ({ sourceId, source }) => source === 'recommendation' && sourceId === word.recommendationId,
  )
  if (!word.isApplied && !known) return leave(saving, turn)
  const { claims, stops = [], ends = [] } = word.isApplied ? apply(saving, word, need) : takeBack(saving, word)
  change(saving, turn, { claims, stops, ends })
}

/** Of two runs the newer one counts. */
function takeProofs(saving: Saving, { at, proofs }: Static<typeof savingMeasured.schema>, turn: Turn): void {
  if (saving.measuredAt !== '' && Date.parse(at) < Date.parse(saving.measuredAt)) return
  saving.measuredAt = at
  writeProofs(saving, proofs, turn)
}

function due(saving: Saving, _: unknown, turn: Turn): void {
  learn(saving, findNeed(turn)?.rate ?? null, turn)
  // Rows from before claims were stored have none yet.
  followStops(saving)
  const offs = offsOf(saving)
  const first = saving.claims[0]
  write(saving, offs, offs, saving.through || dayOf(offs[0]?.from ?? (first ? Date.parse(first.from) : turn.now)), turn)
  if (isForgotten(saving, turn.now.getTime())) turn.remove()
  else rest(saving, turn)
}

const isForgotten = (saving: Saving, now: number): boolean =>
  isQuiet(saving, now) && saving.claims.every((claim) => heldUntil(claim) < now)

const findNeed = ({ needs, address: { orgId, place, key } }: Turn): SavingNeed | undefined =>
  (needs as SavingNeeds | undefined)?.get(resourceKey(orgId, place, key))

const isOver = ({ since }: Saving, at: string): boolean => since !== '' && Date.parse(at) < Date.parse(since)

/** Without claims the actor has no row. */
function leave(saving: Saving, turn: Turn): void {
  if (saving.stops.length === 0 && saving.claims.length === 0) turn.remove()
}

/** Sets the rate of stops from before it was known. */
function learn(saving: Saving, rate: string | null, turn: Turn): void {
  if (rate === null || saving.stops.every((stop) => stop.rate !== null)) return
  const before = offsOf(saving)
  saving.stops = saving.stops.map((stop) => ({ ...stop, rate: stop.rate ?? rate }))
  follow(saving, before, undefined, turn)
}

interface More {
  stops?: Saving['stops']
  ends?: string[]
  /** All claims after the change. */
  claims?: Claim[] | undefined
}

function change(saving: Saving, turn: Turn, { stops = [], ends = [], claims = saving.claims }: More): void {
  const before = offsOf(saving)
  const changedAt = firstDifference(saving.claims, claims)
  saving.claims = claims
  saving.stops = [...saving.stops, ...stops]
  saving.ends = [...new Set([...saving.ends, ...ends])]
  follow(saving, before, changedAt, turn)
}

/** The first time at which the claims differ; undefined if they do not. */
function firstDifference(before: readonly Claim[], after: readonly Claim[]): number | undefined {
  const moments = after.flatMap((claim) => {
    const twin = before.find(({ id }) => id === claim.id)
    if (!twin) return [Date.parse(claim.from)]
    const changed = [
      [twin.until, claim.until],
      [twin.seenFrom, claim.seenFrom],
    ].filter(([a, b]) => a !== b)
    return changed.flat().flatMap((at) => (at ? [Date.parse(at)] : []))
  })
  return moments.length === 0 ? undefined : Math.min(...moments)
}

/** Writes the days whose amounts have changed. */
function follow(saving: Saving, before: readonly Off[], claimsFrom: number | undefined, turn: Turn): void {
  const known = saving.claims
  followStops(saving)
  const after = offsOf(saving)
  const moments = [firstChange(before, after), claimsFrom, firstDifference(known, saving.claims)].filter(
    (at) => at !== undefined,
  )
  if (moments.length === 0) return leave(saving, turn)
  const first = dayOf(Math.min(...moments))
  write(saving, before, after, saving.through !== '' && saving.through < first ? saving.through : first, turn)
  rest(saving, turn)
}

/** Writes every day from `first` to today. */
function write(saving: Saving, before: readonly Off[], offs: readonly Off[], first: string, turn: Turn): void {
  const today = dayOf(turn.now)
  writeDays(saving, { offs, before }, days(first, today), turn)
  if (saving.through < today) saving.through = today
}

/**
 * Sets the next turn: in an hour while hours are counted, tomorrow while a claim runs, otherwise when nothing has to be
 * kept any longer.
 */
function rest(saving: Saving, turn: Turn): void {
  const now = turn.now.getTime()
  Object.assign(saving, pruneHistory(saving, now), { claims: pruneClaims(saving.claims, now) })
  const { place: cloudAccountId, key: resourceUid } = turn.address
  turn.remind('due', new Date(nextAt(saving, now)), savingDue, { cloudAccountId, resourceUid })
}

function nextAt(saving: Saving, now: number): number {
  const isOff = newest(saving) > now
  const running = saving.claims.filter((claim) => isRunning(claim, now))
  if (isOff || running.some(({ rate, seenFrom }) => rate !== null && seenFrom !== null)) return now + hourMs
  const tomorrow = startOf(addDays(dayOf(now), 1))
  if (running.length > 0) return tomorrow
  return Math.max(startOf(addDays(dayOf(now), 2)), ...saving.claims.map((claim) => heldUntil(claim) + 1))
}
