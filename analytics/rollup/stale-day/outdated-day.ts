/** Days that an older version computed without newer parts, or that came back with an older copy of the sums. */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { billOf, type Bill, type StoredBill } from '#analytics/billing/bill.ts'
import type { CostDay } from '#analytics/rollup/day-batch.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
/** What a day may lack: distributed idle costs of clusters, tags of lines without a resource, sub-accounts. */
const searches = [sql('idle_days'), sql('untagged_days'), sql('unlinked_days')]
/** They read every month of every cluster, and whether lines have tags. */
const settings = { max_threads: 1, max_execution_time: 300, max_bytes_before_external_group_by: '268435456' } as const

export interface OutdatedDay extends CostDay {
  /** Exports that its sums were computed from. */
  bills: readonly Bill[]
  pods: number
}

interface DayRow {
  org_id: string
  cloud_account_id: string
  day: string
  bills: readonly StoredBill[]
  pods: number
}

/** For any organization, newest first for each thing that they lack, at most `limit` days for each. */
export async function findOutdatedDays(ch: ClickHouseClient, limit: number): Promise<OutdatedDay[]> {
  const found: OutdatedDay[] = []
  for (const query of searches) found.push(...(await search(ch, query, limit)))
  return found
}

async function search(ch: ClickHouseClient, text: string, limit: number): Promise<OutdatedDay[]> {
  const query = { query: text, query_params: { limit }, format: 'JSONEachRow', clickhouse_settings: settings } as const
  const rows = await (await ch.query(query)).json<DayRow>()
  return rows.map(({ org_id: orgId, cloud_account_id: cloudAccountId, day, bills, pods }) => ({
    orgId,
    cloudAccountId,
    day,
    bills: bills.map(billOf),
    pods: Number(pods),
  }))
}
