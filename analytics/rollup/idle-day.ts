/** Days whose idle costs of clusters were not handed out: of a version that did not, or of an older copy of the sums. */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { billOf, type Bill, type StoredBill } from '#analytics/billing/bill.ts'
import type { CostDay } from '#analytics/rollup/cost-rollup.ts'

const idleDays = readFileSync(new URL('idle_days.sql', import.meta.url), 'utf8')
/** One reads every month of every cluster. */
const settings = { max_threads: 1, max_execution_time: 300, max_bytes_before_external_group_by: '268435456' } as const

export interface IdleDay extends CostDay {
  /** Exports that its sums were worked out from. */
  bills: readonly Bill[]
  pods: number
}

interface Found {
  org_id: string
  cloud_account_id: string
  day: string
  bills: readonly StoredBill[]
  pods: number
}

/** The newest first, of whatever organizations, at most `limit`. */
export async function daysWithoutIdle(ch: ClickHouseClient, limit: number): Promise<IdleDay[]> {
  const query = {
    query: idleDays,
    query_params: { limit },
    format: 'JSONEachRow',
    clickhouse_settings: settings,
  } as const
  const rows = await (await ch.query(query)).json<Found>()
  return rows.map(({ org_id: orgId, cloud_account_id: cloudAccountId, day, bills, pods }) => ({
    orgId,
    cloudAccountId,
    day,
    bills: bills.map(billOf),
    pods: Number(pods),
  }))
}
