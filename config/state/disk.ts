/**
 * The disks of the stores. A store that cannot write ends lanes and requests in ways of its own, so free space is
 * watched: people are warned early, and changes are refused before the disk is completely full.
 */
import { statfs } from 'node:fs/promises'
import path from 'node:path'
import { Gauge, type Registry } from 'prom-client'
import type { Reporter } from '#engine/reporter.ts'
import type { Shards, Shard } from '#engine/store/clickhouse/shards.ts'
import { serverUrls } from '#engine/store/postgres/primary.ts'
import { Fault } from '#engine/value/fault.ts'
import { regularly } from '#config/process/regularly.ts'
import type { Settings } from '#config/settings/settings.ts'
import type { StoreName } from './installation.ts'

export interface StoreDisk {
  readonly store: StoreName
  /** The store's folder, as its server names it; of a ClickHouse server in `CLICKHOUSE_SHARDS`, after its name and a colon. */
  readonly path: string
  readonly freeBytes: number
  readonly totalBytes: number
}

/** Share of a disk in use from which it is reported. */
const warnShare = 0.85
/** Bytes that stay free for what a store writes by itself: its log, merges, and the end of what has begun. */
const reserve = { bytes: 64 * 1024 ** 2, share: 0.01, bytesMax: 1024 ** 3, shareMax: 0.05 } as const

/** When the disks are read. */
export const diskPace = { firstMs: 0, everyMs: 10_000 }
/** Milliseconds between warnings about the same disk. */
const warnAgainMs = 3_600_000
/** Seconds after which a refused change may be tried again. */
const retryAfter = 60

export const isLow = ({ freeBytes, totalBytes }: StoreDisk): boolean => freeBytes < totalBytes * (1 - warnShare)

/** Whether changes are refused. */
export function isFull({ freeBytes, totalBytes }: StoreDisk): boolean {
  const wanted = Math.min(Math.max(reserve.bytes, totalBytes * reserve.share), reserve.bytesMax)
  return freeBytes < Math.min(wanted, totalBytes * reserve.shareMax)
}

/** Such as `clickhouse at /data/clickhouse: 1.2 GiB of 100.0 GiB free`. */
export const toDiskText = ({ store, path: folder, freeBytes, totalBytes }: StoreDisk): string =>
  `${store} at ${folder}: ${gib(freeBytes)} of ${gib(totalBytes)} free`

const gib = (bytes: number): string =>
  bytes < 1024 ** 3 ? `${(bytes / 1024 ** 2).toFixed(0)} MiB` : `${(bytes / 1024 ** 3).toFixed(1)} GiB`

interface Clients {
  readonly settings: Settings
  readonly pool: { query(sql: string): Promise<{ rows: unknown[] }> }
  readonly shards: Pick<Shards, 'all'>
}

export class Disks {
  /** What was read last. A store of another machine whose disk is not known is left out. */
  known: readonly StoreDisk[] = []
  private readonly clients: Clients

  constructor(clients: Clients) {
    this.clients = clients
  }

  /** Reads all disks again; one that cannot be read stays as it was. */
  async read(): Promise<readonly StoreDisk[]> {
    const { postgresUrl, natsUrl, clickhouseUrl } = this.clients.settings
    const [main, ...others] = this.clients.shards.all as [Shard, ...Shard[]]
    const found = await Promise.all([
      this.one('postgres', () => (postgresUrl === undefined ? this.own('postgres') : this.ofPostgres(postgresUrl))),
      this.one('nats', async () => (natsUrl === undefined ? this.own('nats') : undefined)),
      this.one('clickhouse', () => (clickhouseUrl === undefined ? this.own('clickhouse') : ofClickHouse(main))),
      ...others.map((shard) => this.one('clickhouse', () => ofClickHouse(shard, `${shard.name}:`), `${shard.name}:`)),
    ])
    this.known = found.filter((disk) => disk !== undefined)
    return this.known
  }

  /** Refuses a change while a disk is full. */
  refusal(): Fault | undefined {
    const full = this.known.filter(isFull)
    if (full.length === 0) return undefined
    const message = `The disk of a data store is full, so nothing can be changed: ${[...new Set(full.map(({ store }) => store))].join(', ')}. Reading continues.`
    return new Fault('transient', 'storage_full', message, { retryAfter })
  }

  private async one(
    store: StoreName,
    read: () => Promise<StoreDisk | undefined>,
    prefix = '/',
  ): Promise<StoreDisk | undefined> {
    return read().catch(() => this.known.find((disk) => disk.store === store && disk.path.startsWith(prefix)))
  }

