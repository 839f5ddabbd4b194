/**
 * The same bill as CSV, as gzipped CSV and as Parquet: rows per second of reading alone, and of creating lines, each in
 * its own process, with its peak memory.
 * Usage: npm run -s bench -- bill-files [--rows 1000000] [--only bill]
 * The ceiling is the CSV: 41 columns of FOCUS, about 600 bytes a row. ClickHouse writes both from the same query.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { Session } from 'chdb'
import { figure, say } from './harness/stage.ts'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, only: { type: 'string' } },
})
const count = Number(values.rows)
const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'))

/** A resource has one line a day; a third of its columns says what it is, as in exports of clouds. */
const lines = `
  WITH number % 50000 AS r, toDateTime('2026-01-01 00:00:00', 'UTC') + intDiv(number, {perDay:UInt64}) * 86400 AS start,
    toDecimal128((cityHash64(number) % 1000000) / 7919, 14) AS cost
  SELECT 'AWS' AS ProviderName, 'AWS' AS PublisherName, 'AWS' AS InvoiceIssuerName, '111111111111' AS BillingAccountId,
    'Payer' AS BillingAccountName, toString(222222222222 + r % 20) AS SubAccountId, concat('Account ', toString(r % 20)) AS SubAccountName,
    toDateTime('2026-01-01 00:00:00', 'UTC') AS BillingPeriodStart, toDateTime('2026-02-01 00:00:00', 'UTC') AS BillingPeriodEnd,
    start AS ChargePeriodStart, start + 86400 AS ChargePeriodEnd, 'Usage' AS ChargeCategory, CAST(NULL AS Nullable(String)) AS ChargeClass,
    concat('On Demand usage of machine type ', toString(r % 97), ' by the hour') AS ChargeDescription, 'Usage-Based' AS ChargeFrequency,
    concat('Service ', toString(r % 17)) AS ServiceName, 'Compute' AS ServiceCategory, 'us-east-1' AS RegionId, 'US East' AS RegionName,
    concat('us-east-1', char(97 + r % 3)) AS AvailabilityZone,
    concat('arn:aws:ec2:us-east-1:222222222222:instance/i-', hex(cityHash64(r)), hex(r)) AS ResourceId,
    concat('machine-', toString(r)) AS ResourceName, 'EC2 Instance' AS ResourceType, cost AS BilledCost, cost AS EffectiveCost,
    cost AS ContractedCost, toDecimal128(cost * 1.25, 14) AS ListCost, 'USD' AS BillingCurrency,
    toDecimal128(0.0416 + r % 97 / 1000, 14) AS ListUnitPrice, toDecimal128(0.0416 + r % 97 / 1000, 14) AS ContractedUnitPrice,
    toDecimal128(24, 6) AS PricingQuantity, 'Hours' AS PricingUnit, 'Standard' AS PricingCategory, toDecimal128(24, 6) AS ConsumedQuantity,
    'Hours' AS ConsumedUnit, concat('SKU', toString(r % 997)) AS SkuId, concat('PRICE', toString(r % 1997)) AS SkuPriceId,
    CAST(NULL AS Nullable(String)) AS CommitmentDiscountId, CAST(NULL AS Nullable(String)) AS CommitmentDiscountType,
    concat('{"team":"team-', toString(r % 50), '","env":"', if(r % 3 = 0, 'prod', 'test'), '","app":"app-', toString(r % 400), '"}') AS Tags,
    concat('BoxUsage:m5.', toString(r % 97)) AS x_UsageType
  FROM numbers({count:UInt64})`

const session = new Session(path.join(folder, 'clickhouse'))

/** Written by the engine itself: 10,000,000 rows are more than one answer may hold. */
function write(name: string, format: string): string {
  const file = path.join(folder, name)
  session.query(
    `SET param_count = ${count}, param_perDay = ${Math.ceil(count / 31)}, date_time_output_format = 'iso',
      output_format_parquet_compression_method = 'zstd'`,
  )
  session.query(`${lines} INTO OUTFILE '${file}' FORMAT ${format}`)
  return file
}

const files = [
  ['csv', write('bill.csv', 'CSVWithNames')],
  ['parquet', write('bill.parquet', 'Parquet')],
] as const
session.close()

const reader = new URL('harness/read-bill.ts', import.meta.url).pathname
const run = promisify(execFile)
for (const how of ['rows', 'bill'].filter((one) => values.only === undefined || values.only === one)) {
  const speeds = new Map<string, number>()
  for (const [name, file] of files) {
    const { stdout } = await run(process.execPath, [reader, file, how])
    const { rows, ms, peakMb } = JSON.parse(stdout) as { rows: number; ms: number; peakMb: number }
    if (rows !== count) throw new Error(`${name}: ${rows} rows of ${count}`)
    speeds.set(name, (1000 * rows) / ms)
    const size = `${(statSync(file).size / 2 ** 20).toFixed(0)} MiB`
    say(`${how} of ${name}, ${size}: ${figure((1000 * rows) / ms)} rows/s, peak ${figure(peakMb)} MiB`)
  }
  say(`${how}: Parquet beside CSV: ${(speeds.get('parquet')! / speeds.get('csv')!).toFixed(2)} times as fast`)
}
rmSync(folder, { recursive: true })
