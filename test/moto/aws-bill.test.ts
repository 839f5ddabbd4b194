// tier: deep
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Fault } from '#engine/value/fault.ts'
import { bill } from '#streams/cloud/aws/bill/bill.ts'
import { checkRefusals } from '#streams/cloud/bill/fault.ts'
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import { objectsInS3 } from '#streams/cloud/aws/bill/prefix.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { bucketOf } from '#streams/cloud/connector.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { csv } from '#test/streams/billing/reading.ts'
import { account, collected, owning, region } from './account.ts'

const curRow = (id: string, day: string, cost: string) => ({
  'identity/LineItemId': id,
  'identity/TimeInterval': `${day}T00:00:00Z/${day}T01:00:00Z`,
  'bill/BillingPeriodStartDate': '2026-03-01T00:00:00Z',
  'bill/BillingPeriodEndDate': '2026-04-01T00:00:00Z',
  'lineItem/LineItemType': 'Usage',
  'lineItem/UsageStartDate': `${day}T00:00:00Z`,
  'lineItem/UsageEndDate': `${day}T01:00:00Z`,
  'lineItem/ProductCode': 'AmazonEC2',
  'lineItem/ResourceId': `i-${id}`,
  'lineItem/UnblendedCost': cost,
  'lineItem/CurrencyCode': 'USD',
})

const focusRow = (resource: string, day: string, cost: string) => ({
  BilledCost: cost,
  EffectiveCost: cost,
  BillingCurrency: 'USD',
  BillingPeriodStart: '2026-03-01T00:00:00Z',
  ChargePeriodStart: `${day}T00:00:00Z`,
  ChargePeriodEnd: `${day}T01:00:00Z`,
  ChargeCategory: 'Usage',
  ServiceName: 'Amazon S3',
  ProviderName: 'AWS',
  ResourceId: resource,
})

