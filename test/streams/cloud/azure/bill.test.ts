import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { sum } from '#engine/value/decimal.ts'
import { bill } from '#streams/cloud/azure/bill/bill.ts'
import { blobsBelow } from '#streams/cloud/azure/bill/prefix.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { checkRefusals } from '#streams/cloud/bill/fault.ts'
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { account, answerServer, fails, type AnswerServer } from './answer-server.ts'
import { farBlobs, type StoredBlob } from './far-blobs.ts'

const header =
  'Date,ResourceId,SubscriptionId,MeterCategory,CostInBillingCurrency,BillingCurrencyCode,ChargeType,Quantity'
const line = (day: string, cost: string) =>
  `${day},/subscriptions/S/resourceGroups/RG/providers/Microsoft.Compute/virtualMachines/VM,S,Virtual Machines,${cost},USD,Usage,1`
const csv = (...rows: string[]) => Buffer.from(`\uFEFF${[header, ...rows].join('\r\n')}\r\n`)
const manifest = (...names: string[]) =>
  Buffer.from(JSON.stringify({ manifestVersion: '2024-04-01', blobs: names.map((blobName) => ({ blobName })) }))

const root = 'daily/costs'
const location = 'https://bills.blob.core.windows.net/exports/daily'
const of: CloudAccount = { ...account, billingExport: { kind: 'actual', location } }

