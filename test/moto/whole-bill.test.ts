// tier: deep
/** Bills that AWS writes into S3, to the cent in the reports; a later version stands in place of the one before. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { newestDay } from '#actors/billing/days.ts'
import { firstOf, monthOf } from '#engine/value/day.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { until } from '#test/harness/product.ts'
import { csv } from '#test/streams/billing/reading.ts'
import { owning, region } from './account.ts'
import { connected, type Connected } from './connected.ts'

const newest = newestDay(new Date())
const first = firstOf(monthOf(newest))
const month = monthOf(newest)

const curRow = (id: string, service: string, cost: string, day = newest) => ({
  'identity/LineItemId': id,
  'identity/TimeInterval': `${day}T00:00:00Z/${day}T01:00:00Z`,
  'bill/BillingPeriodStartDate': `${first}T00:00:00Z`,
  'lineItem/LineItemType': 'Usage',
  'lineItem/UsageStartDate': `${day}T00:00:00Z`,
  'lineItem/UsageEndDate': `${day}T01:00:00Z`,
  'lineItem/ProductCode': service,
  'lineItem/ResourceId': `i-${id}`,
  'lineItem/UnblendedCost': cost,
  'lineItem/CurrencyCode': 'USD',
})

const focusRow = (resource: string, service: string, cost: string) => ({
  BilledCost: cost,
  EffectiveCost: cost,
  BillingCurrency: 'USD',
  BillingPeriodStart: `${first}T00:00:00Z`,
  ChargePeriodStart: `${newest}T00:00:00Z`,
  ChargePeriodEnd: `${newest}T01:00:00Z`,
  ChargeCategory: 'Usage',
  ServiceName: service,
  ProviderName: 'AWS',
  ResourceId: resource,
})

describeMoto('the bill of an account of AWS', (moto) => {
  let org: Connected | undefined
  beforeEach(async () => {
    await moto().reset()
    await owning(moto(), (s) => s.ask('s3', region, (m) => new m.CreateBucketCommand({ Bucket: 'bills' })))
  })
  afterEach(async () => {
    await org?.end()
    org = undefined
  })

  const put = (Key: string, Body: string | Buffer) =>
    owning(moto(), (s) => s.ask('s3', region, (m) => new m.PutObjectCommand({ Bucket: 'bills', Key, Body })))
  const version = async (assembly: string, parts: readonly Record<string, string>[][]) => {
    const folder = `prod/daily/${month.replace('-', '')}01-99991231`
    const reportKeys = parts.map((_, index) => `${folder}/${assembly}/daily-${index + 1}.csv.gz`)
    for (const [index, part] of parts.entries()) await put(reportKeys[index]!, gzipSync(csv(...part)))
    const manifest = JSON.stringify({ assemblyId: assembly, bucket: 'bills', compression: 'GZIP', reportKeys })
    await put(`${folder}/${assembly}/daily-Manifest.json`, manifest)
    await put(`${folder}/daily-Manifest.json`, manifest)
  }
  const focus = async (rows: readonly Record<string, string>[]) => {
    const data = `focus/mine/data/BILLING_PERIOD=${month}/mine-00001.csv.gz`
    await put(data, gzipSync(csv(...rows)))
    const manifest = JSON.stringify({ exportName: 'mine', dataFiles: [`s3://bills/${data}`] })
    await put(`focus/mine/metadata/BILLING_PERIOD=${month}/mine-Manifest.json`, manifest)
  }
  const open = async (kind: string, location: string) =>
    (org = await connected(moto(), { regions: [region], billingExport: { kind, location } }))
  const breakdown = async (of: Connected) => {
    const path = `/reports/costs/breakdown?dims=service_name&from=${first}&to=${newest}&filter[cloud_account_id]=${of.accountId}`
    const { nodes, totalUSD } = await of.data(path)
    return { totalUSD, ...Object.fromEntries(nodes.map(({ label, id, valueUSD }: any) => [label ?? id, valueUSD])) }
  }
  const becomes = async (of: Connected, totalUSD: number) => {
    await until(`a bill of ${totalUSD}`, async () => (await breakdown(of)).totalUSD === totalUSD)
    return breakdown(of)
  }
  const sync = async (of: Connected) => {
    const [entry] = await of.data('/billing/sync-status')
    return [entry.status, entry.message]
  }

  it('is read of a cost and usage report of several files, and replaced by its second version', async () => {
    await version('20260101T000000Z', [
      [curRow('a', 'AmazonEC2', '1.2345'), curRow('b', 'AmazonEC2', '2.0005', first)],
      [curRow('c', 'AmazonS3', '0.3350')],
    ])
    const of = await open('cur', 's3://bills/prod')
    expect(await becomes(of, 3.57)).to.deep.equal({ totalUSD: 3.57, AmazonEC2: 3.235, AmazonS3: 0.335 })
    // Line c is gone, a has another price, and d is new.
    await version('20260102T000000Z', [
      [curRow('a', 'AmazonEC2', '1.5'), curRow('b', 'AmazonEC2', '2.0005', first)],
      [curRow('d', 'AmazonRDS', '10.10')],
    ])
    await of.job('billing-sync')
    expect(await becomes(of, 13.6)).to.deep.equal({ totalUSD: 13.6, AmazonEC2: 3.5005, AmazonRDS: 10.1 })
    await until('its end', async () => (await sync(of))[0] === 'ok')
    expect(await sync(of)).to.deep.equal(['ok', undefined])
    // Read again it is what it was.
    await of.job('billing-sync')
    expect((await breakdown(of)).totalUSD).to.equal(13.6)
  })

  it('is read of an export of FOCUS, which AWS writes over', async () => {
    await focus([focusRow('i-1', 'Amazon EC2', '4.01'), focusRow('pictures', 'Amazon S3', '0.99')])
    const of = await open('focus', 's3://bills/focus')
    expect(await becomes(of, 5)).to.deep.equal({ totalUSD: 5, 'Amazon EC2': 4.01, 'Amazon S3': 0.99 })
    await focus([focusRow('i-1', 'Amazon EC2', '4.02'), focusRow('pictures', 'Amazon S3', '0.99')])
    await of.job('billing-sync')
    expect(await becomes(of, 5.01)).to.deep.equal({ totalUSD: 5.01, 'Amazon EC2': 4.02, 'Amazon S3': 0.99 })
  })

  it('is read of Parquet, and stays as it is while a file that the manifest names is missing', async () => {
    const fixture = new URL('../streams/billing/fixtures/focus-plain.parquet', import.meta.url)
    const parquet = Buffer.from(readFileSync(fixture, 'latin1').replaceAll('2026-10', month), 'latin1')
    const key = (index: number) => `focus/mine/data/BILLING_PERIOD=${month}/mine-0000${index}.parquet`
    const naming = (...keys: string[]) =>
      put(`focus/mine/metadata/BILLING_PERIOD=${month}/mine-Manifest.json`, JSON.stringify({ dataFiles: keys }))
    await put(key(1), parquet)
    await naming(key(1))
    const of = await open('focus', 's3://bills/focus')
    const costs = { totalUSD: 12.63, Machines: 12.5, Storage: 0.12500000000001 }
    expect(await becomes(of, 12.63)).to.deep.equal(costs)
    await until('its end', async () => (await sync(of))[0] === 'ok')
    await naming(key(1), key(2))
    await of.job('billing-sync')
    await of.reached('the failure', async () => (await sync(of))[0] === 'failed')
    expect((await sync(of))[1]).to.contain(`${key(2)} listed in `)
    expect(await breakdown(of)).to.deep.equal(costs)
  })

  it('is not read of a place where there is none, which its status says', async () => {
    const of = await open('cur', 's3://bills/none')
    await until('the failure', async () => (await sync(of))[0] === 'failed')
    expect((await sync(of))[1]).to.equal('No export manifest found under s3://bills/none.')
  })
})