describeMoto('bills of AWS in S3', (moto) => {
  beforeEach(async () => {
    await moto().reset()
    await owning(moto(), (s) => s.ask('s3', region, (m) => new m.CreateBucketCommand({ Bucket: 'bills' })))
  })

  const put = (Key: string, body: string | Buffer | object) => {
    const Body = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    return owning(moto(), (s) => s.ask('s3', region, (m) => new m.PutObjectCommand({ Bucket: 'bills', Key, Body })))
  }
  const at = (location: string): CloudAccount => ({ ...account, billingExport: { kind: 'cur', location } })
  const read = async (location: string, from: string, to: string) => {
    const refusals = new BillRefusals()
    const pages = await collected(bill(moto().options, at(location), { from, to, refusals }))
    checkRefusals(refusals)
    return pages.flat().map(({ lineId, ResourceId, BilledCost }) => [lineId, ResourceId, BilledCost])
  }
  const fails = (location: string) =>
    read(location, '2026-03-01', '2026-03-31').then(
      () => 'nothing',
      (error: unknown) => `${bucketOf(error)} ${(error as Fault).code}: ${(error as Fault).message}`,
    )

  const month = 'prod/daily/20260301-20260401'
  const version = async (assembly: string, rows: Record<string, string>[][]) => {
    const reportKeys = rows.map((_, index) => `${month}/${assembly}/daily-${index + 1}.csv.gz`)
    for (const [index, part] of rows.entries()) await put(reportKeys[index]!, gzipSync(csv(...part)))
    const manifest = { assemblyId: assembly, bucket: 'bills', compression: 'GZIP', reportKeys }
    await put(`${month}/${assembly}/daily-Manifest.json`, manifest)
    await put(`${month}/daily-Manifest.json`, manifest)
  }

  it('reads the newest version of a report that keeps its versions, all of its files, within the days', async () => {
    await version('20260310T000000Z', [[curRow('a', '2026-03-05', '1.25')]])
    await version('20260312T000000Z', [
      [curRow('a', '2026-03-05', '1.50'), curRow('b', '2026-03-11', '2')],
      [curRow('c', '2026-03-06', '0.10'), curRow('d', '2026-02-27', '-3')],
    ])
    expect(await read('s3://bills/prod', '2026-03-01', '2026-03-10')).to.deep.equal([
      ['2026-03-05/a/2026-03-05T00:00:00Z/2026-03-05T01:00:00Z', 'i-a', '1.50'],
      ['2026-03-06/c/2026-03-06T00:00:00Z/2026-03-06T01:00:00Z', 'i-c', '0.10'],
      ['2026-02-27/d/2026-02-27T00:00:00Z/2026-02-27T01:00:00Z', 'i-d', '-3'],
    ])
    expect((await read('s3://bills/prod/daily/', '2026-03-11', '2026-03-31')).map(([, id]) => id)).to.deep.equal([
      'i-b',
    ])
    expect(await read('s3://bills/prod', '2026-04-01', '2026-04-30')).to.deep.equal([])
  })

  it('reads an export of FOCUS that is written over', async () => {
    const data = 'out/focus/data/BILLING_PERIOD=2026-03/focus-00001.csv.gz'
    const write = async (cost: string) => {
      await put(data, gzipSync(csv(focusRow('pictures', '2026-03-02', cost))))
      const manifest = { exportName: 'focus', dataFiles: [`s3://bills/${data}`] }
      await put('out/focus/metadata/BILLING_PERIOD=2026-03/focus-Manifest.json', manifest)
    }
    await write('4')
    const [first] = await read('s3://bills/out', '2026-03-01', '2026-03-31')
    await write('5')
    expect(await read('s3://bills/out', '2026-03-01', '2026-03-31')).to.deep.equal([[first![0], 'pictures', '5']])
    expect(first!.slice(1)).to.deep.equal(['pictures', '4'])
  })

  it('reads an export in Parquet, and one in a zip archive', async () => {
    const fixture = (name: string) => readFileSync(new URL(`../streams/billing/fixtures/${name}`, import.meta.url))
    const data = 'out/cur2/data/BILLING_PERIOD=2026-10/cur2-00001.snappy.parquet'
    await put(data, fixture('cur2.snappy.parquet'))
    await put('out/cur2/metadata/BILLING_PERIOD=2026-10/cur2-Manifest.json', { dataFiles: [`s3://bills/${data}`] })
    expect(await read('s3://bills/out/', '2026-10-01', '2026-10-31')).to.deep.equal([
      ['2026-10-02/li-1', 'i-1', '1.25'],
      ['2026-10-03/li-2', 'i-2', '0.0000001'],
    ])
    await put('zipped/z/20261001-20261101/z-1.csv.zip', fixture('bills.zip'))
    await put('zipped/z/20261001-20261101/z-Manifest.json', { reportKeys: ['zipped/z/20261001-20261101/z-1.csv.zip'] })
    const costs = (await read('s3://bills/zipped', '2026-10-01', '2026-10-31')).map(([, , cost]) => cost)
    expect(costs).to.deep.equal([3, '0.10000000000001', '0.2', '5', '1', '2'])
  })

  it('keeps what is said of whole files and of rows, of each version alike', async () => {
    const key = 'w/w/20260301-20260401/w-1.csv.gz'
    const rows = csv(
      { ...curRow('a', '2026-03-05', '1.25'), 'lineItem/LineItemDescription': 'Gr\u00f6\u00dfe' },
      { ...curRow('b', '2026-03-06', '2.5'), 'lineItem/UsageAmount': 'many' },
    )
    await put(key, gzipSync(Buffer.from(rows, 'latin1')))
    await put('w/w/20260301-20260401/w-Manifest.json', { reportKeys: [key] })
    for (let times = 0; times < 2; times++) {
      const refusals = new BillRefusals()
      const days = { from: '2026-03-01', to: '2026-03-31', refusals }
      const lines = (await collected(bill(moto().options, at('s3://bills/w'), days))).flat()
      expect(lines.map(({ BilledCost, ChargeDescription }) => [BilledCost, ChargeDescription])).to.deep.equal([
        ['1.25', 'Gr\u00f6\u00dfe'],
        ['2.5', undefined],
      ])
      const warned = refusals.warnings.list('2026-03').map(({ code, count, first }) => [code, count, first])
      expect(warned).to.deep.equal([
        ['encoding_windows_1252', 1, [{ file: key }]],
        ['cell_left_out', 1, [{ file: key, row: 3 }]],
      ])
    }
  })

  it('is listed below a prefix for who reads it by hand', async () => {
    await put('oct/a.csv', 'a\n1\n')
    await put('oct/b/c.csv', 'c\n')
    await put('nov/a.csv', 'n\n')
    const found = await objectsInS3(moto().options, account, 's3://bills/oct/')
    expect(found.map(({ key }) => key)).to.deep.equal(['oct/a.csv', 'oct/b/c.csv'])
    expect(await text(await found[0]!.open())).to.equal('a\n1\n')
  })

  it('says what is wrong with a place: no export, several, parts that are missing, rows that are none', async () => {
    expect(await fails('bills/prod')).to.match(/^user_action billing_export_invalid/)
    expect(await fails('s3://bills/prod')).to.match(/^user_action bill_not_there/)
    expect(await fails('s3://not-there-at-all/prod')).to.match(/^user_action not_found/)
    const manifest = 'x/q/metadata/BILLING_PERIOD=2026-03/q-Manifest.json'
    await put(manifest, { dataFiles: ['s3://bills/x/q/data/BILLING_PERIOD=2026-03/q-00001.snappy.parquet'] })
    expect(await fails('s3://bills/x')).to.equal(
      `transient bill_replaced: x/q/data/BILLING_PERIOD=2026-03/q-00001.snappy.parquet listed in ${manifest} is missing.`,
    )
    await put('x/p/metadata/BILLING_PERIOD=2026-03/p-Manifest.json', { dataFiles: [] })
    expect(await fails('s3://bills/x')).to.match(/Several exports found under s3:\/\/bills\/x: x\/p\/, x\/q\//)
    const euro = { ...focusRow('pictures', '2026-03-02', '1'), BillingCurrency: 'EUR' }
    await put('e/e/data/e.csv', csv(euro))
    await put('e/e/metadata/BILLING_PERIOD=2026-03/e-Manifest.json', { dataFiles: ['e/e/data/e.csv'] })
    expect(await fails('s3://bills/e')).to.match(
      /^user_action bill_unreadable: 1 row rejected, .*First: e\/e\/data\/e.csv, line 2: .*EUR/,
    )
  })

  it('reads a file of many ranges whole', async function () {
    this.timeout(180_000)
    const rows = Array.from({ length: 60_000 }, (_, index) => curRow(`n${index}`, '2026-03-05', '0.01'))
    await put(`${month}/daily-1.csv`, csv(...rows))
    await put(`${month}/daily-Manifest.json`, { reportKeys: [`/${month}/daily-1.csv`] })
    const found = await read('s3://bills/prod', '2026-03-01', '2026-03-31')
    expect([found.length, found.at(-1)?.[1]]).to.deep.equal([60_000, 'i-n59999'])
  })

  it('asks Cost Explorer where there is no export', async () => {
    const result = {
      TimePeriod: { Start: '2026-03-02', End: '2026-03-03' },
      Estimated: true,
      Groups: [
        {
          Keys: ['Amazon S3'],
          Metrics: { UnblendedCost: { Amount: '1.5', Unit: 'USD' }, AmortizedCost: { Amount: '1.25', Unit: 'USD' } },
        },
        { Keys: ['AWS Glue'], Metrics: { UnblendedCost: { Amount: '0', Unit: 'USD' } } },
      ],
    }
    await fetch(`${moto().url}/moto-api/static/ce/cost-and-usage-results`, {
      method: 'POST',
      body: JSON.stringify({ results: [{ ResultsByTime: [result], DimensionValueAttributes: [] }] }),
    })
    expect(
      await collected(
        bill(moto().options, account, {
          from: '2026-03-02',
          to: '2026-03-02',
          refusals: new BillRefusals(),
        }),
      ),
    ).to.deep.equal([
      [
        {
          lineId: '2026-03-02/cost-explorer/Amazon S3',
          cloudAccountId: 'acct-1',
          provider: 'aws',
          source: 'estimate',
          ServiceName: 'Amazon S3',
          ServiceProviderName: 'AWS',
          HostProviderName: 'AWS',
          SubAccountId: '123456789012',
          BilledCost: '1.5',
          EffectiveCost: '1.25',
          BillingCurrency: 'USD',
          ChargeCategory: 'Usage',
          ChargeDescription: 'Amazon S3, by Cost Explorer',
          ChargePeriodStart: '2026-03-02T00:00:00Z',
          ChargePeriodEnd: '2026-03-03T00:00:00Z',
        },
      ],
    ])
  })
})
