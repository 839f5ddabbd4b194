import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { inherited, testFolder, testLanes, testStores } from '#test/harness/stores.ts'
import { commands } from '#config/command/index.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { sample } from '#test/harness/tier.ts'

interface Reason {
  first: { row: number }[]
}

describe('bad input on the command line', () => {
  let org: Tenant
  let folder: string
  let env: Record<string, string | undefined>
  before(async () => {
    org = await tenant()
    folder = testFolder()
    const { postgres, nats, clickhouse } = await testStores()
    env = {
      ...inherited,
      TIDEMARK_DATA_DIR: folder,
      TIDEMARK_LANES: String(testLanes),
      POSTGRES_URL: postgres.url,
      NATS_URL: nats.url,
      CLICKHOUSE_URL: `${clickhouse.url}/${clickhouse.database}`,
    }
  })

  /** Its exit code, what it says and, with `--json`, the code it prints. */
  async function run(args: readonly string[], settings: Record<string, string> = {}) {
    const { code, stdout: out, stderr: said } = await inProcess({ ...env, ...settings }, ...args, '--json')
    const { error } = (out === '' ? {} : JSON.parse(out)) as { error?: { code: string; message: string } }
    return { code, said, out, error }
  }
  const file = (name: string, content: string | Buffer): string => {
    const at = path.join(folder, name)
    writeFileSync(at, content)
    return at
  }
  /** Runs all, two at a time. */
  async function all(cases: readonly [string[], RegExp, Record<string, string>?][], exit = 2) {
    const rest = cases.values()
    const work = async () => {
      for (const [args, expected, settings] of rest) {
        const name = args.join(' ').slice(0, 100)
        const { code, said, error } = await run(args, settings)
        expect(said, name).to.match(expected)
        expect(code, name).to.equal(exit)
        expect(said, name).not.to.match(/\n\s+at |node:internal/)
        expect(said.trim().split('\n').length, `${name}: ${said}`).to.be.at.most(exit === 2 ? commands.length + 6 : 4)
        if (error) expect(said, name).to.contain(error?.message)
      }
    }
    await Promise.all([work(), work()])
  }

  it('says in one line what is wrong with the arguments, and how the command goes', async () => {
    const here = file('fine.csv', 'resource_uid,metric,ts,value\n')
    const to = ['--org', org.orgId, '--account', 'a']
    const usage: [string[], RegExp][] = [
      [['ingest', 'billing', here, '--account', 'a'], /--org is missing\. Usage: tidemark ingest billing/],
      [['ingest', 'billing', ...to], /No file given/],
      [['ingest', 'billing', here, ...to, '--format', 'excel'], /--format must be one of auto, focus/],
      [['ingest', 'billing', here, ...to, '--rate', 'CAD=-1'], /--rate must look like CAD=0\.73/],
      [['ingest', 'billing', here, ...to, '--provider', 'constructor'], /--provider must be one of aws, gcp, azure/],
      [['ingest', 'billing', here, ...to, '--exported-at', 'yesterday'], /--exported-at must be/],
      [['ingest', 'billing', here, ...to, '--colour', 'red'], /--colour/],
      [['dead-letters', 'list', '--limit', '1e999'], /--limit must be a whole number/],
      [['dead-letters', 'list', '--limit'], /--limit/],
      [['pat', 'create', '--org', org.orgId, '--role', '__proto__'], /--role must be one of owner/],
      [['destroy', 'everything'], /Unknown command: destroy everything/],
    ]
    await all(sample(usage, 3))
    await all(
      sample<[string[], RegExp, Record<string, string>?]>(
        [
          [
            ['ingest', 'metrics', here, '--org', "' OR 1=1 --", '--account', 'a'],
            /Organization ' OR 1=1 -- was not found/,
          ],
          [
            ['ingest', 'metrics', here, '--org', '00000000-0000-8000-8000-000000000000', '--account', 'a'],
            /Organization 0{8}-\S+ was not found/,
          ],
          [
            ['pat', 'create', '--org', "'; DROP TABLE organization; --"],
            /Organization '; DROP TABLE organization; -- was not found/,
          ],
          [['org', 'create', 'x'.repeat(101)], /1 to 100 characters/],
          [['org', 'create', ' '], /1 to 100 characters|NAME is missing/],
          [['start'], /PORT=eighty must be a whole number/, { PORT: 'eighty', TIDEMARK_LANES: '1e9' }],
        ],
        2,
      ),
      1,
    )
    const none = await run(['dead-letters', 'list', '--org', "x' OR 'x'='x"])
    expect(none.code).to.equal(1)
    expect(JSON.parse(none.out).error.message).to.match(/^Organization x' OR 'x'='x was not found\./)
  })

  it('says which file it cannot read and why, and publishes nothing of it', async () => {
    mkdirSync(path.join(folder, 'folder'))
    const zipped = gzipSync('resource_uid,metric,ts,value\n'.repeat(1000))
    const files: [string, string | Buffer | undefined, RegExp][] = [
      ['nowhere.csv', undefined, /nowhere\.csv was not found/],
      ['folder', undefined, /folder contains no CSV, JSON or Parquet files/],
      ['empty.csv', '', /no header|missing|columns/],
      ['columns.csv', 'a,b\n1,2\n', /columns/],
      ['bill.parquet', 'PAR1\0\0\0\0', /Parquet/],
      ['bill.zip', 'PK\u0003\u0004xxxx', /zip/],
      ['bill.pdf', '%PDF-1.7', /a PDF document/],
      ['cut.csv.gz', zipped.subarray(0, zipped.length - 20), /gzip/],
      ['noise.gz', Buffer.concat([zipped.subarray(0, 12), Buffer.alloc(500, 7)]), /gzip/],
      ['cut.json', '[{"resourceUid":"i-1"},', /JSON/],
      ['quote.csv', `resource_uid,metric,ts,value\n"${'x'.repeat(5_000_000)}`, /CSV|quote|record/i],
    ]
    const named = sample(files, 3).map(([name, content, why]): [string[], RegExp] => {
      const at = content === undefined ? path.join(folder, name) : file(name, content)
      return [['ingest', 'metrics', at, '--org', org.orgId, '--account', 'a'], why]
    })
    await all(named, 1)
    expect((await org.facts('SELECT count() AS n FROM metric_sample WHERE org_id = {org:String}'))[0]).to.deep.equal({
      n: 0,
    })
  })

  it('reads files past their bad rows, which it names, and takes the others as they stand: signs of formulas, zones, quotes [STREAM-04]', async () => {
    const good: [string, string, string][] = [
      ['=1+1', '2026-01-15T10:00:00Z', '2026-01-15 10:00:00.000'],
      ['@SUM(A1:A9)', '2026-01-15T10:00:00+02:00', '2026-01-15 08:00:00.000'],
      ['+cmd|/C calc', '2026-01-15 10:00:00', '2026-01-15 10:00:00.000'],
      ['-2', '2026-01-15T23:30:00-05:00', '2026-01-16 04:30:00.000'],
      ['a "quoted", b', '2026-01-15', '2026-01-15 00:00:00.000'],
      ["'; DROP TABLE metric_sample; --", '2026-01-15T10:00:00.5Z', '2026-01-15 10:00:00.500'],
    ]
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
    const rows = [
      ...good.map(([uid, ts]) => `${cell(uid)},cpu_percent,${ts},5`),
      'i-1,cpu_percent,2026-02-30,5',
      'i-1,cpu_percent,2026-01-15T10:00:00Z,1e999',
      'i-1,cpu_percent,2026-01-15T10:00:00Z,NaN',
      'i-1,cpu_percent,2026-01-15T10:00:00Z,"5,5"',
      'i-1,cpu_percent',
      'i-1,cpu_percent,2026-01-15T10:00:00Z,5,6',
      'i-1,constructor,2026-01-15T10:00:00Z,5',
      'i\0-1,cpu_percent,2026-01-15T10:00:00Z,5',
    ]
    const content = `\ufeffresource_uid,metric,ts,value\r\n${rows.join('\r\n')}`
    const org = await tenant()
    const args = ['ingest', 'metrics', file('mixed.csv', content), '--org', org.orgId, '--account', 'acct-1']
    const { code, out } = await run(args)
    const report = JSON.parse(out) as { rows: number; accepted: number; refused: number; reasons: Reason[] }
    expect([code, report.rows, report.accepted, report.refused]).to.deep.equal([3, 14, 6, 8])
    const places = report.reasons.flatMap(({ first }) => first.map(({ row }) => row)).toSorted((a, b) => a - b)
    expect(places).to.deep.equal([8, 9, 10, 11, 12, 13, 14, 15])
    const sql =
      'SELECT resource_uid AS uid, toString(ts) AS at FROM metric_sample FINAL WHERE org_id = {org:String} ORDER BY uid'
    await until('the samples', async () => (await org.facts(sql)).length === good.length)
    expect(await org.facts(sql)).to.have.deep.members(good.map(([uid, , at]) => ({ uid, at })))
  })

  const samples = (...uids: string[]) =>
    `resource_uid,metric,ts,value\n${uids.map((uid) => `${uid},cpu_percent,2026-01-15T10:00:00Z,5\n`).join('')}`
  const seen = async () => {
    const sql = 'SELECT resource_uid AS uid FROM metric_sample WHERE org_id = {org:String} ORDER BY uid'
    return (await org.facts<{ uid: string }>(sql)).map(({ uid }) => uid)
  }
  const ingest = (...files: string[]) =>
    run(['ingest', 'metrics', ...files, '--org', org.orgId, '--account', 'a', '--wait'])

  it('opens every file before it sends anything, and names each that is none of its kind', async () => {
    const [good, pdf, bill] = [
      file('good.csv', samples('before')),
      file('bad.pdf', '%PDF-1.7'),
      file('bill.csv', 'BilledCost,ChargePeriodStart\n'),
    ]
    const { code, error } = await ingest(good, pdf, bill)
    expect(code).to.equal(1)
    expect(error!.message.split('\n')).to.deep.equal([
      `${pdf}: The file is a PDF document. Supported: CSV, JSON and Parquet, plain, gzipped or zipped.`,
      `${bill}: A metric file needs the columns resource_uid, metric, ts, value; missing: resource_uid, metric, ts, value.`,
      'Nothing was sent.',
    ])
    expect((await ingest(file('next.csv', samples('after')))).code).to.equal(0)
    expect(await seen()).to.deep.equal(['after'])
  })

  it('says of a file that breaks half-way how much of every file was sent', async () => {
    const whole = gzipSync(samples('cut-1', 'cut-2', ...Array.from({ length: 50_000 }, () => 'cut-3')), { level: 0 })
    const files = [
      file('first.csv', samples('first-1', 'first-2')),
      file('half.csv.gz', whole.subarray(0, 300_000)),
      file('last.csv', samples('last')),
    ]
    const { code, error } = await ingest(...files)
    expect(code).to.equal(1)
    const [first, half, last] = files
    const shape =
      /^(.*): The gzip data is corrupt or truncated: .* Rows read before the error were sent: (.*): 2 rows, (.*): (\d+) rows, (.*): not read\.$/
    const found = shape.exec(error!.message)
    expect(found?.slice(1, 4)).to.deep.equal([half, first, half])
    expect(found![5]).to.equal(last)
    expect(Number(found![4])).to.be.above(2)
    expect((await ingest(file('next.csv', samples('next')))).code).to.equal(0)
    const there = new Set(await seen())
    expect([there.has('first-2'), there.has('cut-2'), there.has('last')]).to.deep.equal([true, true, false])
  })
})
