/** The statements of one commit, in order. All values are bound; identifiers come from the actors' own entities. */
import pg from 'pg'
import type { Commit, RowUpdates } from '#engine/actor/ports.ts'
import type { RowShape } from '#engine/actor/row.ts'
import { tokenId } from '#engine/actor/subject.ts'
import { arrayOf, arrayOfJson } from './array.ts'

export interface Statement {
  text: string
  values: unknown[]
  /** Must change this many rows; otherwise another owner has the lane and nothing is committed. */
  fence?: number
  /** Joins rows to a table: planned each time for the rows and the current size of the table. */
  isJoin?: true
}

export function commitPlan(commit: Commit): Statement[] {
  const { lease, from, to, clock, begun, apart } = commit
  return [
    {
      text: `update lane set cursor = $4, clock = $5, apart_seq = $6, apart_done = $7
        where lane = $1 and epoch = $2 and cursor = $3 and apart_done = $8`,
      values: [lease.lane, lease.epoch, from, to, clock, apart.seq, apart.done, begun.done],
      fence: 1,
    },
    ...commit.rows.flatMap(({ shape, upserts, updates = [], deletes }) => [
      ...(upserts.length > 0 ? [upsert(shape, upserts)] : []),
      ...updates.map((some) => update(shape, some)),
      ...(deletes.length > 0 ? [remove(shape, deletes)] : []),
    ]),
    ...plainRows(commit),
    ...editions(commit),
    ...timers(commit),
    ...parking(commit),
  ]
}

const name = (identifier: string): string => pg.escapeIdentifier(identifier)

function keysOf({ orgId, place, key }: RowShape['address']): string[] {
  return [...new Set([orgId, ...(place === undefined ? [] : [place]), key])]
}

/** A third of the cost of writing whole rows: in most discoveries only a time is new. */
function update(shape: RowShape, { columns, rows }: RowUpdates): Statement {
  const keys = keysOf(shape.address)
  const given = shape.columns.filter(({ column }) => keys.includes(column) || columns.includes(column))
  const typeOf = new Map(given.map(({ column, type }) => [column, type]))
  const set = columns.map((c) => `${name(c)} = r.${name(c)}${isJson(typeOf.get(c)!) ? `::${typeOf.get(c)}` : ''}`)
  return {
    text: `update ${name(shape.table)} t set ${set.join(', ')}
      from unnest(${arraysOf(given)}) as r(${given.map(({ column }) => name(column)).join(', ')})
      where ${keys.map((c) => `t.${name(c)} = r.${name(c)}`).join(' and ')}`,
    values: valuesOf(given, rows),
    fence: rows.length,
    isJoin: true,
  }
}

function upsert({ table, columns, address }: RowShape, rows: readonly object[]): Statement {
  const keys = keysOf(address)
  const others = columns.map((c) => c.column).filter((c) => !keys.includes(c))
  const set = others.map((c) => `${name(c)} = excluded.${name(c)}`).join(', ')
  const names = columns.map((c) => name(c.column)).join(', ')
  const typed = columns.map(({ column, type }) => (isJson(type) ? `${name(column)}::${type}` : name(column)))
  return {
    text: `insert into ${name(table)} (${names})
      select ${typed.join(', ')} from unnest(${arraysOf(columns)}) as r(${names})
      on conflict (${keys.map(name).join(', ')}) do ${set === '' ? 'nothing' : `update set ${set}`}`,
    values: valuesOf(columns, rows),
  }
}

/** Parameters that rows are bound as: one array per column. */
const arraysOf = (columns: RowShape['columns']): string =>
  columns.map(({ type }, index) => `$${index + 1}::${isJson(type) ? 'text' : type}[]`).join(', ')

const valuesOf = (columns: RowShape['columns'], rows: readonly object[]): string[] =>
  columns.map(({ column, type }) => {
    const values = rows.map((row) => (row as Record<string, unknown>)[column] ?? null)
    return isJson(type) ? arrayOfJson(values) : arrayOf(values)
  })

const isJson = (type: string): boolean => type === 'json' || type === 'jsonb'

function remove(shape: RowShape, keys: Commit['rows'][number]['deletes']): Statement {
  const { orgId, place, key } = shape.address
  const at = place === undefined ? '' : ` and t.${name(place)} = k.place`
  return {
    text: `delete from ${name(shape.table)} t using unnest($1::text[], $2::text[], $3::text[]) as k(org, place, key)
      where t.${name(orgId)} = k.org${at} and t.${name(key)} = k.key`,
    values: [keys.map((k) => k.orgId), keys.map((k) => k.place), keys.map((k) => k.key)],
    isJoin: true,
  }
}

