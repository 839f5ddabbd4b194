/** What an analyst may write to see more than their organization: each is asked of the real engine, beside a neighbour with secrets. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@clickhouse/client'
import { expect } from 'chai'
import { reachable } from '#config/embedded/clickhouse/address.ts'
import { fact } from '#test/harness/clickhouse.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { testFolder, testStores } from '#test/harness/stores.ts'

const secret = 'neighbours-secret'

describe('analysts of one organization, beside another', () => {
  let own: Tenant
  let other: Tenant
  let token: string
  let folder: string

  before(async () => {
    ;[own, other] = [await tenant(), await tenant()]
    token = await own.tokenFor('viewer', 'analyst')
    folder = testFolder()
    await fill(own, 'ours')
    await fill(other, secret)
    // Their database is there too.
    const theirs = await other.tokenFor('viewer', 'analyst')
    const seen = await askAt(own.analystsUrl, { body: 'SELECT name FROM team_state', headers: basic(theirs) })
    expect(await seen.text()).to.equal(`${secret}\n`)
  })

  const fill = async ({ connections, orgId }: Tenant, name: string): Promise<void> => {
    const insert = (table: string, values: object[]) =>
      connections.clickhouse.insert({ table, values, format: 'JSONEachRow' })
    await insert('team_state', [{ org_id: orgId, team_id: 't-1', name, x_Version: '1' }])
    await insert('cost_fact', [fact(orgId, name, 7, { ResourceId: name })])
    const left = { day: '2026-01-01', usage_account_id: 'member', sub_account_id: '1', counted_in: ['member'] }
    await insert('bill_shadow', [{ org_id: orgId, cloud_account_id: 'payer', ...left, lines: '1', generation: '1' }])
    const at = '2026-01-01 00:00:00.000'
    const resource = { org_id: orgId, cloud_account_id: 'acct-1', first_seen_at: at, observed_at: at, x_Version: '1' }
    await insert('resource_state', [{ ...resource, resource_uid: 'i-1', name, type: 'aws-ec2' }])
    await insert('security_event', [{ org_id: orgId, at, type: 'login', email: name, event_id: orgId }])
  }

  /** The answer, or the code of the refusal. Nothing of the neighbour may be in either, unless it was in the question. */
  const ask = async (sql: string, params: Record<string, string> = {}): Promise<string> => {
    const full = sql.replaceAll('OTHER', `org_${other.orgId}`).replaceAll('OWN', `org_${own.orgId}`)
    const answer = await askAt(own.analystsUrl, { body: full, params, headers: basic(token) })
    const text = await answer.text()
    expect(text, full).to.not.include(secret)
    if (![full, ...Object.values(params)].join(' ').includes(other.orgId))
      expect(text, full).to.not.include(other.orgId)
    return /^Code: (\d+)\./.exec(text)?.[0] ?? text
  }

  /** What the neighbour has is never among what these find. */
  const ownRows: Record<string, string> = {
    'SELECT name FROM team_state': 'ours\n',
    'SELECT name FROM "OWN".team_state': 'ours\n',
    'WITH t AS (SELECT name FROM team_state) SELECT * FROM t': 'ours\n',
    'WITH RECURSIVE t AS (SELECT name, 1 AS n FROM team_state UNION ALL SELECT name, n + 1 FROM t WHERE n < 2) SELECT n, name FROM t ORDER BY n':
      '1\tours\n2\tours\n',
    'SELECT (SELECT count() FROM team_state)': '1\n',
    "SELECT 1 WHERE 'neighbours-secret' IN (SELECT name FROM team_state)": '',
    "SELECT EXISTS (SELECT 1 FROM team_state WHERE name LIKE 'neighbours%')": '0\n',
    'SELECT count() FROM team_state AS a CROSS JOIN team_state AS b': '1\n',
    'SELECT count() FROM team_state AS a JOIN resources AS b ON a.org_id != b.org_id': '0\n',
    'SELECT a.name FROM team_state AS a ASOF JOIN team_state AS b ON a.team_id = b.team_id AND a.x_Version >= b.x_Version':
      'ours\n',
    'SELECT name FROM team_state UNION ALL SELECT name FROM resources': 'ours\nours\n',
    'SELECT arrayJoin([name]) FROM team_state': 'ours\n',
    'SELECT name FROM team_state ARRAY JOIN [1, 2] AS n': 'ours\nours\n',
    'SELECT name FROM team_state FINAL': 'ours\n',
    'SELECT count(), min(name), max(name) FROM team_state': '1\tours\tours\n',
    'SELECT name FROM view(SELECT * FROM team_state)': 'ours\n',
    'SELECT name FROM team_state WHERE 1 OR name != name': 'ours\n',
    "SELECT name FROM team_state WHERE throwIf(name LIKE 'neighbours%') = 0": 'ours\n',
    "SELECT name FROM team_state WHERE intDiv(1, name != 'neighbours-secret') = 1": 'ours\n',
    'SELECT ServiceName, sum(BilledCost) FROM cost_lines GROUP BY ALL': 'compute\t7\n',
    'SELECT count() FROM (SELECT * FROM cost_lines LIMIT 100)': '1\n',
    'SELECT name FROM {t:Identifier}': 'ours\n',
    "SELECT count() FROM resource_tags(org = '')": '0\n',
    'SELECT count() FROM snapshot_state, closed_assignment, resource_change, scheduler_event': '0\n',
    'SHOW DATABASES': 'OWN\n',
    'SELECT name FROM system.databases': 'OWN\n',
    'SELECT DISTINCT database FROM system.tables': 'OWN\n',
    'SELECT DISTINCT database FROM system.columns': 'OWN\n',
    'SELECT schema_name FROM information_schema.schemata': 'OWN\n',
    'SELECT currentDatabase()': 'OWN\n',
    'SELECT 1 -- comment\n + 1 /* file( */': '2\n',
    'SHOW TABLES FROM tidemark': '',
    'SHOW TABLES FROM system': '',
  }

  it('find their own rows alone, however they ask', async () => {
    const found: Record<string, string> = {}
    for (const sql of Object.keys(ownRows)) found[sql] = await ask(sql, { param_t: 'team_state' })
    const expected = Object.entries(ownRows).map(([sql, rows]) => [sql, rows.replace('OWN', `org_${own.orgId}`)])
    expect(found).to.deep.equal(Object.fromEntries(expected))
  })

  it('have lines and what leaves lines out read by the key of their organization, as the policy says', async () => {
    const { clickhouse } = await testStores()
    const database = `org_${own.orgId}`
    const ch = createClient({ ...reachable(clickhouse.url), database })
    const answer = await ch.query({
      query: 'EXPLAIN indexes = 1 SELECT count() FROM cost_lines',
      format: 'TabSeparated',
    })
    const plan = await answer.text()
    await ch.close()
    for (const table of ['cost_fact', 'bill_shadow']) {
      const [, read = ''] = plan.split(`ReadFromMergeTree (tidemark.${table})`)
      const [, condition] = /PrimaryKey[\s\S]*?Condition: (.*)/.exec(read) ?? []
      expect(condition, `${table}: ${read.slice(0, 1000)}`).to.include(own.orgId)
    }
  })

  it('find nothing of the engine: no questions of others, no files, no users, no grants', async () => {
    const tables = `processes user_processes parts parts_columns mutations merges dictionaries server_settings merge_tree_settings
      disks storage_policies errors stack_trace metrics events users roles grants role_grants row_policies quotas settings_profiles
      query_cache query_condition_cache named_collections detached_parts dropped_tables clusters macros replicas warnings
      schema_inference_cache filesystem_cache jemalloc_stats backups user_directories view_refreshes projections`
    // Some the engine refuses by itself.
    for (const table of tables.split(/\s+/))
      expect(await ask(`SELECT * FROM system.${table}`), table).to.be.oneOf(['', 'Code: 497.'])
  })

  const tableFunctions = [
    "file('/etc/passwd')",
    "file('/etc/passwd', LineAsString)",
    "url('http://127.0.0.1:1', TSV, 'a String')",
    "s3('http://127.0.0.1:1/b/x')",
    "gcs('http://127.0.0.1:1/b/x')",
    "azureBlobStorage('c', 'x', 'y')",
    "hdfs('hdfs://a:1/x')",
    "mysql('a:1', 'b', 'c', 'd', 'e')",
    "postgresql('a:1', 'b', 'c', 'd', 'e')",
    "mongodb('a:1', 'b', 'c', 'd', 'e', 'f')",
    "redis('a:1', 'k', 'k String')",
    "sqlite('/x', 't')",
    "odbc('a', 'b', 'c')",
    "jdbc('a', 'b', 'c')",
    "iceberg('http://127.0.0.1:1/b')",
    "deltaLake('http://127.0.0.1:1/b')",
    "hudi('http://127.0.0.1:1/b')",
    "paimon('http://127.0.0.1:1/b')",
    "ytsaurus('a', 'b', 'c', 'd')",
    "filesystem('/etc')",
    "executable('x', TSV, 'a String')",
    "remote('127.0.0.1', tidemark.team_state)",
    "format(TSV, 'a')",
    "eval('SELECT 1')",
    "remoteSecure('127.0.0.1', tidemark.team_state)",
    "cluster('default', tidemark.team_state)",
    "dictionary('d')",
    "merge('^org_', 'team_state')",
    "merge('tidemark', 'team_state')",
    "loop('tidemark', 'team_state')",
    "input('a Int8')",
    "mergeTreeIndex('tidemark', 'cost_fact')",
    "mergeTreeProjection('tidemark', 'cost_fact', 'p')",
    "mergeTreeAnalyzeIndexes('tidemark', 'cost_fact')",
    "viewExplain('EXPLAIN', '', (SELECT 1))",
    "fileCluster('c', '/etc/passwd')",
    "timeSeriesData('tidemark.cost_fact')",
    "numbers(file('/etc/hostname'))",
    "tidemark.resource_tags(org = 'x')",
  ]
  for (const source of tableFunctions)
    it(`do not reach ${source}`, async () => {
      for (const sql of [
        `SELECT * FROM ${source}`,
        `SELECT 1 IN (SELECT * FROM ${source})`,
        `EXPLAIN SELECT * FROM ${source}`,
      ])
        expect(await ask(sql), sql).to.match(/^Code: (164|497|60|62)\.$/)
    })

  const statements = [
    'SELECT * FROM tidemark.team_state',
    'SELECT * FROM tidemark.cost_daily',
    'SELECT * FROM tidemark.installation',
    'INSERT INTO team_state VALUES (1)',
    "INSERT INTO FUNCTION file('/tmp/x', TSV, 'a String') SELECT 1",
    'CREATE TABLE x (a Int8) ENGINE = Memory',
    'CREATE TEMPORARY TABLE x (a Int8)',
    'CREATE VIEW v AS SELECT 1',
    'ALTER TABLE tidemark.team_state DELETE WHERE 1',
    'TRUNCATE TABLE tidemark.team_state',
    'DROP DATABASE tidemark',
    'OPTIMIZE TABLE tidemark.team_state',
    'CHECK TABLE tidemark.team_state',
    'ATTACH TABLE x',
    'DETACH TABLE x',
    "BACKUP DATABASE tidemark TO Disk('d', 'x')",
    'GRANT product TO default',
    'SYSTEM RELOAD CONFIG',
    'USE tidemark',
    'SET ROLE product',
    'SET readonly = 0',
    'KILL QUERY WHERE 1',
    'RENAME TABLE team_state TO x',
    'EXECUTE AS default SELECT 1',
    'SELECT 1; SELECT 2',
    'SELECT 1;; DROP TABLE x',
    'SELECT 1 SETTINGS readonly = 0',
    '(SELECT 1 SETTINGS max_threads = 1)',
    "(SELECT 1 SETTINGS log_comment = 'product')",
    'WITH 1 AS a INSERT INTO team_state SELECT a',
    "SELECT file('/etc/passwd')",
    "SELECT FILE('/etc/passwd')",
    "SELECT file/**/('/etc/passwd')",
    "SELECT file\n('/etc/passwd')",
    "SELECT `file`('/etc/passwd')",
    'SELECT "file"(\'/etc/passwd\')',
    'SELECT "\\x66ile"(\'/etc/passwd\')',
    "SELECT * APPLY(file) FROM (SELECT '/etc/hostname')",
    "SELECT * APPLY file FROM (SELECT '/etc/hostname')",
    "SELECT arrayMap(file, ['/etc/hostname'])",
    "SELECT arrayMap(x -> file(x), ['/etc/hostname'])",
    "EXPLAIN SELECT file('/etc/passwd')",
    "SELECT x FROM (SELECT 1 AS x) WHERE file('/etc/passwd') != ''",
    "SELECT catboostEvaluate('/x', 1)",
    "SELECT aiGenerate('x', 'y')",
    "SELECT 1 INTO OUTFILE '/tmp/x'",
    "SELECT getServerSetting('path')",
    "SELECT getMacro('x')",
    'SELECT hostName()',
    'SELECT fqdn()',
    'SELECT fullHostName()',
    'SELECT tcpPort()',
    'SELECT serverUUID()',
    'SELECT filesystemAvailable()',
    'SELECT getOSKernelVersion()',
    'SELECT sleep(3)',
    "SELECT hasColumnInTable('tidemark', 'cost_fact', 'x_OrgId')",
    "SELECT getClientHTTPHeader('Authorization')",
    "SELECT hasColumnInTable('OTHER', 'team_state', 'name')",
    "SELECT dictGet('d', 'a', 1)",
    "SELECT joinGet('tidemark.team_state', 'name', 'x')",
    'SELECT * FROM default."/etc/passwd"',
    "SELECT * FROM '/etc/passwd'",
    'SELECT * FROM "/etc/passwd"',
    'SELECT * FROM _temporary_and_external_tables.x',
    'EXPLAIN SELECT * FROM cost_lines',
    'EXPLAIN PLAN SELECT * FROM cost_lines',
    'EXPLAIN PIPELINE SELECT * FROM cost_lines',
    'EXPLAIN ESTIMATE SELECT * FROM cost_lines',
    'EXPLAIN indexes = 1 SELECT * FROM cost_lines',
    'EXPLAIN TABLE OVERRIDE x',
    'SELECT * FROM (EXPLAIN ESTIMATE SELECT * FROM cost_lines)',
    'EXPLAIN CURRENT TRANSACTION',
    'EXPLAIN KILL QUERY WHERE 1',
    'EXISTS DATABASE "OTHER"',
    'EXISTS TABLE "OTHER".team_state',
    'SHOW CREATE DATABASE "OTHER"',
    'SHOW TABLES FROM "OTHER"',
    'SHOW CREATE TABLE "OTHER".team_state',
    'DESCRIBE "OTHER".team_state',
    'DESC TABLE `OTHER`.team_state',
    'SELECT * FROM "OTHER".team_state',
    'SELECT name FROM "OTHER_security".security_events',
    "SELECT * FROM 'OTHER'.team_state",
    'EXISTS DATABASE tidemark',
    'SHOW CREATE TABLE tidemark.cost_daily',
    'DESCRIBE tidemark.cost_fact',
    'SHOW CREATE DATABASE tidemark',
    "DESCRIBE url('http://127.0.0.1:1')",
    "DESCRIBE (SELECT file('/etc/hostname'))",
    'DESCRIBE file(x)',
    'SHOW GRANTS',
    'SHOW USERS',
    'SHOW ACCESS',
    'SHOW PROCESSLIST',
    'SHOW CREATE USER default',
    'SHOW POLICIES',
    'SHOW CLUSTERS',
    'SHOW PROFILES',
    'SELECT * FROM security_events',
    'SELECT $$a$$',
    'SELECT 1 # a',
    'SELECT \u2018a\u2019',
    'SELECT 1 /* open',
    "SELECT 'open",
    '',
    'SELECT * FROM {d:Identifier}.team_state',
    'SELECT 1 FORMAT Template',
    'SELECT 1 FORMAT JSONEachRowWithProgress',
    'SELECT 1 FORMAT `JSONCompactEachRowWithProgress`',
    'SELECT 1 FORMAT "jsoncolumnswithmetadata"',
    'SELECT 1) UNION ALL (SELECT 2',
    'SELECT 1) LIMIT 1 UNION ALL SELECT * FROM (SELECT 2',
    'SELECT (1]',
    'SELECT (1',
    'SELECT [1)) FORMAT JSON',
    'SELECT \0 1',
    'FROM system.one SELECT 1; SELECT 1',
    'SELECT 1 PARALLEL WITH DROP TABLE x',
    'SELECT * FROM team_state PARALLEL WITH SELECT 1',
    'BEGIN TRANSACTION',
    'DELETE FROM team_state',
  ]
  it('are refused whatever does not read, or reads what is not theirs', async () => {
    const outfile = path.join(folder, 'out')
    const found: [string, string][] = []
    const all = [...statements, `SELECT 1 INTO OUTFILE '${outfile}'`, `SELECT 1 FORMAT TSV INTO OUTFILE '${outfile}'`]
    const refused = /^Code: (36|43|60|62|80|81|164|291|446|474|497|516|1002)\.$/
    const params = { param_d: `org_${other.orgId}` }
    for (const sql of all) found.push([sql, await ask(sql, sql.includes('{d:') ? params : {})])
    expect(found.filter(([, answer]) => !refused.test(answer))).to.deep.equal([])
    expect(existsSync(outfile)).to.equal(false)
  })

  it('say how an answer is written in words alone', async () => {
    for (const name of ['default_format', 'network_compression_method', 'client_protocol_version'])
      for (const value of ['TSV; SELECT 1', "TSV INTO OUTFILE '/tmp/x'", 'TSV\r\nX: y', 'TSV SETTINGS readonly = 0'])
        expect(await ask('SELECT 1', { [name]: value }), `${name} ${value}`).to.equal('Code: 36.')
    expect(await ask('SELECT 1', { query_id: 'a\r\nX: y' })).to.equal('1\n')
    const headers = { ...basic(token), 'X-ClickHouse-Format': 'TSV SETTINGS readonly = 0' }
    expect(await (await askAt(own.analystsUrl, { body: 'SELECT 1', headers })).text()).to.match(/^Code: 36\./)
  })

  it('leave no file behind by how an answer is written', async () => {
    const written = path.join(folder, 'schema.capnp')
    for (const format of ['CapnProto', 'Protobuf']) {
      const params = { default_format: format, output_format_schema: written, format_schema: written }
      await ask('SELECT 1 AS a', params)
      await ask(`SELECT 1 AS a FORMAT ${format}`, params)
      expect(existsSync(written), format).to.equal(false)
    }
  })

  it('learn of no neighbour whether it is here: one that never was is refused in the same words', async () => {
    const never = '00000000-0000-4000-8000-000000000000'
    for (const sql of ['EXISTS DATABASE "org_X"', 'SELECT * FROM "org_X".team_state', 'SHOW CREATE DATABASE `org_X`']) {
      const told = async (id: string) => {
        const answer = await askAt(own.analystsUrl, { body: sql.replace('X', id), headers: basic(token) })
        return [answer.status, (await answer.text()).replaceAll(id, 'X')]
      }
      expect(await told(other.orgId), sql).to.deep.equal(await told(never))
    }
  })

  it('cannot choose their organization: not by database, role, quota, session or settings of a request', async () => {
    const theirs = `org_${other.orgId}`
    const tries: Record<string, string>[] = [
      { database: theirs },
      { database: 'tidemark' },
      { role: 'product' },
      { quota_key: other.orgId, session_id: 's', session_timeout: '60' },
      { readonly: '0', SQL_org: other.orgId, log_comment: 'product' },
      { additional_table_filters: "{'team_state': '1'}", param_org: other.orgId },
    ]
    for (const params of tries) expect(await ask('SELECT name FROM team_state', params)).to.equal('ours\n')
    const headers = { ...basic(token, other.orgId), 'X-ClickHouse-Database': theirs, 'X-Org-Id': other.orgId }
    const answer = await askAt(own.analystsUrl, { body: 'SELECT name FROM team_state', headers })
    expect(await answer.text()).to.equal('ours\n')
  })

  it('leave nothing to each other: neither caches nor sessions, one after the other and at once', async () => {
    const theirs = await other.tokenFor('viewer', 'analyst')
    const name = async (by: string) =>
      (
        await askAt(own.analystsUrl, { body: "SELECT name FROM team_state WHERE team_id = 't-1'", headers: basic(by) })
      ).text()
    const turns = Array.from({ length: 12 }, (_, i) => (i % 2 ? theirs : token))
    const expected = turns.map((by) => (by === token ? 'ours\n' : `${secret}\n`))
    const inTurn: string[] = []
    for (const by of turns) inTurn.push(await name(by))
    expect(inTurn).to.deep.equal(expected)
    expect(await Promise.all(turns.map(name))).to.deep.equal(expected)
  })
})
