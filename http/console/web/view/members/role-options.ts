/** The roles by id and name: the first hundred. */
import type { Reply } from '../../api.ts'
import { useReport } from '../../report.ts'

export type Members = Reply<'GET /members'>
export type Member = Members[number]
export type Role = Reply<'GET /roles'>['items'][number]

export const useRoles = () => useReport('GET /roles', { query: { limit: 100 } })

/** A role as people call it. */
export const roleName = (roles: readonly Role[], id: string): string => roles.find((one) => one.id === id)?.name ?? id

export const optionsOf = (roles: readonly Role[]) =>
  roles.map(({ id, name, system }) => ({ value: id, title: system ? `${name}: ${systemRoles[id] ?? ''}` : name }))

const systemRoles: Readonly<Record<string, string>> = {
  owner: 'full access, including owners',
  admin: 'full access, including members, roles and settings',
  editor: 'can view, create and change',
  viewer: 'read-only',
}
