/** Areas of permissions (decision G-17): inventory and accounts, infrastructure, everything else, deployments. */
const categories = ['space', 'provisioning', 'service', 'deployment'] as const
const verbs = ['view', 'create', 'update', 'delete'] as const
type Verb = (typeof verbs)[number]
export type Permission = `${(typeof categories)[number]}.${Verb}`

/** The system roles; their names are their ids. */
export const roles = ['owner', 'admin', 'editor', 'viewer'] as const
export type SystemRole = (typeof roles)[number]

export const isSystemRole = (id: string): id is SystemRole => roles.some((role) => role === id)

/** The 16 permissions, by category and verb. */
export const permissions: readonly Permission[] = categories.flatMap((c) => verbs.map((v) => `${c}.${v}` as const))

const withVerbs = (...some: readonly Verb[]) => permissions.filter((p) => some.some((verb) => p.endsWith(`.${verb}`)))

/** Permissions of the system roles. Owners and admins also have admin functions, which are not permissions. */
export const systemGrants: Readonly<Record<SystemRole, ReadonlySet<Permission>>> = {
  owner: new Set(permissions),
  admin: new Set(permissions),
  editor: new Set([...withVerbs('view', 'create', 'update'), 'service.delete']),
  viewer: new Set(withVerbs('view')),
}

/** The costs a role may see: all, or those of the accounts and teams it names. */
export interface ReportScope {
  readonly all: boolean
  readonly cloudAccountIDs: readonly string[]
  readonly teamIDs: readonly string[]
}

export const everything: ReportScope = { all: true, cloudAccountIDs: [], teamIDs: [] }

/** The rights of a role. */
export interface Rights {
  readonly role: string
  readonly isAdmin: boolean
  readonly permissions: ReadonlySet<Permission>
  readonly reportScope: ReportScope
}

export const systemRights = (role: SystemRole): Rights => ({
  role,
  isAdmin: role === 'owner' || role === 'admin',
  permissions: systemGrants[role],
  reportScope: everything,
})

/** The rights of a custom role of an organization. */
export const customRights = (role: {
  id: string
  permissions: readonly Permission[]
  reportScope: ReportScope
}): Rights => ({
  role: role.id,
  isAdmin: false,
  permissions: new Set(role.permissions),
  reportScope: role.reportScope,
})

/** What both roles may do and see. */
export const intersectRights = (own: Rights, to: Rights): Rights => ({
  role: to.role,
  isAdmin: own.isAdmin && to.isAdmin,
  permissions: new Set([...own.permissions].filter((one) => to.permissions.has(one))),
  reportScope: own.reportScope,
})
