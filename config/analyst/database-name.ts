/** Names of analysts' databases: the organization's id, then the viewer rights that are missing. */
import { viewRights, type ViewRight } from '#http/identity/token/analyst-view.ts'
import { orgPrefix, withSecurity } from '#config/embedded/clickhouse/users.ts'

/**
 * The database for analysts with these rights. A viewer's is `org_<id>`; an admin's ends with `_security`. Missing
 * rights come between: `org_<id>_without_space`.
 */
export function databaseOf(orgId: string, held: readonly ViewRight[]): string {
  const missing = viewRights.filter((right) => right !== 'admin' && !held.includes(right))
  const without = missing.map((right) => right.split('.')[0]).join('_')
  const end = held.includes('admin') ? withSecurity : ''
  return `${orgPrefix}${orgId}${without === '' ? '' : `_without_${without}`}${end}`
}

/** Matches every name that `databaseOf` returns. */
export const databaseNames = /org_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:_[a-z]+)*/gi

const sets: readonly (readonly ViewRight[])[] = viewRights.reduce<ViewRight[][]>(
  (found, right) => [...found, ...found.map((one) => [...one, right])],
  [[]],
)

const holds = (held: readonly ViewRight[], needed: readonly ViewRight[]): boolean =>
  needed.every((right) => held.includes(right))

/** The databases of an organization that need no rights beyond `held`. */
export const openDatabases = (orgId: string, held: readonly ViewRight[]): ReadonlySet<string> =>
  new Set(sets.filter((one) => holds(held, one)).map((one) => databaseOf(orgId, one)))

/** The databases of an organization for analysts with at least the rights `needed`. */
export const databasesFrom = (orgId: string, needed: readonly ViewRight[]): string[] =>
  sets.filter((one) => holds(one, needed)).map((one) => databaseOf(orgId, one))
