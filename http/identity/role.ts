/** What a permission is about (decision G-17): inventory and accounts, infrastructure, everything else, deployments. */
export const categories = ['space', 'provisioning', 'service', 'deployment'] as const
export const verbs = ['view', 'create', 'update', 'delete'] as const
export type Verb = (typeof verbs)[number]
export type Permission = `${(typeof categories)[number]}.${Verb}`

export const roles = ['owner', 'admin', 'editor', 'viewer'] as const
export type Role = (typeof roles)[number]

/** The 16 permissions, by category and verb. */
export const permissions: readonly Permission[] = categories.flatMap((c) => verbs.map((v) => `${c}.${v}` as const))

const withVerbs = (...some: readonly Verb[]) => permissions.filter((p) => some.some((verb) => p.endsWith(`.${verb}`)))

/** What the system roles may do. Owners and admins also have the admin functions, which are no permissions. */
export const granted: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: new Set(permissions),
  admin: new Set(permissions),
  editor: new Set([...withVerbs('view', 'create', 'update'), 'service.delete']),
  viewer: new Set(withVerbs('view')),
}
