import { savingDaily } from '#analytics/saving/tables.ts'
import { defineActor, type Waiting } from '#engine/actor.ts'
import { addDays, dayOf, days, startOf } from '#engine/day.ts'
import { uuidOf } from '#engine/id.ts'
import type { TurnReads } from '#engine/ports.ts'
import type { Static } from '#engine/schema.ts'
import type { Turn } from '#engine/turn.ts'
import { actionTold } from '#streams/action.ts'
import { stateSettled } from '#streams/resource.ts'
import { savingDue } from '#streams/saving.ts'
import { claimsOf, firstChange, isQuiet, newest, pruned, savedOn, type Claim, type Saved } from './claim.ts'
import { Saving } from './entity.ts'

/** By `resourceKey`: what the resources of a batch cost an hour, and of what kind they are. */
export type SavingNeeds = ReadonlyMap<string, { rate: string | null; instanceType: string }>

export const resourceKey = (orgId: string, account: string, uid: string): string => `${orgId}\0${account}\0${uid}`

const hourMs = 3_600_000

/**
 * What stopping one resource saves: from a stop that succeeded until it is seen to be on, gone or another one. A row a UTC day
 * and source, written when a claim begins, ends, and every hour while it runs.
 */
export const savingActor = defineActor({
  kind: 'saving',
  entity: Saving,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'uid' },
  initial: () => ({ stops: [], ends: [], since: '', carried: [], through: '' }),
  needs: savingNeeds,
  reactions: (on) => [
    on(actionTold, (data) => data.resourceUid, told),
    on(stateSettled, (data) => data.resourceUid, settled, { existing: true }),
    on(savingDue, (data) => data.resourceUid, due, { existing: true }),
  ],
})

async function savingNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<SavingNeeds> {
  const wanted = waiting.filter(
    ({ subject, data }) => subject.name !== stateSettled.name && !isBeside(subject.name, data),
  )
  if (wanted.length === 0) return new Map()
  const rows = await reads.plain<{ org: string; account: string; uid: string; rate: number | null; type: string }>(
    `select org_id as org, cloud_account_id as account, uid, hourly_rate_usd as rate, instance_type as type from resource
     where (org_id, cloud_account_id, uid) in (select * from unnest($1::text[], $2::text[], $3::text[]))`,
    [
      wanted.map(({ address }) => address.orgId),
      wanted.map(({ address }) => address.place),
      wanted.map(({ address }) => address.key),
    ],
    { maxAgeMs: 0 },
  )
  return new Map(
    rows.map(({ org, account, uid, rate, type }) => [
      resourceKey(org, account, uid),
      { rate: rate === null ? null : String(rate), instanceType: type },
    ]),
  )
}

const isBeside = (name: string, data: unknown): boolean =>
  name === actionTold.name && !isStop(data as Static<typeof actionTold.schema>)

/** Only an action that needed a call has changed anything. */
const isDone = ({ status, attempt, endedAt }: Static<typeof actionTold.schema>): boolean =>
  status === 'succeeded' && attempt >= 1 && endedAt !== null

const isStop = (record: Static<typeof actionTold.schema>): boolean => isDone(record) && record.action === 'stop'

function told(saving: Saving, record: Static<typeof actionTold.schema>, turn: Turn): void {
  const { actionId, action, endedAt, provider, region, resourceType, source } = record
  if (!isDone(record) || endedAt === null || isOver(saving, endedAt)) return leave(saving, turn)
  if (action === 'start') return change(saving, turn, { ends: [endedAt] })
  if (saving.stops.some((known) => known.actionId === actionId)) return
  const { rate = null, instanceType = null } = needed(turn) ?? {}
  const by = { source: source.type === 'override_expired' ? 'override' : source.type, sourceId: source.id }
  const what = { provider, region, resourceType, instanceType, rate }
  change(saving, turn, { stops: [{ actionId, at: endedAt, ...by, ...what }] })
}

/** What is not known, since nobody can look, ends nothing. */
function settled(saving: Saving, data: Static<typeof stateSettled.schema>, turn: Turn): void {
  const { status, instanceType, deleted, hourlyRateUsd, at } = data
  if (status === 'pending' && !deleted) return
  learn(saving, hourlyRateUsd === null ? null : String(hourlyRateUsd), turn)
  if (isOver(saving, at)) return
  const claim = claimAt(saving, Date.parse(at))
  if (deleted || status === 'running' || isOther(claim, instanceType)) return change(saving, turn, { ends: [at] })
  // Nobody knew of what kind it was when it was stopped.
  if (claim?.instanceType === null)
    saving.stops = saving.stops.map((stop) => (stop.actionId === claim.actionId ? { ...stop, instanceType } : stop))
}

