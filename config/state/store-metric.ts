/** Prometheus metrics of the lanes' queues, and of what ClickHouse and NATS hold. */
import { Gauge, type Registry } from 'prom-client'
import type { Connections } from '#config/state/connect.ts'

/** Milliseconds between looks: several scrapes within that time get the same values. */
const lookMs = 15_000

/** Reads at most every `lookMs`; undefined while the store does not answer. */
function remembered<T>(read: () => Promise<T>): () => Promise<T | undefined> {
  let known: Promise<T | undefined> = Promise.resolve(undefined)
  let at = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - at < lookMs) return known
    at = performance.now()
    return (known = read().catch(() => undefined))
  }
}

type QueueTools = Pick<Connections, 'log' | 'settings'> & { store: Pick<Connections['store'], 'rows'> }

/** How long the oldest message of each lane has waited: by the broker's time and this machine's clock. */
export function measureQueues(registry: Registry, { store, log, settings }: QueueTools): void {
  const look = remembered(async () => {
    const lanes = await store.rows<{ lane: number; cursor: string }>('select lane, cursor from lane where lane < $1', [
      settings.lanes,
    ])
    const ages = lanes.map(async ({ lane, cursor }) => {
      const since = await log.oldestBehind(lane, Number(cursor), '*')
      return { lane, seconds: since === undefined ? 0 : Math.max(0, (Date.now() - since) / 1000) }
    })
    return Promise.all(ages)
  })
  new Gauge({
    name: 'tidemark_lane_oldest_seconds',
    help: 'Age of the oldest uncommitted message of a lane, in seconds; 0 if there is none',
    labelNames: ['lane'],
    registers: [registry],
    async collect() {
      for (const { lane, seconds } of (await look()) ?? []) this.set({ lane }, seconds)
    },
  })
}

const partsSql = `
  SELECT toUInt32(sum(of_partition)) AS parts, toUInt32(max(of_partition)) AS fullest,
    (SELECT toUInt32(count()) FROM system.merges WHERE database = currentDatabase()) AS merges
  FROM (SELECT count() AS of_partition FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table, partition_id)`

interface Parts {
  parts: number
  fullest: number
  merges: number
}

/** With the label `shard` only if there are several ClickHouse servers. */
export function measureStores(registry: Registry, { shards, log }: Pick<Connections, 'shards' | 'log'>): void {
  const look = remembered(async () => {
    const ends = await Promise.allSettled(
      shards.all.map(async ({ name, client }) => {
        const abort_signal = AbortSignal.timeout(lookMs)
        const result = await client.query({ query: partsSql, format: 'JSONEachRow', abort_signal })
        return { labels: shards.isSingle ? {} : { shard: name }, parts: (await result.json<Parts>())[0]! }
      }),
    )
    return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  })
  const gauge = (name: string, help: string, column: keyof Parts) =>
    new Gauge({
      name,
      help,
      labelNames: ['shard'],
      registers: [registry],
      async collect() {
        for (const { labels, parts } of (await look()) ?? []) this.set(labels, parts[column])
      },
    })
  gauge('tidemark_clickhouse_merges', 'Merges and mutations of parts that are running in ClickHouse', 'merges')
  gauge('tidemark_clickhouse_parts', 'Active parts of all tables in ClickHouse', 'parts')
  gauge('tidemark_clickhouse_partition_parts', 'Active parts of the ClickHouse partition that has the most', 'fullest')
  const storage = remembered(() => log.storageBytes())
  new Gauge({
    name: 'tidemark_nats_storage_bytes',
    help: 'Size of all streams in NATS, in bytes',
    registers: [registry],
    async collect() {
      const bytes = await storage()
      if (bytes !== undefined) this.set(bytes)
    },
  })
}
