/** What a rule would change of the teams that resources have, beside those that there are. Nothing is kept. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { allocationCosts } from '#analytics/attribution/questions.ts'
import type { CostColumn } from '#analytics/store/slice.ts'
import { foundPolicy, type PolicyRow } from '#actors/policy/queries.ts'
import type { ResourceScope } from '#actors/resource/queries.ts'
import { addDays } from '#engine/day.ts'
import { Total } from '#engine/decimal.ts'
import { Fault } from '#engine/fault.ts'
import { rulesOf, teamBy, type AllocatedTeam, type Rule, type TeamList } from './allocate-rule.ts'
import { allocationDomain, type AllocationSpec } from './allocation.ts'
import {
  billedResources,
  inventoryResources,
  keyText,
  ruleState,
  type Resource,
  type RuleState,
  type Streaming,
} from './allocation-reads.ts'

/** Days that costs are of, today the last. */
export const previewDays = 30

/** Pairs of teams that are told of. */
export const movesMax = 1000

export interface Previewing {
  em: EntityManager
  orgId: string
  ask: Streaming
  now: Date
  cost: CostColumn
  /** What may be seen: resources of these accounts, or of these teams as they are now. */
  scope?: ResourceScope
}

/** Team is null where there is none, and where it is still to be made: then it has a name. */
export interface TeamMove {
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

/** Of the two sets of rules, each with teams of its own: what one makes the other does not know. */
interface Sides {
  before: ReturnType<typeof teamBy>
  after: ReturnType<typeof teamBy>
  /** The rule itself, by itself. */
  own: (resource: Resource) => boolean
  ownId: string
}

/**
 * What changes once `spec` is a rule, in place of the policy `policyId` where one is given; one that is switched off counts as on.
 * @throws Fault `missing`, `invalid` at a place of the body
 */
export async function previewAllocation(
  world: Previewing,
  spec: AllocationSpec,
  policyId?: string,
): Promise<AllocationPreview> {
  const given = await policyOf(world, spec, policyId)
  const state = await ruleState(world.em, world.orgId)
  const sides = sidesOf(state, given)
  const tally = new Tally(state.teams)
  const hands = await teamsByHand(world.em, world.orgId)
  for await (const resource of everything(world.ask)) {
    const hand = hands.get(resource.uid)
    const was = sides.before(resource.facts)?.team
    if (isSeen(world.scope, resource.account, hand ?? (was && 'id' in was ? was.id : undefined)))
      count(tally, sides, resource, { isByHand: hand !== undefined, was })
  }
  await addCosts(world, tally)
  return tally.shown(state.policies)
}

/** The policy that there would be. */
async function policyOf({ em, orgId, now }: Previewing, spec: AllocationSpec, policyId?: string): Promise<PolicyRow> {
  const errors = await allocationDomain.check(spec as never, em, orgId)
  if (errors.length > 0) throw Fault.invalidAt(...errors.map((error) => ({ ...error, path: `/spec${error.path}` })))
  if (policyId === undefined) return { id: randomUUID(), name: '', createdAt: now, spec }
  const { id, domain, name, createdAt } = await foundPolicy(em, orgId, policyId)
  if (domain !== allocationDomain.name) throw Fault.missing('policy', id)
  return { id, name, createdAt, spec }
}

async function* everything(ask: Streaming): AsyncGenerator<Resource> {
  yield* inventoryResources(ask)
  yield* billedResources(ask)
}

function sidesOf({ policies, teams }: RuleState, given: PolicyRow): Sides {
  const rules = rulesOf([...policies.filter(({ id }) => id !== given.id), given])
  const own = rules.find(({ policyId }) => policyId === given.id) as Rule
  const alone = teams.copy()
  return {
    before: teamBy(rulesOf(policies), teams.copy()),
    after: teamBy(rules, teams.copy()),
    own: ({ facts }) => own.selects(facts) && own.teamOf(facts, alone) !== undefined,
    ownId: given.id,
  }
}

const handSql = 'select resource_uid as uid, team_id as team from team_resource where org_id = ?'

async function teamsByHand(em: EntityManager, orgId: string): Promise<Map<string, string>> {
  const rows = await em.execute<{ uid: string; team: string }[]>(handSql, [orgId])
  return new Map(rows.map(({ uid, team }) => [uid, team]))
}

const isSeen = (scope: ResourceScope | undefined, account: string, team = 'unassigned'): boolean =>
  !scope || scope.accounts.includes(account) || scope.teams.includes(team)

function count(
  tally: Tally,
  { after, own, ownId }: Sides,
  resource: Resource,
  { isByHand, was }: { isByHand: boolean; was: AllocatedTeam | undefined },
): void {
  const isMatched = own(resource)
  if (isMatched) tally.matched++
  if (isByHand) {
    if (isMatched) tally.byHand++
    return
  }
  const becomes = after(resource.facts)
  if (isMatched && becomes && becomes.policyId !== ownId) tally.win(becomes.policyId)
  if (becomes?.policyId === ownId && 'make' in becomes.team) tally.make(becomes.team.make)
  tally.move(keyText(resource), was, becomes?.team)
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

const identity = (team: AllocatedTeam | undefined): string =>
  team === undefined ? '' : 'id' in team ? `id ${team.id}` : `make ${team.make.toLowerCase()}`

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** Counts resource by resource. */
class Tally {
  matched = 0
  byHand = 0
  private readonly teams: TeamList
  private readonly groups = new Map<string, Moving>()
  private readonly moved = new Map<string, Moving>()
  private readonly wins = new Map<string, number>()
  private readonly names = new Map<string, string>()
  private readonly total = new Total()

  constructor(teams: TeamList) {
    this.teams = teams
  }

  get isStill(): boolean {
    return this.moved.size === 0
  }

  win(policyId: string): void {
    this.wins.set(policyId, (this.wins.get(policyId) ?? 0) + 1)
  }

  /** Of several spellings the first by the alphabet counts. */
  make(name: string): void {
    const lowered = name.toLowerCase()
    const known = this.names.get(lowered)
    if (known === undefined || name < known) this.names.set(lowered, name)
  }

  move(resource: string, from: AllocatedTeam | undefined, to: AllocatedTeam | undefined): void {
    if (identity(from) === identity(to)) return
    const key = `${identity(from)}|${identity(to)}`
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
      teamsToMake: [...this.names.values()].toSorted(),
      totalUsd30d: Number(this.total),
    }
  }

  /** The dearest first. */
  private moves(): TeamMove[] {
    return [...this.groups.values()]
      .map(({ from, to, resources, cost }) => {
        const [own, next] = [this.named(from), this.named(to)]
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

  private named(team: AllocatedTeam | undefined): { id: string | null; name: string } {
    if (team === undefined) return { id: null, name: 'Unassigned' }
    if ('id' in team) return { id: team.id, name: this.teams.nameOf(team.id) ?? '' }
    return { id: null, name: this.names.get(team.make.toLowerCase()) ?? team.make }
  }
}
