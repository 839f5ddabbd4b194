/**
 * Row-level security: the second wall between organizations. A connection that works in this role sees the rows of the one
 * organization that its setting names, and none without it.
 */
export const tenantRole = 'tidemark_tenant'
export const tenantSetting = 'tidemark.org'

/** The organization a connection may see, in SQL; null without one: what belongs to none is nobody's to see. */
export const tenant = `nullif(current_setting('${tenantSetting}', true), '')`

/** For every entity with an organization. */
export const tenantPolicy = policy(`org_id = ${tenant}`)

export function policy(using: string): { name: string; roles: string[]; using: string } {
  return { name: 'tenant', roles: [tenantRole], using }
}
