/**
 * Groups of directories are the roles of the organization: a group has the name of its role, and the members who have
 * it.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { roles } from '#http/identity/organization/role.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'
import { conditionOf, parseFilter, plainPath, type Columns } from '#http/scim/filter.ts'
import { changeGroup } from '#http/scim/group-change.ts'
import {
  lenient,
  toListResponse,
  listOf,
  listQuery,
  selectAttributes,
  oneQuery,
  pageOf,
  scim,
  scimFault,
  urn,
} from '#http/scim/message.ts'
import { operationsOf, record, type PatchOperation } from '#http/scim/patch.ts'
import { groupMembersSql, Meta, Reference, versionOf } from '#http/scim/person.ts'
import { baseOf, changing, checkMatch, etag, GivenPatch, match } from '#http/scim/user.ts'

const GroupView = t.Object(
  {
    schemas: t.Array(t.String()),
    id: t.String({ description: 'owner, admin, editor, viewer or a role ID' }),
    displayName: t.Optional(t.String({ description: 'name of the role' })),
    members: t.Optional(t.Array(Reference)),
    meta: t.Optional(Meta),
  },
  {
    title: 'ScimGroup',
    examples: [
      {
        schemas: [urn.group],
        id: 'editor',
        displayName: 'editor',
        members: [],
        meta: {
          resourceType: 'Group',
          location: 'https://tidemark.example.com/scim/v2/Groups/editor',
          version: 'W/"1f0c77"',
        },
      },
    ],
  },
)
type GroupView = Static<typeof GroupView>

interface GroupRow {
  id: string
  name: string
  members: { value: string; display: string }[]
}

const systemSql = roles.map((id) => `('${id}', '${id}')`).join(', ')
const fromSql = `from (select * from (values ${systemSql}) as v(id, name)
  union all select id::text, name from role where org_id = ?) g`
const memberIds = `(select x.user_id::text from (${groupMembersSql}) x where x.role_id = g.id)`
const selectSql = `select g.id, g.name, coalesce((
    select json_agg(json_build_object('value', x.user_id, 'display', coalesce(s.user_name, u.email)) order by x.user_id)
    from (${groupMembersSql}) x join app_user u on u.id = x.user_id
    left join scim_user s on s.org_id = ? and s.user_id = x.user_id
    where x.role_id = g.id), '[]') as members`

const columns: Columns = {
  id: { sql: 'g.id', is: 'exact' },
  displayname: { sql: 'g.name', is: 'folded' },
  externalid: { sql: 'null::text', is: 'exact' },
}

/** Conditions on members are separate from those on the name: `members[value eq "id"]` or `members eq "id"`. */
const memberAsked = /(?:^|\band\s+)\s*members(?:\.value)?\s*(?:\[\s*value\s+eq\s+"([^"]*)"\s*\]|\s+eq\s+"([^"]*)")/i

interface GroupCondition {
  sql: string
  params: unknown[]
}

function askedOf(filter: string | undefined, orgId: string): GroupCondition {
  const found = filter === undefined ? null : memberAsked.exec(filter)
  if (!found) return conditionOf(filter, columns)
  parseFilter(filter!)
  const rest = filter!
    .replace(memberAsked, '')
    .trim()
    .replace(/^and\s+|\s+and$/gi, '')
  const { sql, params } = conditionOf(rest, columns)
  return { sql: `? in ${memberIds} and ${sql}`, params: [found[1] ?? found[2] ?? '', orgId, orgId, ...params] }
}

/** In the order of roles: system roles, then the organization's own by name. */
async function groups(
  em: EntityManager,
  orgId: string,
  { sql, params }: GroupCondition,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: GroupRow[]; total: number }> {
  const from = `${fromSql} where ${sql}`
  const [counted] = await em.execute<{ n: number }[]>(`select count(*)::int as n ${from}`, [orgId, ...params])
  if (limit === 0) return { rows: [], total: counted!.n }
  const rows = await em.execute<GroupRow[]>(
    `${selectSql} ${from} order by array_position(array[${roles.map((id) => `'${id}'`).join()}], g.id), g.name, g.id limit ? offset ?`,
    [orgId, orgId, orgId, orgId, ...params, limit, offset],
  )
  return { rows, total: counted!.n }
}

async function foundGroup(em: EntityManager, orgId: string, id: string): Promise<GroupRow> {
  const { rows } = await groups(em, orgId, { sql: 'g.id = ?', params: [id] }, { offset: 0, limit: 1 })
  if (!rows[0]) throw Fault.missing('group', id)
  return rows[0]
}

function shownGroup({ id, name, members }: GroupRow, base: string): GroupView & { meta: Static<typeof Meta> } {
  const shown = {
    schemas: [urn.group],
    id,
    displayName: name,
    members: members.map(({ value, display }) => ({ value, display, $ref: `${base}/Users/${value}` })),
  }
  const meta = { resourceType: 'Group', location: `${base}/Groups/${id}`, version: versionOf(shown) }
  return { ...shown, meta }
}

/** The ids of members: given as objects with a `value`, or as plain ids. */
function idsIn(value: unknown): string[] {
  return [value].flat().flatMap((one) => {
    if (one === null || one === undefined) return []
    const id = typeof one === 'string' ? one : record(one)['value']
    if (typeof id !== 'string' || !/^[0-9a-f-]{36}$/i.test(id))
      throw scimFault('invalidValue', 'A member must be given by its ID.')
    return [id.toLowerCase()]
  })
}

/** The members of the group after the operations. */
function membersAfter(row: GroupRow, operations: readonly PatchOperation[]): Set<string> {
  const ids = new Set(row.members.map(({ value }) => value))
  const apply = (op: PatchOperation['op'], path: string, value: unknown) => {
    const [, attribute, filter] = /^([^[]+)(?:\[(.*)\])?/.exec(plainPath(path)) ?? []
    if (attribute === 'displayname') return checkName(row, op === 'remove' ? '' : value)
    if (attribute === 'externalid' || attribute === 'schemas' || attribute === 'id') return
    if (attribute !== 'members') throw scimFault('invalidPath', `Groups do not have ${path.slice(0, 100)}.`)
    changeMembers(ids, op, filter, value)
  }
  for (const { op, path, value } of operations) {
    if (path !== undefined) apply(op, path, value)
    else for (const [name, inner] of Object.entries(value as object)) apply(op, name, inner)
  }
  return ids
}

function changeMembers(ids: Set<string>, op: PatchOperation['op'], filter: string | undefined, value: unknown): void {
  const named = /^\s*value\s+eq\s+"([^"]*)"\s*$/.exec(filter ?? '')?.[1]
  if (filter !== undefined && named === undefined)
    throw scimFault('invalidFilter', 'Members can only be filtered with value eq.')
  const given = named === undefined ? idsIn(value) : [named]
  // Removing without naming anybody removes everybody.
  if (op === 'replace' || (op === 'remove' && given.length === 0)) ids.clear()
  for (const id of given) {
    if (op === 'remove') ids.delete(id)
    else ids.add(id)
  }
}

