import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { Contents, duplicatesIn } from '#streams/billing/file/duplicate.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { chosenFiles, manifestOf } from '#streams/billing/file/manifest.ts'
import { membersOf } from '#streams/billing/file/member.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import { zipOf } from '#streams/cloud/aws/scaling/zip.ts'
import { bytes, exportedAt } from '#test/streams/billing/reading.ts'

const archive = readFileSync(new URL('fixtures/bills.zip', import.meta.url))
const options = { format: 'auto', accountId: 'acct-1', rates: {}, exportedAt } as const

async function read(content: Buffer): Promise<{ costs: [string, string[]][]; skipped: string[] }> {
  const [costs, skipped]: [[string, string[]][], string[]] = [[], []]
  for await (const { name, input } of membersOf('bills.zip', bytes(content, 777), (one) => skipped.push(one))) {
    const { rows } = await openBillingFile(input, { ...options, ids: new LineIds() })
    const found = await Array.fromAsync(rows)
    costs.push([name, found.map((one) => ('line' in one ? String(one.line.BilledCost) : one.refused.code))])
  }
  return { costs, skipped }
}

async function faultOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((thrown: unknown) => thrown)
  return error instanceof Fault ? `${error.code}: ${error.message}` : `no fault: ${String(error)}`
}

describe('a zip archive', () => {
  it('is its entries, each a file of its own; what is no bill is named and left out', async () => {
    expect(await read(archive)).to.deep.equal({
      costs: [
        ['bills.zip/3.json', ['3']],
        ['bills.zip/4.parquet', ['0.10000000000001', '0.2']],
        ['bills.zip/5.csv', ['5']],
        ['bills.zip/week/1.csv', ['1']],
        ['bills.zip/week/2.csv.gz', ['2']],
      ],
      skipped: ['bills.zip/README.txt'],
    })
  })

  it('that is cut, damaged or encrypted is refused and says so', async () => {
    expect(await faultOf(read(archive.subarray(0, -30)))).to.match(/^zip_invalid: The zip archive is corrupt: /)
    const stored = zipOf('a.csv', 'BilledCost,ChargePeriodStart,BillingCurrency\n1,2026-10-01,USD\n')
    const damaged = Buffer.from(stored)
    damaged[damaged.indexOf('\n1,') + 1]! ^= 8
    expect(await faultOf(read(damaged))).to.equal(
      'zip_invalid: The zip archive is corrupt: the checksum of a.csv does not match.',
    )
    const secret = Buffer.from(stored)
    const list = secret.indexOf('PK\u0001\u0002')
    for (const at of [6, list + 8]) secret[at]! |= 1
    // Its first 12 bytes are of the cipher.
    secret.writeUInt32LE(secret.readUInt32LE(list + 20) - 12, list + 24)
    expect(await faultOf(read(secret))).to.equal('file_format: a.csv is encrypted in the zip archive.')
    const small = Buffer.from(stored)
    small.writeUInt32LE(2_000_000_000, small.indexOf('PK\u0001\u0002') + 24)
    expect(await faultOf(read(small))).to.match(/^zip_invalid: /)
  })

  it('without a bill, or within another, is named for what it is', async () => {
    expect(await faultOf(read(zipOf('notes.txt', 'x')))).to.equal(
      'file_format: The zip archive has no CSV, JSON or Parquet file: it contains notes.txt.',
    )
    expect(await faultOf(read(zipOf('[Content_Types].xml', '<x/>')))).to.match(
      /^file_format: The file is an Excel workbook\./,
    )
    expect(await faultOf(read(zipOf('in.zip', archive.toString('latin1'))))).to.match(/zip archive within another file/)
  })
})

const at = (day: number) => new Date(Date.UTC(2026, 9, day))
const listed = (path: string, day = 1) => ({ path, at: at(day) })
const manifest = (path: string, day: number, document: object) =>
  manifestOf(listed(path, day), JSON.stringify(document))!
const pathsOf = (found: { path: string }[]) => found.map(({ path }) => path)