const claimAt = (saving: Saving, at: number): Claim | undefined =>
  claimsOf(saving).find(({ from, until }) => from <= at && at < until)

/** Empty is not known. */
const isOther = (claim: Claim | undefined, instanceType: string): boolean =>
  instanceType !== '' && claim !== undefined && claim.instanceType !== null && claim.instanceType !== instanceType

function due(saving: Saving, _: unknown, turn: Turn): void {
  learn(saving, needed(turn)?.rate ?? null, turn)
  const claims = claimsOf(saving)
  write(saving, claims, claims, saving.through || dayOf(claims[0]?.from ?? turn.now), turn)
  if (isQuiet(saving, turn.now.getTime())) turn.remove()
  else rest(saving, turn)
}

const needed = ({ needs, address: { orgId, place, key } }: Turn) =>
  (needs as SavingNeeds | undefined)?.get(resourceKey(orgId, place, key))

const isOver = ({ since }: Saving, at: string): boolean => since !== '' && Date.parse(at) < Date.parse(since)

/** An actor without claims has no row. */
function leave(saving: Saving, turn: Turn): void {
  if (saving.stops.length === 0) turn.remove()
}

/** The rate of what was stopped before one was known. */
function learn(saving: Saving, rate: string | null, turn: Turn): void {
  if (rate === null || saving.stops.every((stop) => stop.rate !== null)) return
  const before = claimsOf(saving)
  saving.stops = saving.stops.map((stop) => ({ ...stop, rate: stop.rate ?? rate }))
  follow(saving, before, turn)
}

function change(saving: Saving, turn: Turn, more: { stops?: Saving['stops']; ends?: string[] }): void {
  const before = claimsOf(saving)
  const { stops = [], ends = [] } = more
  saving.stops = [...saving.stops, ...stops]
  saving.ends = [...new Set([...saving.ends, ...ends])]
  follow(saving, before, turn)
}

/** Writes anew what is another amount than it was. */
function follow(saving: Saving, before: readonly Claim[], turn: Turn): void {
  const after = claimsOf(saving)
  const from = firstChange(before, after)
  if (from === undefined) return leave(saving, turn)
  const first = dayOf(from)
  write(saving, before, after, saving.through !== '' && saving.through < first ? saving.through : first, turn)
  rest(saving, turn)
}

/** Every day from `first` to today; a day that was not written before only where something was saved. */
function write(saving: Saving, before: readonly Claim[], after: readonly Claim[], first: string, turn: Turn): void {
  const today = dayOf(turn.now)
  for (const day of days(first, today)) {
    for (const saved of savedOn(saving, after, before, day, turn.now.getTime())) {
      if (saved.usd !== '0' || day <= saving.through) append(saving, day, saved, turn)
    }
  }
  if (saving.through < today) saving.through = today
}

function append(saving: Saving, day: string, { claim, usd }: Saved, turn: Turn): void {
  const row = {
    org_id: saving.orgId,
    day,
    cloud_account_id: saving.cloudAccountId,
    resource_uid: saving.uid,
    source: claim.source,
    source_id: claim.sourceId,
    provider: claim.provider,
    region: claim.region,
    service_name: '',
    resource_type: claim.resourceType,
    purchase_type: '',
    saved: usd,
    basis: 'observed',
    estimated: null,
    observed: usd,
    verified: null,
    claim_id: uuidOf('saving', saving.orgId, claim.actionId),
    rule_id: '',
    category: '',
    reason: '',
  }
  turn.append(savingDaily, row, turn.now)
}

/** Comes back in an hour while a claim runs, else once nothing of it need be held any longer. */
function rest(saving: Saving, turn: Turn): void {
  const now = turn.now.getTime()
  Object.assign(saving, pruned(saving, now))
  const last = newest(saving)
  const at = last > now ? now + hourMs : startOf(addDays(dayOf(now), 2))
  const { place: cloudAccountId, key: resourceUid } = turn.address
  turn.remind('due', new Date(at), savingDue, { cloudAccountId, resourceUid })
}
