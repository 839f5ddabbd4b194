/** Who of several processes spends the processors' time, and who runs which lanes. */
import type { Connections } from '#config/state/connect.ts'
import type { EngineProcess } from './engine-process.ts'
import { cpuSeconds, mainThreadSeconds } from './proc.ts'
import type { Stage } from './stage.ts'

/** Seconds on the processors: of all engines, of their main threads alone, and of each store. */
export interface Spent {
  engines: number
  mainThreads: number
  clickhouse: number
  nats: number
  postgres: number
}

export function spent({ stores }: Stage, engines: readonly EngineProcess[]): Spent {
  const sum = (of: (pid: number) => number) => engines.reduce((total, { pid }) => total + of(pid), 0)
  return {
    engines: sum(cpuSeconds),
    mainThreads: sum(mainThreadSeconds),
    clickhouse: cpuSeconds(stores.clickhouse.pid()),
    nats: cpuSeconds(stores.nats.pid()),
    postgres: cpuSeconds(stores.postgres.pid()),
  }
}

/** What was spent between the two. */
export function between(a: Spent, b: Spent): Spent {
  return {
    engines: b.engines - a.engines,
    mainThreads: b.mainThreads - a.mainThreads,
    clickhouse: b.clickhouse - a.clickhouse,
    nats: b.nats - a.nats,
    postgres: b.postgres - a.postgres,
  }
}

/** Lanes by the process that runs them; those of nobody are not in it. */
export async function holdings(c: Connections): Promise<Map<number, number>> {
  const { rows } = await c.store.pool.query('select owner from lane where owner is not null')
  const pids = rows.map(({ owner }) => Number((owner as string).split('/').at(-2)))
  return new Map([...Map.groupBy(pids, (pid) => pid)].map(([pid, list]) => [pid, list.length]))
}

/** How often lanes have been taken, ever. */
export async function takings(c: Connections): Promise<number> {
  return Number((await c.store.pool.query('select sum(epoch) as n from lane')).rows[0].n)
}

/** The first key of the advisory locks that owners of lanes hold (engine/store/postgres/postgres.ts). */
const lockSpace = 7_214_001

/** Keeps all lanes from every engine until the answer is called, so that several begin at the same moment. */
export async function holdLanes(c: Connections): Promise<() => Promise<void>> {
  const client = await c.store.pool.connect()
  await client.query('select pg_advisory_lock($1, n) from generate_series(0, $2 - 1) n', [lockSpace, c.settings.lanes])
  return async () => {
    await client.query('select pg_advisory_unlock_all()')
    client.release()
  }
}
