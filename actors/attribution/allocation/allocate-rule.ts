/** Assigns resources to teams by the rules of their organization. Pure. */
import type { PolicyRow } from '#actors/policy/queries.ts'
import { byAccount, type ListedAccount } from '#actors/policy/account-condition.ts'
import { compileSelector, resourceAttrs, type Facts } from '#actors/policy/selector.ts'
import { decoder } from '#engine/value/schema.ts'
import { text } from '#streams/text.ts'
import { AllocationSpec } from './allocation.ts'

/** An existing team, or the name of one that is to be created. */
export type AllocatedTeam = { readonly id: string } | { readonly make: string }

/** The team of a resource, and the policy that assigned it. */
export interface TeamAllocation {
  readonly policyId: string
  readonly team: AllocatedTeam
}

/** The teams that rules may assign. */
export interface Teams {
  has(id: string): boolean
  /** The id of the team with this name, ignoring case. */
  named(name: string): string | undefined
  /** Whether a team with this name may be created; for one name the answer never changes. */
  mayMake(name: string): boolean
}

/** A decoded policy. */
export interface Rule {
  readonly policyId: string
  readonly name: string
  /** Whether its selector matches. */
  selects(facts: Facts): boolean
  /** The team it assigns to a resource that it selects; undefined if it assigns none, and the next rule applies. */
  teamOf(facts: Facts, teams: Teams): AllocatedTeam | undefined
}

const decode = decoder(AllocationSpec)

/**
 * In order of evaluation: lowest priority first, then oldest. Policies that no longer decode are left out. `accounts`:
 * the accounts that conditions refer to.
 */
export const rulesOf = (policies: readonly PolicyRow[], accounts: readonly ListedAccount[] = []): Rule[] =>
  policies
    .flatMap((policy) => specOf(policy) ?? [])
    .toSorted(
      (a, b) =>
        a.spec.priority - b.spec.priority ||
        a.policy.createdAt.getTime() - b.policy.createdAt.getTime() ||
        (a.policy.id < b.policy.id ? -1 : 1),
    )
    .map(({ policy, spec }) => ruleOf(policy, spec, accounts))

function specOf(policy: PolicyRow): { policy: PolicyRow; spec: AllocationSpec } | undefined {
  try {
    const spec = decode(policy.spec)
    return spec.team === undefined && spec.teamFromTag === undefined ? undefined : { policy, spec }
  } catch {
    return undefined
  }
}

function ruleOf(
  { id: policyId, name }: PolicyRow,
  { selector, team, teamFromTag }: AllocationSpec,
  accounts: readonly ListedAccount[],
): Rule {
  const selects = compileSelector(selector && byAccount(selector, accounts), resourceAttrs)
  const teamOf =
    team === undefined
      ? byTag(teamFromTag!)
      : (_facts: Facts, teams: Teams) => (teams.has(team) ? { id: team } : undefined)
  return { policyId, name, selects, teamOf }
}

const lower = (value: string): string => value.trim().toLowerCase()

function byTag({ key, aliases = {}, create }: NonNullable<AllocationSpec['teamFromTag']>): Rule['teamOf'] {
  const names = new Map(
    Object.entries(aliases)
      .toReversed()
      .map(([value, name]) => [lower(value), name.trim()]),
  )
  const wanted = key.toLowerCase()
  return ({ tags }, teams) => {
    const value = valueOf(tags, wanted).trim()
    const name = names.get(lower(value)) ?? value
    if (name === '') return undefined
    const id = teams.named(name)
    if (id !== undefined) return { id }
    return create && isName(name) && teams.mayMake(name) ? { make: name } : undefined
  }
}

/** The value of a tag, ignoring the case of its key; of several spellings the first in alphabetical order. */
function valueOf(tags: Readonly<Record<string, string>>, key: string): string {
  let spelled: string | undefined
  for (const one in tags) if (one.toLowerCase() === key && (spelled === undefined || one < spelled)) spelled = one
  return spelled === undefined ? '' : tags[spelled]!
}

/** Tag values in bills can be anything; names of teams cannot. */
const decodeName = decoder(text({ minLength: 1, maxLength: 100 }))
function isName(name: string): boolean {
  try {
    decodeName(name)
    return true
  } catch {
    return false
  }
}

/** Evaluates the rules in order; the first that assigns a team wins. */
export const teamBy =
  (rules: readonly Rule[], teams: Teams) =>
  (facts: Facts): TeamAllocation | undefined => {
    for (const rule of rules) {
      const team = rule.selects(facts) ? rule.teamOf(facts, teams) : undefined
      if (team) return { policyId: rule.policyId, team }
    }
    return undefined
  }

/** Rules create teams only while the organization has fewer than this. */
export const teamsMax = 500

/** The existing teams of an organization, and those that rules are to create. */
export class TeamList implements Teams {
  private readonly names = new Map<string, string>()
  private readonly byId = new Map<string, string>()
  private readonly wanted = new Set<string>()

  constructor(teams: Iterable<{ id: string; name: string }>) {
    for (const team of teams) this.add(team)
  }

  /** The existing teams, without those to be created. */
  copy(): TeamList {
    return new TeamList([...this.byId].map(([id, name]) => ({ id, name })))
  }

  /** Adds a team that has been created. */
  add({ id, name }: { id: string; name: string }): void {
    this.byId.set(id, name)
    this.names.set(name.toLowerCase(), id)
    this.wanted.delete(name.toLowerCase())
  }

  has(id: string): boolean {
    return this.byId.has(id)
  }

  nameOf(id: string): string | undefined {
    return this.byId.get(id)
  }

  named(name: string): string | undefined {
    return this.names.get(name.toLowerCase())
  }

  mayMake(name: string): boolean {
    const lowered = name.toLowerCase()
    if (this.wanted.has(lowered)) return true
    if (this.byId.size + this.wanted.size >= teamsMax) return false
    this.wanted.add(lowered)
    return true
  }
}
