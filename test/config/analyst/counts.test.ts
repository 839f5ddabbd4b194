/** What an answer tells of rows that are not the caller's: nothing, neither how many there are nor what is in them. */
import { expect } from 'chai'
import { askAt, basic } from '#test/harness/door.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { amount, isDeep } from '#test/harness/tier.ts'

const secret = 'neighbours-secret'
/** Rows of the neighbour: first these, then those too. */
const rows = { few: 10, many: amount(3_000, 100_000, 100_000) }
const ownRows = 2_000

interface Answered {
  status: number
  headers: Record<string, string>
  bytes: Buffer
}

describe('an answer to an analyst, whether a neighbour has few rows or many', () => {
  let own: Tenant
  let other: Tenant
  let token: string

  before(async () => {
    const [a, b] = [await tenant(), await tenant()]
    // Rows are sorted by organization: what stands before the caller's own is what would move them.
    ;[other, own] = a.orgId < b.orgId ? [a, b] : [b, a]
    token = await own.tokenFor('viewer', 'analyst')
    await fill(own, 'ours', ownRows)
    await fill(other, secret, rows.few)
    await settle()
  })

  const fill = async ({ connections, orgId }: Tenant, name: string, count: number): Promise<void> => {
    const { clickhouse } = connections
    const start = Date.parse('2026-01-01T00:00:00Z')
    const each = <T>(make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
    const place = { org_id: orgId, cloud_account_id: name, x_Version: '1' }
    const at = '2026-01-01 00:00:00.000'
    await clickhouse.insert({
      table: 'metric_sample',
      format: 'JSONEachRow',
      values: each((i) => ({
        ...place,
        resource_uid: name,
        metric: name,
        ts: new Date(start + i * 60_000).toISOString().replace('T', ' ').slice(0, 23),
        value: i,
      })),
    })
    await clickhouse.insert({
      table: 'resource_state',
      format: 'JSONEachRow',
      values: each((i) => ({
        ...place,
        resource_uid: `${name}-${String(i).padStart(6, '0')}`,
        name,
        type: name,
        region: name,
        provider: name,
        tags: { [name]: name },
        first_seen_at: at,
        observed_at: at,
      })),
    })
  }
  const settle = async () => {
    for (const table of ['metric_sample', 'resource_state'])
      await own.connections.clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` })
  }

  const ask = async (body: string, params: Record<string, string> = {}): Promise<Answered> => {
    const answer = await askAt(own.analystsUrl, { body, params, headers: basic(token) })
    const headers = Object.fromEntries(answer.headers)
    const bytes = withoutMarks(Buffer.from(await answer.arrayBuffer()))
    expect(bytes.includes(secret), `${body} ${JSON.stringify(params)}`).to.equal(false)
    const summary = headers['x-clickhouse-summary']
    if (summary !== undefined)
      headers['x-clickhouse-summary'] = JSON.stringify({ ...JSON.parse(summary), elapsed_ns: '' })
    const { date: _, 'x-clickhouse-query-id': __, ...told } = headers
    return { status: answer.status, headers: told, bytes }
  }
  /** Avro ends its blocks with 16 random bytes. */
  const withoutMarks = (bytes: Buffer): Buffer =>
    bytes.subarray(0, 3).toString() === 'Obj'
      ? Buffer.from(bytes.toString('latin1').replaceAll(bytes.subarray(-16).toString('latin1'), ''), 'latin1')
      : bytes
  /** As a failure is told, without how long it took. */
  const textOf = ({ bytes }: Answered) => bytes.toString().replace(/elapsed [\d.]+ ms/, 'elapsed')

  const oneByOne = { max_threads: '1' }
  const statements: [string, Record<string, string>][] = [
    ['SELECT count(), sum(value), min(ts) FROM metric_samples', {}],
    ['SELECT value FROM metric_samples', oneByOne],
    ['SELECT 1 FROM metric_samples', oneByOne],
    ['SELECT value FROM metric_samples WHERE value < 1500 LIMIT 1300', oneByOne],
    ['SELECT value FROM metric_samples LIMIT 3', oneByOne],
    ['SELECT metric, count() FROM metric_samples GROUP BY metric', {}],
    ['SELECT metric, count() FROM metric_samples GROUP BY metric WITH TOTALS', {}],
    ['SELECT resource_uid, type, tags FROM resources ORDER BY resource_uid', {}],
    ['SELECT resource_uid, type, tags FROM resources ORDER BY resource_uid LIMIT 20 OFFSET 7', {}],
    ['SELECT type FROM resources', { max_result_rows: '100', result_overflow_mode: 'break', ...oneByOne }],
    ['SELECT value FROM metric_samples', { max_result_rows: '100', ...oneByOne }],
    ['SELECT throwIf(value = 1900) FROM metric_samples', oneByOne],
    ['SELECT groupArray(repeat(resource_uid, 100000)) FROM resources', { max_memory_usage: '50000000', ...oneByOne }],
    ['SELECT name, total_rows, total_bytes, parts FROM system.tables ORDER BY name', {}],
    ['SELECT name, data_compressed_bytes, marks_bytes FROM system.columns ORDER BY table, name', {}],
  ]
  /** Formats with statistics, sizes of blocks or dictionaries in them. */
  const telling =
    'JSON JSONColumnsWithMetadata JSONEachRowWithProgress XML Native Arrow Buffers ORC Parquet Pretty'.split(' ')
  /** Settings of an answer that would write what the engine read, or the whole dictionary of a column. */
  const settings: Record<string, string> = {
    output_format_write_statistics: '1',
    output_format_arrow_low_cardinality_as_dictionary: '1',
    send_progress_in_http_headers: '1',
    http_headers_progress_interval_ms: '0',
    wait_end_of_query: '0',
    log_queries: '1',
    send_logs_level: 'trace',
    extremes: '1',
  }
  const wide = 'SELECT resource_uid, type, region, tags FROM resources ORDER BY resource_uid LIMIT 1200'
  const explained = ['', 'PLAN ', 'PIPELINE ', 'ESTIMATE ', 'indexes = 1 ', 'AST ', 'SYNTAX ', 'QUERY TREE '].map(
    (kind) => `EXPLAIN ${kind}SELECT value FROM metric_samples WHERE value > 7`,
  )

  /** All switches of how an answer is written, on and off, but one that lets the engine wait for more rows. */
  const switches = async (): Promise<Record<string, string>[]> => {
    const sql = "SELECT name FROM system.settings WHERE name LIKE 'output_format_%' AND type = 'Bool' ORDER BY name"
    const names = textOf(await ask(sql))
      .trim()
      .split('\n')
    expect(names).to.include('output_format_arrow_low_cardinality_as_dictionary')
    return ['1', '0'].map((value) => Object.fromEntries(names.map((name) => [name, value])))
  }

  it('is the same, byte by byte, in every format and with every setting [G-126]', async () => {
    const formats = textOf(await ask('SELECT name FROM system.formats WHERE is_output ORDER BY name'))
      .trim()
      .split('\n')
    expect(formats).to.include.members(telling)
    const named = isDeep ? formats : telling
    const all: [string, Record<string, string>][] = [
      ...(isDeep ? [settings, ...(await switches())] : [settings]).flatMap((set) =>
        named.map((name): [string, Record<string, string>] => [`${wide} FORMAT ${name}`, set]),
      ),
      ...statements.flatMap(([sql, params]) =>
        (isDeep ? telling : ['Native']).map((name): [string, Record<string, string>] => [
          sql,
          { ...params, default_format: name },
        ]),
      ),
      ...explained.map((sql): [string, Record<string, string>] => [sql, {}]),
    ]
    const each = async () => {
      const found: Answered[] = []
      for (const [sql, params] of all) found.push(await ask(sql, params))
      return found
    }
    const first = await each()
    await fill(other, secret, rows.many)
    await settle()
    const second = await each()
    const differing = all.filter((_, i) => {
      const [a, b] = [first[i]!, second[i]!]
      const headers = (one: Answered) => (one.status === 200 ? one.headers : { ...one.headers, 'content-length': '' })
      const isSame = a.status === 200 ? a.bytes.equals(b.bytes) : textOf(a) === textOf(b)
      return !isSame || a.status !== b.status || JSON.stringify(headers(a)) !== JSON.stringify(headers(b))
    })
    expect(differing.map(([sql, params]) => [sql, params['default_format']])).to.deep.equal([])
  }).timeout(amount(60_000, 480_000, 480_000))

  const told = [
    'blockNumber()',
    'blockSize()',
    'blockSerializedSize(value)',
    'rowNumberInBlock()',
    'rowNumberInAllBlocks()',
    'runningAccumulate(sumState(value))',
    'runningDifference(value)',
    'neighbor(value, -1)',
    'nowInBlock()',
    'dumpColumnStructure(value)',
    "indexHint(metric = 'x')",
    'lowCardinalityKeys(metric)',
    'lowCardinalityIndices(metric)',
    ...virtualColumns(),
  ]
  it('cannot tell where blocks, parts and dictionaries that all organizations share begin and end [G-126]', async () => {
    const found: Record<string, string> = {}
    for (const what of told) {
      const answer = await ask(`SELECT ${what} FROM metric_samples`)
      found[what] = /^Code: (\d+)/.exec(textOf(answer))?.[1] ?? textOf(answer).slice(0, 100)
    }
    const expected = told.map((what) => [what, what.startsWith('_') ? '47' : '164'])
    expect(found).to.deep.equal(Object.fromEntries(expected))
  })

  it('holds no value of others in an error of a function, which the engine applies to a whole dictionary [G-126]', async () => {
    const failing = [
      'SELECT base64Decode(type) FROM resources LIMIT 3',
      'SELECT toUInt8(type) FROM resources',
      'SELECT toDate(region) FROM resources LIMIT 1',
      "SELECT count() FROM resources WHERE base58Decode(region) = 'a'",
      'SELECT type FROM resources GROUP BY type, base32Decode(type) ORDER BY base32Decode(type)',
      'SELECT arrayMap(k -> toUInt8(k), mapKeys(tags)) FROM resources',
      'SELECT mapApply((k, v) -> (k, toUInt8(k)), tags) FROM resources',
      "SELECT max(toUInt8(metric)) FROM metric_samples WHERE ts > '2026-01-01'",
      'SELECT toUInt8(a.metric) FROM metric_samples AS a JOIN resources AS b ON a.metric = b.type LIMIT 1',
      'WITH t AS (SELECT * FROM resources) SELECT toFloat64(provider) FROM t',
    ]
    for (const sql of failing) expect((await ask(sql, oneByOne)).status, sql).to.not.equal(404)
    expect(textOf(await ask('SELECT type, length(base64Decode(type)) FROM resources LIMIT 1'))).to.equal('ours\t3\n')
    const columns = await ask("SELECT count() FROM system.columns WHERE type LIKE '%LowCardinality%'")
    expect(textOf(columns)).to.equal('0\n')
  })

  it('has no statistics, no progress, and no count of what was read [G-126]', async () => {
    const json = await ask('SELECT value FROM metric_samples LIMIT 2 FORMAT JSON', { ...settings, ...oneByOne })
    expect(Object.keys(JSON.parse(textOf(json)))).to.deep.equal(['meta', 'data', 'rows', 'rows_before_limit_at_least'])
    expect(JSON.parse(textOf(json)).rows_before_limit_at_least).to.equal(2)
    const xml = await ask('SELECT value FROM metric_samples LIMIT 2 FORMAT XML', settings)
    expect(textOf(xml)).to.not.match(/statistics|rows_read|bytes_read/)
    expect(json.headers).to.not.have.property('x-clickhouse-progress')
    expect(JSON.parse(json.headers['x-clickhouse-summary']!)).to.include({ read_rows: '2', result_rows: '2' })
  })
})

/** Columns that every table of the engine has, and no view. */
function virtualColumns(): string[] {
  return '_part _part_index _part_offset _part_starting_offset _partition_id _partition_value _sample_factor _block_number _block_offset _row_exists'.split(
    ' ',
  )
}
