/**
 * Conditions on what a cloud organization says about an account: `account.ou`, `account.tag.KEY`. Resources and lines
 * do not have these facts, so a condition is evaluated for the accounts and replaced by the ids of those that match.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { CloudAccount } from '#actors/account/entity.ts'
import { compileSelector, isCondition, type Selector } from './selector.ts'

/** Attributes by their full names; tags are `account.tag.<key>`. */
export const accountAttrs = ['account.ou', 'account.tag'] as const

/** An account that a cloud organization lists, or listed before the account left. */
export interface ListedAccount {
  id: string
  path: string
  tags: Readonly<Record<string, string>>
}

export const asksAccounts = (selector: Selector | undefined): boolean =>
  (selector?.all ?? []).some((condition) => isCondition(condition, accountAttrs))

/**
 * The same selector with account ids. Accounts that are not listed, including future ones, are in no unit and have no
 * tags.
 */
export function byAccount(selector: Selector, accounts: readonly ListedAccount[]): Selector {
  return {
    all: selector.all.map((condition) => {
      if (!isCondition(condition, accountAttrs)) return condition
      const holds = compileSelector({ all: [condition] }, accountAttrs)
      const holdsElsewhere = holds({ of: {}, tags: {} })
      const named = accounts.filter(({ path, tags }) => holds({ of: { 'account.ou': path }, tags }) !== holdsElsewhere)
      const values = named.map(({ id }) => id).toSorted()
      return { attr: 'res.cloud_account_id', op: holdsElsewhere ? 'not_in' : 'in', values }
    }),
  }
}

/** Reads accounts only if one of the selectors needs them. */
export async function accountsFor(
  em: EntityManager,
  orgId: string,
  selectors: readonly (Selector | undefined)[],
): Promise<ListedAccount[]> {
  if (!selectors.some(asksAccounts)) return []
  const rows = await em.find(
    CloudAccount,
    { orgId, membership: { $ne: null } },
    { fields: ['id', 'membership'], refresh: true },
  )
  return rows.flatMap(({ id, membership }) =>
    membership ? [{ id, path: membership.path, tags: membership.tags }] : [],
  )
}
