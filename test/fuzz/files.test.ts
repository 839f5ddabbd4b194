import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { openMetricFile } from '#streams/metric/reader.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { openResourceFile } from '#streams/resource/reader.ts'
import type { RowStream } from '#streams/billing/file/source.ts'
import { damage, oddTexts, spoiled, tear, torn } from '#test/fuzz/hostile.ts'
import { amount } from '#test/harness/tier.ts'
import { bytes, csv, exportedAt } from '#test/streams/billing/reading.ts'

const focus = {
  BilledCost: '0.1',
  ChargePeriodStart: '2026-01-15T00:00:00Z',
  ProviderName: 'AWS',
  BillingCurrency: 'USD',
  ResourceId: 'i-1',
  Tags: '{"env":"prod"}',
}
const aws = {
  'lineItem/UnblendedCost': '0.5',
  'lineItem/UsageStartDate': '2026-01-15T00:00:00Z',
  'lineItem/LineItemType': 'Usage',
  'lineItem/ResourceId': 'i-1',
  'resourceTags/user:env': 'prod',
}
const azure = {
  CostInBillingCurrency: '1.5',
  Date: '01/15/2026',
  SubscriptionId: 's-1',
  ResourceId: '/vm/1',
  Tags: '"a": "b"',
}
const gcp = {
  cost: 1.25,
  usage_start_time: '2026-01-15 00:00:00 UTC',
  service: { description: 'Compute Engine' },
  labels: [{ key: 'env', value: 'prod' }],
  currency: 'USD',
}
const metric = { resource_uid: 'i-1', metric: 'cpu_percent', ts: '2026-01-15T10:00:00Z', value: '12.5' }
const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n')
const odd = oddTexts.map((text) => ({ ...focus, ResourceId: text }))

const parquet = (name: string) => readFileSync(new URL(`../streams/billing/fixtures/${name}.parquet`, import.meta.url))

/** A good file of every kind that is read. */
const files: (string | Buffer)[] = [
  Buffer.from(`\uFEFF${csv(focus, focus)}`, 'utf16le'),
  ...['focus.zstd', 'gcp.gzip', 'codec-snappy', 'codec-lz4'].map(parquet),
  csv(focus, { ...focus, BillingCurrency: 'CAD' }, ...odd),
  csv(aws, aws),
  csv(azure, azure),
  lines(gcp, gcp),
  JSON.stringify([focus, gcp, focus]),
  csv(metric, metric),
  lines(...metricSample.examples, { type: 'metric.sample', data: metricSample.examples[0] }),
  csv({ resource_uid: 'i-1', type: 'aws-ec2', provider: 'aws', tags: '{"a":"b"}', sizeGB: '8' }),
  lines(...resourceDiscovered.examples),
  JSON.stringify(resourceDiscovered.examples),
]

/** Parquet is put into a file first: in pieces of a byte that takes long, and shows nothing. */
const streamed = (content: Buffer, size: number) =>
  bytes(content, content.toString('latin1', 0, 3) === 'PAR' ? 65_536 : size)

const readers: Record<string, (content: Buffer, size: number) => Promise<RowStream<object>>> = {
  billing: (content, size) =>
    openBillingFile(streamed(content, size), {
      format: 'auto',
      accountId: 'acct-1',
      rates: { CAD: '0.73' },
      exportedAt,
      ids: new LineIds(),
    }),
  metric: (content, size) => openMetricFile(streamed(content, size)),
  resource: (content, size) => openResourceFile(streamed(content, size), { accountId: 'acct-1' }),
}

/** Milliseconds in which a small file is read to its end. */
const hungMs = 5000

/** What a reader comes to: its refusals' codes, or the code of the fault that it threw. @throws anything else it threw */
async function outcome(opening: Promise<RowStream<object>>): Promise<string[]> {
  const codes: string[] = []
  try {
    for await (const row of (await opening).rows) {
      const { refused } = row as { refused?: { code: string; message: string } }
      if (refused) codes.push(refused.code)
    }
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'invalid') throw error
    codes.push(error.code)
  }
  return codes
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`still reading after ${hungMs} ms`)), hungMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** A good file with bytes spoiled, before or after it was zipped. */
const content = fc
  .record({
    file: fc.constantFrom(...files),
    tears: fc.array(tear, { minLength: 1, maxLength: 4 }),
    zip: fc.constantFrom('no', 'no', 'before', 'after'),
  })
  .map(({ file, tears, zip }) => {
    if (zip === 'before') return torn(gzipSync(file), tears)
    const damaged = torn(Buffer.from(file as string), tears)
    return zip === 'after' ? gzipSync(damaged) : damaged
  })

/** JSON whose values are spoiled and whose text is not. */
const values = fc
  .tuple(
    fc.constantFrom<unknown>(focus, aws, gcp, ...metricSample.examples, ...resourceDiscovered.examples),
    fc.array(damage, { minLength: 1, maxLength: 3 }),
    fc.boolean(),
  )
  .map(([value, damages, many]) => {
    const one = JSON.stringify(spoiled(value, damages)) ?? ''
    return Buffer.from(many ? `[${one},${one}]` : `${one}\n${one}\n`)
  })

describe('generated files', () => {
  for (const [name, read] of Object.entries(readers)) {
    it(`of any content are read to their end by the ${name} reader, or refused with a code [STREAM-04]`, async function () {
      this.timeout(amount(120_000, 120_000, 3_600_000))
      await fc.assert(
        fc.asyncProperty(fc.oneof(content, values), fc.constantFrom(1, 7, 64, 65_536), async (given, size) => {
          for (const code of await inTime(outcome(read(given, size)))) expect(code).to.match(/^[a-z_]+$/)
        }),
        { numRuns: amount(100, 1500, 150_000) },
      )
    })
  }
})
