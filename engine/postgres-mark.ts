/** What is to be worked out anew: rows written by commits, taken up and taken off by the runs of a projection. */
import type pg from 'pg'
import type { MarkRow } from '#engine/ports.ts'

/** The oldest marks of the lanes. */
export async function marksOf(pool: pg.Pool, lanes: readonly number[], max: number): Promise<MarkRow[]> {
  const found = await pool.query(
    'select projection, org_id as "orgId", key, stamp::text from mark where lane = any($1) order by stamp limit $2',
    [lanes, max],
  )
  return found.rows
}

/** The rows of marks, locked in the order in which commits write them. */
const locked = `locked as (
  select m.projection, m.org_id, m.key from mark m
  join unnest($1::text[], $2::text[], $3::text[]) as k(projection, org_id, key)
    on (m.projection, m.org_id, m.key) = (k.projection, k.org_id, k.key)
  order by m.projection, m.org_id, m.key for update of m)`
const isLocked = '(m.projection, m.org_id, m.key) = (l.projection, l.org_id, l.key)'

const columns = (marks: readonly MarkRow[]): string[][] => [
  marks.map((m) => m.projection),
  marks.map((m) => m.orgId),
  marks.map((m) => m.key),
]

/** Draws a generation and stamps the marks with it, but for those a commit has stamped with a later number. */
export async function begin(pool: pg.Pool, marks: readonly MarkRow[]): Promise<string> {
  const begun = await pool.query(
    `with drawn as materialized (select nextval('generation') as n), ${locked},
     stamped as (update mark m set stamp = drawn.n from drawn, locked l where ${isLocked} and m.stamp < drawn.n)
     select n from drawn`,
    columns(marks),
  )
  return begun.rows[0].n
}

export async function unmark(pool: pg.Pool, marks: readonly MarkRow[], generation: string): Promise<void> {
  await pool.query(`with ${locked} delete from mark m using locked l where ${isLocked} and m.stamp = $4::bigint`, [
    ...columns(marks),
    generation,
  ])
}
