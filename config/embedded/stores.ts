/** The three stores of a data folder: started together, stopped together, used by one process at a time. */
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { processBirth, type Log } from './child.ts'
import { embeddedDatabase } from '#config/embedded/clickhouse/address.ts'
import { startClickHouse } from '#config/embedded/clickhouse/clickhouse.ts'
import { startNats, type StartedNats } from './nats.ts'
import { makeFolder } from './folder.ts'
import { startPostgres, findUnprivilegedAccount } from './postgres.ts'

export interface StoreOptions {
  /** Folder for downloaded binaries. */
  readonly cache: string
  readonly lanes: number
  /** Number of this product's processes that use the stores at once. */
  readonly processes?: number
  readonly log: Log
  /** URLs of the operator's own stores; a store with a URL is not started here. */
  readonly postgresUrl?: string | undefined
  readonly natsUrl?: string | undefined
  readonly clickhouseUrl?: string | undefined
  /** NATS_SERVER_BIN and PATH of the environment. */
  readonly natsBin?: string | undefined
  readonly path?: string | undefined
  /** Memory limit of the embedded ClickHouse, in bytes. */
  readonly clickhouseMemoryBytes?: number | undefined
  /** Called with the pid of the previous process if it did not end in order. */
  readonly onLeftBehind?: (pid: number) => void
}

export interface Store {
  readonly url: string
  readonly embedded: boolean
  /** The pid of the server while it runs; undefined for the operator's own store. */
  pid(): number | undefined
}

export interface Stores {
  readonly postgres: Store
  /** For the operator's own server, `version` and `syncAlways` are unknown until a client connects. */
  readonly nats: Store & Partial<Pick<StartedNats, 'version' | 'syncAlways' | 'setUsers'>>
  /** `url` may refer to a socket (see `address.ts`). */
  readonly clickhouse: Store & { readonly database: string }
  /** Set if the stores were started by another process, whose folder this one uses. */
  readonly isOfAnother?: true
  /** Adds to what `runningInstance` returns to other processes, such as the edge's address. */
  publish(extra: Readonly<Record<string, unknown>>): void
  stop(): Promise<void>
}

/** `run.json`: what a running process publishes in its data folder. Contains passwords of the stores. */
export interface Run {
  readonly pid: number
  readonly born: string
  readonly postgresUrl?: string
  readonly natsUrl?: string
  readonly clickhouseUrl?: string
  readonly [extra: string]: unknown
}

const RUN_FILE = 'run.json'
const GOING_MS = { known: 500, unknown: 3_000 }

/**
 * Starts the stores that have no URL, in parallel.
 * @throws Error naming the folder and the process if another process uses the folder
 */
export async function startStores(dir: string, options: StoreOptions): Promise<Stores> {
  const isPassed = !options.postgresUrl && (await findUnprivilegedAccount()).uid !== undefined
  makeFolder(dir, { log: options.log, isPassed })
  const unlock = await lock(dir)
  const before = lastRun(dir)
  if (before) options.onLeftBehind?.(before.pid)
  const run: Run = { pid: process.pid, born: processBirth(process.pid) ?? '' }
  writeRun(dir, run)
  const running: { stop(): Promise<void> }[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((server) => server.stop()))
    fs.rmSync(path.join(dir, RUN_FILE), { force: true })
    unlock()
  }
  try {
    const starting = {
      postgres: postgres(dir, options, running),
      nats: nats(dir, options, running),
      clickhouse: clickhouse(dir, options, running),
    }
    // All must have settled before a failure of one stops the others.
    await Promise.allSettled(Object.values(starting))
    const stores = {
      postgres: await starting.postgres,
      nats: await starting.nats,
      clickhouse: await starting.clickhouse,
    }
    const urls = {
      postgresUrl: stores.postgres.url,
      natsUrl: stores.nats.url,
      clickhouseUrl: stores.clickhouse.url,
    }
    let published: Run = { ...run, ...urls }
    writeRun(dir, published)
    const publish: Stores['publish'] = (extra) => writeRun(dir, (published = { ...published, ...extra }))
    return { ...stores, publish, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The process that currently runs on a data folder, with what it has published so far; undefined if there is none. */
export function runningInstance(dir: string): Run | undefined {
  const run = lastRun(dir)
  return run && processBirth(run.pid) === run.born ? run : undefined
}

/** What the last process published, if it has not ended in order. */
function lastRun(dir: string): Run | undefined {
  const file = path.join(dir, RUN_FILE)
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as Run) : undefined
}

/**
 * Locks the folder for this process. The operating system releases the lock when the process ends, in whatever way. A
 * locked SQLite database is the only portable lock with that property here.
 */
async function lock(dir: string): Promise<() => void> {
  const database = new DatabaseSync(path.join(dir, 'lock'))
  for (let waited = 0; ; waited += 20) {
    try {
      database.exec('BEGIN EXCLUSIVE')
      return () => database.close()
    } catch (cause) {
      const owner = runningInstance(dir)
      // A killed process keeps its locks until its last thread has ended.
      if (waited > (owner ? GOING_MS.known : GOING_MS.unknown)) {
        database.close()
        const message = `${dir} is in use by process ${owner?.pid ?? 'unknown'}. Stop that process or choose another folder.`
        throw new Error(message, { cause })
      }
    }
    await sleep(20)
  }
}

/** Written atomically, readable only by the owner. */
function writeRun(dir: string, run: Run): void {
  const file = path.join(dir, RUN_FILE)
  fs.writeFileSync(`${file}.new`, `${JSON.stringify(run, undefined, 2)}\n`, { mode: 0o600 })
  fs.renameSync(`${file}.new`, file)
}

type Running = { stop(): Promise<void> }[]

async function postgres(dir: string, { postgresUrl, log, processes }: StoreOptions, running: Running): Promise<Store> {
  if (postgresUrl) return external(postgresUrl)
  const server = await startPostgres(path.join(dir, 'postgres'), log, processes)
  running.push(server)
  return { url: server.url, embedded: true, pid: () => server.pid() }
}

async function nats(dir: string, options: StoreOptions, running: Running): Promise<Stores['nats']> {
  if (options.natsUrl) return external(options.natsUrl)
  const { cache, lanes, log, natsBin: bin, path: places } = options
  const server = await startNats(path.join(dir, 'nats'), { cache, lanes, log, bin, path: places })
  running.push(server)
  const { url, version, syncAlways, setUsers } = server
  return { url, embedded: true, pid: () => server.pid(), version, syncAlways, setUsers }
}

async function clickhouse(dir: string, options: StoreOptions, running: Running): Promise<Stores['clickhouse']> {
  const database = embeddedDatabase
  if (options.clickhouseUrl) return { ...external(options.clickhouseUrl), database }
  const { log, clickhouseMemoryBytes: memoryBytes } = options
  const server = await startClickHouse(path.join(dir, 'clickhouse'), { log, database, memoryBytes })
  running.push(server)
  return { url: server.url, embedded: true, pid: () => server.pid(), database }
}

function external(url: string): Store {
  return { url, embedded: false, pid: () => undefined }
}
