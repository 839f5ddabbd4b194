/** What analysts hear of a question that failed: of other organizations and of the installation nothing. */
import { expect } from 'chai'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { summaryOf, withoutOthers } from '#config/analyst/failure-text.ts'
import { unpack } from '#config/embedded/clickhouse/compression.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { testStores } from '#test/harness/stores.ts'

const ownId = '5d0c1b6e-7f0a-4c1a-9d52-3f6f0f6f0a01'
const otherId = '6d0c1b6e-7f0a-4c1a-9d52-3f6f0f6f0a02'

describe('what analysts are told', () => {
  it('has no hints of the engine, and of names of databases their own alone', () => {
    const told = (text: string) => withoutOthers(text, new Set([`org_${ownId}`]))
    const texts: [string, string][] = [
      [
        `Code: 60. DB::Exception: Unknown table 'x'. Maybe you meant \`org_${otherId}\`.y?. (UNKNOWN_TABLE)\n`,
        "Code: 60. DB::Exception: Unknown table 'x'. (UNKNOWN_TABLE)\n",
      ],
      [
        "Code: 46. DB::Exception: Function sun does not exist. Maybe you meant: ['sum','sin']. (UNKNOWN_FUNCTION) (version 26.7.1.1 (official build))\n",
        'Code: 46. DB::Exception: Function sun does not exist. (UNKNOWN_FUNCTION) (version 26.7.1.1 (official build))\n',
      ],
      [
        `Code: 60. DB::Exception: None of org_${ownId}.x, org_${otherId}_security.x. (UNKNOWN_TABLE)\n`,
        `Code: 60. DB::Exception: None of org_${ownId}.x, org_....x. (UNKNOWN_TABLE)\n`,
      ],
    ]
    for (const [text, expected] of texts) expect(told(text)).to.equal(expected)
  })

  it('counts neither rows read nor memory of others, and names no part of a table [G-126]', () => {
    const texts: [string, string][] = [
      [
        'Code: 241. DB::Exception: (total) memory limit exceeded: would use 1.87 GiB (attempt to allocate chunk of 4.00 MiB), maximum: 1.86 GiB. (MEMORY_LIMIT_EXCEEDED)\n',
        'Code: 241. DB::Exception: The query exceeds the memory limit. (MEMORY_LIMIT_EXCEEDED)\n',
      ],
      [
        'Code: 158. DB::Exception: Limit for rows (controlled by max_rows_to_read) exceeded, max rows: 10.00, current rows: 447.00. (TOO_MANY_ROWS)\n',
        'Code: 158. DB::Exception: The query exceeds the limit of rows to read. (TOO_MANY_ROWS)\n',
      ],
      [
        'Code: 160. DB::Exception: Estimated query execution time (12.5 seconds) is too long. Maximum: 10. Estimated rows to process: 433. (TOO_SLOW)\n',
        'Code: 160. DB::Exception: The query would exceed the time limit. (TOO_SLOW)\n',
      ],
      [
        "Code: 395. DB::Exception: Value passed to 'throwIf' function is non-zero: (while reading from part /data/all_1_7_2/ located on disk default, from mark 3 with max_rows_to_read = 8192): While executing MergeTreeSelect(pool: ReadPool, algorithm: Thread). (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)\n",
        "Code: 395. DB::Exception: Value passed to 'throwIf' function is non-zero. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)\n",
      ],
    ]
    for (const [text, expected] of texts) expect(withoutOthers(text, new Set())).to.equal(expected)
  })

  it('sums up the answer, and not what was read for it [G-126]', () => {
    const told = {
      read_rows: '447',
      read_bytes: '9000',
      total_rows_to_read: '447',
      result_rows: '14',
      result_bytes: '300',
    }
    expect(
      JSON.parse(summaryOf(JSON.stringify({ ...told, elapsed_ns: '5', memory_usage: '70000' }), '120')),
    ).to.deep.equal({
      read_rows: '14',
      read_bytes: '120',
      result_rows: '14',
      result_bytes: '120',
      elapsed_ns: '5',
    })
  })

  describe('by the engine itself, beside another organization', () => {
    let own: Tenant
    let other: Tenant
    let token: string
    let folder: string
    before(async () => {
      ;[own, other] = [await tenant(), await tenant()]
      token = await own.tokenFor('viewer', 'analyst')
      for (const role of ['viewer', 'admin'] as const) {
        const headers = basic(await other.tokenFor(role, 'analyst'))
        expect((await askAt(own.analystsUrl, { body: 'SELECT 1', headers })).status).to.equal(200)
      }
      const { clickhouse } = await testStores()
      const sql = "SELECT value FROM system.server_settings WHERE name = 'path'"
      folder = (await (await askAt(clickhouse.url, { body: sql })).text()).trim()
      expect(folder).to.match(/^\/\w/)
    })
    const ask = (body: string, params: Record<string, string> = {}, headers: Record<string, string> = {}) =>
      askAt(own.analystsUrl, { body, params, headers: { ...basic(token), ...headers } })
    const isClean = (text: string, sql: string) => {
      expect(text, sql).to.not.include(other.orgId)
      expect(text, sql).to.not.match(/you mean/i)
      expect(text, sql).to.not.include(folder)
    }

    it('names no neighbour and no folder, whatever name was mistyped', async () => {
      const near = `org_${own.orgId}`.slice(0, -1)
      const statements = [
        'SELECT * FROM security_events',
        'SELECT * FROM security_event',
        'SELECT * FROM tidemark.cost_fac',
        'SELECT * FROM tidemar.cost_fact',
        'SELECT * FROM systm.one',
        'SELECT * FROM team_stat',
        'SELECT nam FROM team_state',
        'SHOW TABLES FROM "orgs"',
        'SHOW TABLES FROM tidemar',
        'SHOW CREATE TABLE security_events',
        'DESCRIBE security_events',
        'EXISTS TABLE security_events',
        `SELECT * FROM "x${near}".team_state`,
        `SELECT * FROM "or_${own.orgId}".team_state`,
        `SHOW TABLES FROM "or_${own.orgId}"`,
        `SHOW TABLES FROM "or_${own.orgId}_security"`,
        'SELECT * FROM system.settings',
        'SELECT * FROM system.tables',
        'SELECT * FROM information_schema.schemata',
        'SELECT * FROM information_schema.tables',
      ]
      for (const sql of statements) isClean(await (await ask(sql)).text(), sql)
    })

    it('is as clean where it is compressed, and keeps its code', async () => {
      const sql = 'SELECT * FROM security_events'
      const packed = await ask(sql, { compress: '1' })
      expect([packed.status, packed.headers.get('x-clickhouse-exception-code')]).to.deep.equal([404, '60'])
      const text = (await unpack(Buffer.from(await packed.arrayBuffer()), 10_000)).toString()
      expect(text).to.match(/^Code: 60\. .*\(UNKNOWN_TABLE\)\n$/s)
      isClean(text, sql)
      const zipped = await ask(sql, { enable_http_compression: '1' }, { 'Accept-Encoding': 'gzip' })
      const bytes = Buffer.from(await zipped.arrayBuffer())
      isClean(zipped.headers.has('content-encoding') ? gunzipSync(bytes).toString() : bytes.toString(), sql)
    })

    it('says of databases what they are called, and not where they lie', async () => {
      const allowed = ['SELECT name, engine FROM system.databases', 'SHOW DATABASES', "SHOW DATABASES LIKE '%'"]
      for (const sql of allowed) expect((await ask(sql)).status, sql).to.equal(200)
      const wide: [string, Record<string, string>][] = [
        ['SELECT * FROM system.databases', {}],
        ['SELECT t.* FROM system."databases" AS t', {}],
        ["SELECT COLUMNS('path') FROM system.`databases`", {}],
        ['SELECT data_path FROM system.databases', {}],
        ['SELECT d."metadata_path" FROM system.databases AS d', {}],
        ['SELECT * FROM (SELECT * FROM system.databases)', {}],
        ['SELECT * FROM {t:Identifier}', { param_t: 'system.databases' }],
        ['SELECT * FROM {s:Identifier}.{t:Identifier}', { param_s: 'system', param_t: 'databases' }],
        ['SELECT * FROM {t:Identifier}', { param_t: '`system`.`databases`' }],
        ['SELECT * FROM {t:Identifier}', { param_t: 'system.\\x64atabases' }],
        ['SELECT {c:Identifier} FROM system.databases', { param_c: 'data_path' }],
        ["SELECT * FROM system.'databases'", {}],
        ['SHOW TABLES WHERE name != (SELECT any(data_path) FROM system.databases)', {}],
        ['SHOW DATABASES WHERE name != (SELECT any(data_path) FROM system.databases)', {}],
      ]
      for (const [sql, params] of wide) {
        const answer = await ask(sql, params)
        expect(answer.status, sql).to.not.equal(200)
        isClean(await answer.text(), sql)
      }
    })

    it('has the folder of the engine in no error, though the engine names the file it looked for', async () => {
      const { clickhouse } = await testStores()
      const body = 'SELECT 1 FORMAT Template'
      const params = { database: `org_${own.orgId}`, format_template_row: 'x' }
      const inner = await (await askAt(clickhouse.url, { path: '/analyst', body, params })).text()
      expect(inner).to.include('Cannot open file /x')
      expect(inner).to.not.include(path.dirname(folder))
    })

    it('has the folder of the engine in no answer of a table that shows paths', async () => {
      const sql = "SELECT * FROM system.tables WHERE name = 'team_state' FORMAT JSON"
      const text = await (await ask(sql)).text()
      expect(JSON.parse(text).rows).to.equal(1)
      isClean(text, sql)
    })
  })
})
