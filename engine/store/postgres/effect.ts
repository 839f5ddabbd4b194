/** Which calls to the outside a process may make. Each statement reads index entries of the names it is asked about alone. */
import type pg from 'pg'
import type { ClaimedEffect, EffectClaim } from '#engine/actor/ports.ts'

/** Those of organizations that are closed wait: they may be restored. */
const isOpen = (org: string): string => `not exists (select from closed_organization c where c.org_id = ${org})`

// By the order the index is read: the table's own begins with what is done, and there may be much of that.
const waitingSql = `
  select n as name from unnest($1::text[]) as n
  cross join lateral (
    select from effect where name = n and due <= clock_timestamp() and claimed_until < clock_timestamp()
      and ${isOpen('effect.org_id')}
    order by org_id, due limit 1) as one`

export async function waitingEffects(pool: pg.Pool, names: readonly string[]): Promise<string[]> {
  const found = await pool.query(waitingSql, [names])
  return found.rows.map((row) => row.name as string)
}

// Keys go as arrays: of a list the planner would make a join, and read the whole table for it.
// The organizations that have some are found by leaps over the index, so that the calls of one, however many, are not read.
const claimSql = `
  with recursive head as (
    select n as name, (select min(org_id) from effect where name = n) as org_id from unnest($1::text[]) as n
    union all
    select name, (select min(e.org_id) from effect e where e.name = head.name and e.org_id > head.org_id)
    from head where org_id is not null
  ), waiting as (
    select e.key, e.due, row_number() over (partition by head.org_id order by e.due, e.key) + coalesce(b.calls, 0) as turn
    from head
    left join unnest($5::text[], $6::int[]) as b(org_id, calls) on b.org_id = head.org_id
    cross join lateral (
      select key, due from effect where name = head.name and org_id = head.org_id
        and due <= clock_timestamp() and claimed_until < clock_timestamp() order by due limit $3) e
    where head.org_id is not null and ${isOpen('head.org_id')}
  ), taken as (
    select key from effect
    where key = any(array(select key from waiting where turn <= $4 order by turn, due limit $3))
      and claimed_until < clock_timestamp() for update skip locked
  )
  update effect set claimed_by = $2, claimed_until = clock_timestamp() + $7 * interval '1 ms', attempts = attempts + 1
  where key = any(array(select key from taken))
  returning key, name, org_id as "orgId", input, attempts`

// The same by leaps over organizations and queues: of each queue no more rows are read than may begin. `between` one value, and
// the order by it, leave the planner that index alone: with statistics from before there were other queues it takes the one by
// `due`, and reads all of the longest queue for each of the others.
const claimQueuedSql = `
  with recursive head as (
    (select org_id, queue from effect where name = $1 and queue <> '' order by org_id, queue limit 1)
    union all
    select next.org_id, next.queue from head
    cross join lateral (
      select e.org_id, e.queue from effect e
      where e.name = $1 and e.queue <> '' and (e.org_id, e.queue) > (head.org_id, head.queue)
      order by e.org_id, e.queue limit 1) next
  ), waiting as (
    select e.key, e.due, row_number() over (partition by head.org_id order by e.due, e.key) + coalesce(b.calls, $12::int) as turn
    from head
    left join unnest($5::text[], $6::int[]) as b(org_id, calls) on b.org_id = head.org_id
    left join unnest($8::text[], $9::text[], $10::int[]) as q(org_id, queue, room)
      on q.org_id = head.org_id and q.queue = head.queue
    cross join lateral (
      select key, due from effect where name = $1 and org_id = head.org_id and queue between head.queue and head.queue
        and queue <> '' and due <= clock_timestamp() and claimed_until < clock_timestamp()
      order by queue, due limit least($3, coalesce(q.room, $11))) e
    where ${isOpen('head.org_id')}
  ), taken as (
    select key from effect
    where key = any(array(select key from waiting where turn <= $4 order by turn, due limit $3))
      and claimed_until < clock_timestamp() for update skip locked
  )
  update effect set claimed_by = $2, claimed_until = clock_timestamp() + $7 * interval '1 ms', attempts = attempts + 1
  where key = any(array(select key from taken))
  returning key, name, org_id as "orgId", input, attempts, queue`

export async function claimEffects(
  pool: pg.Pool,
  owner: string,
  { names, max, orgMax, begun, claimMs, queues }: EffectClaim,
): Promise<ClaimedEffect[]> {
  const calls = [[...begun.keys()], [...begun.values()]]
  if (!queues) {
    const claimed = await pool.query(claimSql, [names, owner, max, orgMax, ...calls, claimMs])
    return claimed.rows as ClaimedEffect[]
  }
  const { rooms, roomMax, orgBegun } = queues
  const full = [rooms.map(({ orgId }) => orgId), rooms.map(({ queue }) => queue), rooms.map(({ room }) => room)]
  const bound = Math.min(roomMax, max)
  const params = [names[0], owner, max, orgMax, ...calls, claimMs, ...full, bound, orgBegun]
  const claimed = await pool.query(claimQueuedSql, params)
  return claimed.rows as ClaimedEffect[]
}

const lagSql = `
  select extract(epoch from clock_timestamp() - due)::double precision as seconds from effect
  where name = any($1) and due <= clock_timestamp() and claimed_until < clock_timestamp()
    and ${isOpen('effect.org_id')} order by due limit 1`

export async function effectLag(pool: pg.Pool, names: readonly string[]): Promise<number> {
  const found = await pool.query(lagSql, [names])
  return (found.rows[0]?.seconds as number | undefined) ?? 0
}
