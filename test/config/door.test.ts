/** ClickHouse's door and the analysts' port before it as drivers use them: their protocol, their compression, their first requests. */
import { createClient } from '@clickhouse/client'
import { expect } from 'chai'
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { reachable } from '#config/embedded/clickhouse/address.ts'
import { Fault } from '#engine/value/fault.ts'
import { Limiter } from '#http/edge/limit/limit.ts'
import { systemRights } from '#http/identity/organization/role.ts'
import type { AnalystDatabases } from '#config/analyst/database.ts'
import { openGate, type Gate } from '#config/analyst/gate.ts'
import { upstreamAt } from '#config/analyst/upstream.ts'
import { cityHash128 } from '#config/embedded/clickhouse/city-hash.ts'
import { startClickHouse, type StartedClickHouse } from '#config/embedded/clickhouse/clickhouse.ts'
import { pack, unpack } from '#config/embedded/clickhouse/compression.ts'
import { databaseOf } from '#config/analyst/database-name.ts'
import { root } from '#config/process/root.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { deepDescribe } from '#test/harness/tier.ts'

const random = (length: number) => Buffer.from(Array.from({ length }, (_, i) => (i * 7 + (i >> 8) * 13 + 11) % 251))
const hex = (bytes: Buffer) => bytes.toString('hex')

describe('the checksum of compressed blocks', () => {
  // Worked out by the hash of clickhouse-go, of as many bytes as stand before.
  const known: [number, string][] = [
    [0, '3cb540c392e51e293df09dfc64c09a2b'],
    [1, 'be4ed390c455dce668c4d90df5a5eb8f'],
    [3, '0bd7b46c615f13e7661172aefae65614'],
    [4, '2c77ed71e1c2aa13b08c0a7b0d0bbcf4'],
    [7, 'd4cd1566dc14e6fc8964ee960d2b9bf9'],
    [8, 'b67728427c5493c42229fa3199383480'],
    [9, '211d6a92110e32028991aeba25d92455'],
    [15, '2f020a916bb574a2203297ca55f2e3c6'],
    [16, '4d059b367ca8657e1ce51cb9ad518796'],
    [17, '63eed7cae9b36532ae635c78bb09b9ff'],
    [20, '68f18637d05a9f1e0436524b7aebed47'],
    [24, '22202abf23fe7809e808cb4025b39ab0'],
    [25, '4a4a163fff2f51d910c650ecec166243'],
    [31, '263031b4b3a2eac85ed1f7e05a3c58a7'],
    [32, '1f0a8d04baf63ab449785059134ce8d1'],
    [33, '75967835d40f70f505b1c6d15ba0ade4'],
    [40, '6f3af0f710f3f9b64a4a2ad3873857dc'],
    [48, 'e9f0f489995dbf51ccd9fbfbf26fa239'],
    [100, '1f08d7539fea3e089d3440cfaaba07b0'],
    [127, 'c34f306e679c40046e96581b44bbca1d'],
    [128, '2bdf6b882969c86c90878823e55ebadf'],
    [143, 'b557f88407ad6cc043b695bbf61584be'],
    [144, 'a655c41d20b9b4edd2c8bc1dde4450c1'],
    [145, '45e075f31ad003a519fa4590923b6fcf'],
    [160, '0a339c21a637118a7f6b4adfa42e660d'],
    [200, '4df7ec32f05adf1e057b96766bdd08eb'],
    [272, '740123a5eaaf264de37ab7c6b64d7911'],
    [273, 'f6a5561a473a0ab429cde1b8417b8032'],
    [300, 'd549279da99ae6931cc69a8d6a2d9578'],
    [1000, 'c625d53782d2a5d5675434eba0dd036f'],
    [4096, '67d30eba1dfc3ec81d2fbe0d78a80fed'],
    [100003, '8a51f59a077f1b7fce9efa9b07c98b19'],
  ]

  it('is CityHash128 as ClickHouse has it, of any length', () => {
    const found = known.map(([length]) => {
      const [low, high] = cityHash128(random(length))
      return [length, (high * 2n ** 64n + low).toString(16).padStart(32, '0')]
    })
    expect(found).to.deep.equal(known)
  })
})

