/**
 * A bill of one account and month from its file to the reports, as Parquet and as CSV: rows per second until all lines
 * are stored, microseconds of CPU a row here and in ClickHouse, and seconds until reports show it.
 * Usage: npm run -s bench -- bulk [--rows 1000000] [--only parquet]
 * The ceiling is ClickHouse's own `INSERT SELECT` from the file, of the same columns into the same table, in the same run.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Session } from 'chdb'
import { LineStore } from '#actors/billing/line-store.ts'
import { endsOf, SentPeriods } from '#actors/account/export/bill-export.ts'
import { linePorts } from '#config/wiring/line-ports.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { waitUntilSettled } from '#config/state/wait-for-ingest.ts'
import { Sender } from '#engine/run/sender.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { billingExportEnded } from '#streams/billing/messages.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import { focusBill } from './harness/focus-bill.ts'
import { cpuSeconds } from './harness/proc.ts'
import { figure, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, only: { type: 'string' } },
})
const rows = Number(values.rows)
const set = await stage({ env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0' } })
const { connections, product, end } = await set.product()
const { clickhouse } = connections
const { id: orgId } = await createOrganization(connections.orm.em.fork(), `bench ${randomUUID()}`)
product.get(tokens.engine).start()

const formats = { parquet: 'Parquet', csv: 'CSVWithNames' } as const
const kinds = (Object.keys(formats) as (keyof typeof formats)[]).filter((kind) => (values.only ?? kind) === kind)
const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'))

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

/** The columns of the file that the table has under the same name. */
const columns = `ServiceProviderName, InvoiceIssuerName, BillingAccountId, BillingAccountName, SubAccountId, SubAccountName, BillingPeriodStart,
  BillingPeriodEnd, ChargePeriodStart, ChargePeriodEnd, ChargeCategory, ChargeClass, ChargeDescription, ChargeFrequency, ServiceName,
  ServiceCategory, RegionId, RegionName, AvailabilityZone, ResourceId, ResourceName, ResourceType, BilledCost, EffectiveCost, ContractedCost,
  ListCost, BillingCurrency, ListUnitPrice, ContractedUnitPrice, PricingQuantity, PricingUnit, PricingCategory, ConsumedQuantity, ConsumedUnit,
  SkuId, SkuPriceId, CommitmentDiscountId, CommitmentDiscountType`
const own = 'x_OrgId, x_CloudAccountId, x_BillingPeriod, x_ExportId, x_Day, x_LineId, x_Version'

const decimals = /Cost$|UnitPrice$|Quantity$/
const structure = [...columns.replace('ServiceProviderName', 'ProviderName').split(/,\s*/), 'Tags']
  .map(
    (name) =>
      `${name} ${decimals.test(name) ? 'Decimal(38, 14)' : name.includes('Period') ? 'DateTime' : 'Nullable(String)'}`,
  )
  .join(', ')

/** An engine of its own, because the service reads and writes no files. */
const engine = new Session(path.join(folder, 'engine'))
const [table] = await (
  await clickhouse.query({ query: 'SHOW CREATE TABLE bill_line', format: 'JSONEachRow' })
).json<{ statement: string }>()
engine.query(table!.statement.replace(/CREATE TABLE \S+/, 'CREATE TABLE bill_line'))

for (const kind of kinds) {
  const file = path.join(folder, `bill.${kind}`)
  engine.query(
    `SET param_count = ${rows}, param_perDay = ${Math.ceil(rows / 31)}, date_time_output_format = 'iso',
      output_format_parquet_compression_method = 'zstd', max_partitions_per_insert_block = 0, date_time_input_format = 'best_effort'`,
  )
  engine.query(`${focusBill} INTO OUTFILE '${file}' FORMAT ${formats[kind]}`)
  const ceiling = await seconds(async () =>
    engine.query(`INSERT INTO bill_line (${own}, ${columns}, Tags)
      SELECT 'bench', 'ceiling', '2026-01', '${kind}', toDate32(ChargePeriodStart), concat(toString(toDate32(ChargePeriodStart)), '/', lower(hex(cityHash64(ResourceId)))),
        rowNumberInAllBlocks(), ${columns.replace('ServiceProviderName', 'ProviderName')}, CAST(JSONExtract(assumeNotNull(Tags), 'Map(String, String)'), 'Map(String, String)')
      FROM file('${file}', '${formats[kind]}', '${structure}')`),
  )
  const { stored, shown, here, there } = await deliver(file, kind)
  const size = `${(statSync(file).size / 2 ** 20).toFixed(0)} MiB`
  say(
    `${kind}, ${size}: ${figure(rows / stored)} rows/s, ${figure((here * 1e6) / rows)} us of CPU a row here and ${figure((there * 1e6) / rows)} in its ClickHouse; ClickHouse alone ${figure(rows / ceiling)} rows/s: ratio ${figure(ceiling / stored)}; in reports ${figure(shown)} s after the last line; peak ${figure(process.resourceUsage().maxRSS / 1024)} MiB`,
  )
}
engine.close()
await end()
await set.close()
rmSync(folder, { recursive: true })

async function deliver(file: string, cloudAccountId: string) {
  const sender = new Sender(product.get(tokens.publisher), randomUUID)
  const bill = { id: randomUUID(), at: new Date().toISOString(), orgId, cloudAccountId, hiddenUntilEnd: true }
  const lines = new LineStore(
    linePorts(connections, orgId, (event) => sender.last(event)),
    bill,
  )
  const sent = new SentPeriods()
  const before = process.cpuUsage()
  const beforeThere = cpuSeconds(set.stores.clickhouse.pid())
  const stored = await seconds(async () => {
    const options = {
      format: 'auto',
      accountId: cloudAccountId,
      rates: {},
      exportedAt: new Date(),
      byPeriod: true,
    } as const
    const opened = await openBillingFile(file, { ...options, ids: new LineIds() })
    await opened.into({
      begin: (own) => lines.begin(own),
      takeSame(template, own) {
        sent.add(own.period, { x_Day: own.day }, own.isNew)
        lines.takeSame(template, own)
      },
      take(reading) {
        if ('refused' in reading) throw new Error(reading.refused.message)
        sent.add(reading.period, reading.cost, reading.isNew)
        lines.take(reading)
      },
      pause: () => lines.pause(),
    })
    await lines.flush()
  })
  const { user, system } = process.cpuUsage(before)
  const there = cpuSeconds(set.stores.clickhouse.pid()) - beforeThere
  const shown = await seconds(async () => {
    for (const data of endsOf(bill, cloudAccountId, sent.periods(), { confirmed: false, someDays: false }))
      await sender.last({ subject: billingExportEnded, orgId, data })
    await waitUntilSettled(connections, orgId, sender.lanes, () => {})
  })
  return { stored, shown, here: (user + system) / 1e6, there }
}
