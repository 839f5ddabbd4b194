/**
 * Conditions about what an organization of accounts says of an account: `account.ou`, `account.tag.KEY`. Resources and lines have no such
 * facts: a condition is compared with the accounts, and then names those for which it holds.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { CloudAccount } from '#actors/account/entity.ts'
import { compileSelector, isCondition, type Selector } from './selector.ts'

/** Attributes by their full names; tags stand under `account.tag.<key>`. */
export const accountAttrs = ['account.ou', 'account.tag'] as const

/** An account that an organization lists, or has listed before it left. */
export interface ListedAccount {
  id: string
  path: string
  tags: Readonly<Record<string, string>>
}

export const asksAccounts = (selector: Selector | undefined): boolean =>
  (selector?.all ?? []).some((condition) => isCondition(condition, accountAttrs))

/** The same selector by account ids. Accounts that are not listed are outside of all units and have no tags, those that come later too. */
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

/** Read only where one of the selectors asks for it. */
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