describe('a manifest', () => {
  const cur = (id: string, ...files: string[]) => ({
    assemblyId: id,
    reportName: 'daily',
    billingPeriod: { start: '20261001T000000.000Z', end: '20261101T000000.000Z' },
    reportKeys: files.map((file) => `cur/daily/20261001-20261101/${id}/${file}`),
  })

  it('of AWS names the parts of one export, and the newest of a period counts', () => {
    const files = ['b/daily-2.csv.gz', 'b/daily-1.csv.gz', 'a/daily-1.csv.gz', 'daily-1.csv.gz', 'readme.md'].map(
      (path) => listed(`20261001-20261101/${path}`),
    )
    const manifests = [
      manifest('20261001-20261101/a/daily-Manifest.json', 2, cur('a', 'daily-1.csv.gz')),
      manifest('20261001-20261101/b/daily-Manifest.json', 3, cur('b', 'daily-1.csv.gz', 'daily-2.csv.gz')),
      manifest('20261001-20261101/daily-Manifest.json', 3, cur('b', 'daily-1.csv.gz', 'daily-2.csv.gz')),
    ]
    const { files: chosen, left } = chosenFiles(files, manifests)
    expect(pathsOf(chosen)).to.deep.equal(['20261001-20261101/b/daily-1.csv.gz', '20261001-20261101/b/daily-2.csv.gz'])
    expect(pathsOf(left)).to.deep.equal(['20261001-20261101/a/daily-1.csv.gz', '20261001-20261101/daily-1.csv.gz'])
  })

  it('of Data Exports and of Azure is read as well, of several periods one each', () => {
    const data = (month: string) =>
      manifest(`focus/metadata/BILLING_PERIOD=${month}/focus-Manifest.json`, 2, {
        dataFiles: [`s3://bills/focus/data/BILLING_PERIOD=${month}/focus-00001.snappy.parquet`],
      })
    const run = (id: string, submittedTime: string) =>
      manifest(`costs/20261001-20261031/${id}/manifest.json`, 9, {
        exportConfig: { exportName: 'costs' },
        runInfo: { startDate: '2026-10-01T00:00:00', submittedTime },
        blobs: [{ blobName: `costs/20261001-20261031/${id}/part_0.csv` }],
      })
    const files = [
      'focus/data/BILLING_PERIOD=2026-09/focus-00001.snappy.parquet',
      'focus/data/BILLING_PERIOD=2026-10/focus-00001.snappy.parquet',
      'costs/20261001-20261031/old/part_0.csv',
      'costs/20261001-20261031/new/part_0.csv',
    ].map((path) => listed(path))
    const manifests = [
      data('2026-09'),
      data('2026-10'),
      run('new', '2026-10-05T00:00:00Z'),
      run('old', '2026-10-04T00:00:00Z'),
    ]
    const { files: chosen, left } = chosenFiles(files, manifests)
    expect(pathsOf(chosen)).to.deep.equal([files[3]!.path, files[0]!.path, files[1]!.path])
    expect(pathsOf(left)).to.deep.equal([files[2]!.path])
  })

  const azure = (path: string, exportName: string, type: string, subscription = 's') =>
    manifest(`${path}/manifest.json`, 9, {
      exportConfig: {
        exportName,
        resourceId: `/subscriptions/${subscription}/providers/Microsoft.CostManagement/exports/${exportName}`,
        type,
      },
      runInfo: { startDate: '2026-10-01T00:00:00' },
      blobs: [{ blobName: `${path}/part_0.csv` }],
    })

  it('of Azure tells exports of one name in two subscriptions apart, and leaves out what is no bill', () => {
    const paths = ['a/part_0.csv', 'b/part_0.csv', 'prices/part_0.csv']
    const manifests = [azure('a', 'daily', 'ActualCost'), azure('b', 'daily', 'AmortizedCost', 't')]
    expect(azure('prices', 'prices', 'PriceSheet')).to.equal(undefined)
    const { files, left } = chosenFiles(
      paths.map((path) => listed(path)),
      manifests,
    )
    expect([pathsOf(files), pathsOf(left)]).to.deep.equal([paths.slice(0, 2), paths.slice(2)])
  })

  it('of Azure is refused beside one of the same costs in another form', () => {
    const files = ['a/part_0.csv', 'b/part_0.csv'].map((path) => listed(path))
    expect(() => chosenFiles(files, [azure('a', 'x', 'Usage'), azure('b', 'y', 'AmortizedCost')])).to.throw(
      'a/manifest.json (ActualCost) and b/manifest.json (AmortizedCost) export the same costs of 2026-10, which would count twice. Use one of the exports.',
    )
  })

  it('whose parts are not all there is refused, and names them', () => {
    const one = manifest('m/daily-Manifest.json', 1, cur('b', 'daily-1.csv.gz', 'daily-2.csv.gz', 'daily-3.csv.gz'))
    expect(() => chosenFiles([listed('m/daily-2.csv.gz')], [one])).to.throw(
      'm/daily-Manifest.json lists 2 missing files: cur/daily/20261001-20261101/b/daily-1.csv.gz, cur/daily/20261001-20261101/b/daily-3.csv.gz.',
    )
    expect(manifestOf(listed('manifest.json'), '{"name":"an app"}')).to.equal(undefined)
    expect(() => manifestOf(listed('manifest.json'), '{')).to.throw('is not a manifest')
  })

  it('that is missing leaves all files that can be bills', () => {
    const files = ['b.parquet', 'a.csv', 'notes.md', '.hidden.csv', 'x/__MACOSX/a.csv'].map((path) => listed(path))
    expect(pathsOf(chosenFiles(files, []).files)).to.deep.equal(['a.csv', 'b.parquet'])
  })
})

describe('files of the same content', () => {
  const long = Buffer.from(`a,b\n${'1,2\n'.repeat(40_000)}`)
  const other = Buffer.from(`${long.toString()}3,4\n`)

  it('are known whatever they are called, packed or not', async () => {
    const file = (name: string, content: Buffer) => ({ name, open: async () => bytes(content) })
    const files = [
      file('1.csv', long),
      file('2.csv', other),
      file('1.csv.gz', gzipSync(long)),
      file('3', Buffer.from('x')),
    ]
    const broken = { name: 'broken', open: () => Promise.reject(new Error('gone')) }
    const found = await duplicatesIn([...files, broken])
    expect([...found].map(([one, first]) => [one.name, first.name])).to.deep.equal([['1.csv.gz', '1.csv']])
  })

  it('are known one after the other, before anything of the second is taken', async () => {
    const contents = new Contents()
    const sizes: number[] = []
    const take = async (input: Readable) => {
      sizes.push(Buffer.concat((await Array.fromAsync(input)) as Buffer[]).length)
    }
    const found: (string | undefined)[] = []
    for (const [name, content] of [
      ['1', long],
      ['2', other],
      ['3', gzipSync(other)],
      ['4', gzipSync(long)],
    ] as const)
      found.push(await contents.unlessSeen(name, bytes(content), take))
    expect(found).to.deep.equal([undefined, undefined, '2', '1'])
    expect(sizes).to.deep.equal([long.length, other.length])
    const cut = bytes(gzipSync(long).subarray(0, 100))
    expect(await faultOf(contents.unlessSeen('5', cut, take))).to.match(/^gzip_invalid: /)
  })
})
