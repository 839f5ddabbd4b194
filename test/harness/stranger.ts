/** Somebody else on the machine, who finds the ports of a product as the kernel tells them, and tries each. */
import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { createClient } from '@clickhouse/client'
import pg from 'pg'
import { reachable } from '#config/embedded/clickhouse/address.ts'
import { root } from '#config/process/root.ts'
import { natsAt } from '#test/harness/stores.ts'
import { amount } from '#test/harness/tier.ts'

/** The uid that owns nothing here. */
export const nobody = 65_534

/** What somebody else got of what they tried. */
export interface Got {
  uid: number
  broken: string[]
  open: Record<string, { place: string; body: string }[]>
  files: string[]
}

/** A process and all below it. */
export function familyOf(pid: number): Set<number> {
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
export function portsOf(family: ReadonlySet<number>): { port: number; address: string }[] {
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

/** As another user where we may become one; else as ours without any secret, whose files do not count. */
export async function tryAsStranger(folder: string, ports: readonly number[]): Promise<Got> {
  const outside = mkdtempSync(path.join(os.tmpdir(), 'tidemark-outside-'))
  try {
    return await askFrom(outside, folder, ports)
  } finally {
    rmSync(outside, { recursive: true, force: true })
  }
}

async function askFrom(outside: string, folder: string, ports: readonly number[]): Promise<Got> {
  chmodSync(outside, 0o755)
  copyFileSync(path.join(root, 'test/harness/stranger.mjs'), path.join(outside, 'stranger.mjs'))
  chmodSync(path.join(outside, 'stranger.mjs'), 0o644)
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

/** What somebody else would have left in the stores of a product, by what its `run.json` says of them. */
export async function marksOfStranger(run: Record<string, string>): Promise<unknown> {
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