describe('compressed blocks', () => {
  // What clickhouse-go sends for the text `SELECT 1`, repeated sixteen times.
  const sent =
    '0748ef2535e4e2be42bdeba1d03185508228000000800000008f53454c4543542031080051006800006800c04354203153454c4543542031'
  const plain = Buffer.from('SELECT 1'.repeat(16))

  it('are read as a driver writes them', async () => {
    expect((await unpack(Buffer.from(sent, 'hex'), 1000)).toString()).to.equal(plain.toString())
  })

  it('come back as they went in, by either method, many at once, and none of nothing', async () => {
    for (const bytes of [plain, random(3_000_000), Buffer.alloc(2 ** 20), Buffer.alloc(1)])
      for (const method of ['LZ4', 'ZSTD']) {
        const packed = await pack(bytes, method)
        expect(packed[16], method).to.equal(method === 'LZ4' ? 0x82 : 0x90)
        expect((await unpack(packed, bytes.length)).equals(bytes), method).to.equal(true)
      }
    expect((await pack(Buffer.alloc(3 * 2 ** 20))).length).to.be.lessThan(20_000)
    expect(await pack(Buffer.alloc(0))).to.have.length(0)
  })

  it('that were changed, cut off, of another method or too large are refused in the words of the engine', async () => {
    const packed = await pack(plain)
    const told = (bytes: Buffer, max = 1000) => unpack(bytes, max).catch((error: Error) => error.message)
    const changed = Buffer.from(packed)
    changed[30]! ^= 1
    expect(await told(changed)).to.match(/^Code: 40\. DB::Exception: Checksum/)
    expect(await told(packed.subarray(0, -1))).to.match(/^Code: 33\./)
    expect(await told(Buffer.from('SELECT 1, 2, 3, 4, 5, 6, 7'))).to.match(/^Code: 33\./)
    expect(await told(packed, plain.length - 1)).to.match(/^Code: 223\./)
    const signed = (change: (block: Buffer) => void) => {
      const block = Buffer.from(packed)
      change(block)
      cityHash128(block.subarray(16)).forEach((half, i) => block.writeBigUInt64LE(half, i * 8))
      return block
    }
    expect(await told(signed((block) => block.writeUInt8(0x91, 16)))).to.match(/^Code: 89\./)
    expect(await told(signed((block) => block.writeUInt32LE(500, 21)))).to.match(/^Code: 271\./)
    expect(await told(signed((block) => block.writeUInt32LE(5, 21)))).to.match(/^Code: 271\./)
  })
})

const token = 'svc_pat_of-a-test'
const orgId = '5d0c1b6e-7f0a-4c1a-9d52-3f6f0f6f0a01'
const caller = { orgId, ...systemRights('viewer'), kind: 'pat' as const, userId: '', principal: 'pat:1' }

/** The port of analysts before a ClickHouse, with one organization and one token. */
const gateBefore = (url: string): Promise<Gate> => {
  const upstream = upstreamAt(url)
  const databases = {
    of: async () => databaseOf(orgId, ['service.view', 'space.view']),
    isThere: async () => true,
  } as unknown as AnalystDatabases
  return openGate({
    host: '127.0.0.1',
    port: 0,
    callerOf: async (given) => {
      if (given !== token) throw Fault.unauthenticated('invalid_token', 'No.')
      return caller
    },
    isWhole: () => true,
    serverOf: async () => ({ databases, upstream }),
    disconnect: () => upstream.close(),
    note: () => {},
    limiter: new Limiter(() => 0),
    refused: { name: 'test', perMinute: 0, burst: 0 },
  })
}

