/** Connected accounts of an organization that its bills name as sub-accounts, and others that no bill names, as their actors would have written them. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Pool } from 'pg'
import { accounts as billed } from './bill.ts'

export interface Members {
  orgId: string
  /** All that are connected: those that were billed, their members, and the others. */
  accounts: number
  /** Sub-accounts that each bill names: each is a connected account. */
  subAccounts: number
}

/** The `n`-th member has the number `n`, as the bill writes it, and the cloud of the account that was billed. */
export const memberOf = (n: number): string => `member-${n}`

/** Those that were billed have a number that no bill names. */
const connected = `
  insert into cloud_account (org_id, id, name, provider, external_id, status, membership, created_at, updated_at)
  select $1, id, 'Payments of the market ' || id, provider, number, 'connected',
    case when id like 'member-%' then jsonb_build_object('managedBy', 'acct-0', 'name', id, 'path', '/Unit ' || n % 20 || '/Team ' || n % 400,
      'tags', jsonb_build_object('env', (array['prod', 'dev'])[n % 2 + 1]), 'status', 'active', 'isManaged', true, 'isDisabled', false, 'roleName', 'tidemark') end,
    now(), now()
  from (
    select 'acct-' || n as id, n, (array['aws', 'aws', 'aws', 'gcp', 'gcp', 'azure', 'azure', 'azure'])[n + 1] as provider, 'payer-' || n as number
    from generate_series(0, ${billed} - 1) as n
    union all
    select 'member-' || n, n, (array['aws', 'aws', 'aws', 'gcp', 'gcp', 'azure', 'azure', 'azure'])[least(n / greatest(1, $3::int), ${billed} - 1) + 1],
      lpad(n::text, 12, '0')
    from generate_series(0, $2::int - ${billed} - 1) as n
  ) as made`

export async function connectMembers(
  pool: Pool,
  ch: ClickHouseClient,
  { orgId, accounts, subAccounts }: Members,
): Promise<void> {
  await pool.query(connected, [orgId, accounts, subAccounts])
  const { rows } = await pool.query<{ id: string; provider: string; number: string }>(
    'select id, provider, external_id as number from cloud_account where org_id = $1',
    [orgId],
  )
  const values = rows.map(({ id, provider, number }) => accountRow(orgId, id, { provider, number }, '1'))
  await ch.insert({ table: 'account_state', values, format: 'JSONEachRow' })
}

export const accountRow = (
  org_id: string,
  cloud_account_id: string,
  { provider, number, removed = 0 }: { provider: string; number: string; removed?: number },
  version: string,
) => ({ org_id, cloud_account_id, provider, external_id: number, removed, x_Version: version })
