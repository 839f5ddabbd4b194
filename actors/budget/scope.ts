/** What a budget is for: as given, validated, and as rows of costs name it. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { findAccount } from '#actors/account/queries.ts'
import { findGroup } from '#actors/attribution/group/queries.ts'
import { teamNamed } from '#actors/attribution/team/queries.ts'
import type { Budget } from '#actors/budget/entity.ts'
import { tagScopes } from '#actors/budget/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import type { BudgetScopeKind, ScopeRef } from '#streams/budget.ts'
import { tagOf, writtenTag } from '#engine/value/tag-key.ts'

export interface ScopeGiven {
  kind: BudgetScopeKind
  /** Not of an organization, nor of a team. */
  id?: string
  /** Of a team, which need not exist yet; otherwise ignored. */
  name?: string
}

export type ScopeTerms = Pick<Budget, 'teamName' | 'resourceGroupId' | 'scopeKind' | 'scopeId'>

/** Maximum tag keys of all budgets of an organization: each is looked up for every cost. */
const tagKeysMax = 50
const teamNameMax = 100

export const noScope: ScopeTerms = { teamName: '', resourceGroupId: '', scopeKind: '', scopeId: '' }

/** @throws Fault `validation_failed` */
function termsOfScope({ kind, id = '', name = '' }: ScopeGiven, at: string): ScopeTerms {
  if (kind === 'org') return { ...noScope, scopeKind: kind }
  const isTeam = kind === 'team'
  const value = (isTeam ? name : id).trim()
  if (value === '') throw wrong(isTeam ? `${at}/name` : `${at}/id`, 'required', 'is required for this kind of scope')
  if (isTeam && value.length > teamNameMax)
    throw wrong(`${at}/name`, 'maxLength', `must be at most ${teamNameMax} characters long`)
  if (isTeam) return { ...noScope, teamName: value }
  if (kind === 'resource_group') return { ...noScope, resourceGroupId: value }
  return { ...noScope, scopeKind: kind, scopeId: kind === 'tag' ? canonicalTag(value, `${at}/id`) : value }
}

function canonicalTag(written: string, at: string): string {
  const { key, value } = tagOf(written)
  if (key === '' || value === '') throw wrong(at, 'format', `must be KEY:VALUE, got ${JSON.stringify(written)}`)
  return writtenTag(key, value)
}

const kindOf = ({ scopeKind, resourceGroupId }: ScopeTerms): BudgetScopeKind =>
  scopeKind || (resourceGroupId === '' ? 'team' : 'resource_group')

/** A team counts by its name: a group may have one besides. */
const identityOf = (one: ScopeTerms): string =>
  `${kindOf(one)} ${one.scopeKind === '' ? one.resourceGroupId || one.teamName : one.scopeId}`

/**
 * A `scope` that is not the present one counts; otherwise the two older fields, so that callers who send back what they
 * have read may change either. `at` is the place of the scope in the request.
 */
export function mergeScope(
  old: ScopeTerms,
  given: { scope?: ScopeGiven; teamName?: string; resourceGroupID?: string },
  at = 'scope',
): ScopeTerms {
  const wanted = given.scope && termsOfScope(given.scope, at)
  if (wanted && identityOf(wanted) !== identityOf(old)) return wanted
  const teamName = given.teamName?.trim() ?? old.teamName
  const resourceGroupId = given.resourceGroupID ?? old.resourceGroupId
  const { scopeKind, scopeId } = old
  if (teamName === old.teamName && resourceGroupId === old.resourceGroupId)
    return { teamName, resourceGroupId, scopeKind, scopeId }
  return { ...noScope, teamName, resourceGroupId }
}

/** @throws Fault `validation_failed` for a scope that must exist and does not, `refused` `limit_reached` */
export async function checkScope(
  { em, orgId }: { em: EntityManager; orgId: string },
  old: ScopeTerms,
  made: ScopeTerms,
  at = 'scope',
): Promise<void> {
  const { scopeKind, scopeId, teamName, resourceGroupId } = made
  if (scopeKind === '' && teamName === '' && resourceGroupId === '')
    throw wrong('teamName', 'required', 'is required if there is neither a scope nor a resourceGroupID')
  if (identityOf(made) === identityOf(old)) return
  if (resourceGroupId !== '' && !(await findGroup(em, orgId, resourceGroupId)))
    throw wrong('resourceGroupID', 'unknown', 'is not a resource group in this organization')
  if (scopeKind === 'cloud_account' && !(await findAccount(em, orgId, scopeId)))
    throw wrong(`${at}/id`, 'unknown', 'is not a cloud account in this organization')
  if (scopeKind !== 'tag') return
  const keys = new Set([...(await tagScopes(em, orgId)), scopeId].map((id) => tagOf(id).key))
  if (keys.size > tagKeysMax)
    throw Fault.refused('limit_reached', `The budgets of an organization can name at most ${tagKeysMax} tag keys.`)
}

export async function scopeOf(em: EntityManager, orgId: string, made: ScopeTerms): Promise<ScopeRef> {
  const type = kindOf(made)
  if (type === 'org') return { type, id: orgId }
  if (type === 'team') return { type, id: (await teamNamed(em, orgId, made.teamName)) ?? '' }
  return { type, id: made.scopeId || made.resourceGroupId }
}

export const wrong = (field: string, code: string, message: string) =>
  Fault.invalidAt({ path: `/${field}`, code, message })
