import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { root } from '#config/root.ts'
import { deep } from '#test/fuzz/message.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { inherited, testFolder, testLanes, testStores } from '#test/harness/stores.ts'

/** Megabytes of JavaScript heap that must do for a file of any size. */
const heapMb = 256
/** Milliseconds in which the largest of them is read or given up; the machine may be busy. */
const readMs = 100_000

interface Report {
  rows: number
  accepted: number
  refused: number
  reasons: { code: string; rows: number; first: { file: string; row: number }[] }[]
  error?: { code: string; message: string }
}

describe('bad files on the command line', () => {
  let org: Tenant
  let folder: string
  let env: Record<string, string | undefined>
  beforeEach(async () => {
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
      NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
    }
  })

  /** Reads it as `tidemark ingest KIND` would: exit code, what it printed, what it said. */
  async function ingest(kind: string, file: string, ...more: string[]) {
    const args = ['ingest', kind, file, '--org', org.orgId, '--account', 'acct-1', ...more, '--json']
    const child = spawn(process.execPath, [path.join(root, 'config/main.ts'), ...args], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: readMs,
    })
    let [out, said] = ['', '']
    child.stdout.on('data', (text: Buffer) => (out += String(text)))
    child.stderr.on('data', (text: Buffer) => (said += String(text)))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, said, report: (out === '' ? {} : JSON.parse(out)) as Partial<Report> }
  }
  const file = (name: string, content: string | Buffer): string => {
    const at = path.join(folder, name)
    writeFileSync(at, content)
    return at
  }

  it('are read past their bad rows, which are named, and the others taken as they stand: signs of formulas, zones, quotes [STREAM-04]', async () => {
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
    const { code, report } = await ingest('metrics', file('mixed.csv', content))
    expect([code, report.rows, report.accepted, report.refused]).to.deep.equal([3, 14, 6, 8])
    const places = report.reasons!.flatMap(({ first }) => first.map(({ row }) => row)).toSorted((a, b) => a - b)
    expect(places).to.deep.equal([8, 9, 10, 11, 12, 13, 14, 15])
    const sql =
      'SELECT resource_uid AS uid, toString(ts) AS at FROM metric_sample FINAL WHERE org_id = {org:String} ORDER BY uid'
    await until('the samples', async () => (await org.facts(sql)).length === good.length)
    expect(await org.facts(sql)).to.have.deep.members(good.map(([uid, , at]) => ({ uid, at })))
  })

  it('are given up with a reason when they swell, in bounded memory: one line, columns, depth, noise without end', async function () {
    this.timeout(8 * readMs)
    const bomb = gzipSync(Buffer.alloc(100_000_000, 'x'))
    expect(bomb.length).to.be.below(200_000)
    const columns = Array.from({ length: 1_000_000 }, (_, i) => `c${i}`).join()
    const given: [string, string, RegExp][] = [
      ['metrics', file('line.csv.gz', bomb), /record|columns|header/i],
      ['metrics', file('column.csv', 'a,'.repeat(200_000)), /columns|record/i],
      ['metrics', file('columns.csv', `${columns}\n${columns}\n`), /columns|record/i],
      [
        'metrics',
        file('quote.csv.gz', gzipSync(`resource_uid,metric,ts,value\n"${'\n'.repeat(10_000_000)}`)),
        /quote|record/i,
      ],
      ['resources', file('deep.json', deep(2_000_000, '[')), /JSON|deep|nested|record/i],
      ['resources', file('deep.jsonl', deep(1_000_000, '{"a":')), /JSON|deep|nested|record|column/i],
      ['billing', '/dev/zero', /record|columns|format|header|bill/i],
    ]
    for (const [kind, at, why] of given) {
      const { code, said, report } = await ingest(kind, at)
      const name = `${path.basename(at)}: ${said.slice(0, 500)}`
      expect(code, name).to.equal(1)
      expect(`${said} ${JSON.stringify(report)}`, name).to.match(why)
      expect(said, name).not.to.match(/\n\s+at |node:internal|heap out of memory/)
      expect(said.length, name).to.be.below(2000)
    }
    expect((await org.get('/resources/count')).body.data.count).to.equal(0)
  })

  it('are read in bounded memory when they are merely long', async function () {
    this.timeout(2 * readMs)
    const row = { resource_uid: 'i-1', metric: 'cpu_percent', ts: '2026-01-15T10:00:00Z', value: 'x'.repeat(14_000) }
    const bomb = gzipSync(`${JSON.stringify(row)}\n`.repeat(20_000))
    const { code, report } = await ingest('metrics', file('long.jsonl.gz', bomb))
    expect([code, report.rows, report.accepted, report.refused]).to.deep.equal([1, 20_000, 0, 20_000])
    expect(report.reasons!.map(({ rows, first }) => [rows, first.length])).to.deep.equal([[20_000, 10]])
  })
})