  private own(store: StoreName): Promise<StoreDisk> {
    return diskAt(store, path.join(this.clients.settings.dataDir, store))
  }

  /** A server elsewhere does not report its disk. */
  private async ofPostgres(url: string): Promise<StoreDisk | undefined> {
    const [first, ...others] = serverUrls(url)
    if (others.length > 0 || !['', 'localhost', '127.0.0.1', '[::1]'].includes(new URL(first!).hostname))
      return undefined
    const { rows } = await this.clients.pool.query(`select current_setting('data_directory') as folder`)
    return diskAt('postgres', (rows[0] as { folder: string }).folder)
  }
}

/** The disk with the least free space, of those that have a limit. */
async function ofClickHouse({ client }: Shard, prefix = ''): Promise<StoreDisk | undefined> {
  const result = await client.query({
    query: `SELECT path, toFloat64(unreserved_space) AS free, toFloat64(total_space) AS total FROM system.disks
      WHERE type = 'Local' AND total_space > 0 ORDER BY unreserved_space / total_space LIMIT 1`,
    format: 'JSONEachRow',
  })
  const [disk] = await result.json<{ path: string; free: number; total: number }>()
  return disk && { store: 'clickhouse', path: prefix + disk.path, freeBytes: disk.free, totalBytes: disk.total }
}

async function diskAt(store: StoreName, folder: string): Promise<StoreDisk> {
  const { bsize, blocks, bavail } = await statfs(folder)
  return { store, path: folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/** The disks of the embedded stores in a data folder; those of other stores are left out. */
export async function disksIn(settings: Settings): Promise<readonly StoreDisk[]> {
  const { dataDir, postgresUrl, natsUrl, clickhouseUrl } = settings
  const own = Object.entries({ postgres: postgresUrl, nats: natsUrl, clickhouse: clickhouseUrl })
    .filter(([, url]) => url === undefined)
    .map(([store]) => diskAt(store as StoreName, path.join(dataDir, store)).catch(() => undefined))
  return (await Promise.all(own)).filter((disk) => disk !== undefined)
}

/** `free` follows one of the others. */
export type DiskLevel = 'low' | 'full' | 'free'

const levelOf = (disk: StoreDisk): DiskLevel => (isFull(disk) ? 'full' : isLow(disk) ? 'low' : 'free')

const reports = {
  low: ['warn', 'the disk is filling up'],
  full: ['error', 'the disk is full, so changes are refused'],
  free: ['info', 'the disk has room again'],
} as const satisfies Record<DiskLevel, readonly [keyof Reporter, string]>

interface DiskWatch {
  tell(level: DiskLevel, disk: StoreDisk): Promise<void>
  firstMs: number
  everyMs: number
}

/**
 * Reads the disks every ten seconds, and logs and tells those that become low, full or free again. Returns how to
 * stop.
 */
export function watchDisks(
  disks: Pick<Disks, 'read'>,
  report: Reporter,
  clock: { now(): number },
  watch: DiskWatch,
): () => void {
  const warned = new Map<string, { level: DiskLevel; at: number }>()
  const look = async () => {
    for (const disk of await disks.read()) {
      const level = levelOf(disk)
      const key = `${disk.store} ${disk.path}`
      const before = warned.get(key)
      if (level === (before?.level ?? 'free') && (level === 'free' || clock.now() - before!.at < warnAgainMs)) continue
      if (level === 'free') warned.delete(key)
      else warned.set(key, { level, at: clock.now() })
      const [severity, text] = reports[level]
      report[severity]({ ...disk }, `${text}: ${toDiskText(disk)}`)
      void watch.tell(level, disk)
    }
  }
  return regularly(() => void look(), watch)
}

/** As last read by the watch of this process. */
export function measureDisks(registry: Registry, disks: Pick<Disks, 'known'>): void {
  const gauge = (name: string, help: string, pick: (disk: StoreDisk) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['store', 'path'],
      registers: [registry],
      collect() {
        this.reset()
        for (const disk of disks.known) this.set({ store: disk.store, path: disk.path }, pick(disk))
      },
    })
  gauge('tidemark_store_disk_free_bytes', 'Free space on the disk of a store, in bytes', ({ freeBytes }) => freeBytes)
  gauge('tidemark_store_disk_bytes', 'Size of the disk of a store, in bytes', ({ totalBytes }) => totalBytes)
}
