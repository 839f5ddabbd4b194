import { createClient } from '@clickhouse/client'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { reachable, socketOf } from '#config/embedded/clickhouse/address.ts'
import { processBirth } from '#config/embedded/child.ts'
import { runningInstance, startStores, type Stores } from '#config/embedded/stores.ts'
import { natsAt } from '#test/harness/stores.ts'
import { askAt } from '#test/harness/door.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const options = { cache: path.join(root, '.cache'), lanes: 8, log: () => {} }
const STORES = ['postgres', 'nats', 'clickhouse'] as const
const UNPRINTABLE = ['tab\tline\ncr\r', 'nul\0in', '\0', '', '\u2028', '\x01\x7f', '🌊', 'x'.repeat(20_000)]
const ESCAPES = ['\\', "\\'", '\\N', 'NULL', '\\n', '\\x41', "it's", "a'b\\'c\\\\'", '"q"', '`b`', '‘’“”']
const SYNTAX = ['{x:String}', '-- c', '/* c', '$$a$$', "'; DROP TABLE t; --"]
const HOSTILE = [...UNPRINTABLE, ...ESCAPES, ...SYNTAX]

describe('the stores in the box', () => {
  let folder: string
  let dir: string
  let stores: Stores

  /** Of the servers of a process that was killed: their processes, those of them that were up, and that were not gone; and where they were. */
  let killed: { pids: number[]; up: number[]; left: number[]; urls: string[] }
  const upOf = (pids: readonly number[]) => pids.filter((pid) => processBirth(pid) !== undefined)

  before(async function () {
    this.timeout(180_000)
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-stores-'))
    dir = path.join(folder, 'data')
    const url = (file: string): string => JSON.stringify(path.join(root, 'config', 'embedded', file))
    const script = `const { startStores } = await import(${url('stores.ts')})
      const stores = await startStores(${JSON.stringify(dir)}, { ...${JSON.stringify(options)}, log: () => {} })
      const { askAt } = await import(${JSON.stringify(path.join(root, 'test/harness/door.ts'))})
      await askAt(stores.clickhouse.url, { body: 'create table t engine = MergeTree order by a as select 1 a' })
      const all = [stores.postgres, stores.nats, stores.clickhouse]
      console.log(JSON.stringify({ pids: all.map((store) => store.pid()), urls: all.map(({ url }) => url) }))`
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [printed] = (await once(owner.stdout, 'data')) as [Buffer]
    const { pids, urls } = JSON.parse(printed.toString()) as { pids: number[]; urls: string[] }
    const up = upOf(pids)
    owner.kill('SIGKILL')
    stores = await startStores(dir, options)
    killed = { pids, up, left: upOf(pids), urls }
  })
  after(async () => {
    await stores.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const sql = async (text: string): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString: stores.postgres.url })
    client.on('error', () => {})
    await client.connect()
    return client
      .query(text)
      .then(({ rows }) => rows as unknown[])
      .finally(() => client.end())
  }
  /** Raw HTTP, as curl would: the text of the answer, an exception's too. */
  const ask = async (query: string, url = stores.clickhouse.url, method = 'POST', params = {}): Promise<string> => {
    const asked = method === 'GET' ? { params: { query } } : { body: query }
    return (await askAt(url, { method, ...asked, params: { ...asked.params, ...params } })).text()
  }
  const rows = async (query: string, params: Record<string, unknown>, multipart = false): Promise<any[]> => {
    const client = createClient(reachable(stores.clickhouse.url))
    const result = await client.query({
      query,
      query_params: params,
      format: 'JSONEachRow',
      use_multipart_params: multipart,
    })
    return result.json<any>().finally(() => client.close())
  }
  const kill = async (store: (typeof STORES)[number]): Promise<void> => {
    const pid = stores[store].pid() ?? 0
    process.kill(pid, 'SIGKILL')
    await until(`${store} is back`, () => Promise.resolve(![undefined, pid].includes(stores[store].pid())))
  }

  it('no server outlives its process, killed without warning, and the next start finds everything', async () => {
    expect(killed.up).to.deep.equal(killed.pids)
    expect(killed.left).to.deep.equal([])
    expect(await ask('select a from t')).to.equal('1\n')
    // The start met servers that were still going down: it waited for their ports instead of moving.
    expect(STORES.map((store) => stores[store].url)).to.deep.equal(killed.urls)
  })

  it('all three answer on the loopback interface, and tell where', async () => {
    const nats = await connect(natsAt(stores.nats.url))
    expect(nats.info?.version).to.equal(stores.nats.version)
    await nats.close()
    expect(await sql('show synchronous_commit')).to.deep.equal([{ synchronous_commit: 'on' }])
    expect(await ask('select 1, currentDatabase(), timezone()')).to.equal('1\ttidemark\tUTC\n')
    expect(Object.values(stores).filter((store) => store?.embedded)).to.have.length(3)
  })

  it('ingest subjects reach the lane of their organization and account, and are acknowledged', async () => {
    const nats = await connect(natsAt(stores.nats.url))
    const manager = await jetstreamManager(nats)
    for (let lane = 0; lane < 8; lane++) {
      await manager.streams.add({ name: `LANE_${lane}`, subjects: [`lane.${lane}.>`] })
    }
    const lanesOf = async (account: string): Promise<Set<string>> => {
      const kinds = ['billing', 'metric', 'resource']
      const acks = await Promise.all(kinds.map((kind) => jetstream(nats).publish(`ingest.${kind}.o.${account}`, '{}')))
      return new Set(acks.map((ack) => ack.stream))
    }
    const lanes = await Promise.all(Array.from({ length: 40 }, (_, index) => lanesOf(`a${index}`)))
    expect(lanes.every((one) => one.size === 1)).to.equal(true)
    expect(new Set(lanes.flatMap((one) => [...one])).size).to.equal(8)
    await nats.close()
  })

  it('a second start on the folder is refused, naming the folder and the process', async () => {
    const error = await startStores(dir, options).then(
      () => undefined,
      (reason: Error) => reason,
    )
    expect(error?.message).to.include(dir)
    expect(error?.message).to.include(`process ${process.pid}`)
  })

  it('other processes find the running one, with what it published, and only its user may read it', () => {
    stores.publish({ edgeUrl: 'http://127.0.0.1:1' })
    expect(runningInstance(dir)).to.include({ pid: process.pid, edgeUrl: 'http://127.0.0.1:1' })
    expect(runningInstance(dir)?.postgresUrl).to.equal(stores.postgres.url)
    expect(fs.statSync(path.join(dir, 'run.json')).mode & 0o777).to.equal(0o600)
  })

  it('a folder that others could enter is closed to them, as are the secrets in it, and the log says so', async () => {
    const open = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-open-'))
    fs.chmodSync(open, 0o777)
    const key = path.join(open, 'credentials.key')
    fs.writeFileSync(key, '')
    fs.chmodSync(key, 0o644)
    const lines: string[] = []
    const log = (line: string) => void lines.push(line)
    const own = {
      postgresUrl: 'postgres://127.0.0.1:1',
      natsUrl: 'nats://127.0.0.1:1',
      clickhouseUrl: 'http://127.0.0.1:1',
    }
    const started = await startStores(open, { ...options, ...own, log })
    expect([open, key].map((file) => fs.statSync(file).mode & 0o777)).to.deep.equal([0o700, 0o600])
    await started.stop()
    expect(lines).to.deep.equal([
      `${open} was accessible to other users of this machine. Its mode was changed from 0777 to 0700.`,
      `${key} was accessible to other users of this machine. Its mode was changed from 0644 to 0600.`,
    ])
    await (await startStores(open, { ...options, ...own, log })).stop()
    expect(lines, 'once').to.have.length(2)
    fs.rmSync(open, { recursive: true })
  })

  it('PostgreSQL knows the product as no administrator: it reads no file, runs no program, and gives itself nothing', async () => {
    const client = new pg.Client(stores.postgres.url)
    await client.connect()
    const refused = [
      `copy (select 1) to program 'id'`,
      `create temp table t (x text); copy t from program 'id'`,
      `create temp table u (x text); copy u from '/etc/passwd'`,
      `copy (select 1) to '/tmp/x'`,
      `select pg_read_file('/etc/passwd')`,
      `select pg_ls_dir('/')`,
      `select lo_import('/etc/passwd')`,
      `create extension file_fdw`,
      `create function f() returns int language c as '/lib/x86_64-linux-gnu/libc.so.6', 'getpid'`,
      `grant pg_execute_server_program to current_user`,
      `grant pg_read_server_files to current_user`,
      `alter role current_user superuser`,
      `create role other superuser`,
      `alter role postgres password 'x'`,
      `set role postgres`,
      `alter system set archive_command = 'id'`,
      `select rolpassword from pg_authid`,
    ]
    for (const statement of refused)
      await client.query(statement).then(
        () => expect.fail(statement),
        (error: Error) =>
          expect(error.message, statement).to.match(/permission denied|must be superuser|only roles with/i),
      )
    await client.end()
    for (const user of ['postgres', 'app'])
      for (const password of ['', 'x', new URL(stores.postgres.url).password]) {
        const url = Object.assign(new URL(stores.postgres.url), { username: user, password }).href
        const other = new pg.Client(url)
        other.on('error', () => {})
        await other.connect().then(
          () => expect.fail(user),
          (error: Error) => expect(error.message).to.match(/rejects connection|no pg_hba/i),
        )
      }
  })

  it('a killed PostgreSQL is back on its port with what it had committed', async () => {
    await sql('create table kept (n int); insert into kept values (1)')
    await kill('postgres')
    expect(await sql('select n from kept')).to.deep.equal([{ n: 1 }])
  })

  it('a killed NATS is back on its port with what it had acknowledged', async () => {
    const publish = async (): Promise<number> => {
      const nats = await connect(natsAt(stores.nats.url))
      const manager = await jetstreamManager(nats)
      await manager.streams.add({ name: 'KEPT', subjects: ['kept'] })
      const { seq } = await jetstream(nats).publish('kept', 'x')
      await nats.close()
      return seq
    }
    expect(await publish()).to.equal(1)
    await kill('nats')
    expect(await publish()).to.equal(2)
  })

  it('a ClickHouse killed during inserts is back on its port with every acknowledged batch whole', async () => {
    await ask('create table batch (id UInt32, n UInt32) engine = MergeTree order by (id, n)')
    const acknowledged: number[] = []
    const insert = async (id: number): Promise<void> => {
      const batch = Array.from({ length: 200 }, (_, n) => `${id}\t${n}`).join('\n')
      const answer = await ask(`INSERT INTO batch FORMAT TSV\n${batch}\n`)
      if (answer === '') acknowledged.push(id)
    }
    const lane = async (from: number): Promise<void> => {
      for (let id = from; id < from + 1_000; id++) await insert(id)
    }
    const lanes = [0, 1_000, 2_000].map((from) => lane(from).catch(() => 'cut off'))
    await until('some batches are in', () => Promise.resolve(acknowledged.length > 20))
    await kill('clickhouse')
    expect(await Promise.all(lanes)).to.deep.equal(['cut off', 'cut off', 'cut off'])
    const kept = (await rows('select id, count() n from batch group by id', {})) as { id: number; n: number }[]
    expect(kept.every(({ n }) => Number(n) === 200)).to.equal(true)
    expect(kept.map(({ id }) => id)).to.include.members(acknowledged)
  })

  it('hostile texts come back from parameters as they went in, alone, in arrays and in maps', async () => {
    for (const x of HOSTILE) expect(await rows('select {x:String} as x', { x })).to.deep.equal([{ x }])
    const map = Object.fromEntries(HOSTILE.map((text) => [text, text]))
    for (const multipart of [false, true]) {
      const query = 'select {list:Array(String)} as list, {map:Map(String, String)} as map'
      expect(await rows(query, { list: HOSTILE, map }, multipart)).to.deep.equal([{ list: HOSTILE, map }])
    }
  })

  it('parameters of every type we use come back exactly', async () => {
    const query = `select {a:UInt64}::String a, {b:Int32} b, {c:Float64} c, {d:Date} d, {e:DateTime} e,
      {f:Decimal(38, 10)}::String f, {g:Array(Date)} g, {h:Array(UInt64)}::Array(String) h, {i:Nullable(String)} i,
      {j:Bool} j, {k:DateTime64(3)} k, {m:Array(Nullable(String))} m, {n:Identifier} n from (select 7 as \`a b\`)`
    const small = { b: -5, c: 1.5e-7, d: '2024-02-29', g: ['2024-01-01'], i: null, j: true, m: ['a', null] }
    const large = { a: 2n ** 64n - 1n, f: '1234567890123456789.0123456789', h: [1, 2n ** 64n - 1n] }
    const times = { e: new Date(1_700_000_000_000), k: new Date(1_700_000_000_123) }
    const [back] = await rows(query, { ...small, ...large, ...times, n: 'a b' })
    expect(back).to.include({ a: '18446744073709551615', f: large.f, n: 7 })
    expect(back).to.include({ e: '2023-11-14 22:13:20', k: '2023-11-14 22:13:20.123' })
    expect(back).to.deep.include({ ...small, h: ['1', '18446744073709551615'] })
  })

  it('rows come in as JSON, CSV and TSV, packed or not, with the statement in the URL or before them', async () => {
    await ask('create table line (id UInt32, s String) engine = MergeTree order by id')
    const client = createClient({ ...reachable(stores.clickhouse.url), compression: { request: true, response: true } })
    await client.insert({ table: 'line', values: HOSTILE.map((s, id) => ({ id, s })), format: 'JSONEachRow' })
    await client.insert({ table: 'line', values: [[100, 'x']], columns: ['id', 's'], format: 'JSONCompactEachRow' })
    await client.close()
    expect(await ask('INSERT INTO line (id, s) FORMAT CSV\n101,"a,{b:String}"\n')).to.equal('')
    expect(await ask('INSERT INTO tidemark.line FORMAT CSVWithNames\ns,id\né,102\n')).to.equal('')
    expect(await ask('INSERT INTO `line` SETTINGS async_insert = 0 FORMAT TSV\n103\ta\\tb\n')).to.equal('')
    expect(await ask("INSERT INTO line VALUES (104, 'v')")).to.equal('')
    const back = (await rows('select s from line order by id', {})) as { s: string }[]
    expect(back.map(({ s }) => s)).to.deep.equal([...HOSTILE, 'x', 'a,{b:String}', 'é', 'a\tb', 'v'])
  })

  it('a query leaves nothing to the next: settings, parameters, or what it put out before it failed', async () => {
    const failing = 'select number, throwIf(number = 150000) from numbers(200000) settings max_block_size = 1000'
    const settings = "select value from system.settings where name in ('max_threads', 'async_insert') order by name"
    const before = await ask(settings)
    for (let round = 0; round < 5; round++) {
      expect(await ask(failing)).to.match(/^Code: 395\. DB::Exception: /)
      expect(await ask('select {x:String}', undefined, 'POST', { param_x: 'secret', max_threads: '1' })).to.equal(
        'secret\n',
      )
      expect(await ask('SET max_threads = 1; USE system')).to.equal('')
      expect(await ask('select {x:String}')).to.match(/^Code: 456\./)
      expect(await ask(settings)).to.equal(before)
    }
    expect(await ask('truncate table batch', undefined, 'GET')).to.match(/^Code: 164\./)
  })

  it('a question is asked on all cores within two gigabytes, not on one', async () => {
    const pipeline = await ask(
      'explain pipeline select sum(number) from numbers_mt(100000000) settings max_threads = 2',
    )
    expect(pipeline).to.include('AggregatingTransform × 2')
  })

  it('durability is set for every table: inserts and merges are synced before they are answered', async () => {
    const settings = await ask(
      "select name, value from system.merge_tree_settings where name like '%fsync%' and changed",
    )
    expect(settings.trim().split('\n').sort()).to.deep.equal([
      'fsync_after_insert\t1',
      'fsync_part_directory\t1',
      'min_compressed_bytes_to_fsync_after_merge\t1',
      'min_rows_to_fsync_after_merge\t1',
    ])
  })

  it('ClickHouse listens where its user alone gets to, on no port, and asks for no files, programs or other machines', async () => {
    const socket = socketOf(stores.clickhouse.url)!
    expect(fs.statSync(socket).isSocket()).to.equal(true)
    expect([socket, path.dirname(socket)].map((file) => fs.statSync(file).mode & 0o777)).to.deep.equal([0o600, 0o700])
    const outside = [
      "select file('/etc/passwd')",
      "select `\\x66ile`('/etc/passwd')",
      "select * apply(file) from (select '/etc/passwd')",
      "select * from file/* */('/etc/passwd')",
      "select * from url('http://127.0.0.1:1', TSV, 'a String')",
      "insert into function file('/tmp/x', TSV, 'a String') select 'x'",
      "select * from executable('x', TSV, 'a String')",
      "select 1 into outfile '/tmp/x'",
      "select * from eval('select 1')",
    ]
    for (const query of outside) expect(await ask(query), query).to.match(/^Code: (497|62)\./)
    expect(await ask("select 'file(', 1 as `file`")).to.equal('file(\t1\n')
  })

  // The last: it stops the servers that all others ask.
  it('a PostgreSQL that died and was never buried does not keep the next one from starting', async function () {
    await stores.stop()
    expect(runningInstance(dir)).to.equal(undefined)
    if (process.platform !== 'linux') return this.skip()
    // Its parent turns into a program that buries nobody, before it dies.
    const last = 'until grep -q sleep /proc/$PPID/comm; do :; done'
    const parent = spawn('/bin/sh', ['-c', `sh -c '${last}' & echo $!; exec sleep 1000`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [printed] = (await once(parent.stdout, 'data')) as [Buffer]
    const dead = Number(printed.toString())
    const state = () => /^State:\s+(\w)/m.exec(fs.readFileSync(`/proc/${dead}/status`, 'utf8'))?.[1]
    await until('the process to be dead', async () => state() === 'Z')
    fs.writeFileSync(path.join(dir, 'postgres', 'pg', 'postmaster.pid'), `${dead}\n`)
    stores = await startStores(dir, { ...options, natsUrl: 'nats://127.0.0.1:1', clickhouseUrl: 'http://127.0.0.1:1' })
    parent.kill()
  })
})

/** Waits for something only the outside decides; 15 s at most. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await holds()); waited += 20) {
    if (waited > 15_000) throw new Error(`waited 15 s in vain: ${what}`)
    await sleep(20)
  }
}
