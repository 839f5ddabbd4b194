/** Days that an older version computed without newer parts, or that came back with an older copy of the sums. */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { billOf, type Bill, type StoredBill } from '#analytics/billing/bill.ts'
import type { CostDay } from '#analytics/rollup/day-batch.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
/** What a day may lack: distributed idle costs of clusters, tags of lines without a resource, sub-accounts. */
const searches = [sql('idle_days'), sql('untagged_days'), sql('unlinked_days')]
const costedDays = sql('costed_days')
const daysSince = sql('days_since')
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

/** Days of an organization with sums or bill lines, `from` and `to` included. */
export const findCostedDays = (ch: ClickHouseClient, org: string, from: string, to: string): Promise<CostDay[]> =>
  daysOf(ch, costedDays, { org, from, to })

/** Days of all organizations whose current sums have a later generation. */
export const findDaysSince = (ch: ClickHouseClient, generation: string): Promise<CostDay[]> =>
  daysOf(ch, daysSince, { generation })

async function daysOf(ch: ClickHouseClient, text: string, params: Record<string, string>): Promise<CostDay[]> {
  const result = await ch.query({ query: text, query_params: params, format: 'JSONEachRow' })
  const rows = await result.json<Pick<DayRow, 'org_id' | 'cloud_account_id' | 'day'>>()
  return rows.map((row) => ({ orgId: row.org_id, cloudAccountId: row.cloud_account_id, day: row.day }))
}