describe('the door to ClickHouse', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-door-'))
  let clickhouse: StartedClickHouse
  let gate: Gate
  before(async function () {
    this.timeout(180_000)
    clickhouse = await startClickHouse(folder, { log: () => {} })
    const client = createClient(reachable(clickhouse.url))
    await client.command({ query: 'CREATE TABLE cost (day Date, usd Decimal(18, 2)) ENGINE = MergeTree ORDER BY day' })
    await client.command({ query: "INSERT INTO cost VALUES ('2026-01-01', 1.25), ('2026-01-02', 2.5)" })
    const database = databaseOf(orgId, ['service.view', 'space.view'])
    await client.command({ query: `CREATE DATABASE "${database}" ENGINE = Memory` })
    const view = `CREATE VIEW "${database}".cost DEFINER = default SQL SECURITY DEFINER AS SELECT * FROM cost`
    await client.command({ query: view })
    gate = await gateBefore(clickhouse.url)
    await client.close()
  })
  after(async () => {
    await gate.close()
    await clickhouse.stop()
    rmSync(folder, { recursive: true })
  })

  interface Asked {
    url?: string
    headers?: Record<string, string>
  }
  /** Asks with these parameters, as an analyst unless told otherwise. */
  const post = (body: string | Buffer, params: Record<string, string> = {}, { url, headers = {} }: Asked = {}) =>
    askAt(url ?? gate.url, { body: Buffer.from(body), params, headers: { ...(!url && basic(token)), ...headers } })
  const bytes = async (...asked: Parameters<typeof post>) => Buffer.from(await (await post(...asked)).arrayBuffer())

  describe('answers a driver that says its protocol version', () => {
    const native = { default_format: 'Native' }
    const versioned = { ...native, client_protocol_version: '54460' }

    it('in blocks that begin with their info, and columns that say they are ordinary', async () => {
      const info = '010002ffffffff00'
      const sql = "SELECT toUInt8(1) AS a, 'xy' AS b"
      expect(hex(await bytes(sql, native))).to.equal(
        `0201${'0161'}0555496e7438${'01'}${'0162'}06537472696e67${'027879'}`,
      )
      const [a, b] = [`01610555496e7438${'00'}01`, `016206537472696e67${'00'}027879`]
      expect(hex(await bytes(sql, versioned))).to.equal(`${info}0201${a}${b}`)
      const old = { ...native, client_protocol_version: '54453' }
      expect(hex(await bytes(sql, old))).to.equal(`${info}${hex(await bytes(sql, native))}`)
      const blocks = await bytes('SELECT toUInt8(number) AS a FROM numbers(3) SETTINGS max_block_size = 2', versioned, {
        url: clickhouse.url,
      })
      const block = (rows: string) => `${info}01${rows.slice(0, 2)}01610555496e743800${rows.slice(2)}`
      expect(hex(blocks)).to.equal(block('020001') + block('0102'))
      expect(await bytes('SELECT 1 WHERE 0', versioned)).to.have.length(
        (await bytes('SELECT 1 WHERE 0', native)).length && 20,
      )
    })

    const columns = [
      'number::UInt8, -1::Int16, 1::UInt32, 1::Int64, 1::UInt128, 1::Int256, 1.5::Float32, 1.5::Float64, true',
      'toDate(1), toDate32(1), now(), now64(6), toIntervalDay(1)',
      "1::Decimal(9, 2), 1::Decimal(18, 2), 1::Decimal(38, 14), 1::Decimal(76, 2), 'ab'::FixedString(2), repeat('é', number * 100)",
      "generateUUIDv4(), toIPv4('127.0.0.1'), toIPv6('::1'), 'a,b(\\'c'::Enum8('a,b(\\'c' = 1), NULL, 1::Nullable(Int32)",
      "range(number), [[1], [], [2, 3]], [('a', 1)], []::Array(Nothing), map('a', range(number)), (1, 'b', (2, [3]))",
      "(1, 'b')::Tuple(`a b` UInt8, c LowCardinality(String)), tuple(), (1., 2.)::Point, [(1., 2.)]::Ring",
      "toLowCardinality(toString(number)), toLowCardinality(toNullable('x')), [toLowCardinality('y')], []::Array(LowCardinality(String))",
      "map('k', toLowCardinality('v')), map(toLowCardinality('k'), 1), [(1, 'x')]::Nested(a UInt8, b String)",
    ]
    for (const row of columns)
      it(`whatever the types: ${row.slice(0, 40)}...`, async () => {
        const sql = `SELECT ${row} FROM numbers(3) FORMAT Native`
        const [before, after] = [await bytes(sql), await bytes(sql, versioned)]
        const told = before.readUInt8(0)
        expect(before.readUInt8(1), before.toString()).to.equal(3)
        expect(after.length, after.toString()).to.equal(before.length + 8 + told)
      })

    it('and says which column it cannot tell', async () => {
      const answer = await post('SELECT sumState(number) AS s FROM numbers(3)', versioned)
      expect([answer.status, await answer.text()]).to.deep.equal([
        500,
        'Code: 48. DB::Exception: AggregateFunction(sum, UInt64) is not supported by this driver. Cast it, for example with toString(...).\n',
      ])
      expect(
        await (await post('SELECT 1 FORMAT TSV SETTINGS max_threads = 1', versioned, { url: clickhouse.url })).text(),
      ).to.equal('1\n')
    })
  })

  it('takes compressed bodies, and gives compressed answers, errors too', async () => {
    const both = { compress: '1', decompress: '1' }
    const asked = await bytes(await pack(Buffer.from('SELECT usd FROM cost ORDER BY day')), both)
    expect((await unpack(asked, 1000)).toString()).to.equal('1.25\n2.5\n')
    const zstd = await bytes('SELECT 1', { compress: '1', network_compression_method: 'zstd' })
    expect([zstd[16], (await unpack(zstd, 1000)).toString()]).to.deep.equal([0x90, '1\n'])
    const wrong = await post('SELECT nothing', { compress: '1' })
    expect([wrong.status, wrong.headers.get('x-clickhouse-exception-code')]).to.deep.equal([404, '47'])
    expect((await unpack(Buffer.from(await wrong.arrayBuffer()), 1000)).toString()).to.match(/^Code: 47\. /)
    const refused = await post('DROP TABLE cost', { compress: '1' })
    expect([refused.status, await refused.text()]).to.deep.equal([
      403,
      'Code: 164. DB::Exception: Analysts: only SELECT, WITH, SHOW, EXPLAIN, EXISTS, and DESCRIBE of a table. (READONLY)\n',
    ])
    expect(await (await post('SELECT 1', both)).text()).to.match(/^.*Code: 33\. /s)
    const rows = await pack(Buffer.from('2026-01-03,4\n'))
    const written = { decompress: '1', query: 'INSERT INTO cost FORMAT CSV' }
    expect((await post(rows, written, { url: clickhouse.url })).status).to.equal(200)
    const sum = async () => (await post("SELECT sum(usd) FROM cost WHERE day > '2026-01-02'")).text()
    expect(await sum()).to.equal('4\n')
  })

  it('lets analysts lower their limits, and neither raise them nor set anything else', async () => {
    const value = async (name: string, params: Record<string, string>) =>
      (await post(`SELECT value FROM system.settings WHERE name = '${name}'`, params)).text()
    expect(await value('max_execution_time', { max_execution_time: '7' })).to.equal('7\n')
    for (const asked of ['60', '0', 'x', '-1']) {
      expect(await value('max_execution_time', { max_execution_time: asked }), asked).to.equal('10\n')
      expect(await value('readonly', { readonly: asked }), asked).to.equal('1\n')
    }
    const rows = async (count: number, params: Record<string, string> = {}) =>
      (await post(`SELECT number FROM numbers(${count})`, params)).headers.get('x-clickhouse-exception-code')
    expect([await rows(100_000), await rows(100_001)]).to.deep.equal([null, '396'])
    expect([await rows(3, { max_result_rows: '3' }), await rows(4, { max_result_rows: '3' })]).to.deep.equal([
      null,
      '396',
    ])
    expect(await rows(100_001, { max_result_rows: '1000000' })).to.equal('396')
    const few = { max_result_rows: '2', result_overflow_mode: 'break' }
    expect(await (await post('SELECT number FROM numbers(100) SETTINGS max_block_size = 1', few)).text()).to.match(
      /Code: 164/,
    )
    const others = { async_insert: '0', max_rows_to_read: '1', max_memory_usage_for_user: '1', compatibility: '20.1' }
    for (const [name, asked] of Object.entries({ ...others, role: 'product', session_id: 'x', database: 'tidemark' })) {
      expect(await value(name, { [name]: asked }), name).to.equal(await value(name, {}))
      expect(await value('readonly', { [name]: asked }), name).to.equal('1\n')
    }
    expect(await value('max_block_size', { max_block_size: '7' })).to.equal('7\n')
    expect(await value('max_execution_time', { profile: 'default' })).to.equal('10\n')
    expect(await value('max_execution_time', {})).to.equal('10\n')
  })

  /** Requests as client-v2 and jdbc-v2 of clickhouse-java 0.9 write them: the version, a statement of five rows at most, a prepared one. */
  for (const client of [false, true])
    it(`answers the first requests of the JDBC driver${client ? ', its statements compressed' : ''}`, async () => {
      const headers = {
        'content-type': 'text/plain',
        'x-clickhouse-format': 'RowBinaryWithNamesAndTypes',
        'x-clickhouse-database': 'tidemark',
        ...basic(token),
      }
      const asked = async (sql: string, params: Record<string, string>) => {
        const body = client ? await pack(Buffer.from(sql)) : sql
        const sent = { compress: '1', ...(client && { decompress: '1' }), ...params }
        const answer = await post(body, sent, { headers })
        const { result_rows: rows } = JSON.parse(answer.headers.get('x-clickhouse-summary') ?? '{}')
        const format = answer.headers.get('x-clickhouse-format')
        return [
          answer.status,
          format,
          rows,
          (await unpack(Buffer.from(await answer.arrayBuffer()), 1e6)).toString('latin1'),
        ]
      }
      const format = 'RowBinaryWithNamesAndTypes'
      const [status, , rows, version] = await asked('SELECT version() as server_version', { wait_end_of_query: '1' })
      expect([status, rows]).to.deep.equal([200, '1'])
      expect(String(version).replace(/.\d+\.\d+\.\d+\.\d+$/s, ' V')).to.equal('\x01\x0eserver_version\x06String V')
      const usual = { query_id: 'q-1', wait_end_of_query: '0', async_insert: '0' }
      const few = { ...usual, result_overflow_mode: 'break', max_result_rows: '5' }
      expect(await asked('SELECT toUInt8(number) AS n FROM numbers(3)', few)).to.deep.equal([
        200,
        format,
        '3',
        '\x01\x01n\x05UInt8\x00\x01\x02',
      ])
      expect(await asked("SELECT 'it\\'s' AS x", usual)).to.deep.equal([
        200,
        format,
        '1',
        "\x01\x01x\x06String\x04it's",
      ])
      const [failed, , , words] = await asked('SELECT nothing', usual)
      expect(failed).to.equal(404)
      expect(words).to.match(/^Code: 47\. /)
    })

  deepDescribe('answers clickhouse-go, the driver of Grafana', () => {
    const program = path.join(root, 'test/harness/clickhouse-go')
    let binary: string
    before(async function () {
      this.timeout(300_000)
      const go = (...args: string[]) => promisify(execFile)('go', args, { cwd: program, timeout: 140_000 })
      const isThere = await go('mod', 'download').then(
        () => true,
        () => false,
      )
      if (!isThere) {
        console.log('      Go, or the modules of its driver, are not to be had here: it was not run')
        this.skip()
      }
      binary = path.join(folder, 'clickhouse-go')
      await go('build', '-o', binary, '.')
    })

    const asked = [
      'SELECT day, usd FROM cost ORDER BY day LIMIT 2',
      'SELECT number, toString(number) FROM numbers(3)',
      'SELECT number FROM numbers(0)',
      "SELECT map('a', 1)::Map(LowCardinality(String), UInt8), toLowCardinality(toNullable('z')), NULL, (1, 'b'), [[1], []]",
      'SELECT count(), max(n) FROM (SELECT number AS n FROM numbers(100000))',
      'SELECT nothing',
      'DROP TABLE cost',
    ]
    const answers = [
      [
        ['2026-01-01T00:00:00Z', '1.25'],
        ['2026-01-02T00:00:00Z', '2.5'],
      ],
      [
        [0, '0'],
        [1, '1'],
        [2, '2'],
      ],
      [],
      [[{ a: 1 }, 'z', null, [1, 'b'], ['AQ==', '']]],
      [[100_000, 99_999]],
      47,
      164,
    ]
    for (const method of ['none', 'lz4', 'zstd', 'gzip'])
      it(`with ${method === 'none' ? 'no compression' : method}`, async () => {
        const child = spawn(binary, [new URL(gate.url).host, '/', method, token])
        child.stdin.end(JSON.stringify(asked))
        const [out, said] = await Promise.all([buffer(child.stdout), text(child.stderr)])
        expect(said).to.equal('')
        expect(JSON.parse(out.toString())).to.deep.equal(answers)
      })
  })
})
