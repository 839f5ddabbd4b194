/** Evaluates the current rules, and those with one changed, for every resource. Nothing is stored. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { policiesWith, policyWanted, type PolicyRow } from '#actors/policy/queries.ts'
import type { ResourceScope } from '#actors/resource/queries.ts'
import { rulesOf, teamBy, type TeamAllocation, type AllocatedTeam, type Rule, type TeamList } from './allocate-rule.ts'
import { allocationDomain, type AllocationSpec } from './allocation.ts'
import {
  billedResources,
  inventoryResources,
  ruleState,
  type RuleResource,
  type RuleState,
  type Streaming,
} from './reads.ts'

/** The organization and its current state. */
export interface Replaying {
  em: EntityManager
  orgId: string
  ask: Streaming
  now: Date
  /** Restricts what is shown: resources of these accounts, or of these teams as they are now. */
  scope?: ResourceScope
}

/** The team of a resource by rule, before and after. A manual assignment stays, whatever the rules say. */
export interface ReplayedResource {
  resource: RuleResource
  /** Id of the team assigned manually. */
  hand: string | undefined
  isSeen: boolean
  /** Whether the rule itself selects it and has a team for it. */
  isMatched: boolean
  before: AllocatedTeam | undefined
  after: TeamAllocation | undefined
}

export interface AllocationReplay {
  policies: readonly PolicyRow[]
  /** The existing teams, without those that rules create. */
  teams: TeamList
  /** Id of the policy in question. */
  ownId: string
  /** Manual assignments: ids of teams by uid. */
  hands: ReadonlyMap<string, string>
  /** Can be read only once. */
  resources: AsyncGenerator<ReplayedResource>
}

/**
 * Evaluates with `spec` as a rule, or in place of that of the policy `policyId`. A disabled policy counts as enabled.
 * @throws Fault `missing`
 */
export async function allocationReplay(
  world: Replaying,
  spec: AllocationSpec,
  policyId?: string,
): Promise<AllocationReplay> {
  const { em, orgId, now } = world
  const given = await policyWanted({ em, orgId, domain: allocationDomain.name, now, spec, policyId })
  const { policies, teams, accounts } = await ruleState(em, orgId, spec)
  const hands = await teamsByHand(em, orgId)
  const sides = sidesOf({ policies, teams, accounts }, given)
  return { policies, teams, ownId: given.id, hands, resources: replayResources(world, sides, hands) }
}

/** The two sets of rules. Each has its own teams: those that one creates are not visible to the other. */
interface Sides {
  before: ReturnType<typeof teamBy>
  after: ReturnType<typeof teamBy>
  /** Evaluates only the rule itself. */
  own: (resource: RuleResource) => boolean
}

function sidesOf({ policies, teams, accounts }: Omit<RuleState, 'version'>, given: PolicyRow): Sides {
  const rules = rulesOf(policiesWith(policies, given), accounts)
  const own = rules.find(({ policyId }) => policyId === given.id) as Rule
  const alone = teams.copy()
  return {
    before: teamBy(rulesOf(policies, accounts), teams.copy()),
    after: teamBy(rules, teams.copy()),
    own: ({ facts }) => own.selects(facts) && own.teamOf(facts, alone) !== undefined,
  }
}

const handSql = 'select resource_uid as uid, team_id as team from team_resource where org_id = ?'

async function teamsByHand(em: EntityManager, orgId: string): Promise<Map<string, string>> {
  const rows = await em.execute<{ uid: string; team: string }[]>(handSql, [orgId])
  return new Map(rows.map(({ uid, team }) => [uid, team]))
}

async function* replayResources(
  { ask, scope }: Replaying,
  { before: was, after: becomes, own }: Sides,
  hands: ReadonlyMap<string, string>,
): AsyncGenerator<ReplayedResource> {
  for await (const resource of everything(ask)) {
    const hand = hands.get(resource.uid)
    const before = was(resource.facts)?.team
    const isSeen = sees(scope, resource.account, hand ?? (before && 'id' in before ? before.id : undefined))
    yield { resource, hand, isSeen, isMatched: own(resource), before, after: becomes(resource.facts) }
  }
}

async function* everything(ask: Streaming): AsyncGenerator<RuleResource> {
  yield* inventoryResources(ask)
  yield* billedResources(ask)
}

/** Whether costs of this account and team may be seen. */
export const sees = (scope: ResourceScope | undefined, account: string, team = 'unassigned'): boolean =>
  !scope || scope.accounts.includes(account) || scope.teams.includes(team)

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** A key for a team within a replay; empty for none. */
export const teamText = (team: AllocatedTeam | undefined): string =>
  team === undefined ? '' : 'id' in team ? `id ${team.id}` : `make ${team.make.toLowerCase()}`

/** A team as it is shown: the id is null if there is no team, or if it has yet to be created. */
export interface NamedTeam {
  id: string | null
  name: string
}

/** Names of teams, including those to be created. */
export class TeamNames {
  private readonly teams: TeamList
  private readonly made = new Map<string, string>()

  constructor(teams: TeamList) {
    this.teams = teams
  }

  /** Of several spellings the first in alphabetical order wins. */
  make(name: string): void {
    const lowered = name.toLowerCase()
    const known = this.made.get(lowered)
    if (known === undefined || compare(name, known) < 0) this.made.set(lowered, name)
  }

  of(team: AllocatedTeam | undefined): NamedTeam {
    if (team === undefined) return { id: null, name: 'Unassigned' }
    if ('id' in team) return { id: team.id, name: this.teams.nameOf(team.id) ?? '' }
    return { id: null, name: this.made.get(team.make.toLowerCase()) ?? team.make }
  }

  /** In alphabetical order. */
  toMake(): string[] {
    return [...this.made.values()].toSorted()
  }
}