/** @throws Fault with `mutability`: the name of a role cannot be changed by a directory */
function checkName({ name }: GroupRow, given: unknown): void {
  if (typeof given === 'string' && given.toLowerCase() === name.toLowerCase()) return
  throw scimFault('mutability', `The role is named ${name}. Only an admin of the organization can rename it.`)
}

const GivenGroup = t.Object(
  {
    schemas: t.Optional(t.Unknown({ description: 'schemas of the body' })),
    displayName: t.Optional(t.Unknown({ description: 'name of a role' })),
    members: t.Optional(t.Unknown({ description: 'all members: `value` is a user ID' })),
  },
  { ...lenient, examples: [{ schemas: [urn.group], displayName: 'editor', members: [] }] },
)

const params = t.Object({ groupID: t.String({ maxLength: 64 }) })
const one = { ...scim, path: '/scim/v2/Groups/:groupID', params } as const
const changes = {
  ...one,
  refuses: { 409: ['invalid_transition'], 412: ['precondition_failed'] },
  takes: match,
} as const

type Changing = Parameters<typeof changing>

/** Sets the members of a group to those returned by `next`. */
const regroup = (asking: Changing[0], services: Changing[1], id: string, next: (row: GroupRow) => Set<string>) =>
  changing(asking, services, async (change) => {
    const { em, caller } = change
    const row = await foundGroup(em, caller.orgId, id)
    checkMatch(asking, shownGroup(row, baseOf(services)).meta.version)
    const [before, after] = [new Set(row.members.map(({ value }) => value)), next(row)]
    const users = await changeGroup(change, id, {
      added: [...after].filter((userId) => !before.has(userId)),
      removed: [...before].filter((userId) => !after.has(userId)),
    })
    await em.flush()
    const shown = shownGroup(await foundGroup(em, caller.orgId, id), baseOf(services))
    return { answer: reply(shown, { headers: { ETag: shown.meta.version } }), users }
  })

