import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { sum } from '#engine/value/decimal.ts'
import type { Fault } from '#engine/value/fault.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { checkRefusals } from '#streams/cloud/bill/fault.ts'
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { bill } from '#streams/cloud/gcp/bill/bill.ts'
import { csv } from '#test/streams/billing/reading.ts'
import { account, fails, farGoogle, type FarGoogle } from './far-google.ts'
import { farStorage, type Stored } from './far-storage.ts'

const billed = (location: string): CloudAccount => ({ ...account, billingExport: { kind: 'storage', location } })
const fixture = (name: string) => readFileSync(new URL(`../../billing/fixtures/${name}`, import.meta.url))

/** A row of a FOCUS bill. */
const focus = (day: string, cost: string, more: Record<string, string> = {}) => ({
  BilledCost: cost,
  EffectiveCost: cost,
  BillingCurrency: 'USD',
  BillingPeriodStart: `${day.slice(0, 7)}-01T00:00:00Z`,
  ChargePeriodStart: `${day}T05:00:00Z`,
  ChargePeriodEnd: `${day}T06:00:00Z`,
  ChargeCategory: 'Usage',
  ServiceName: 'Compute Engine',
  ProviderName: 'Google Cloud',
  ResourceId: `r-${day}-${cost}`,
  ...more,
})
const file = (...rows: Record<string, string>[]): Buffer => Buffer.from(csv(...rows))
const march = 'focus/BILLING_PERIOD=2026-03'

