/** Deletes what is older than the rules allow: a few times a day, in one process at a time. */
import type pg from 'pg'
import { Counter, type Registry } from 'prom-client'
import { deleteBefore } from '#analytics/store/delete-before.ts'
import { unlessElsewhere } from '#config/process/advisory-lock.ts'
import { regularly } from '#config/process/regularly.ts'
import { settings as declared } from '#config/settings/settings.ts'
import type { Connections } from '#config/state/connect.ts'
import { cutOf, sweptRules, type SweptRule } from './swept-rules.ts'

const pace = { firstMs: 15 * 60_000, everyMs: 6 * 3_600_000 }
/** Number of the advisory lock; used for nothing else. */
export const retentionLock = 7_402_826
/** Milliseconds after which every process follows a recorded cut. */
const announcedMs = 3_600_000
/** Rows in one statement, so that none holds its locks for long. */
const rowsMax = 10_000

type Tools = Pick<Connections, 'shards' | 'store' | 'clock' | 'settings' | 'report'>

export interface DeletedRows {
  store: 'postgres' | 'clickhouse'
  table: string
  rows: number
}

/** Sweeps once; a rule that fails is logged and tried again by the next sweep. Undefined if another process sweeps. */
export async function sweepRetention(c: Tools): Promise<DeletedRows[] | undefined> {
  return unlessElsewhere(c.store, retentionLock, async (client) => {
    const deleted: DeletedRows[] = []
    for (const rule of sweptRules)
      await sweepRule(rule, c, client).then(
        (some) => deleted.push(...some),
        (error: unknown) => c.report.warn({ err: error, rule: rule.name }, 'old data could not be deleted'),
      )
    return deleted
  })
}

async function sweepRule(rule: SweptRule, c: Tools, client: pg.PoolClient): Promise<DeletedRows[]> {
  const now = new Date(c.clock.now())
  const cutBy = (setting: SweptRule['setting']) => cutOf(c.settings[setting], declared[setting].unit, now)
  const coarse = rule.rollUp && cutBy(rule.rollUp.setting)
  const deleted: DeletedRows[] = coarse ? await rollUp(rule.rollUp!, { before: coarse, now }, c, client) : []
  const wanted = cutBy(rule.setting)
  if (!wanted) return deleted
  const before = await announce(rule, wanted, now, client)
  if (!before) return deleted
  for (const [table, condition] of Object.entries(rule.postgres ?? {}))
    deleted.push({ store: 'postgres', table, rows: await deleteRows(client, table, condition, before) })
  for (const [table, column] of Object.entries(rule.clickhouse ?? {}))
    await c.shards.each(async (shard) => {
      const rows = await deleteBefore(shard.client, { table, column, before })
      deleted.push({ store: 'clickhouse', table, rows })
    })
  return deleted.filter(({ rows }) => rows > 0)
}

interface CoarseCut {
  before: Date
  now: Date
}

/** Months that have ended by then become coarser; recorded first, because reports show it. */
async function rollUp(
  { name, run }: NonNullable<SweptRule['rollUp']>,
  { before, now }: CoarseCut,
  { shards }: Tools,
  client: pg.PoolClient,
): Promise<DeletedRows[]> {
  const month = new Date(Date.UTC(before.getUTCFullYear(), before.getUTCMonth(), 1))
  await client.query(announceSql, [name, month, now])
  const replaced = (await shards.each((shard) => run(shard.client, before))).flat()
  return replaced.map((deleted) => ({ store: 'clickhouse', ...deleted }))
}

const announceSql = `
  insert into retention_cut (name, before, recorded_at) values ($1, $2, $3)
  on conflict (name) do update set before = excluded.before, recorded_at = excluded.recorded_at
    where retention_cut.before < excluded.before`
const cutSql = 'select before, recorded_at as "recordedAt" from retention_cut where name = $1'

/** Records the cut, and returns the time before which may be deleted now; undefined if nothing may yet. */
async function announce(
  { name, isAnnounced }: SweptRule,
  wanted: Date,
  now: Date,
  client: pg.PoolClient,
): Promise<Date | undefined> {
  await client.query(announceSql, [name, wanted, now])
  const { rows } = await client.query<{ before: Date; recordedAt: Date }>(cutSql, [name])
  const { before, recordedAt } = rows[0]!
  if (isAnnounced && now.getTime() - recordedAt.getTime() < announcedMs) return undefined
  // What is to be kept longer from now on stays from here.
  return before < wanted ? before : wanted
}

async function deleteRows(client: pg.PoolClient, table: string, condition: string, before: Date): Promise<number> {
  let sum = 0
  for (;;) {
    const { rowCount } = await client.query(
      `delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} limit ${rowsMax}))`,
      [before],
    )
    sum += rowCount ?? 0
    if ((rowCount ?? 0) < rowsMax) return sum
  }
}

export const measureRetention = (registry: Registry): Counter<'store' | 'table'> =>
  new Counter({
    name: 'tidemark_retention_deleted_rows_total',
    help: 'Rows deleted because they were older than their retention',
    labelNames: ['store', 'table'],
    registers: [registry],
  })

/** Runs regularly until the returned function is called. A failure is logged; the next run continues. */
export function sweepRetentionRegularly(c: Connections, registry: Registry): () => void {
  const counted = measureRetention(registry)
  const look = () =>
    void sweepRetention(c).then(
      (deleted = []) => deleted.forEach(({ store, table, rows }) => counted.inc({ store, table }, rows)),
      (error: unknown) => c.report.warn({ err: error }, 'old data could not be deleted'),
    )
  return regularly(look, pace)
}