describe('bills of Azure', () => {
  let server: AnswerServer
  afterEach(() => server.close())
  const read = async (
    blobs: Readonly<Record<string, StoredBlob>>,
    { from = '2026-03-01', to = '2026-03-31', of: whose = of } = {},
  ): Promise<BillingLine[]> => {
    server = await answerServer(farBlobs(blobs))
    const refusals = new BillRefusals()
    const pages = await Array.fromAsync(bill(server.options, whose, { from, to, refusals }))
    checkRefusals(refusals)
    return pages.flat()
  }
  it('are the files that the newest manifest of a month names, plain or with gzip, and of no older run', async () => {
    const march = `${root}/20260301-20260331`
    const lines = await read({
      [`${march}/run-1/manifest.json`]: { at: '2026-03-10T02:00:00Z', bytes: manifest(`${march}/run-1/part_0.csv`) },
      [`${march}/run-1/part_0.csv`]: { at: '2026-03-10T01:00:00Z', bytes: csv(line('2026-03-01', '99')) },
      [`${march}/run-2/manifest.json`]: {
        at: '2026-03-11T02:00:00Z',
        bytes: manifest(`${march}/run-2/part_0.csv`, `${march}/run-2/part_1.csv.gz`),
      },
      [`${march}/run-2/part_0.csv`]: { at: '2026-03-11T01:00:00Z', bytes: csv(line('2026-03-01', '1.5')) },
      [`${march}/run-2/part_1.csv.gz`]: {
        at: '2026-03-11T01:00:00Z',
        bytes: gzipSync(csv(line('2026-03-02', '2.25'))),
      },
    })
    expect(sum(lines.map(({ BilledCost }) => String(BilledCost)))).to.equal('3.75')
    expect(lines.map(({ ChargePeriodStart }) => String(ChargePeriodStart).slice(0, 10))).to.deep.equal([
      '2026-03-01',
      '2026-03-02',
    ])
    expect(new Set(server.asked.map(({ token }) => token.split('-https')[1]))).to.deep.equal(
      new Set(['://storage.azure.com/.default']),
    )
  })

  it('are the newest file of a month where an export writes no manifests, of each month that is asked for', async () => {
    const lines = await read(
      {
        [`${root}/20260201-20260228/costs_1.csv`]: { at: '2026-03-02T00:00:00Z', bytes: csv(line('2026-02-03', '7')) },
        [`${root}/20260301-20260331/costs_1.csv`]: { at: '2026-03-09T00:00:00Z', bytes: csv(line('2026-03-01', '8')) },
        [`${root}/20260301-20260331/costs_2.csv`]: { at: '2026-03-10T00:00:00Z', bytes: csv(line('2026-03-01', '9')) },
      },
      { from: '2026-02-01' },
    )
    expect(lines.map(({ BilledCost }) => String(BilledCost))).to.deep.equal(['7', '9'])
  })

  it('leave out the days that are not asked for, and months of which nothing was exported', async () => {
    const blobs = {
      [`${root}/20260301-20260331/costs.csv`]: {
        at: '2026-03-10T00:00:00Z',
        bytes: csv(line('2026-03-01', '1'), line('2026-03-02', '2'), line('2026-03-03', '3')),
      },
    }
    const some = await read(blobs, { from: '2026-03-02', to: '2026-03-02' })
    expect(some.map(({ BilledCost }) => String(BilledCost))).to.deep.equal(['2'])
    await server.close()
    expect(await read(blobs, { from: '2026-04-01', to: '2026-04-30' })).to.deep.equal([])
  })

  const file = (bytes: Buffer, name = 'costs.csv') => ({
    [`${root}/20260301-20260331/${name}`]: { at: '2026-03-10T00:00:00Z', bytes },
  })

  it('say what is wrong with an export: none, several, Parquet that is cut, rows that are none', async () => {
    const failures: string[] = []
    const cases = [
      {},
      { ...file(csv()), 'daily/other/20260301-20260331/costs.csv': { at: '2026-03-10T00:00:00Z', bytes: csv() } },
      file(Buffer.from('PAR1'), 'costs.parquet'),
      file(csv(line('2026-03-01', 'many'))),
      file(Buffer.from('a;b\n1;2\n')),
    ]
    for (const blobs of cases) {
      failures.push(await fails(read(blobs)))
      await server.close()
    }
    server = await answerServer(() => ({}))
    expect(failures).to.deep.equal([
      'user_action bill_not_there',
      'user_action billing_export_invalid',
      'user_action bill_unreadable',
      'user_action bill_unreadable',
      'user_action bill_unreadable',
    ])
  })

  it('are read from Parquet too, and not at all where a file that the manifest names is missing', async () => {
    const october = `${root}/20261001-20261031`
    const part = `${october}/run-1/part_0.snappy.parquet`
    const bytes = readFileSync(new URL('../../billing/fixtures/azure.parquet', import.meta.url))
    const at = '2026-10-10T02:00:00Z'
    const days = { from: '2026-10-01', to: '2026-10-31' }
    const whole = { [part]: { at, bytes }, [`${october}/run-1/_manifest.json`]: { at, bytes: manifest(part) } }
    const costs = (await read(whole, days)).map(({ BilledCost }) => String(BilledCost))
    expect(costs).to.deep.equal(['3.5', '0.0000000001'])
    await server.close()
    const other = `${october}/run-1/part_1.snappy.parquet`
    const less = { ...whole, [`${october}/run-1/_manifest.json`]: { at, bytes: manifest(part, other) } }
    expect(await fails(read(less, days))).to.equal('transient bill_replaced')
  })

  it('keep what is said of whole files and of rows, with the first places of each', async () => {
    const tagged = (day: string, tags: string) => `${line(day, '1')},${tags}`
    const rows = [
      `${header},Tags`,
      tagged('2026-03-01', '"{""team"": ""B\u00fcro"", ""env"": ""pr"'),
      tagged('2026-03-02', ''),
      tagged('2026-03-03', '"{""team"": ""we"'),
    ]
    server = await answerServer(
      farBlobs({
        ...file(Buffer.from(rows.join('\n'), 'latin1')),
      }),
    )
    const refusals = new BillRefusals()
    const pages = await Array.fromAsync(bill(server.options, of, { from: '2026-03-01', to: '2026-03-31', refusals }))
    expect(pages.flat().map(({ Tags }) => Tags)).to.deep.equal([{ team: 'B\u00fcro' }, undefined, undefined])
    expect(refusals.told).to.equal(undefined)
    const name = 'daily/costs/20260301-20260331/costs.csv'
    const message = 'The text is not valid UTF-8. It was read as Windows-1252.'
    const [whole, tags, ...others] = refusals.warnings.list('2026-03')
    expect(whole).to.deep.equal({
      period: '2026-03',
      code: 'encoding_windows_1252',
      message,
      count: 1,
      first: [{ file: name }],
    })
    const first = [
      { file: name, row: 2 },
      { file: name, row: 4 },
    ]
    expect(tags).to.deep.include({ period: '2026-03', code: 'tags_left_out', count: 2, first })
    expect(others).to.deep.equal([])
  })

  it('are listed below a directory for who reads them by hand', async () => {
    const at = '2026-10-10T02:00:00Z'
    server = await answerServer(
      farBlobs({
        'oct/a.csv': { at, bytes: Buffer.from('a\n1\n') },
        'oct/empty': { at, bytes: Buffer.alloc(0) },
        'october/b.csv': { at, bytes: Buffer.from('b\n') },
      }),
    )
    const below = (place: string) =>
      blobsBelow(server.options, account, `https://bills.blob.core.windows.net/exports/${place}`)
    const found = await below('oct/')
    expect(found.map(({ key, at: written }) => [key, written.toISOString()])).to.deep.equal([
      ['oct/a.csv', '2026-10-10T02:00:00.000Z'],
    ])
    expect(await text(await found[0]!.open())).to.equal('a\n1\n')
    expect((await below('oct')).map(({ key }) => key)).to.deep.equal(['oct/a.csv', 'october/b.csv'])
  })

  it('are asked for in no place that is no container, and not at all where none is named', async () => {
    const bad = [
      's3://bucket/x',
      'https://example.com/exports',
      'https://bills.blob.core.windows.net/exports/../x',
      'https://bills.blob.core.windows.net.example.com/e/x',
    ]
    for (const place of bad) {
      const whose = { ...account, billingExport: { kind: 'actual', location: place } }
      expect(await fails(read({}, { of: whose })), place).to.equal('user_action billing_export_invalid')
      expect(server.asked).to.deep.equal([])
      await server.close()
    }
    expect(await read({}, { of: account })).to.deep.equal([])
    expect(server.asked).to.deep.equal([])
  })

  it('are read anew later where a file is written while it is read', async () => {
    const stored = file(Buffer.concat([csv(line('2026-03-01', '1')), Buffer.alloc(9 * 1024 * 1024, '\n')]))
    const [name] = Object.keys(stored)
    const serve = farBlobs(stored)
    let ranges = 0
    server = await answerServer((question) => {
      const answer = serve(question)
      // Written anew once its first part was read.
      if (question.headers['x-ms-range'] && ++ranges === 1) stored[name!] = { at: '2026-03-10T01:00:00Z', bytes: csv() }
      return answer
    })
    const reading = Array.fromAsync(
      bill(server.options, of, { from: '2026-03-01', to: '2026-03-31', refusals: new BillRefusals() }),
    )
    expect(await fails(reading)).to.equal('transient bill_replaced')
  })
})
