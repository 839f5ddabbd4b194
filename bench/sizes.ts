/**
 * Bytes on the disk for what an installation keeps: a bill line and its sums, a resource, a utilization sample and the
 * hour that replaces it, an interval of a pod and the day that replaces them. Data is generated from numbers inside the stores and merged; values vary, but
 * real names, tags and descriptions are longer than these.
 * Usage: npm run -s bench -- sizes [--lines 1000000] [--series 600] [--pods 1000]
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { foldUsage } from '#analytics/rollup/daily-usage/fold-usage.ts'
import { rollUpSamples } from '#analytics/rollup/hourly-metric/hourly-metric.ts'
import { load, loadInventory, resources } from './harness/bill.ts'
import { figure, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '1000000' },
    series: { type: 'string', default: '600' },
    pods: { type: 'string', default: '1000' },
  },
})
const orgId = `bench-${randomUUID()}`
const set = await stage({ env: { LOG_LEVEL: 'silent' } })
const opened = await set.open()
const { clickhouse: ch, store } = opened

/** Bytes of a table whose parts were merged. */
async function bytesOf(table: string): Promise<number> {
  await ch.command({ query: `OPTIMIZE TABLE ${table} FINAL` })
  const result = await ch.query({
    query: `SELECT toFloat64(sum(bytes_on_disk)) AS bytes FROM system.parts
      WHERE active AND database = currentDatabase() AND table = {table:String}`,
    query_params: { table },
    format: 'JSONEachRow',
  })
  return (await result.json<{ bytes: number }>())[0]!.bytes
}

const lines = Number(values.lines)
await load(ch, { orgId, facts: lines, perResourceDay: 24 })
const sums = ['cost_daily_slot', 'cost_service_daily_slot', 'usage_daily_slot']
const bytesOfSums = (await Promise.all(sums.map(bytesOf))).reduce((sum, bytes) => sum + bytes, 0)
say(
  `bill line: ${figure((await bytesOf('cost_fact')) / lines)} bytes; its sums, of two generations: ${figure(bytesOfSums / lines)}`,
)

await loadInventory(store.pool, orgId)
const { rows } = await store.pool.query<{ bytes: number }>(
  `select pg_total_relation_size('resource')::float8 / count(*) as bytes from resource`,
)
say(
  `resource: ${figure(rows[0]!.bytes)} bytes in PostgreSQL, ${figure((await bytesOf('resource_state')) / resources)} in ClickHouse`,
)

/** Every five minutes in a month: percentages with two decimals around a level of the series, by time of day. */
const samples = `
  INSERT INTO metric_sample (org_id, resource_uid, metric, ts, value, max, cloud_account_id, x_Version)
  SELECT {org:String}, concat('i-', leftPad(hex(toUInt32(intDiv(number, 8928) * 2654435761)), 8, '0')),
    ['cpu_percent', 'memory_percent', 'disk_percent'][intDiv(number, 8928) % 3 + 1],
    toDateTime64('2025-01-01 00:00:00', 3, 'UTC') + INTERVAL (number % 8928) * 5 MINUTE,
    round(20 + intDiv(number, 8928) % 50 + 10 * sin(number % 288 / 46) + sipHash64(number) % 1000 / 100, 2) AS level, level + sipHash64(number) % 300 / 100,
    'acct-0', toUInt128(number)
  FROM numbers({count:UInt64})`
await ch.command({ query: 'TRUNCATE TABLE metric_sample' })
const count = Number(values.series) * 8928
await ch.command({ query: samples, query_params: { org: orgId, count } })
const asReceived = await bytesOf('metric_sample')
await rollUpSamples(ch, new Date())
const hourly = await bytesOf('metric_sample')
say(
  `sample: ${figure(asReceived / count)} bytes; hour in place of twelve: ${figure(hourly / (count / 12))}, ${figure(asReceived / hourly)} times less`,
)

/** Pods for 30 days in intervals of so many seconds. */
const pods = `
  INSERT INTO kubernetes_pod (org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, \`from\`, seconds, controller_kind, controller,
    labels, cpu_request, cpu_used, memory_request, memory_used, gpu_request, network_bytes, x_Version)
  SELECT {org:String}, 'acct-0', toDate32(began), 'cluster-1', concat('ns-', toString(number % 20)),
    concat('app-', toString(number % {pods:UInt64} % 100), '-7f9c-', hex(sipHash64(number % {pods:UInt64}) % 1048576)), concat('node-', toString(number % 40)),
    toDateTime('2025-01-01 00:00:00', 'UTC') + {seconds:UInt32} * intDiv(number, {pods:UInt64}) AS began, {seconds:UInt32}, 'deployment',
    concat('app-', toString(number % {pods:UInt64} % 100)),
    map('app', concat('app-', toString(number % {pods:UInt64} % 100)), 'team', concat('team-', toString(number % {pods:UInt64} % 100 % 7)), 'pod-template-hash', '7f9c'),
    250 + sipHash64(number % {pods:UInt64}) % 500, sipHash64(number) % 1000, 524288 + sipHash64(number % {pods:UInt64}) % 1048576, sipHash64(number, 1) % 2097152,
    0, sipHash64(number, 2) % 100000000, 1
  FROM numbers(intDiv({pods:UInt64} * 30 * 86400, {seconds:UInt32}))`
for (const [seconds, share] of [
  [3600, 1],
  [300, 0.2],
] as const) {
  for (const table of ['kubernetes_pod', 'kubernetes_pod_day']) await ch.command({ query: `TRUNCATE TABLE ${table}` })
  const count = Number(values.pods) * share
  await ch.command({ query: pods, query_params: { org: orgId, pods: count, seconds } })
  const asReceived = await bytesOf('kubernetes_pod')
  // Folded by the first call, deleted by the second.
  for (let call = 0; call < 2; call++) await foldUsage(ch, new Date())
  const days = await bytesOf('kubernetes_pod_day')
  say(
    `pod, intervals of ${seconds} s: ${figure((asReceived * seconds) / (count * 30 * 86_400))} bytes each; day in place of them: ${figure(days / (count * 30))}, ${figure(asReceived / days)} times less`,
  )
}
await opened.close()
await set.close()
process.exit(0)
