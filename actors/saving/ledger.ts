/** The amounts in the rows of a resource's savings, by day and cause: a row is written when it differs. */
import { savingDaily } from '#analytics/saving/tables.ts'
import { addDays, dayOf } from '#engine/value/day.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  endOf,
  estimatedOn,
  keyOf,
  recommendationSource,
  seenOn,
  type Claim,
  type Entry,
  type Ledger,
} from './claim.ts'
import type { Saving } from './entity.ts'
import { savedOn, type Off } from './off-time.ts'

/** Older rows stay as they are. */
const ledgerDays = 60
const places = 14
const nothing: Entry = [null, null, null, '']

const sum = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? (a ?? b) : plain((toUnits(a, places) ?? 0n) + (toUnits(b, places) ?? 0n), places)

interface Figure {
  estimated: string | null
  observed: string | null
  /** Whether it comes from stops that are still known. */
  isOfStops: boolean
}

const none: Figure = { estimated: null, observed: null, isOfStops: false }

/** What each cause saved on a day until `now`, as far as estimated or observed. */
function figuresOn(saving: Saving, offs: readonly Off[], before: readonly Off[], day: string, now: number) {
  const figures = new Map<string, Figure>()
  for (const { off, usd } of savedOn(saving, offs, before, day, now))
    figures.set(keyOf(off), { estimated: null, observed: usd, isOfStops: true })
  for (const claim of saving.claims) {
    if (claim.source !== recommendationSource) continue
    const { estimated, observed, isOfStops } = figures.get(keyOf(claim)) ?? none
    figures.set(keyOf(claim), {
      estimated: sum(estimated, estimatedOn(claim, day, now)),
      observed: sum(observed, claim.kind === 'usage' ? idle(claim, day, offs) : seenOn(claim, day, now, offs)),
      isOfStops,
    })
  }
  return figures
}

/** For days up to `since` not all stops are known any more, so the former observed amount stays. */
function seenThen({ since }: Saving, day: string, before: string | null, figure: Figure, today: string): string | null {
  const last = since === '' ? '' : dayOf(Date.parse(since))
  if (day < last) return before
  return day === last && day < today && !figure.isOfStops ? (before ?? figure.observed) : figure.observed
}

/** For a day on which the resource ran, after it was observed stopped for the claim: zero, which is known. */
function idle(claim: Claim, day: string, offs: readonly Off[]): string | null {
  const isSeen = claim.seenFrom !== null && dayOf(Date.parse(claim.seenFrom)) <= day && day <= dayOf(endOf(claim))
  const last = offs.findLast((off) => keyOf(off) === keyOf(claim))
  return isSeen && last?.rate !== null ? '0' : null
}

/** Writes the rows of these days that differ. */
export function writeDays(
  saving: Saving,
  { offs, before: past }: { offs: readonly Off[]; before: readonly Off[] },
  days: Iterable<string>,
  turn: Turn,
): void {
  const ledger: Ledger = { ...saving.ledger }
  const today = dayOf(turn.now)
  for (const day of days) {
    const figures = figuresOn(saving, offs, past, day, turn.now.getTime())
    const known = ledger[day] ?? {}
    const entries = { ...known }
    for (const key of new Set([...Object.keys(known), ...figures.keys()])) {
      const figure = figures.get(key) ?? none
      const [, before, verified, reason] = known[key] ?? nothing
      const observed = seenThen(saving, day, before, figure, today)
      put(saving, entries, day, key, [figure.estimated, observed, verified, reason], turn)
    }
    ledger[day] = entries
  }
  saving.ledger = pruneLedger(ledger, turn)
}

/** A row without amounts is only written to replace another one. */
function put(saving: Saving, entries: Record<string, Entry>, day: string, key: string, entry: Entry, turn: Turn): void {
  const known = entries[key]
  const [estimated, observed, verified] = entry
  // For days that are no longer kept, the former row is unknown.
  const isNothing =
    day >= firstHeld(turn) && estimated === null && verified === null && (observed === null || observed === '0')
  if (known ? known.every((one, at) => one === entry[at]) : isNothing) return
  entries[key] = entry
  append(saving, day, key, entry, turn)
}

/** What the bill of a day verifies for one cause. */
export interface Proof {
  day: string
  source: string
  sourceId: string
  verified: string | null
  reason: string
}

export function writeProofs(saving: Saving, proofs: readonly Proof[], turn: Turn): void {
  const ledger: Ledger = { ...saving.ledger }
  for (const { day, source, sourceId, verified, reason } of proofs) {
    if (day < firstHeld(turn) || day > dayOf(turn.now)) continue
    const entries = { ...ledger[day] }
    const key = keyOf({ source, sourceId })
    const [estimated, observed] = entries[key] ?? nothing
    put(saving, entries, day, key, [estimated, observed, verified, reason], turn)
    ledger[day] = entries
  }
  saving.ledger = pruneLedger(ledger, turn)
}

const firstHeld = (turn: Turn): string => addDays(dayOf(turn.now), -ledgerDays)

const pruneLedger = (ledger: Ledger, turn: Turn): Ledger =>
  Object.fromEntries(Object.entries(ledger).filter(([day]) => day >= firstHeld(turn)))

function append(saving: Saving, day: string, key: string, entry: Entry, turn: Turn): void {
  const [estimated, observed, verified, reason] = entry
  const own = saving.claims.filter((claim) => keyOf(claim) === key)
  const claim = own.findLast(({ from }) => dayOf(Date.parse(from)) <= day) ?? own[0]
  const [source = '', ...rest] = key.split('/')
  const row = {
    org_id: saving.orgId,
    day,
    cloud_account_id: saving.cloudAccountId,
    resource_uid: saving.uid,
    source,
    source_id: rest.join('/'),
    ...columnsOf(claim),
    service_name: '',
    purchase_type: '',
    saved: observed ?? estimated ?? '0',
    basis: observed !== null ? 'observed' : estimated !== null ? 'estimated' : '',
    estimated,
    observed,
    verified,
    reason,
  }
  turn.append(savingDaily, row, turn.now)
}

const columnsOf = (claim: Claim | undefined) => {
  const { provider = '', region = '', resourceType = '', id = '', ruleId = '', category = '' } = claim ?? {}
  return { provider, region, resource_type: resourceType, claim_id: id, rule_id: ruleId, category }
}