describe('bills of Google Cloud in Cloud Storage', () => {
  let far: FarGoogle
  let refusals: BillRefusals
  beforeEach(() => void (refusals = new BillRefusals()))
  afterEach(() => far.close())

  const read = async (
    objects: Readonly<Record<string, Stored>>,
    { location = 'gs://shop-bills/', month = '2026-03' } = {},
  ): Promise<BillingLine[]> => {
    far = await farGoogle(farStorage(objects))
    const days = { from: `${month}-01`, to: `${month}-31`, refusals }
    const pages = await Array.fromAsync(bill(far.options, billed(location), days))
    checkRefusals(refusals)
    return pages.flat()
  }
  const total = (lines: readonly BillingLine[]) => sum(lines.map(({ BilledCost }) => String(BilledCost)))
  const warned = () => refusals.warnings.list('2026-03').map(({ code, count, first }) => [code, count, first[0]!.file])

  it('are all files below the prefix: parts, plain and gzipped, each once, and delivered again the same lines', async () => {
    const second = file(focus('2026-03-02', '2.5'))
    const objects = {
      [`${march}/part-0.csv`]: { bytes: file(focus('2026-03-01', '1.25'), focus('2026-03-01', '0.25')) },
      [`${march}/part-1.csv`]: { bytes: second },
      [`${march}/part-1.csv.gz`]: { bytes: gzipSync(second) },
      [`${march}/_SUCCESS`]: { bytes: Buffer.alloc(0) },
      [`focus/BILLING_PERIOD=2026-02/part-0.csv`]: { bytes: file(focus('2026-02-01', '70')) },
      'other/part-0.csv': { bytes: file(focus('2026-03-01', '900')) },
    }
    const lines = await read(objects, { location: 'gs://shop-bills/focus/' })
    expect([lines.length, total(lines)]).to.deep.equal([3, '4'])
    expect(warned()).to.deep.equal([
      ['file_skipped', 1, `${march}/_SUCCESS`],
      ['file_duplicate', 1, `${march}/part-1.csv.gz`],
    ])
    await far.close()
    const again = await read(objects, { location: 'gs://shop-bills/focus/' })
    expect(again.map(({ lineId }) => lineId)).to.deep.equal(lines.map(({ lineId }) => lineId))
    await far.close()
    const february = await read(objects, { location: 'gs://shop-bills/focus/', month: '2026-02' })
    expect(total(february)).to.equal('70')
  })

  it('are those that the newest manifest of a month names; while one is missing nothing is read of that month', async () => {
    const manifest = (...names: string[]) => ({
      bytes: Buffer.from(JSON.stringify({ dataFiles: names.map((name) => `gs://shop-bills/${name}`) })),
    })
    const of = (month: string, run: string) => `daily/${month}01-${month}28/${run}`
    const objects: Record<string, Stored> = {
      [`${of('202603', 'run-1')}/focus-Manifest.json`]: {
        ...manifest(`${of('202603', 'run-1')}/0.csv`),
        at: '2026-03-10T00:00:00Z',
      },
      [`${of('202603', 'run-1')}/0.csv`]: { bytes: file(focus('2026-03-01', '99')) },
      [`${of('202603', 'run-2')}/focus-Manifest.json`]: {
        ...manifest(`${of('202603', 'run-2')}/0.csv`, `${of('202603', 'run-2')}/1.csv.gz`),
        at: '2026-03-11T00:00:00Z',
      },
      [`${of('202603', 'run-2')}/0.csv`]: { bytes: file(focus('2026-03-01', '3')) },
      [`${of('202603', 'run-2')}/1.csv.gz`]: { bytes: gzipSync(file(focus('2026-03-02', '0.14'))) },
      [`${of('202602', 'run-1')}/focus-Manifest.json`]: manifest(`${of('202602', 'run-1')}/0.csv`),
      [`${of('202602', 'run-1')}/0.csv`]: { bytes: file(focus('2026-02-01', '7')) },
    }
    expect(total(await read(objects))).to.equal('3.14')
    expect(warned()).to.deep.equal([])
    await far.close()
    delete objects[`${of('202603', 'run-2')}/1.csv.gz`]
    const error = await read(objects).catch((caught: unknown) => caught as Fault)
    expect([(error as Fault).code, (error as Fault).message]).to.deep.equal([
      'bill_replaced',
      `${of('202603', 'run-2')}/focus-Manifest.json lists a missing file: ${of('202603', 'run-2')}/1.csv.gz.`,
    ])
    await far.close()
    expect(total(await read(objects, { month: '2026-02' }))).to.equal('7')
    await far.close()
    expect(await read(objects, { month: '2026-01' })).to.deep.equal([])
  })

  it('may be Parquet and archives of several months, of which those of the month are taken', async () => {
    const objects = {
      'all/gcp.parquet': { bytes: fixture('gcp.gzip.parquet') },
      'all/bills.zip': { bytes: fixture('bills.zip') },
      'all/more.csv': { bytes: file(focus('2026-09-30', '1000'), focus('2026-10-04', '0.5')) },
    }
    // 2 and 0.000000001 of Parquet; 3, 0.10000000000001, 0.2, 5, 1 and 2 of the archive.
    const lines = await read(objects, { month: '2026-10' })
    expect([lines.length, total(lines)]).to.deep.equal([9, '13.80000000100001'])
    await far.close()
    expect(total(await read(objects, { month: '2026-09' }))).to.equal('1000')
  })

  it('move the fee of a commitment to what used it, in whichever part that is, under the name of the inventory', async () => {
    const row = (cost: number, description: string, more: object) =>
      `${JSON.stringify({
        billing_account_id: '01',
        service: { id: 's', description: 'Compute Engine' },
        sku: { id: 'X', description },
        usage_start_time: '2026-03-07 10:00:00 UTC',
        usage_end_time: '2026-03-07 11:00:00 UTC',
        project: { id: 'shop-prod', name: 'Shop' },
        location: { region: 'europe-west3' },
        cost,
        currency: 'USD',
        currency_conversion_rate: 1,
        invoice: { month: '202603' },
        cost_type: 'regular',
        ...more,
      })}\n`
    const credits = [{ name: 'CUD: CPU', amount: -10, type: 'COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE' }]
    const resource = { name: 'vm-c', global_name: '//compute.googleapis.com/projects/123/zones/z/instances/987' }
    const use = row(10, 'N2 Instance Core', { credits, resource })
    const fee = row(6, 'Commitment - dollar based v1: GCE for 1 year', { credits: [] })
    const lines = await read({
      'march/0.json.gz': { bytes: gzipSync(use) },
      'march/1.json': { bytes: Buffer.from(fee) },
      'march/schema.json': { bytes: Buffer.from('{"fields": []}') },
    })
    expect(
      lines.map(({ ResourceId, BilledCost, EffectiveCost }) => [ResourceId, BilledCost, EffectiveCost]),
    ).to.deep.equal([
      ['projects/shop-prod/zones/z/instances/vm-c', '0', '6'],
      [undefined, 6, '0'],
    ])
    expect(warned()).to.deep.equal([['file_skipped', 1, 'march/schema.json']])
  })

  it('leave out a bad cell, and a row that has no amount where it is of another month or of at most a thousandth', async () => {
    const bad = [focus('2026-03-01', '999.5'), focus('2026-03-02', '0.5', { Tags: '{"team": "we' })]
    const none = [focus('2026-02-01', 'much'), focus('2026-02-02', '4')]
    const objects = { 'all/bill.csv': { bytes: file(...bad, ...none) } }
    expect(total(await read(objects))).to.equal('1000')
    expect([refusals.told, warned()]).to.deep.equal([undefined, [['tags_left_out', 1, 'all/bill.csv']]])
    await far.close()
    refusals = new BillRefusals()
    expect(await fails(read(objects, { month: '2026-02' }))).to.equal('user_action bill_unreadable')
    expect(refusals.told).to.match(/^1 row rejected, 4\.00 of 8\.00 USD\. First: all\/bill\.csv, line 4: /)
  })

  it('are read as they are stored, whatever their encoding, and later where one is written meanwhile', async () => {
    const objects: Record<string, Stored> = {
      'a.csv': { bytes: gzipSync(file(focus('2026-03-01', '8'))), isEncoded: true },
    }
    expect(total(await read(objects))).to.equal('8')
    await far.close()
    const serve = farStorage(objects)
    far = await farGoogle((question) => {
      const answer = serve(question)
      objects['a.csv'] = { bytes: file(focus('2026-03-01', '1')), generation: '2' }
      return answer
    })
    const days = { from: '2026-03-01', to: '2026-03-31', refusals }
    const reading = Array.fromAsync(bill(far.options, billed('gs://shop-bills/'), days))
    expect(await fails(reading)).to.equal('transient bill_replaced')
  })

  it('say what is wrong with a place: no files, several exports, a manifest that is none', async () => {
    const failures: string[] = []
    const manifest = { bytes: Buffer.from('{"dataFiles": []}') }
    const cases: Record<string, Stored>[] = [
      {},
      { 'a/x-Manifest.json': manifest, 'b/y-Manifest.json': manifest },
      { 'a/x-Manifest.json': { bytes: Buffer.from('{') } },
      { 'a.csv': { bytes: Buffer.from('a;b\n1;2\n') } },
    ]
    for (const objects of cases) {
      failures.push(await fails(read(objects)))
      await far.close()
    }
    failures.push(await fails(read({}, { location: 'gs://A' })))
    expect(failures).to.deep.equal([
      'user_action bill_not_there',
      'user_action billing_export_invalid',
      'user_action bill_unreadable',
      'user_action bill_unreadable',
      'user_action billing_export_invalid',
    ])
  })
})
