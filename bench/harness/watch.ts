/** What an engine process and the stores hold while a load goes on, asked every so often; a store that is away is left out. */
import { jetstreamManager } from '@nats-io/jetstream'
import type { Connections } from '#config/state/connect.ts'
import type { EngineProcess } from './engine-process.ts'
import { residentMiB } from './proc.ts'

/** MiB of the engine process; rows, bytes and parts of the stores. NaN is what a store did not answer. */
export interface Sample {
  seconds: number
  resident: number
  heap: number
  /** Memory of buffers outside V8's heap. */
  buffers: number
  /** Messages on the stream that are not committed. */
  lag: number
  parts: number
  factsMiB: number
  natsMiB: number
  /** By table: its MiB with indexes, and its dead rows. */
  tables: Record<string, { size: number; dead: number }>
}

const tables = ['lane', 'mark', 'outbox', 'resource', 'process'] as const
const answerMs = 2000

const partsSql = `SELECT count() AS parts, sum(bytes_on_disk) / 1048576 AS size
  FROM system.parts WHERE active AND database = currentDatabase()`

const tablesSql = `select relname as name, pg_total_relation_size(relid) / 1048576.0 as size, n_dead_tup as dead
  from pg_stat_user_tables where relname = any($1)`

export class Watch {
  readonly samples: Sample[] = []
  private readonly c: Connections
  private readonly engine: EngineProcess
  private readonly began = performance.now()
  private readonly open = new Set<string>()

  constructor(c: Connections, engine: EngineProcess) {
    this.c = c
    this.engine = engine
  }

  /** Asks all at once; two seconds at most. */
  async sample(): Promise<Sample> {
    const [lag, facts, streams, rows] = await Promise.all([
      this.asked('lag', () => this.lag()),
      this.asked('facts', () => this.facts()),
      this.asked('streams', () => this.streams()),
      this.asked('tables', () => this.tables()),
    ])
    const memory = this.engine.memory()
    const found: Sample = {
      seconds: (performance.now() - this.began) / 1000,
      resident: residentMiB(this.engine.pid),
      heap: (memory?.heapUsed ?? Number.NaN) / 2 ** 20,
      buffers: (memory?.external ?? Number.NaN) / 2 ** 20,
      lag: lag ?? Number.NaN,
      parts: facts?.parts ?? Number.NaN,
      factsMiB: facts?.size ?? Number.NaN,
      natsMiB: streams ?? Number.NaN,
      tables: rows ?? {},
    }
    this.samples.push(found)
    return found
  }

  /** Messages on the stream that are not committed. */
  async lag(): Promise<number> {
    const { rows } = await this.c.store.pool.query('select lane, cursor from lane')
    const behind = rows.map(async ({ lane, cursor }) => (await this.c.log.last(lane)) - Number(cursor))
    return (await Promise.all(behind)).reduce((sum, n) => sum + n, 0)
  }

  /** Undefined when the store is away; one that has not answered yet is not asked again. */
  private async asked<T>(what: string, ask: () => Promise<T>): Promise<T | undefined> {
    if (this.open.has(what)) return undefined
    this.open.add(what)
    const answer = ask()
      .catch(() => undefined)
      .finally(() => this.open.delete(what))
    return Promise.race([answer, this.c.clock.sleep(answerMs).then(() => undefined)])
  }

  private async facts(): Promise<{ parts: number; size: number }> {
    const result = await this.c.clickhouse.query({ query: partsSql, format: 'JSONEachRow' })
    const [found] = await result.json<{ parts: string; size: number }>()
    return { parts: Number(found!.parts), size: Number(found!.size) }
  }

  private async streams(): Promise<number> {
    const manager = await jetstreamManager(this.c.nats, { timeout: answerMs })
    let bytes = 0
    for await (const { state } of manager.streams.list()) bytes += state.bytes
    return bytes / 2 ** 20
  }

  private async tables(): Promise<Sample['tables']> {
    const { rows } = await this.c.store.pool.query(tablesSql, [tables])
    return Object.fromEntries(rows.map(({ name, size, dead }) => [name, { size: Number(size), dead: Number(dead) }]))
  }
}
