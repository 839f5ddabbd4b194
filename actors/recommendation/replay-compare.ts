/** What two sides of a question found, counted beside each other. Amounts are counts of cents until they are told. */
import type { DayStood } from './replay.ts'

interface Resource {
  account: string
  uid: string
  type: string
  name: string
}

/** One rule on one resource over the days. */
export interface FindingDays {
  cloudAccountId: string
  resourceUid: string
  resourceName: string
  resourceType: string
  ruleId: string
  /** On which it was open, and the first and last of them. */
  days: number
  firstDay: string
  lastDay: string
  /** A thirtieth of what it would save in 30 days for each of these days, US dollars. */
  savingsUsd: number
}

export interface Totals {
  findings: number
  openDays: number
  savingsUsd: number
}

export interface Group {
  key: string
  before: Totals
  after: Totals
}

export interface Compared {
  resources: number
  resourceDays: number
  before: Totals
  after: Totals
  /** What other findings of the same resources would save more, or less, of those days. */
  othersUsd: number
  addedCount: number
  removedCount: number
  added: FindingDays[]
  removed: FindingDays[]
  byDay: Group[]
  byAccount: Group[]
  byType: Group[]
}

/** Findings of one list. */
export const listMax = 100

/** A thirtieth of cents in dollars, to the cent. */
const thirtieth = (cents: number): number => Math.round(cents / 30) / 100

class Sum {
  findings = 0
  openDays = 0
  cents = 0

  told = (): Totals => ({ findings: this.findings, openDays: this.openDays, savingsUsd: thirtieth(this.cents) })
}

class Pair {
  readonly sides = [new Sum(), new Sum()] as const
}

interface Found {
  days: number
  firstDay: string
  lastDay: string
  cents: number
}

export class Comparison {
  private resources = 0
  private resourceDays = 0
  private othersCents = 0
  private readonly all = new Pair()
  private readonly days = new Map<string, Pair>()
  private readonly accounts = new Map<string, Pair>()
  private readonly types = new Map<string, Pair>()
  private readonly added: FindingDays[] = []
  private readonly removed: FindingDays[] = []

  /** Days of both sides are the same. */
  add(resource: Resource, before: readonly DayStood[], after: readonly DayStood[]): void {
    this.resources++
    this.resourceDays += before.length
    for (const [n, day] of before.entries()) this.othersCents += cents(after[n]!.othersUsd) - cents(day.othersUsd)
    const then = this.count(0, resource, before)
    const now = this.count(1, resource, after)
    for (const [ruleId, found] of now) if (!then.has(ruleId)) this.added.push(shown(resource, ruleId, found))
    for (const [ruleId, found] of then) if (!now.has(ruleId)) this.removed.push(shown(resource, ruleId, found))
  }

  private count(side: 0 | 1, { account, type }: Resource, days: readonly DayStood[]): Map<string, Found> {
    const found = new Map<string, Found>()
    for (const { day, stood } of days) {
      const ofDay = pairOf(this.days, day).sides[side]
      for (const { ruleId, usd } of stood) {
        const one = found.get(ruleId) ?? { days: 0, firstDay: day, lastDay: day, cents: 0 }
        found.set(ruleId, { ...one, days: one.days + 1, lastDay: day, cents: one.cents + cents(usd) })
        ofDay.findings++
        ofDay.openDays++
        ofDay.cents += cents(usd)
      }
    }
    for (const one of found.values())
      for (const pair of [this.all, pairOf(this.accounts, account), pairOf(this.types, type)]) {
        pair.sides[side].findings++
        pair.sides[side].openDays += one.days
        pair.sides[side].cents += one.cents
      }
    return found
  }

  told(): Compared {
    const [before, after] = this.all.sides
    return {
      resources: this.resources,
      resourceDays: this.resourceDays,
      before: before.told(),
      after: after.told(),
      othersUsd: thirtieth(this.othersCents),
      addedCount: this.added.length,
      removedCount: this.removed.length,
      added: dearest(this.added),
      removed: dearest(this.removed),
      byDay: groups(this.days),
      byAccount: groups(this.accounts),
      byType: groups(this.types),
    }
  }
}

const cents = (usd: number): number => Math.round(usd * 100)

function pairOf(pairs: Map<string, Pair>, key: string): Pair {
  const known = pairs.get(key)
  if (known) return known
  const made = new Pair()
  pairs.set(key, made)
  return made
}

const shown = (resource: Resource, ruleId: string, { cents: all, ...found }: Found): FindingDays => ({
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
    .map(([key, { sides }]) => ({ key, before: sides[0].told(), after: sides[1].told() }))
    .toSorted((a, b) => compare(a.key, b.key))