export const scimGroups: readonly Route[] = [
  route({
    ...scim,
    method: 'GET',
    path: '/scim/v2/Groups',
    summary: 'List roles with their members, as SCIM groups',
    description: 'Supported filters: `displayName`, `id` and `members` (`members[value eq "ID"]`).',
    query: listQuery,
    reply: listOf(GroupView, 'ScimGroupList'),
    handle: async ({ caller, query }, services) => {
      const { startIndex, ...slice } = pageOf(query)
      const asked = askedOf(query.filter, caller.orgId)
      const found = await asService(() => groups(services.identity.em(), caller.orgId, asked, slice))
      const shown = found.rows.map((row) => selectAttributes(shownGroup(row, baseOf(services)), query))
      return toListResponse(shown, found.total, startIndex)
    },
  }),
  route({
    ...scim,
    method: 'POST',
    path: '/scim/v2/Groups',
    summary: 'Not supported: a directory can assign roles, but not create them',
    description:
      'If a role with the name exists, returns 409 `uniqueness`; find the group with a filter. Otherwise returns 400 `invalidValue`; an admin must create the role first (POST /roles).',
    status: 201,
    refuses: { 409: ['scim_uniqueness'] },
    body: GivenGroup,
    reply: GroupView,
    handle: async ({ caller, body }, services) => {
      const { displayname: name } = record(body)
      if (typeof name !== 'string' || name.trim() === '') throw scimFault('invalidValue', 'displayName must be text.')
      const named = { sql: 'lower(g.name) = ?', params: [name.trim().toLowerCase()] }
      const em = services.identity.em()
      const found = await asService(() => groups(em, caller.orgId, named, { offset: 0, limit: 0 }))
      if (found.total > 0)
        throw scimFault('uniqueness', `A group ${name.slice(0, 100)} already exists: find it with a filter.`)
      throw scimFault(
        'invalidValue',
        `There is no role named ${name.slice(0, 100)}. An admin of the organization must create it.`,
      )
    },
  }),
  route({
    ...one,
    method: 'GET',
    summary: 'Get a role with its members',
    description: 'Use `excludedAttributes` to omit `members`, which are most of the response for a large role.',
    headers: etag,
    query: oneQuery,
    reply: GroupView,
    handle: async ({ caller, params: { groupID }, query }, services) => {
      const row = await asService(() => foundGroup(services.identity.em(), caller.orgId, groupID))
      const shown = shownGroup(row, baseOf(services))
      return reply(selectAttributes(shown, query), { headers: { ETag: shown.meta.version } })
    },
  }),
  route({
    ...changes,
    method: 'PUT',
    summary: 'Replace the members of a role',
    description:
      'Members not in the list lose the role and become viewers. Without `members`, the role has no members. The name is not changed.',
    headers: etag,
    body: GivenGroup,
    reply: GroupView,
    handle: (request, services) =>
      regroup(request, services, request.params.groupID, (row) => {
        const { displayname: name, members } = record(request.body)
        if (name !== undefined) checkName(row, name)
        return new Set(idsIn(members ?? []))
      }),
  }),
  route({
    ...changes,
    method: 'PATCH',
    summary: 'Assign a role to users, and remove it from others',
    description:
      'A user has one role: of several groups, the one with the most permissions; without any group, viewer. The last owner cannot be removed: returns 409. Only a token created by an owner can create and change owners: otherwise returns 403.',
    headers: etag,
    body: GivenPatch([
      {
        schemas: [urn.patch],
        Operations: [{ op: 'Add', path: 'members', value: [{ value: '2819c223-7f76-453a-919d-413861904646' }] }],
      },
    ]),
    reply: GroupView,
    handle: (request, services) =>
      regroup(request, services, request.params.groupID, (row) => membersAfter(row, operationsOf(request.body))),
  }),
  route({
    ...changes,
    method: 'DELETE',
    summary: 'Remove a role from all its members; the role itself is kept',
    description: 'They become viewers. Returns 409 if no owner would remain.',
    status: 204,
    handle: async (request, services) => {
      await regroup(request, services, request.params.groupID, () => new Set())
    },
  }),
]
