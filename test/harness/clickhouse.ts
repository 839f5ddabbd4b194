import { randomUUID } from 'node:crypto'
import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client'
import { migrate } from '#analytics/store/migrate.ts'
import { reachable } from '#config/embedded/clickhouse/address.ts'
import { testStores } from '#test/harness/stores.ts'

let opened: Promise<ClickHouseClient> | undefined

/** The run's own ClickHouse, migrated and shared by all tests: isolation is a fresh organization. Closed with the process. */
export function testClickHouse(): Promise<ClickHouseClient> {
  opened ??= (async () => {
    const { clickhouse } = await testStores()
    const ch = createClient({
      ...reachable(clickhouse.url),
      database: clickhouse.database,
      log: { level: ClickHouseLogLevel.OFF },
    })
    await migrate(ch)
    return ch
  })()
  return opened
}

/** A database of its own with nothing in it, for what an organization cannot isolate. Drop it with `drop`. */
export async function emptyDatabase(): Promise<{ ch: ClickHouseClient; drop: () => Promise<void> }> {
  const { clickhouse } = await testStores()
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const shared = await testClickHouse()
  await shared.command({ query: 'CREATE DATABASE {name:Identifier}', query_params: { name } })
  const ch = createClient({ ...reachable(clickhouse.url), database: name })
  return {
    ch,
    drop: async () => {
      await ch.close()
      await shared.command({ query: 'DROP DATABASE {name:Identifier}', query_params: { name } })
    },
  }
}

/** A line of a bill as `cost_fact` takes it. The day is that of 2026-01-15 unless told; all four costs are `cost`. */
export function fact(org: string, lineId: string, cost: string | number, more: Readonly<Record<string, unknown>> = {}) {
  const day = (more['x_Day'] as string | undefined) ?? '2026-01-15'
  return {
    x_OrgId: org,
    x_CloudAccountId: 'acct-1',
    x_Day: day,
    x_LineId: lineId,
    x_Provider: 'aws',
    x_PurchaseType: 'on_demand',
    x_Source: 'actual',
    x_ExportedAt: '2026-02-01 00:00:00.000',
    BilledCost: String(cost),
    EffectiveCost: String(cost),
    ContractedCost: String(cost),
    ListCost: String(cost),
    ChargeCategory: 'Usage',
    ChargePeriodStart: `${day} 00:00:00`,
    ChargePeriodEnd: `${day} 23:59:59`,
    ServiceName: 'compute',
    x_Version: '1',
    ...more,
  }
}
