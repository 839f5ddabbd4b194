/** Previews how a rule would change the teams of resources, compared with the current rules. Nothing is stored. */
import { allocationCosts } from '#analytics/attribution/questions.ts'
import type { CostColumn } from '#analytics/store/slice.ts'
import type { PolicyRow } from '#actors/policy/queries.ts'
import { addDays } from '#engine/value/day.ts'
import { Total } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import type { AllocatedTeam } from './allocate-rule.ts'
import { allocationDomain, type AllocationSpec } from './allocation.ts'
import { allocationReplay, TeamNames, teamText, type ReplayedResource, type Replaying } from './replay.ts'
import { keyText } from './reads.ts'

/** Days of costs, including today. */
export const previewDays = 30

/** Maximum pairs of teams reported. */
export const movesMax = 1000

export interface Previewing extends Replaying {
  cost: CostColumn
}

/** The team is null if there is none, or if it has yet to be created; then it has a name. */
interface TeamMove {
  fromTeamID: string | null
  fromTeamName: string
  toTeamID: string | null
  toTeamName: string
  resources: number
  costUsd30d: number
}

export interface AllocationPreview {
  matched: number
  moved: TeamMove[]
  won: { policyID: string; name: string; resources: number }[]
  byHand: number
  teamsToMake: string[]
  totalUsd30d: number
}

/**
 * What changes if `spec` becomes a rule, or replaces that of the policy `policyId`. A disabled policy counts as
 * enabled.
 * @throws Fault `missing`, `invalid` with a path in the body
 */
export async function previewAllocation(
  world: Previewing,
  spec: AllocationSpec,
  policyId?: string,
): Promise<AllocationPreview> {
  const errors = await allocationDomain.check(spec as never, world.em, world.orgId)
  if (errors.length > 0) throw Fault.invalidAt(...errors.map((error) => ({ ...error, path: `/spec${error.path}` })))
  const { policies, teams, ownId, resources } = await allocationReplay(world, spec, policyId)
  const tally = new Tally(new TeamNames(teams))
  for await (const one of resources) if (one.isSeen) count(tally, ownId, one)
  await addCosts(world, tally)
  return tally.shown(policies)
}

function count(tally: Tally, ownId: string, { resource, hand, isMatched, before, after }: ReplayedResource): void {
  if (isMatched) tally.matched++
  if (hand !== undefined) {
    if (isMatched) tally.byHand++
    return
  }
  if (isMatched && after && after.policyId !== ownId) tally.win(after.policyId)
  if (after?.policyId === ownId && 'make' in after.team) tally.names.make(after.team.make)
  tally.move(keyText(resource), before, after?.team)
}

async function addCosts({ ask, cost, now }: Previewing, tally: Tally): Promise<void> {
  if (tally.isStill) return
  const to = now.toISOString().slice(0, 10)
  for await (const [account, uid, usd] of ask(allocationCosts, { cost, from: addDays(to, 1 - previewDays), to }))
    tally.add(keyText({ account: String(account), uid: String(uid) }), String(usd))
}

interface Moving {
  from: AllocatedTeam | undefined
  to: AllocatedTeam | undefined
  resources: number
  cost: Total
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** Counts the changes, resource by resource. */
class Tally {
  matched = 0
  byHand = 0
  readonly names: TeamNames
  private readonly groups = new Map<string, Moving>()
  private readonly moved = new Map<string, Moving>()
  private readonly wins = new Map<string, number>()
  private readonly total = new Total()

  constructor(names: TeamNames) {
    this.names = names
  }

  get isStill(): boolean {
    return this.moved.size === 0
  }

  win(policyId: string): void {
    this.wins.set(policyId, (this.wins.get(policyId) ?? 0) + 1)
  }

  move(resource: string, from: AllocatedTeam | undefined, to: AllocatedTeam | undefined): void {
    if (teamText(from) === teamText(to)) return
    const key = `${teamText(from)}|${teamText(to)}`
    const group = this.groups.get(key) ?? { from, to, resources: 0, cost: new Total() }
    group.resources++
    this.groups.set(key, group)
    this.moved.set(resource, group)
  }

  add(resource: string, usd: string): void {
    const group = this.moved.get(resource)
    if (!group) return
    group.cost.add(usd)
    this.total.add(usd)
  }

  shown(policies: readonly PolicyRow[]): AllocationPreview {
    const nameOf = new Map(policies.map(({ id, name }) => [id, name]))
    return {
      matched: this.matched,
      moved: this.moves().slice(0, movesMax),
      won: [...this.wins]
        .map(([policyID, resources]) => ({ policyID, name: nameOf.get(policyID) ?? '', resources }))
        .toSorted((a, b) => b.resources - a.resources || compare(a.name, b.name)),
      byHand: this.byHand,
      teamsToMake: this.names.toMake(),
      totalUsd30d: Number(this.total),
    }
  }

  /** Largest cost first. */
  private moves(): TeamMove[] {
    return [...this.groups.values()]
      .map(({ from, to, resources, cost }) => {
        const [own, next] = [this.names.of(from), this.names.of(to)]
        return {
          fromTeamID: own.id,
          fromTeamName: own.name,
          toTeamID: next.id,
          toTeamName: next.name,
          resources,
          costUsd30d: Number(cost),
        }
      })
      .toSorted(
        (a, b) =>
          b.costUsd30d - a.costUsd30d ||
          b.resources - a.resources ||
          compare(a.fromTeamName, b.fromTeamName) ||
          compare(a.toTeamName, b.toTeamName),
      )
  }
}
