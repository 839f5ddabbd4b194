import { segmentsOf } from '#actors/account/export/layers.ts'
import { accountKey, type ShownBill, type ShownBills } from '#analytics/billing/bill.ts'
import { containing } from '#engine/value/like-pattern.ts'
import type { Reads } from '#engine/actor/ports.ts'
import { sql, type EntityManager } from '@mikro-orm/postgresql'
import type { Bills } from '#actors/account/bill/bills.ts'
import { CloudAccount } from '#actors/account/entity.ts'
import { providers, type Provider } from '#streams/names.ts'

/** Deleted accounts are in no list, but their rows stay for the costs they caused. */
const present = { status: { $ne: 'deleted' } } as const

/** The current row, even if the entity manager has read it before. */
export const findAccount = (em: EntityManager, orgId: string, id: string): Promise<CloudAccount | null> =>
  em.findOne(CloudAccount, { orgId, id, ...present }, { refresh: true })

/** The account with this provider and the provider's number or name. */
export const accountOf = (em: EntityManager, orgId: string, provider: Provider, externalId: string) =>
  em.findOne(CloudAccount, { orgId, provider, externalId, ...present })

/** Includes disconnected accounts, which following an organization needs. */
export const accountsSeen = (em: EntityManager, orgId: string) =>
  em.find(CloudAccount, { orgId }, { fields: ['id', 'provider', 'externalId', 'status', 'membership'] })

/**
 * A page of accounts, by name: those whose name, id, provider's number or path in the organization contains `search`.
 */
export async function listAccounts(
  em: EntityManager,
  orgId: string,
  search: string | undefined,
  page: { limit: number; offset: number },
): Promise<{ items: CloudAccount[]; total: number }> {
  const like = search ? { $ilike: containing(search) } : undefined
  const where = {
    orgId,
    ...present,
    ...(like && { $or: [{ name: like }, { externalId: like }, { id: like }, { [sql`membership ->> 'path'`]: like }] }),
  }
  const [items, total] = await em.findAndCount(CloudAccount, where, { ...page, orderBy: { name: 'asc', id: 'asc' } })
  return { items, total }
}

export type AccountSummary = Pick<CloudAccount, 'id' | 'name' | 'provider' | 'status' | 'lastSyncedAt'>

/** A summary of every account of a cloud, by provider and id; there may be thousands. */
export const allAccounts = async (em: EntityManager, orgId: string): Promise<AccountSummary[]> =>
  em.find(
    CloudAccount,
    { orgId, ...present, provider: { $in: [...providers] } },
    {
      orderBy: { provider: 'asc', id: 'asc' },
      fields: ['id', 'name', 'provider', 'status', 'lastSyncedAt'],
      disableIdentityMap: true,
    },
  )

/** When one of the accounts was last discovered completely; an empty `ids` means all accounts. */
export async function newestSync(em: EntityManager, orgId: string, ids: readonly string[]): Promise<Date | null> {
  const where = { orgId, ...present, provider: { $in: [...providers] }, lastSyncedAt: { $ne: null } }
  // A role that may see no account passes an id that contains NUL, which PostgreSQL refuses and no account has.
  const known = ids.filter((id) => !id.includes('\0'))
  if (ids.length > 0 && known.length === 0) return null
  const [newest] = await em.find(
    CloudAccount,
    { ...where, ...(known.length > 0 && { id: { $in: known } }) },
    { orderBy: { lastSyncedAt: 'desc' }, limit: 1, fields: ['lastSyncedAt'], disableIdentityMap: true },
  )
  return newest?.lastSyncedAt ?? null
}

/** Display names by account id; deleted accounts included. */
export async function accountNames(
  em: EntityManager,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const found = await em.find(CloudAccount, { orgId, id: { $in: [...new Set(ids)] } }, { fields: ['id', 'name'] })
  return new Map(found.map(({ id, name }) => [id, name]))
}

interface Showing {
  orgId: string
  cloudAccountId: string
  shown: Bills['shown']
}

/** The exports that accounts show, without periods that have no lines. */
export async function shownBills(
  rows: Reads['rows'],
  accounts: readonly { orgId: string; cloudAccountId: string }[],
): Promise<ShownBills> {
  const wanted = [...new Map(accounts.map((account) => [accountKey(account), account])).values()]
  const found = await rows<Showing>(
    `select org_id as "orgId", id as "cloudAccountId", bills -> 'shown' as shown from cloud_account
     where (org_id, id) in (select * from unnest($1::text[], $2::text[])) and bills -> 'shown' <> '{}'
     order by org_id, id`,
    [wanted.map(({ orgId }) => orgId), wanted.map(({ cloudAccountId }) => cloudAccountId)],
  )
  return byAccount(found)
}

/** The exports shown by all accounts of some organizations. */
export const shownBillsOf = async (rows: Reads['rows'], orgIds: readonly string[]): Promise<ShownBills> =>
  byAccount(
    await rows<Showing>(
      `select org_id as "orgId", id as "cloudAccountId", bills -> 'shown' as shown from cloud_account
       where org_id = any($1::text[]) and bills -> 'shown' <> '{}' order by org_id, id`,
      [orgIds],
    ),
  )

const byAccount = (found: readonly Showing[]): ShownBills =>
  Object.fromEntries(found.map((account) => [accountKey(account), billsOf(account.shown)]))

const billsOf = (shown: Bills['shown']): ShownBill[] =>
  Object.entries(shown)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([period, bill]) =>
      segmentsOf(bill).map(({ id, from, to }) => ({ period, exportId: id, from, to, isComplete: bill.complete })),
    )
