/**
 * Replaces utilization samples of past months by one row per hour. The rows of a month are exchanged at once, so a query
 * reads either the samples or the hours.
 */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { anySize } from '#analytics/store/delete-before.ts'
import { dayOf } from '#engine/value/day.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const months = sql('hourly_months')
const fill = sql('hourly_samples')
const newest = sql('newest_block')

/** A month may take minutes: signs of life keep the request open. */
const filling = {
  optimize_aggregation_in_order: 1,
  max_bytes_before_external_group_by: '536870912',
  send_progress_in_http_headers: 1,
  http_headers_progress_interval_ms: '30000',
} as const

/** Holds the hours of one month until they are exchanged. */
const target = 'metric_sample_hourly'

/**
 * Rolls up every month that ended before `before`. A month into which samples were inserted meanwhile is left to the
 * next call. Nothing else is deleted.
 */
export async function rollUpSamples(ch: ClickHouseClient, before: Date): Promise<[]> {
  const month = dayOf(before).slice(0, 7).replace('-', '')
  const result = await ch.query({ query: months, query_params: { month }, format: 'JSONEachRow' })
  for (const { id } of await result.json<{ id: string }>()) await rollUpMonth(ch, id)
  return []
}

async function rollUpMonth(ch: ClickHouseClient, partition: string): Promise<void> {
  const newestBlock = async () => {
    const result = await ch.query({ query: newest, query_params: { partition }, format: 'JSONEachRow' })
    return String((await result.json<{ block: string | number }>())[0]!.block)
  }
  const query_params = { partition, target }
  await drop(ch)
  await ch.command({ query: `CREATE TABLE ${target} AS metric_sample` })
  try {
    const before = await newestBlock()
    await ch.command({
      query: fill,
      query_params,
      clickhouse_settings: filling,
    })
    if ((await newestBlock()) !== before) return
    const exchange = `ALTER TABLE metric_sample REPLACE PARTITION ID {partition:String} FROM ${target}`
    await ch.command({ query: exchange, query_params, clickhouse_settings: anySize })
  } finally {
    await drop(ch)
  }
}

/** Also what a call that was killed has left. */
const drop = (ch: ClickHouseClient) =>
  ch.command({ query: `DROP TABLE IF EXISTS ${target}`, clickhouse_settings: anySize })
