/** Marks of keys to recompute: rows written by commits, taken and removed by the runs of a projection. */
import type pg from 'pg'
import { mainShard } from '#engine/store/clickhouse/shards.ts'
import type { Beside, Editions, MarkRow, Reads } from '#engine/actor/ports.ts'

/** Groups in the order of their oldest mark, as many as fit `$2` but at least one; a group is taken whole. */
const oldest = `
  with mine as materialized (
    select projection, org_id, key, stamp, split_part(key, '|', 1) as part from mark
    where lane = any($1) and ($3::text[] is null or projection = any($3))
      and ($4::text[] = '{}' or coalesce((select shard from org_shard s where s.org_id = mark.org_id), '${mainShard}') <> all($4))
  ), counted as (
    select projection, org_id, part, min(stamp) as since, count(*) as n from mine group by projection, org_id, part
  ), placed as (
    select projection, org_id, part, since, sum(n) over (order by since) as upto, row_number() over (order by since) as place
    from counted
  )
  select m.projection, m.org_id as "orgId", m.key, m.stamp::text
  from placed p join mine m using (projection, org_id, part)
  where p.upto <= $2 or p.place = 1
  order by p.since, m.stamp`

/** The oldest marks of the lanes and projections (null for all), without those of organizations on servers that are away, and what `beside` reads in the same snapshot. */
export async function marksOf(
  pool: pg.Pool,
  {
    lanes,
    max,
    projections,
    awayShards,
  }: { lanes: readonly number[]; max: number; projections: readonly string[] | null; awayShards: readonly string[] },
  beside?: Beside,
): Promise<MarkRow[]> {
  const params = [lanes, max, projections, awayShards]
  if (!beside) return (await pool.query(oldest, params)).rows
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin isolation level repeatable read read only')
    const found: MarkRow[] = (await client.query(oldest, params)).rows
    if (found.length > 0) await beside(found, rowsOf(client))
    await client.query('commit')
    return found
  } catch (error) {
    broken = error as Error
    throw error
  } finally {
    // After an error half way, the connection cannot be used again.
    client.release(broken)
  }
}

/** Reads with one connection, or with any of a pool. */
export const rowsOf =
  (client: pg.Pool | pg.PoolClient): Reads['rows'] =>
  async <T extends object>(sql: string, params: readonly unknown[]) =>
    (await client.query(sql, [...params])).rows as T[]

/** The rows of marks, locked in the order in which commits write them. */
const lockedMarksSql = `locked as (
  select m.projection, m.org_id, m.key, m.lane, m.stamp, m.turning from mark m
  join unnest($1::text[], $2::text[], $3::text[]) as k(projection, org_id, key)
    on (m.projection, m.org_id, m.key) = (k.projection, k.org_id, k.key)
  order by m.projection, m.org_id, m.key for update of m)`
const isLocked = '(m.projection, m.org_id, m.key) = (l.projection, l.org_id, l.key)'

const columns = (marks: readonly MarkRow[]): string[][] => [
  marks.map((m) => m.projection),
  marks.map((m) => m.orgId),
  marks.map((m) => m.key),
]

/** Marks keys without a commit, for the owner of the first lane; existing marks do not change. */
export async function markAnew(pool: Pick<pg.Pool, 'query'>, marks: readonly MarkRow[]): Promise<void> {
  await pool.query(
    `insert into mark (projection, org_id, key, lane, stamp)
     select projection, org_id, key, 0, nextval('generation') from unnest($1::text[], $2::text[], $3::text[]) as k(projection, org_id, key)
     order by projection, org_id, key on conflict do nothing`,
    columns(marks),
  )
}

/** Whether any of them still waits. */
export async function isMarked(pool: pg.Pool, marks: readonly MarkRow[]): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from mark m join unnest($1::text[], $2::text[], $3::text[]) as l(projection, org_id, key) on ${isLocked} limit 1`,
    columns(marks),
  )
  return rowCount !== 0
}

/** Draws a generation and stamps the marks with it, except those that a commit has stamped with a later number. */
export async function beginMarks(pool: pg.Pool, marks: readonly MarkRow[]): Promise<string> {
  const begun = await pool.query(
    `with drawn as materialized (select nextval('generation') as n), ${lockedMarksSql},
     stamped as (update mark m set stamp = drawn.n from drawn, locked l where ${isLocked} and m.stamp < drawn.n)
     select n from drawn`,
    columns(marks),
  )
  return begun.rows[0].n
}

/** Records that the keys of the marks may be published from now on: responses are not cached meanwhile. */
export async function turnOver(pool: pg.Pool, marks: readonly MarkRow[], generation: string): Promise<void> {
  await pool.query(
    `with ${lockedMarksSql} update mark m set turning = $4::bigint from locked l where ${isLocked} and m.turning < $4::bigint`,
    [...columns(marks), generation],
  )
}

/** Counts the publication and removes the marks in one transaction: until then they count as being published. */
export async function unmark(pool: pg.Pool, marks: readonly MarkRow[], generation: string): Promise<void> {
  await pool.query(
    `with ${lockedMarksSql},
     gone as (delete from mark m using locked l where ${isLocked} and l.stamp = $4::bigint),
     rest as (update mark m set turning = 0 from locked l where ${isLocked} and l.stamp <> $4::bigint and l.turning = $4::bigint)
     insert into edition (org_id, name, lane) select distinct org_id, projection, lane from locked order by org_id, projection, lane
     on conflict (org_id, name, lane) do update set number = edition.number + 1`,
    [...columns(marks), generation],
  )
}

/** Counts changes made outside of the lanes, under the number of a lane that does not exist. */
export async function countWritten(pool: pg.Pool, orgIds: readonly string[], table: string): Promise<void> {
  await pool.query(
    `insert into edition (org_id, name, lane) select distinct org_id, $2, -1 from unnest($1::text[]) org_id order by org_id
     on conflict (org_id, name, lane) do update set number = edition.number + 1`,
    [orgIds, table],
  )
}

const editionsSql = `
  select
    (select json_object_agg(name, number::text) from
      (select name, sum(number) as number from edition where org_id = $1 group by name) summed) as numbers,
    array(select name from unnest($2::text[]) name
      where exists (select from mark where projection = name and org_id = $1 and turning > 0)) as turning`

/** In one snapshot, so that every publication is counted. */
export async function editionsOf(pool: pg.Pool, orgId: string, projections: readonly string[]): Promise<Editions> {
  const { rows } = await pool.query<{ numbers: Record<string, string> | null; turning: string[] }>({
    // Used for every list and report: parsed and planned once per connection.
    name: 'tidemark_editions',
    text: editionsSql,
    values: [orgId, projections],
  })
  return { numbers: new Map(Object.entries(rows[0]!.numbers ?? {})), turning: new Set(rows[0]!.turning) }
}
