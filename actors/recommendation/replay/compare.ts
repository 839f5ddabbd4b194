/** Compares the findings of the two sides of a replay. Amounts are in cents until they are reported. */
import type { DayStood } from './replay.ts'

interface Resource {
  account: string
  uid: string
  type: string
  name: string
}

/** One rule on one resource over the replayed days. */
interface FindingDays {
  cloudAccountId: string
  resourceUid: string
  resourceName: string
  resourceType: string
  ruleId: string
  /** Number of days on which it was open. Below: the first and last of them. */
  days: number
  firstDay: string
  lastDay: string
  /** A thirtieth of its 30-day savings for each of these days, US dollars. */
  savingsUsd: number
}

interface Totals {
  findings: number
  openDays: number
  savingsUsd: number
}

export interface Group {
  key: string
  before: Totals
  after: Totals
}

export interface ReplayComparison {
  resources: number
  resourceDays: number
  before: Totals
  after: Totals
  /** How much more, or less, other findings of the same resources would have saved on those days. */
  othersUsd: number
  addedCount: number
  removedCount: number
  added: FindingDays[]
  removed: FindingDays[]
  byDay: Group[]
  byAccount: Group[]
  byType: Group[]
  /** Rules that could not be judged on every resource. */
  faulty: string[]
}

/** Maximum findings in one list. */
export const listMax = 100

/** A thirtieth of an amount in cents, as dollars rounded to cents. */
const thirtieth = (cents: number): number => Math.round(cents / 30) / 100

interface Sum {
  findings: number
  openDays: number
  cents: number
}

type Pair = readonly [before: Sum, after: Sum]

const nothing = (): Sum => ({ findings: 0, openDays: 0, cents: 0 })

const toldSum = ({ findings, openDays, cents: all }: Sum): Totals => ({
  findings,
  openDays,
  savingsUsd: thirtieth(all),
})

/** The counts of one thread, in a form that can be copied between threads. */
export interface ComparisonPart {
  resources: number
  resourceDays: number
  othersCents: number
  all: Pair
  days: Map<string, Pair>
  accounts: Map<string, Pair>
  types: Map<string, Pair>
  added: FindingDays[]
  removed: FindingDays[]
  /** Rules that threw on a resource. */
  faulty: Set<string>
}

export const emptyPart = (): ComparisonPart => ({
  resources: 0,
  resourceDays: 0,
  othersCents: 0,
  all: [nothing(), nothing()],
  days: new Map(),
  accounts: new Map(),
  types: new Map(),
  added: [],
  removed: [],
  faulty: new Set(),
})

interface FindingSum {
  days: number
  firstDay: string
  lastDay: string
  cents: number
}

/** Adds one resource; both sides must have the same days. */
export function count(
  part: ComparisonPart,
  resource: Resource,
  before: readonly DayStood[],
  after: readonly DayStood[],
): void {
  part.resources++
  part.resourceDays += before.length
  for (const [n, day] of before.entries()) part.othersCents += cents(after[n]!.othersUsd) - cents(day.othersUsd)
  const then = countSide(part, 0, resource, before)
  const now = countSide(part, 1, resource, after)
  for (const [ruleId, found] of now) if (!then.has(ruleId)) part.added.push(toFindingDays(resource, ruleId, found))
  for (const [ruleId, found] of then) if (!now.has(ruleId)) part.removed.push(toFindingDays(resource, ruleId, found))
}

function countSide(
  part: ComparisonPart,
  side: 0 | 1,
  { account, type }: Resource,
  days: readonly DayStood[],
): ReadonlyMap<string, FindingSum> {
  const found = new Map<string, FindingSum>()
  for (const { day, stood } of days) {
    if (stood.length === 0) continue
    const ofDay = pairOf(part.days, day)[side]
    for (const { ruleId, usd } of stood) {
      const one = found.get(ruleId) ?? { days: 0, firstDay: day, lastDay: day, cents: 0 }
      one.days++
      one.lastDay = day
      one.cents += cents(usd)
      found.set(ruleId, one)
      addTo(ofDay, { findings: 1, openDays: 1, cents: cents(usd) })
    }
  }
  for (const one of found.values())
    for (const pair of [part.all, pairOf(part.accounts, account), pairOf(part.types, type)])
      addTo(pair[side], { findings: 1, openDays: one.days, cents: one.cents })
  return found
}

function addTo(sum: Sum, more: Sum): void {
  sum.findings += more.findings
  sum.openDays += more.openDays
  sum.cents += more.cents
}

function addPair(to: Pair, more: Pair): void {
  addTo(to[0], more[0])
  addTo(to[1], more[1])
}

/** Combines the counts of all threads. */
export function toComparison(parts: readonly ComparisonPart[]): ReplayComparison {
  const whole = emptyPart()
  for (const part of parts) {
    whole.resources += part.resources
    whole.resourceDays += part.resourceDays
    whole.othersCents += part.othersCents
    addPair(whole.all, part.all)
    for (const by of ['days', 'accounts', 'types'] as const)
      for (const [key, pair] of part[by]) addPair(pairOf(whole[by], key), pair)
  }
  const [before, after] = whole.all
  const [added, removed] = [parts.flatMap((part) => part.added), parts.flatMap((part) => part.removed)]
  return {
    resources: whole.resources,
    resourceDays: whole.resourceDays,
    before: toldSum(before),
    after: toldSum(after),
    othersUsd: thirtieth(whole.othersCents),
    addedCount: added.length,
    removedCount: removed.length,
    added: dearest(added),
    removed: dearest(removed),
    byDay: groups(whole.days),
    byAccount: groups(whole.accounts),
    byType: groups(whole.types),
    faulty: [...new Set(parts.flatMap((part) => [...part.faulty]))].toSorted(),
  }
}

const cents = (usd: number): number => Math.round(usd * 100)

function pairOf(pairs: Map<string, Pair>, key: string): Pair {
  const known = pairs.get(key)
  if (known) return known
  const made: Pair = [nothing(), nothing()]
  pairs.set(key, made)
  return made
}

const toFindingDays = (resource: Resource, ruleId: string, { cents: all, ...found }: FindingSum): FindingDays => ({
  cloudAccountId: resource.account,
  resourceUid: resource.uid,
  resourceName: resource.name,
  resourceType: resource.type,
  ruleId,
  ...found,
  savingsUsd: thirtieth(all),
})

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

const dearest = (found: readonly FindingDays[]): FindingDays[] =>
  found
    .toSorted(
      (a, b) =>
        b.savingsUsd - a.savingsUsd ||
        b.days - a.days ||
        compare(a.resourceUid, b.resourceUid) ||
        compare(a.ruleId, b.ruleId),
    )
    .slice(0, listMax)

const groups = (pairs: ReadonlyMap<string, Pair>): Group[] =>
  [...pairs]
    .map(([key, [before, after]]) => ({ key, before: toldSum(before), after: toldSum(after) }))
    .toSorted((a, b) => compare(a.key, b.key))
