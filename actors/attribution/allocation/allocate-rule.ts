/** The team that resources have by the rules of their organization; nothing is read or written here. */
import type { PolicyRow } from '#actors/policy/queries.ts'
import { byAccount, type ListedAccount } from '#actors/policy/account-condition.ts'
import { compileSelector, resourceAttrs, type Facts } from '#actors/policy/selector.ts'
import { decoder } from '#engine/value/schema.ts'
import { text } from '#streams/text.ts'
import { AllocationSpec } from './allocation.ts'

/** A team that there is, or the name of one that is to be made. */
export type AllocatedTeam = { readonly id: string } | { readonly make: string }

/** What became of a resource: its team, and the policy that says so. */
export interface TeamAllocation {
  readonly policyId: string
  readonly team: AllocatedTeam
}

/** The teams that rules may give. */
export interface Teams {
  has(id: string): boolean
  /** The id of the team of this name, in any case. */
  named(name: string): string | undefined
  /** Whether a team of this name may be made; once it was said of a name, it stays so. */
  mayMake(name: string): boolean
}

/** A policy as it is compared. */
export interface Rule {
  readonly policyId: string
  readonly name: string
  /** Whether its selector holds. */
  selects(facts: Facts): boolean
  /** The team it gives to a resource that it selects; undefined where it gives none, and the next rule is asked. */
  teamOf(facts: Facts, teams: Teams): AllocatedTeam | undefined
}

const decode = decoder(AllocationSpec)

/**
 * In the order in which they are asked: the least priority, then the oldest. What does not decode any more is left out. `accounts` are
 * what their conditions about accounts are compared with.
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

/** The value of a tag, its key in any case; of several spellings the first by the alphabet counts. */
function valueOf(tags: Readonly<Record<string, string>>, key: string): string {
  let spelled: string | undefined
  for (const one in tags) if (one.toLowerCase() === key && (spelled === undefined || one < spelled)) spelled = one
  return spelled === undefined ? '' : tags[spelled]!
}

/** What bills give as tags may be anything; a team's name is not. */
const decodeName = decoder(text({ minLength: 1, maxLength: 100 }))
function isName(name: string): boolean {
  try {
    decodeName(name)
    return true
  } catch {
    return false
  }
}

/** Asks the rules in their order; the first that gives a team counts. */
export const teamBy =
  (rules: readonly Rule[], teams: Teams) =>
  (facts: Facts): TeamAllocation | undefined => {
    for (const rule of rules) {
      const team = rule.selects(facts) ? rule.teamOf(facts, teams) : undefined
      if (team) return { policyId: rule.policyId, team }
    }
    return undefined
  }

/** Teams of an organization, of which rules may make more while there are fewer than so many. */
export const teamsMax = 500

/** The teams of an organization as rules see them while they are asked, with those that are to be made. */
export class TeamList implements Teams {
  private readonly names = new Map<string, string>()
  private readonly byId = new Map<string, string>()
  private readonly wanted = new Set<string>()

  constructor(teams: Iterable<{ id: string; name: string }>) {
    for (const team of teams) this.add(team)
  }

  /** As they are, without those that are to be made. */
  copy(): TeamList {
    return new TeamList([...this.byId].map(([id, name]) => ({ id, name })))
  }

  /** One that has been made. */
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
