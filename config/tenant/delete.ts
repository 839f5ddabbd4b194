/**
 * Deletes all data of organizations whose grace period is over. Normally every table has one writer, an actor kind or a
 * function; this is the exception, and may write everywhere. That is safe because the transaction that marks the
 * organization as deleted also takes every lane from its owner. A process that takes a lane afterwards sees the mark
 * and runs no turn for the organization; previous owners can no longer commit. The job may be interrupted anywhere and
 * starts again from the beginning: each step deletes what is left. Data that was still in transit during the first pass
 * (an answer, a row for ClickHouse, a run of a projection) is found by a later pass, which searches all stores for the
 * id.
 */
import { rm } from 'node:fs/promises'
import type pg from 'pg'
import { deleteOrganizationRows } from '#analytics/store/organization/organization.ts'
import { pathOf } from '#actors/export/folder.ts'
import { subjectToken } from '#engine/actor/subject.ts'
import type { IdentityChange } from '#http/identity/tools.ts'
import type { Connections } from '#config/state/connect.ts'
import { databasesFrom } from '#config/analyst/database-name.ts'
import { traces } from '#config/tenant/trace.ts'
import { tenantTables, type TenantTable } from '#config/tenant/tables.ts'

export interface DeletionTools extends Pick<Connections, 'store' | 'shards' | 'log' | 'clock' | 'report'> {
  exportsFolder: string
  /** Tells every process that the organization has been deleted. */
  changed: (what: IdentityChange) => void
  /** Hook for tests, which end the process after the named step. */
  point?: (step: string) => void
}

/** Rows per statement, so that each stays well below the statement timeout. */
const rowsMax = 5000
/**
 * Milliseconds from the first pass until a search that finds nothing is final: longer than any call, statement, run of
 * a projection or request that began before it.
 */
export const settleMs = 10 * 60_000

interface StartedDeletion {
  orgId: string
  /** Time of its first pass. */
  at: Date
}

/** Continues every deletion that is due. Returns the ids of organizations whose deletion is now complete. */
export async function deleteDue(tools: DeletionTools): Promise<string[]> {
  // Throws for an undeclared table before anything is deleted.
  const tables = await tenantTables(tools.store.pool)
  const done: string[] = []
  for (const one of await begin(tools)) if (await deleteOne(tools, one, tables)) done.push(one.orgId)
  return done
}

/** Runs one pass. True if nothing is left. A failure is logged; the next pass continues. */
async function deleteOne(
  tools: DeletionTools,
  { orgId, at }: StartedDeletion,
  tables: readonly TenantTable[],
): Promise<boolean> {
  const { store, clock, report } = tools
  try {
    await deleteAll(tools, orgId, tables)
    if (clock.now() - at.getTime() < settleMs) return false
    const found = await traces(tools, orgId)
    if (found.length > 0) {
      report.warn({ orgId, found }, 'a deleted organization left data behind; deleting it again')
      return false
    }
    const now = new Date(clock.now())
    await store.pool.query('update closed_organization set deleted_at = $2 where org_id = $1', [orgId, now])
    report.info({ orgId }, 'an organization was deleted')
    return true
  } catch (error) {
    report.warn({ orgId, err: error }, 'the deletion of an organization failed; retrying')
    return false
  }
}

/**
 * Marks organizations whose grace period is over and takes all lanes from their owners, in one transaction. Returns all
 * deletions in progress, oldest first.
 */
async function begin({ store, clock, changed }: DeletionTools): Promise<StartedDeletion[]> {
  const client = await store.pool.connect()
  let failure: Error | undefined
  try {
    await client.query('begin')
    const { rows: fresh } = await client.query<{ orgId: string }>(
      `update closed_organization set deleting_at = $1 where deleting_at is null and delete_at <= $1
       returning org_id as "orgId"`,
      [new Date(clock.now())],
    )
    if (fresh.length > 0) await client.query('update lane set epoch = epoch + 1')
    const { rows } = await client.query<StartedDeletion>(
      `select org_id as "orgId", deleting_at as at from closed_organization
       where deleting_at is not null and deleted_at is null order by deleting_at, org_id`,
    )
    await client.query('commit')
    for (const { orgId } of fresh) changed({ orgId })
    return rows
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    // After a failure the connection is closed, which ends its transaction.
    client.release(failure)
  }
}

async function deleteAll(tools: DeletionTools, orgId: string, tables: readonly TenantTable[]): Promise<void> {
  const { store, shards, log, exportsFolder, point } = tools
  await deleteFiles(store.pool, exportsFolder, orgId)
  point?.('files')
  await store.pool.query(`update session set org_id = '' where org_id = $1`, [orgId])
  for (const table of tables) {
    await deleteRows(store.pool, table, orgId)
    point?.(table.name)
  }
  // A move may have left rows on any server.
  await shards.each(({ client }) => deleteOrganizationRows(client, orgId))
  point?.('clickhouse')
  // If the organization's id has another form, no such database exists.
  await shards.each(async ({ client }) => {
    for (const name of databasesFrom(orgId, []))
      await client.command({ query: 'DROP DATABASE IF EXISTS {name:Identifier}', query_params: { name } })
  })
  await log.purgeOrganization(subjectToken(orgId), await store.cursors())
  point?.('nats')
}

/** Deletes the files before the rows that name them. */
async function deleteFiles(pool: pg.Pool, folder: string, orgId: string): Promise<void> {
  const { rows } = await pool.query<{ id: string }>('select id from export_file where org_id = $1', [orgId])
  for (const { id } of rows) await rm(pathOf({ folder }, id), { force: true })
}

/** Table names and conditions are constants or come from our schema, so they need no escaping. */
async function deleteRows(pool: pg.Pool, { name, where }: TenantTable, orgId: string): Promise<void> {
  const text = `delete from "${name}" where ctid = any(array(select ctid from "${name}" where ${where} limit ${rowsMax}))`
  for (let deleted = rowsMax; deleted > 0;) deleted = (await pool.query(text, [orgId])).rowCount ?? 0
}
