/** Somebody else on the machine finds every port the product opens, and gets nothing through any. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { createClient } from '@clickhouse/client'
import { expect } from 'chai'
import pg from 'pg'
import { reachable } from '#config/embedded/address.ts'
import { root } from '#config/root.ts'
import { inherited, natsAt, testFolder } from '#test/harness/stores.ts'
import { amount } from '#test/harness/tier.ts'

/** The uid that owns nothing here. */
const nobody = 65_534

interface Got {
  uid: number
  broken: string[]
  open: Record<string, { place: string; body: string }[]>
  files: string[]
}

/** A process and all below it. */
function familyOf(pid: number): Set<number> {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      parents.set(Number(name), Number(parent))
    } catch {
      // Gone meanwhile.
    }
  const family = new Set([pid])
  for (let before = 0; before < family.size;) {
    before = family.size
    for (const [child, parent] of parents) if (family.has(parent)) family.add(child)
  }
  return family
}

/** Every port that a process of the family listens on, as the kernel tells it, with its address. */
function portsOf(family: ReadonlySet<number>): { port: number; address: string }[] {
  const sockets = new Set<string>()
  for (const pid of family)
    try {
      for (const fd of readdirSync(`/proc/${pid}/fd`)) {
        const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? []
        if (inode) sockets.add(inode)
      }
    } catch {
      // Gone meanwhile.
    }
  const listening = '0A'
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === listening && sockets.has(fields[9]!))
      .map(([, local = '']) => {
        const [address = '', port = ''] = local.split(':')
        return { port: Number.parseInt(port, 16), address }
      }),
  )
}

describe('somebody else on the machine', () => {
  let folder: string
  let running: ChildProcess
  let outside: string

  before(async function () {
    this.timeout(90_000)
    if (process.platform !== 'linux') return this.skip()
    folder = testFolder()
    const env = { ...inherited, TIDEMARK_DATA_DIR: folder, TIDEMARK_DEMO: '0', TIDEMARK_LANES: '2', PORT: '0' }
    const command = [path.join(root, 'config/main.ts'), 'start', '--json']
    running = spawn(process.execPath, command, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] })
    await once(createInterface(running.stdout!), 'line')
    outside = mkdtempSync(path.join(os.tmpdir(), 'tidemark-outside-'))
    chmodSync(outside, 0o755)
    copyFileSync(path.join(root, 'test/harness/stranger.mjs'), path.join(outside, 'stranger.mjs'))
    chmodSync(path.join(outside, 'stranger.mjs'), 0o644)
  })
  after(async () => {
    if (outside) rmSync(outside, { recursive: true, force: true })
    if (!running || running.exitCode !== null) return
    running.kill('SIGTERM')
    await once(running, 'exit')
  })

  /** As another user where we may become one; else as ours without any secret, whose files do not count. */
  async function stranger(ports: number[]): Promise<Got> {
    // A copy that another user may run, wherever ours lies.
    const node = path.join(outside, 'node')
    copyFileSync(process.execPath, node)
    chmodSync(node, 0o755)
    const other = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
    const args = [path.join(outside, 'stranger.mjs'), folder, String(amount(2, 8, 8)), ...ports.map(String)]
    const options = { ...other, cwd: outside, env: { PATH: '/usr/bin:/bin' }, maxBuffer: 2 ** 28 }
    const { stdout } = await promisify(execFile)(node, args, options)
    return JSON.parse(stdout) as Got
  }

  it('reads, writes and publishes nothing through any port there is, and no file', async function () {
    this.timeout(300_000)
    const found = portsOf(familyOf(running.pid!))
    // The edge, its metrics, the port of analysts, NATS and PostgreSQL: on the loopback interface alone.
    expect(found.map(({ address }) => address)).to.deep.equal(Array.from({ length: 5 }, () => '0100007F'))
    const run = JSON.parse(readFileSync(path.join(folder, 'run.json'), 'utf8')) as Record<string, string>
    const before = await stored(run)
    const got = await stranger(found.map(({ port }) => port))
    expect(got.broken).to.deep.equal([])
    if (got.uid === nobody) expect(got.files).to.deep.equal([])
    const edge = new URL(run['url']!).port
    const metrics = new URL(run['metricsUrl']!).port
    const places = Object.fromEntries(
      Object.entries(got.open).map(([port, all]) => [port, all.map(({ place }) => place)]),
    )
    const rest = Object.entries(places).filter(([port]) => port !== edge && port !== metrics)
    // Of the port of analysts, that it is there.
    expect(rest.map(([, all]) => all.join()).toSorted()).to.deep.equal(['', '', '/ping'])
    expect(places[metrics]).to.deep.equal(['/metrics'])
    const open = ['/healthz', '/readyz', '/openapi.json', '/docs', '/schemas', '/.well-known/jwks.json']
    expect(places[edge]).to.deep.equal(open)
    const said = Object.values(got.open).flatMap((all) => all.map(({ body }) => body))
    for (const secret of [run['natsUrl']!, run['postgresUrl']!].map((url) => new URL(url).password))
      for (const text of said) expect(text.includes(secret)).to.equal(false)
    expect(await stored(run)).to.deep.equal(before)
    const others = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
      const found = lstatSync(path.join(folder, name), { throwIfNoEntry: false })
      return found !== undefined && !found.isSymbolicLink() && (found.mode & 0o077) !== 0
    })
    expect(others).to.deep.equal([])
  })

  /** What somebody else would have left. */
  async function stored(run: Record<string, string>): Promise<unknown> {
    const nats = await connect(natsAt(run['natsUrl']!))
    const manager = await jetstreamManager(nats)
    const streams: unknown[] = []
    for await (const { config, state } of manager.streams.list())
      if (config.name !== 'EVENTS') streams.push([config.name, state.first_seq, state.num_deleted ?? 0])
    const marked = []
    for (const subject of ['lane.*.billing.o.>', 'lane.*.actor.o.>', 'event.x.o.>'])
      for await (const { config } of manager.streams.list(subject)) {
        const { state } = await manager.streams.info(config.name, { subjects_filter: subject })
        marked.push(...Object.keys(state.subjects ?? {}))
      }
    await nats.close()
    const client = new pg.Client(run['postgresUrl']!)
    await client.connect()
    const tables = (await client.query(`select relname from pg_class where relname = 'stranger'`)).rows
    await client.end()
    const clickhouse = createClient({ ...reachable(run['clickhouseUrl']!), database: 'tidemark' })
    const answer = await clickhouse.query({
      query: `SELECT count() AS n FROM system.tables WHERE name = 'stranger'`,
      format: 'JSONEachRow',
    })
    const facts = await answer.json()
    await clickhouse.close()
    return { streams, marked, tables, facts }
  }
})
