import { storeCommand } from '#config/command/line/build.ts'
import { UsageError, type Command } from '#config/command/line/command.ts'
import { findOrganization } from '#config/command/line/engine.ts'
import { argument, requiredText } from '#config/command/line/flag.ts'
import { recordOfOperator } from '#config/command/line/operator.ts'
import { listOf } from '#config/command/line/table.ts'
import type { Instance } from '#config/product/instance.ts'
import { exportOrganization } from '#config/tenant/export.ts'
import { moveOrganization } from '#config/tenant/move.ts'
import { placing } from '#http/identity/organization/place.ts'
import { crashPoint } from '#config/settings/crash-point.ts'
import { waitUntilHeard } from '#config/wiring/identity-changed.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { closeOrganization, restoreOrganization } from '#http/identity/organization/closing.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { mainShard } from '#engine/store/clickhouse/shards.ts'

interface ListedOrganization {
  id: string
  /** Null for one that was deleted. */
  name: string | null
  createdAt: Date | null
  members: number
  closedBy: string | null
  closedAt: Date | null
  deletesAt: Date | null
  deletedAt: Date | null
  shard: string
}

const listSql = `
  select coalesce(o.id::text, c.org_id) as id, o.name, o.created_at as "createdAt",
    (select count(*)::int from member m where m.org_id = o.id::text and m.status = 'active') as members,
    c.closed_by as "closedBy", c.closed_at as "closedAt", c.delete_at as "deletesAt", c.deleted_at as "deletedAt",
    coalesce(s.shard, '${mainShard}') as shard
  from organization o full join closed_organization c on c.org_id = o.id::text left join org_shard s on s.org_id = o.id::text
  order by o.created_at nulls last, c.deleted_at, id`

const stateOf = ({ closedAt, deletesAt, deletedAt }: ListedOrganization): string => {
  if (deletedAt) return `deleted ${deletedAt.toISOString()}`
  return closedAt ? `closed, to be deleted on ${deletesAt!.toISOString()}` : 'open'
}

const columns = { ID: 'id', NAME: 'name', MEMBERS: 'members', STATUS: stateOf } as const
const list = listOf<ListedOrganization>(columns, 'No organizations.')
const listOfShards = listOf<ListedOrganization>({ ...columns, CLICKHOUSE: 'shard' }, 'No organizations.')

/** Tells every process that an organization was closed or restored. */
async function tellProcesses({ connections, product }: Instance, orgId: string): Promise<void> {
  product().get(tokens.identity).changed({ orgId })
  await waitUntilHeard(connections.nats)
}

const org = argument('ORG', 'Organization name or ID')

export const orgCommands: readonly Command[] = [
  storeCommand({
    name: 'org create',
    summary: 'Create an organization',
    takes: { name: argument('NAME', 'Name of the organization, 1 to 100 characters') },
    run: async ({ connections }, { name }) => {
      const { id, createdAt } = await createOrganization(connections.orm.em.fork(), name, {
        place: placing(connections),
      })
      return { data: { id, name, createdAt: createdAt.toISOString() }, text: `Organization ${name}: ${id}` }
    },
  }),
  storeCommand({
    name: 'org list',
    summary: 'List organizations, including closed and deleted ones',
    takes: {},
    run: async ({ connections: { store, shards } }) => {
      const { rows } = await store.pool.query<ListedOrganization>(listSql)
      return shards.isSingle ? list(rows) : listOfShards(rows)
    },
  }),
  storeCommand({
    name: 'org export',
    summary: 'Export all data of an organization to files, without secrets',
    takes: { org, folder: argument('DIR', 'Folder to write to; must be empty or not exist') },
    run: async (instance, { org: named, folder }) => {
      const { id } = await findOrganization(instance, named)
      const files = await exportOrganization(instance.connections, id, folder)
      const rows = files.reduce((sum, file) => sum + file.rows, 0)
      return { data: { id, folder, files }, text: `Exported ${rows} rows to ${files.length} files in ${folder}` }
    },
  }),
  storeCommand({
    name: 'org move',
    summary: 'Move the cost data of an organization to another ClickHouse server',
    takes: { org, shard: argument('SHARD', 'Name of the server in CLICKHOUSE_SHARDS; main is that of CLICKHOUSE_URL') },
    run: async (instance, { org: named, shard }) => {
      const { id, name } = await findOrganization(instance, named)
      const told = (text: string) => void process.stderr.write(`${text}\n`)
      const moved = await moveOrganization(
        { ...instance.connections, told, point: crashPoint(instance.settings) },
        id,
        shard,
      )
      if (!moved) return { data: { id, to: shard, rows: {} }, text: `${name} is on ${shard} already.` }
      const rows = Object.values(moved.rows).reduce((sum, count) => sum + count, 0)
      const text = `${name} moved from ${moved.from} to ${shard}: ${rows} rows of ${Object.keys(moved.rows).length} tables, equal on both. New data waited ${(moved.heldMs / 1000).toFixed(1)} seconds.`
      return { data: { id, ...moved }, text }
    },
  }),
  storeCommand({
    name: 'org delete',
    summary: 'Close an organization and delete all its data after seven days',
    takes: { org, confirm: requiredText('NAME', 'Name of the organization, to confirm') },
    run: async (instance, { org: named, confirm }) => {
      const { orm, clock } = instance.connections
      const { id, name } = await findOrganization(instance, named)
      if (confirm !== name) throw new UsageError(`--confirm must match the name of the organization, got "${confirm}"`)
      const now = new Date(clock.now())
      const { closedAt, deletesAt } = await orm.em.fork().transactional(async (em) => {
        const made = await closeOrganization(em, { orgId: id, by: 'operator' }, now)
        const detail = { deletesAt: made.deletesAt.toISOString() }
        if (made.isNew) await recordOfOperator(em, { type: 'organization_deletion_requested', orgId: id, detail }, now)
        return made
      })
      await tellProcesses(instance, id)
      const text = `${name} is closed. All its data will be deleted on ${deletesAt.toISOString()}. To undo: tidemark org restore ${id}`
      return { data: { id, closedAt, deletesAt }, text }
    },
  }),
  storeCommand({
    name: 'org restore',
    summary: 'Cancel the deletion of an organization before it starts',
    takes: { org },
    run: async (instance, { org: named }) => {
      const { orm, clock } = instance.connections
      const { id, name } = await findOrganization(instance, named)
      await orm.em.fork().transactional(async (em) => {
        await restoreOrganization(em, id)
        await recordOfOperator(em, { type: 'organization_restored', orgId: id }, new Date(clock.now()))
      })
      await tellProcesses(instance, id)
      return { data: { id, name }, text: `${name} is open again.` }
    },
  }),
]