/** Inserts of rows with names of their own. A repeated outbox or inbox id must fail, because it would be a defect. */
function plainRows({ lease, outbox, inbox, marks, effects, dead }: Commit): Statement[] {
  const list: Statement[] = []
  const add = (rows: readonly unknown[], text: string, ...values: unknown[]) => {
    if (rows.length > 0) list.push({ text, values: [JSON.stringify(rows), ...values] })
  }
  if (outbox.length > 0)
    list.push({
      text: `insert into outbox (id, lane, subject, headers, body) select id, $1, subject, headers::jsonb, body
        from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as r(id, subject, headers, body)`,
      values: [
        lease.lane,
        arrayOf(outbox.map(({ id }) => id)),
        arrayOf(outbox.map(({ subject }) => subject)),
        arrayOfJson(outbox.map(({ headers }) => headers)),
        arrayOf(outbox.map(({ body }) => body)),
      ],
    })
  if (inbox.length > 0)
    list.push({
      text: `insert into inbox (lane, id, reply) select $1, id, reply::jsonb from unnest($2::text[], $3::text[]) as r(id, reply)`,
      values: [lease.lane, arrayOf(inbox.map(({ id }) => id)), arrayOfJson(inbox.map(({ reply = null }) => reply))],
    })
  if (marks.length > 0)
    list.push({
      text: `insert into mark (projection, org_id, key, lane, stamp)
        select projection, org_id, key, $1, nextval('generation')
        from unnest($2::text[], $3::text[], $4::text[]) as r(projection, org_id, key)
        order by projection, org_id, key
        on conflict (projection, org_id, key) do update set stamp = excluded.stamp, lane = excluded.lane`,
      values: [
        lease.lane,
        arrayOf(marks.map(({ projection }) => projection)),
        arrayOf(marks.map(({ orgId }) => orgId)),
        arrayOf(marks.map(({ key }) => key)),
      ],
    })
  add(
    effects,
    `insert into effect (key, name, org_id, input, queue) select key, name, "orgId", input, coalesce(queue, '')
     from jsonb_to_recordset($1::jsonb) as r(key text, name text, "orgId" text, input jsonb, queue text)
     on conflict (key) do nothing`,
  )
  add(
    dead.map(({ body, ...row }) => ({ ...row, body: Buffer.from(body).toString('base64') })),
    `insert into dead_letter (id, lane, seq, org_id, subject, type, message_id, actor, code, reason, attempts, headers, body)
     select id, $2, seq, "orgId", subject, type, "messageId", actor, code, reason, attempts, headers, decode(body, 'base64')
     from jsonb_to_recordset($1::jsonb) as r(id text, seq bigint, "orgId" text, subject text, type text, "messageId" text,
       actor text, code text, reason text, attempts int, headers jsonb, body text)`,
    lease.lane,
  )
  return list
}

/** Records that cached responses may be outdated from now on. All transactions lock these rows in the same order. */
function editions({ lease, written }: Commit): Statement[] {
  if (written.length === 0) return []
  return [
    {
      text: `insert into edition (org_id, name, lane) select org_id, name, $3 from unnest($1::text[], $2::text[]) as w(org_id, name)
        order by org_id, name
        on conflict (org_id, name, lane) do update set number = edition.number + 1`,
      values: [written.map((w) => w.orgId), written.map((w) => w.table), lease.lane],
    },
  ]
}

function parking({ lease, parked = [], unparked = [] }: Commit): Statement[] {
  const list: Statement[] = []
  if (unparked.length > 0)
    list.push({
      text: 'delete from parked where lane = $1 and seq = any($2)',
      values: [lease.lane, unparked],
      fence: unparked.length,
    })
  if (parked.length > 0)
    list.push({
      text: `insert into parked (lane, seq, org_id, subject, headers, body, at)
        select $1, seq, org_id, subject, headers::jsonb, decode(body, 'base64'), at
        from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[]) as r(seq, org_id, subject, headers, body, at)`,
      values: [
        lease.lane,
        parked.map(({ seq }) => seq),
        arrayOf(parked.map(({ subject }) => tokenId(subject.split('.')[1] ?? ''))),
        arrayOf(parked.map(({ subject }) => subject)),
        arrayOfJson(parked.map(({ headers }) => headers)),
        arrayOf(parked.map(({ body }) => Buffer.from(body).toString('base64'))),
        parked.map(({ at, shift = 0 }) => at - shift),
      ],
    })
  return list
}

function timers({ lease, reminders, forgotten }: Commit): Statement[] {
  const list: Statement[] = []
  if (forgotten.length > 0) {
    list.push({
      text: `delete from reminder r using jsonb_to_recordset($1::jsonb) as k(kind text, "orgId" text, place text, key text, name text)
        where (r.kind, r.org_id, r.place, r.key, r.name) = (k.kind, k."orgId", k.place, k.key, k.name)`,
      values: [JSON.stringify(forgotten)],
      isJoin: true,
    })
  }
  if (reminders.length > 0) {
    list.push({
      text: `insert into reminder (kind, org_id, place, key, name, lane, due, subject, data)
        select kind, "orgId", place, key, name, $2, to_timestamp(due::double precision / 1000), subject, data
        from jsonb_to_recordset($1::jsonb)
          as r(kind text, "orgId" text, place text, key text, name text, due bigint, subject text, data jsonb)
        on conflict (kind, org_id, place, key, name)
        do update set lane = excluded.lane, due = excluded.due, subject = excluded.subject, data = excluded.data`,
      values: [JSON.stringify(reminders), lease.lane],
    })
  }
  return list
}
