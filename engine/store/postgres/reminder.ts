/** Reminders in the order in which they are due, page by page: each statement reads index entries from its place on alone. */
import type pg from 'pg'
import type { ReminderRow } from '#engine/actor/ports.ts'

/** Those of organizations that are closed wait: they may be restored. */
const isOpen = 'not exists (select from closed_organization c where c.org_id = reminder.org_id)'
const behindSql = `(due, org_id, place, kind, key, name) > (to_timestamp($2::double precision / 1000), $3, $4, $5, $6, $7)`
const placeOf = ({ due, orgId, place, kind, key, name }: ReminderRow): unknown[] => [due, orgId, place, kind, key, name]
/** Before all others. */
const start = [-1, '', '', '', '', '']

const pageSql = `
  select kind, org_id as "orgId", place, key, name, subject, data, round(extract(epoch from due) * 1000)::bigint as due
  from reminder where lane = $1 and ${behindSql} and due <= to_timestamp($8::double precision / 1000)
    and ${isOpen}
  order by due, org_id, place, kind, key, name limit $9`

export async function dueReminders(
  pool: pg.Pool,
  { lane, now, max }: { lane: number; now: number; max: number },
  after?: ReminderRow,
): Promise<ReminderRow[]> {
  const found = await pool.query(pageSql, [lane, ...(after ? placeOf(after) : start), now, max])
  return found.rows.map((row) => ({ ...row, due: Number(row.due) }))
}

const nextSql = `
  select round(extract(epoch from due) * 1000)::bigint as due from reminder where lane = $1 and ${behindSql} and ${isOpen}
  order by due, org_id, place, kind, key, name limit 1`

export async function nextReminder(pool: pg.Pool, lane: number, after?: ReminderRow): Promise<number | undefined> {
  const found = await pool.query(nextSql, [lane, ...(after ? placeOf(after) : start)])
  return found.rows[0] === undefined ? undefined : Number(found.rows[0].due)
}
