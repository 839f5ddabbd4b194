/** The same bill under a second account: most of its contents are in the bill of another account for the same days. */
import { readFileSync } from 'node:fs'
import type { Reads } from '#engine/actor/ports.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const subAccountsElsewhere = sql('sub_accounts_elsewhere')
const billingAccountsElsewhere = sql('billing_accounts_elsewhere')

/** A billing period of a bill of `account` that is not accepted yet. Days are `YYYY-MM-DD`, both included. */
export interface NamedBill {
  account: string
  from: string
  to: string
  subAccounts: readonly string[]
  billingAccounts: readonly string[]
}

/** Another account whose bill has them, and how many of all in the new bill. */
export interface RepeatedBill {
  cloudAccountId: string
  names: number
  of: number
}

/** Undefined if no other account's bill has more than half. Billing accounts are only compared if the bill has no sub-account. */
export async function repeatedBill(
  { facts }: Pick<Reads, 'facts'>,
  org: string,
  { account, from, to, subAccounts, billingAccounts }: NamedBill,
): Promise<RepeatedBill | undefined> {
  const [names, statement] =
    subAccounts.length > 0 ? [subAccounts, subAccountsElsewhere] : [billingAccounts, billingAccountsElsewhere]
  if (names.length === 0) return undefined
  const [found] = await facts<{ cloud_account_id: string; names: number }>(statement, { org, account, from, to, names })
  const isMost = found !== undefined && found.names * 2 > names.length
  return isMost ? { cloudAccountId: found.cloud_account_id, names: found.names, of: names.length } : undefined
}
