/** The ClickHouse server of a new organization: the emptiest, which stays its server until it is moved. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { organizationTables } from '#analytics/store/tenancy.ts'
import type { Reads } from '#engine/actor/ports.ts'
import { mainShard, type Shards } from '#engine/store/clickhouse/shards.ts'

interface PlaceTools {
  shards: Shards
  store: Pick<Reads, 'rows'>
}

/** Milliseconds after which a server that does not answer gets no new organizations. */
const answerMs = 5_000

const bytesSql = `
  SELECT toFloat64(sum(bytes_on_disk)) AS bytes FROM system.parts
  WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}`
const countsSql = `
  select coalesce(s.shard, '${mainShard}') as shard, count(*)::int as organizations
  from organization o left join org_shard s on s.org_id = o.id::text group by 1`

export const placing =
  (tools: PlaceTools) =>
  async (em: EntityManager, orgId: string): Promise<void> => {
    if (tools.shards.isSingle) return
    const shard = await emptiestShard(tools)
    // Without a row it is on `main`.
    if (shard !== mainShard) await em.execute('insert into org_shard (org_id, shard) values (?, ?)', [orgId, shard])
  }

/** The one with the fewest bytes of organizations; of equal ones, that with the fewest organizations, then by name. */
async function emptiestShard({ shards, store }: PlaceTools): Promise<string> {
  const tables = organizationTables().map(({ name }) => name)
  const counts = await store.rows<{ shard: string; organizations: number }>(countsSql, [])
  const found = await Promise.allSettled(
    shards.all.map(async ({ name, client }) => {
      const result = await client.query({
        query: bytesSql,
        query_params: { tables },
        format: 'JSONEachRow',
        abort_signal: AbortSignal.timeout(answerMs),
      })
      const [row] = await result.json<{ bytes: number }>()
      const organizations = counts.find(({ shard }) => shard === name)?.organizations ?? 0
      return { name, bytes: row!.bytes, organizations }
    }),
  )
  const answered = found.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  const [first] = answered.toSorted(
    (a, b) => a.bytes - b.bytes || a.organizations - b.organizations || (a.name < b.name ? -1 : 1),
  )
  return first?.name ?? mainShard
}
