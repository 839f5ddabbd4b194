import { isUuid } from '#engine/id.ts'
import { closeOrganization, restoreOrganization } from '#http/identity/closing.ts'
import { Organization } from '#http/identity/entity.ts'
import { createOrganization } from '#http/identity/organization.ts'
import { required, UsageError, type Command } from '#config/command/command.ts'
import { recordOfOperator } from '#config/command/operator.ts'
import { heard } from '#config/identity-changed.ts'
import { withInstance, type Instance } from '#config/instance.ts'
import { exportOrganization } from '#config/tenant/export.ts'
import { tokens } from '#config/tokens.ts'

const usage = 'tidemark org create NAME'
const listUsage = 'tidemark org list'
const exportUsage = 'tidemark org export ID DIR'
const deleteUsage = 'tidemark org delete ID --confirm NAME'
const restoreUsage = 'tidemark org restore ID'

const orgCreate: Command = {
  name: 'org create',
  summary: 'Create an organization',
  usage,
  positionals: 1,
  options: {},
  about: { NAME: 'Its name, 1 to 100 characters' },
  run: async ({ positionals }) => {
    const name = required({ usage }, positionals[0], 'NAME')
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
  return closedAt ? `closed, deleted from ${deletesAt!.toISOString()} on` : 'open'
}

const orgList: Command = {
  name: 'org list',
  summary: 'List the organizations, those that wait for their deletion and those that are deleted',
  usage: listUsage,
  options: {},
  about: {},
  run: () =>
    withInstance(async ({ connections }) => {
      const { rows } = await connections.store.pool.query<ListedOrganization>(listSql)
      const line = (row: ListedOrganization) =>
        `${row.id}  ${stateOf(row)}  ${row.members} members  ${row.name ?? ''}`.trimEnd()
      return { data: rows, text: rows.length > 0 ? rows.map(line).join('\n') : 'There is no organization.' }
    }),
}

/** @throws Error for a name of none */
async function found({ connections }: Instance, id: string): Promise<Organization> {
  const organization = isUuid(id) ? await connections.orm.em.fork().findOne(Organization, { id }) : null
  if (!organization) throw new Error(`There is no organization ${id}.`)
  return organization
}

const orgExport: Command = {
  name: 'org export',
  summary: 'Write everything of an organization into files, without its secrets',
  usage: exportUsage,
  positionals: 2,
  options: {},
  about: { ID: 'The organization', DIR: 'A folder that is empty or does not exist' },
  run: async ({ positionals }) => {
    const id = required({ usage: exportUsage }, positionals[0], 'ID')
    const folder = required({ usage: exportUsage }, positionals[1], 'DIR')
    return withInstance(async (instance) => {
      await found(instance, id)
      const files = await exportOrganization(instance.connections, id, folder)
      const rows = files.reduce((sum, file) => sum + file.rows, 0)
      return { data: { id, folder, files }, text: `${rows} rows in ${files.length} files of ${folder}` }
    })
  },
}

const orgDelete: Command = {
  name: 'org delete',
  summary: 'Close an organization, and delete everything of it after seven days',
  usage: deleteUsage,
  positionals: 1,
  options: { confirm: { type: 'string' } },
  about: { ID: 'The organization', '--confirm NAME': 'Its name, as org list shows it' },
  run: async ({ positionals, values }) => {
    const id = required({ usage: deleteUsage }, positionals[0], 'ID')
    const confirm = required({ usage: deleteUsage }, values['confirm'], '--confirm')
    return withInstance(async (instance) => {
      const { connections, product } = instance
      const { name } = await found(instance, id)
      if (confirm !== name) throw new UsageError(`--confirm must be the name of the organization, got "${confirm}"`)
      const now = new Date(connections.clock.now())
      const { closedAt, deletesAt } = await connections.orm.em.fork().transactional(async (em) => {
        const made = await closeOrganization(em, { orgId: id, by: 'operator' }, now)
        const detail = { deletesAt: made.deletesAt.toISOString() }
        if (made.isNew) await recordOfOperator(em, { type: 'organization_deletion_requested', orgId: id, detail }, now)
        return made
      })
      product().get(tokens.identity).changed({ orgId: id })
      await heard(connections.nats)
      const text = `${name} is closed. Everything of it is deleted from ${deletesAt.toISOString()} on, unless tidemark org restore ${id} takes that back.`
      return { data: { id, closedAt, deletesAt }, text }
    })
  },
}

const orgRestore: Command = {
  name: 'org restore',
  summary: 'Take back the deletion of an organization, until it begins',
  usage: restoreUsage,
  positionals: 1,
  options: {},
  about: { ID: 'The organization' },
  run: async ({ positionals }) => {
    const id = required({ usage: restoreUsage }, positionals[0], 'ID')
    return withInstance(async (instance) => {
      const { connections, product } = instance
      const { name } = await found(instance, id)
      const now = new Date(connections.clock.now())
      await connections.orm.em.fork().transactional(async (em) => {
        await restoreOrganization(em, id)
        await recordOfOperator(em, { type: 'organization_restored', orgId: id }, now)
      })
      product().get(tokens.identity).changed({ orgId: id })
      await heard(connections.nats)
      return { data: { id, name }, text: `${name} is open again.` }
    })
  },
}

export const orgCommands: readonly Command[] = [orgCreate, orgList, orgExport, orgDelete, orgRestore]
