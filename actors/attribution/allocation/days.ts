/**
 * Costs of teams on past days, by the current rules and by changed ones. Costs only move between teams: the total stays
 * the same.
 */
import type { ResourceScope } from '#actors/resource/queries.ts'
import { units } from '#streams/figure.ts'
import type { AllocatedTeam } from './allocate-rule.ts'
import { keyText } from './reads.ts'
import {
  sees,
  teamText,
  type AllocationReplay,
  type NamedTeam,
  type ReplayedResource,
  type TeamNames,
} from './replay.ts'

/** Resources that move from one team to another, or stay in theirs. Amounts are in 10^-14 US dollars. */
interface Way {
  from: AllocatedTeam | undefined
  to: AllocatedTeam | undefined
  resources: number
  cost: bigint
}

export interface TeamSums extends NamedTeam {
  /** By day. */
  before: readonly bigint[]
  after: readonly bigint[]
}

export interface WayMoved {
  from: NamedTeam
  to: NamedTeam
  resources: number
  cost: bigint
}

interface Sums {
  team: AllocatedTeam | undefined
  before: bigint[]
  after: bigint[]
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n)
const descending = (a: bigint, b: bigint): number => Number(b > a) - Number(b < a)
const alphabetical = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
const magnitude = ({ before, after }: TeamSums): bigint => {
  const delta = sum(after) - sum(before)
  return delta < 0n ? -delta : delta
}

/** Add resources first, then their costs, which are matched by account and uid. */
export class TeamDays {
  /** Amount that moves, by day. */
  readonly moved: bigint[]
  readonly total: bigint[]
  private readonly days: number
  private readonly names: TeamNames
  private readonly ownId: string
  private readonly hands: ReadonlyMap<string, string>
  private readonly scope: ResourceScope | undefined
  private readonly ways = new Map<string, Way>()
  /**
   * Resources that are in no team, or assigned manually, are their own entries. Undefined for those that may not be
   * seen.
   */
  private readonly resources = new Map<string, Way | undefined>()
  private readonly teams = new Map<string, Sums>()

  constructor(
    days: number,
    { ownId, hands }: Pick<AllocationReplay, 'ownId' | 'hands'>,
    names: TeamNames,
    scope: ResourceScope | undefined,
  ) {
    this.days = days
    this.ownId = ownId
    this.hands = hands
    this.names = names
    this.scope = scope
    this.moved = this.zeros()
    this.total = this.zeros()
  }

  /** Number of resources remembered. */
  get size(): number {
    return this.resources.size
  }

  settle({ resource, hand, isSeen, before, after }: ReplayedResource): void {
    const key = keyText(resource)
    if (!isSeen) this.resources.set(key, undefined)
    if (!isSeen || hand !== undefined) return
    if (after?.policyId === this.ownId && 'make' in after.team) this.names.make(after.team.make)
    if (!before && !after) return
    const way = this.way(before, after?.team)
    way.resources++
    this.resources.set(key, way)
  }

  /**
   * Adds costs: `costs[i]` belongs to the day with index `days[i]`; a day may occur several times. Costs of unknown
   * resources count as Unassigned.
   */
  charge(account: string, uid: string, days: readonly number[], costs: readonly string[]): void {
    const way = this.wayOf(account, uid)
    if (!way) return
    const isMove = way.from !== way.to
    const from = this.sumsOf(way.from)
    const to = this.sumsOf(way.to)
    for (const [at, day] of days.entries()) {
      const amount = units(costs[at]!)
      way.cost += amount
      this.total[day]! += amount
      if (isMove) this.moved[day]! += amount
      from.before[day]! += amount
      to.after[day]! += amount
    }
  }

  /** Teams with costs before or after, largest change first. */
  sums(): TeamSums[] {
    return [...this.teams.values()]
      .map(({ team, before, after }) => ({ ...this.names.of(team), before, after }))
      .toSorted((a, b) => descending(magnitude(a), magnitude(b)) || alphabetical(a.name, b.name))
  }

  /** Largest amount first. */
  moves(): WayMoved[] {
    return [...this.ways.values()]
      .filter(({ from, to }) => from !== to)
      .map(({ from, to, ...rest }) => ({ ...rest, from: this.names.of(from), to: this.names.of(to) }))
      .toSorted(
        (a, b) =>
          descending(a.cost, b.cost) ||
          b.resources - a.resources ||
          alphabetical(a.from.name, b.from.name) ||
          alphabetical(a.to.name, b.to.name),
      )
  }

  private wayOf(account: string, uid: string): Way | undefined {
    const key = keyText({ account, uid })
    if (this.resources.has(key)) return this.resources.get(key)
    const hand = this.hands.get(uid)
    if (!sees(this.scope, account, hand)) return undefined
    const team = hand === undefined ? undefined : { id: hand }
    return this.way(team, team)
  }

  /** If both are the same team, `from` and `to` are the same object. */
  private way(from: AllocatedTeam | undefined, to: AllocatedTeam | undefined): Way {
    const [own, next] = [teamText(from), teamText(to)]
    const key = `${own}|${next}`
    const known = this.ways.get(key)
    if (known) return known
    const way = { from, to: own === next ? from : to, resources: 0, cost: 0n }
    this.ways.set(key, way)
    return way
  }

  private sumsOf(team: AllocatedTeam | undefined): Sums {
    const key = teamText(team)
    const known = this.teams.get(key)
    if (known) return known
    const sums = { team, before: this.zeros(), after: this.zeros() }
    this.teams.set(key, sums)
    return sums
  }

  private zeros(): bigint[] {
    return Array.from({ length: this.days }, () => 0n)
  }
}
