/** Accounts in the form that connectors of clouds take. */
import type { Reads } from '#engine/actor/ports.ts'
import type { Open } from '#engine/seal.ts'
import { credentialsSealed } from './credentials.ts'
import type { BillingExport } from '#streams/account/messages.ts'
import type { CloudAccount as Seen } from '#streams/cloud/connector.ts'
import type { Provider } from '#streams/names.ts'
import type { CloudAccount } from '#actors/account/entity.ts'

type StoredAccount = Pick<
  CloudAccount,
  'id' | 'orgId' | 'externalId' | 'name' | 'regions' | 'credentials' | 'billingExport'
>

export interface Opener {
  open: Open
}

/** The account with its credentials decrypted. */
export const seenByCloud = (account: StoredAccount, provider: Provider, { open }: Opener): Seen => ({
  id: account.id,
  orgId: account.orgId,
  provider,
  externalId: account.externalId,
  name: account.name,
  regions: account.regions,
  credentials: account.credentials ? open(credentialsSealed, account.orgId, account.credentials) : null,
  ...(account.billingExport && { billingExport: account.billingExport }),
})

/** The columns of an account as SQL reads them. */
export interface AccountRow {
  name: string
  external_id: string
  regions: string[]
  credentials: string | null
  billing_export: BillingExport | null
  status: string
}

/** Undefined if the account is disabled or removed. */
export function openEnabledAccount(
  row: AccountRow | undefined,
  { cloudAccountId: id, provider }: { cloudAccountId: string; provider: Provider },
  orgId: string,
  opener: Opener,
): Seen | undefined {
  if (!row?.status || row.status === 'disabled' || row.status === 'deleted') return undefined
  const { external_id: externalId, billing_export: billingExport } = row
  return seenByCloud({ ...row, id, orgId, externalId, billingExport }, provider, opener)
}

const connectedSql = `
  select id, provider, name, external_id, regions, credentials, billing_export, status from cloud_account
  where org_id = $1 and status in ('connected', 'degraded') and provider not in ('', 'other') order by id`

/** The organization's accounts whose credentials work, or that have none, by id. */
export async function connectedAccounts(tools: Opener & { reads: Reads }, orgId: string): Promise<Seen[]> {
  const rows = await tools.reads.rows<AccountRow & { id: string; provider: Provider }>(connectedSql, [orgId])
  return rows.map((row) =>
    seenByCloud({ ...row, orgId, externalId: row.external_id, billingExport: row.billing_export }, row.provider, tools),
  )
}

/** Undefined if the account is disabled or removed. */
export async function enabledAccount(
  tools: Opener & { reads: Reads },
  account: { cloudAccountId: string; provider: Provider },
  orgId: string,
): Promise<Seen | undefined> {
  const [row] = await tools.reads.rows<AccountRow>(
    `select name, external_id, regions, credentials, billing_export, status from cloud_account
     where org_id = $1 and id = $2`,
    [orgId, account.cloudAccountId],
  )
  return openEnabledAccount(row, account, orgId, tools)
}
