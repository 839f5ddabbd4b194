import { closeOrganization, restoreOrganization } from '#http/identity/organization/closing.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { requireValue, UsageError, type Command } from '#config/command/line/command.ts'
import { recordOfOperator } from '#config/command/line/operator.ts'
import { waitUntilHeard } from '#config/wiring/identity-changed.ts'
import { findOrganization } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'
import { withInstance } from '#config/product/instance.ts'
import { exportOrganization } from '#config/tenant/export.ts'
import { tokens } from '#config/wiring/tokens.ts'

const usage = 'tidemark org create NAME'
const listUsage = 'tidemark org list'
const exportUsage = 'tidemark org export ORG DIR'
const deleteUsage = 'tidemark org delete ORG --confirm NAME'
const restoreUsage = 'tidemark org restore ORG'
const aboutIt = { ORG: 'Organization name or ID' }

const orgCreate: Command = {
  name: 'org create',
  summary: 'Create an organization',
  usage,
  positionals: 1,
  options: {},
  about: { NAME: 'Name of the organization, 1 to 100 characters' },
  run: async ({ positionals }) => {
    const name = requireValue({ usage }, positionals[0], 'NAME')
    return withInstance(async ({ connections }) => {
      const { id, createdAt } = await createOrganization(connections.orm.em.fork(), name)
      return { data: { id, name, createdAt: createdAt.toISOString() }, text: `Organization ${name}: ${id}` }
    })
  },
}

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
}

const listSql = `
  select coalesce(o.id::text, c.org_id) as id, o.name, o.created_at as "createdAt",
    (select count(*)::int from member m where m.org_id = o.id::text and m.status = 'active') as members,
    c.closed_by as "closedBy", c.closed_at as "closedAt", c.delete_at as "deletesAt", c.deleted_at as "deletedAt"
  from organization o full join closed_organization c on c.org_id = o.id::text
  order by o.created_at nulls last, c.deleted_at, id`

const stateOf = ({ closedAt, deletesAt, deletedAt }: ListedOrganization): string => {
  if (deletedAt) return `deleted ${deletedAt.toISOString()}`
  return closedAt ? `closed, to be deleted on ${deletesAt!.toISOString()}` : 'open'
}

const orgList: Command = {
  name: 'org list',
  summary: 'List organizations, including closed and deleted ones',
  usage: listUsage,
  options: {},
  about: {},
  run: () =>
    withInstance(async ({ connections }) => {
      const { rows } = await connections.store.pool.query<ListedOrganization>(listSql)
      const lines = rows.map((row) => [row.id, row.name, row.members, stateOf(row)])
      return { data: rows, text: table(['ID', 'NAME', 'MEMBERS', 'STATUS'], lines, 'No organizations.') }
    }),
}

const orgExport: Command = {
  name: 'org export',
  summary: 'Export all data of an organization to files, without secrets',
  usage: exportUsage,
  positionals: 2,
  options: {},
  about: { ...aboutIt, DIR: 'Folder to write to; must be empty or not exist' },
  run: async ({ positionals }) => {
    const named = requireValue({ usage: exportUsage }, positionals[0], 'ORG')
    const folder = requireValue({ usage: exportUsage }, positionals[1], 'DIR')
    return withInstance(async (instance) => {
      const { id } = await findOrganization(instance, named)
      const files = await exportOrganization(instance.connections, id, folder)
      const rows = files.reduce((sum, file) => sum + file.rows, 0)
      return { data: { id, folder, files }, text: `Exported ${rows} rows to ${files.length} files in ${folder}` }
    })
  },
}

const orgDelete: Command = {
  name: 'org delete',
  summary: 'Close an organization and delete all its data after seven days',
  usage: deleteUsage,
  positionals: 1,
  options: { confirm: { type: 'string' } },
  about: { ...aboutIt, '--confirm NAME': 'Name of the organization, to confirm' },
  run: async ({ positionals, values }) => {
    const named = requireValue({ usage: deleteUsage }, positionals[0], 'ORG')
    const confirm = requireValue({ usage: deleteUsage }, values['confirm'], '--confirm')
    return withInstance(async (instance) => {
      const { connections, product } = instance
      const { id, name } = await findOrganization(instance, named)
      if (confirm !== name) throw new UsageError(`--confirm must match the name of the organization, got "${confirm}"`)
      const now = new Date(connections.clock.now())
      const { closedAt, deletesAt } = await connections.orm.em.fork().transactional(async (em) => {
        const made = await closeOrganization(em, { orgId: id, by: 'operator' }, now)
        const detail = { deletesAt: made.deletesAt.toISOString() }
        if (made.isNew) await recordOfOperator(em, { type: 'organization_deletion_requested', orgId: id, detail }, now)
        return made
      })
      product().get(tokens.identity).changed({ orgId: id })
      await waitUntilHeard(connections.nats)
      const text = `${name} is closed. All its data will be deleted on ${deletesAt.toISOString()}. To undo: tidemark org restore ${id}`
      return { data: { id, closedAt, deletesAt }, text }
    })
  },
}

const orgRestore: Command = {
  name: 'org restore',
  summary: 'Cancel the deletion of an organization before it starts',
  usage: restoreUsage,
  positionals: 1,
  options: {},
  about: aboutIt,
  run: async ({ positionals }) => {
    const named = requireValue({ usage: restoreUsage }, positionals[0], 'ORG')
    return withInstance(async (instance) => {
      const { connections, product } = instance
      const { id, name } = await findOrganization(instance, named)
      const now = new Date(connections.clock.now())
      await connections.orm.em.fork().transactional(async (em) => {
        await restoreOrganization(em, id)
        await recordOfOperator(em, { type: 'organization_restored', orgId: id }, now)
      })
      product().get(tokens.identity).changed({ orgId: id })
      await waitUntilHeard(connections.nats)
      return { data: { id, name }, text: `${name} is open again.` }
    })
  },
}

export const orgCommands: readonly Command[] = [orgCreate, orgList, orgExport, orgDelete, orgRestore]
