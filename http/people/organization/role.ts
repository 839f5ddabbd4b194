import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Name, Timestamp } from '#http/edge/parameter/field.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { Member, Organization, Role } from '#http/identity/entity.ts'
import { isUuid } from '#engine/value/id.ts'
import { checkedName } from '#streams/text.ts'
import {
  everything,
  isSystemRole,
  permissions,
  roles,
  systemGrants,
  type Permission,
} from '#http/identity/organization/role.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'

const Ids = t.Array(t.String({ minLength: 1, maxLength: 1024 }), { maxItems: 1000 })
/** The costs that a role sees. */
export const Scope = t.Object({
  all: t.Boolean({ description: 'true: all costs of the organization' }),
  cloudAccountIDs: Ids,
  teamIDs: Ids,
})
const RoleView = t.Object(
  {
    id: t.String(),
    name: t.String(),
    system: t.Boolean({ description: 'true for owner, admin, editor and viewer, which cannot be changed' }),
    permissions: t.Array(t.String({ enum: [...permissions] })),
    reportScope: Scope,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'Role',
    examples: [
      {
        id: 'cc9e6679-7425-40de-944b-e07fc1f90ae7',
        name: 'Readers',
        system: false,
        permissions: ['space.view'],
        reportScope: { all: true, cloudAccountIDs: [], teamIDs: [] },
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)
type RoleView = Static<typeof RoleView>

/** In requests, a missing list is empty. */
const GivenScope = t.Object({ all: t.Boolean(), cloudAccountIDs: t.Optional(Ids), teamIDs: t.Optional(Ids) })
const Permissions = t.Array(t.Enum(permissions as Permission[]), { maxItems: 16 })

const scopeOf = ({ all, cloudAccountIDs = [], teamIDs = [] }: Static<typeof GivenScope>) => ({
  all,
  cloudAccountIDs: [...new Set(cloudAccountIDs)],
  teamIDs: [...new Set(teamIDs)],
})

/** In the order of the categories. */
const orderPermissions = (given: readonly Permission[]): Permission[] => permissions.filter((p) => given.includes(p))

const show = (r: Role): RoleView => ({
  id: r.id,
  name: r.name,
  system: false,
  permissions: r.permissions,
  reportScope: scopeOf({
    ...r.reportScope,
    cloudAccountIDs: [...r.reportScope.cloudAccountIDs],
    teamIDs: [...r.reportScope.teamIDs],
  }),
  createdAt: r.createdAt.toISOString(),
  updatedAt: r.updatedAt.toISOString(),
})

/** The system roles, with the organization's creation time; then its own roles, by name. */
async function all(em: EntityManager, orgId: string): Promise<RoleView[]> {
  const { createdAt } = await em.findOneOrFail(Organization, { id: orgId })
  const at = createdAt.toISOString()
  const system = roles.map((id) => ({
    id,
    name: id,
    system: true,
    permissions: [...systemGrants[id]],
    reportScope: scopeOf({ ...everything, cloudAccountIDs: [], teamIDs: [] }),
    createdAt: at,
    updatedAt: at,
  }))
  const own = await em.find(Role, { orgId }, { orderBy: { name: 'asc', id: 'asc' } })
  return [...system, ...own.map(show)]
}

/** A custom role of the organization. @throws Fault `missing`; Fault `conflict` for a system role */
async function changeable(em: EntityManager, orgId: string, id: string): Promise<Role> {
  if (isSystemRole(id)) throw Fault.conflict('invalid_transition', 'System roles cannot be changed.')
  if (isUuid(id)) await em.execute('select from role where org_id = ? and id = ? for update', [orgId, id])
  const role = isUuid(id) ? await em.findOne(Role, { orgId, id }, { refresh: true }) : null
  if (!role) throw Fault.missing('role', id)
  return role
}

/** @throws Fault `conflict` `already_exists` if another role has the name, ignoring case */
async function freeName(em: EntityManager, orgId: string, given: string, own = ''): Promise<string> {
  const name = checkedName(given)
  // Serialized within an organization: otherwise two roles with the same name could be created at once.
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`role ${orgId}`])
  const taken = (await all(em, orgId)).some((r) => r.id !== own && r.name.toLowerCase() === name.toLowerCase())
  if (taken) throw Fault.conflict('already_exists', 'A role with this name already exists.')
  return name
}

const routeBase = { permission: 'admin', tags: ['Organizations'] } as const
const params = t.Object({ roleID: t.String() })

export const roleRoutes: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/roles',
    summary: 'List roles: system roles first, then custom roles by name',
    description:
      'The system roles owner, admin, editor and viewer are the same in every organization and cannot be changed. Owners and admins only.',
    query: t.Object({
      search: t.Optional(t.String({ description: 'part of the name, case-insensitive' })),
      ...paging(20, 100),
    }),
    reply: pageOf(RoleView),
    handle: async ({ caller, query }, { em }) => {
      const wanted = (query.search ?? '').toLowerCase()
      const found = (await all(em, caller.orgId)).filter((r) => r.name.toLowerCase().includes(wanted))
      const { offset, limit } = slice(query)
      return toPage({ items: found.slice(offset, offset + limit), total: found.length }, query)
    },
  }),
  route({
    ...routeBase,
    method: 'POST',
    path: '/roles',
    summary: 'Create a role; without permissions it allows nothing',
    description:
      "Names are unique in the organization. Without reportScope, the role's reports show everything. Owners and admins only.",
    status: 201,
    headers: { Location: 'URL of the new role' },
    body: t.Object(
      {
        name: Name,
        permissions: t.Optional(Permissions),
        reportScope: t.Optional(GivenScope),
      },
      { examples: [{ name: 'Readers', permissions: ['space.view'] }] },
    ),
    reply: RoleView,
    refuses: { 409: ['already_exists'], 422: ['limit_reached'] },
    handle: async ({ caller, body, client }, { em, identity }) => {
      const now = identity.now()
      const { orgId, userId, principal } = caller
      return transaction(em, async (tx) => {
        await checkRowLimit(tx, 'role', orgId)
        const role = tx.create(Role, {
          orgId,
          id: randomUUID(),
          name: await freeName(tx, orgId, body.name),
          permissions: orderPermissions(body.permissions ?? []),
          reportScope: scopeOf(body.reportScope ?? { all: true }),
          createdAt: now,
          updatedAt: now,
        })
        tx.persist(role)
        const detail = { roleID: role.id, name: role.name, permissions: role.permissions.join(' ') }
        await recordEvent(tx, { type: 'role_created', orgId, userId, principal, detail }, client, now)
        return reply(show(role), { headers: { Location: `/roles/${role.id}` } })
      })
    },
  }),
  route({
    ...routeBase,
    method: 'GET',
    path: '/roles/:roleID',
    summary: 'Get a role',
    description: 'System roles are found by name, custom roles by ID. Owners and admins only.',
    params,
    reply: RoleView,
    handle: async ({ caller, params: { roleID } }, { em }) => {
      const role = (await all(em, caller.orgId)).find((r) => r.id === roleID)
      if (!role) throw Fault.missing('role', roleID)
      return role
    },
  }),
  route({
    ...routeBase,
    method: 'PATCH',
    path: '/roles/:roleID',
    summary: 'Update a role; takes effect within five seconds',
    description:
      'Omitted fields are unchanged; given permissions and reportScope replace the existing ones. System roles return 409. Owners and admins only.',
    params,
    body: t.Object(
      {
        name: t.Optional(Name),
        permissions: t.Optional(Permissions),
        reportScope: t.Optional(GivenScope),
      },
      { examples: [{ name: 'Readers', permissions: ['space.view'] }] },
    ),
    reply: RoleView,
    refuses: { 409: ['invalid_transition', 'already_exists'] },
    handle: async ({ caller, params: { roleID }, body, client }, { em, identity }) => {
      const { orgId, userId, principal } = caller
      const changed = await em.transactional(async (tx) => {
        const role = await changeable(tx, orgId, roleID)
        if (body.name !== undefined) role.name = await freeName(tx, orgId, body.name, roleID)
        if (body.permissions) role.permissions = orderPermissions(body.permissions)
        if (body.reportScope) role.reportScope = scopeOf(body.reportScope)
        role.updatedAt = identity.now()
        const detail = { roleID, name: role.name, permissions: role.permissions.join(' ') }
        await recordEvent(tx, { type: 'role_changed', orgId, userId, principal, detail }, client, role.updatedAt)
        return role
      })
      identity.changed({ orgId })
      return show(changed)
    },
  }),
  route({
    ...routeBase,
    method: 'DELETE',
    path: '/roles/:roleID',
    summary: 'Delete a role that no member has',
    description: 'Returns 409 if a member has it, and for system roles. Owners and admins only.',
    status: 204,
    params,
    refuses: { 409: ['invalid_transition'] },
    handle: async ({ caller, params: { roleID }, client }, { em, identity }) => {
      const { orgId, userId, principal } = caller
      await em.transactional(async (tx) => {
        const role = await changeable(tx, orgId, roleID)
        if ((await tx.count(Member, { orgId, roleId: roleID })) > 0) {
          throw Fault.conflict('invalid_transition', 'A role that a member has cannot be deleted.')
        }
        tx.remove(role)
        const detail = { roleID, name: role.name }
        await recordEvent(tx, { type: 'role_deleted', orgId, userId, principal, detail }, client, identity.now())
      })
    },
  }),
]
