// tier: deep
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { deep } from '#test/fuzz/message.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
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
