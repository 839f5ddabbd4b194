/**
 * Row-level security: the second barrier between organizations. A connection with this role sees only the rows of the
 * organization named by its setting, and none without it.
 */
export const tenantRole = 'tidemark_tenant'
export const tenantSetting = 'tidemark.org'

/**
 * The organization a connection may see, in SQL; null without one: rows without an organization are visible to no one.
 */
export const tenant = `nullif(current_setting('${tenantSetting}', true), '')`

/** For every entity that has an organization. */
export const tenantPolicy = policy(`org_id = ${tenant}`)

export function policy(using: string): { name: string; roles: string[]; using: string } {
  return { name: 'tenant', roles: [tenantRole], using }
}
