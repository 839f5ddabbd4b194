/**
 * Row-level security: the second wall between organizations. A connection that works in this role sees the rows of the one
 * organization that its setting names, and none without it.
 */
export const tenantRole = 'tidemark_tenant'
export const tenantSetting = 'tidemark.org'

/** For every entity with an organization. */
export const tenantPolicy = policy(`org_id = current_setting('${tenantSetting}', true)`)

export function policy(using: string): { name: string; roles: string[]; using: string } {
  return { name: 'tenant', roles: [tenantRole], using }
}
