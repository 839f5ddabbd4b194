/**
 * Which rows of each PostgreSQL table belong to an organization. In a table with a column `org_id` that column decides,
 * so new tables need no entry. All others are declared here. A table that is neither stops a deletion before it begins,
 * and fails a test.
 */
import type pg from 'pg'

export interface TenantTable {
  name: string
  /** SQL condition for the organization's rows; $1 is its id. */
  where: string
}

/**
 * Tables without `org_id`, and tables where `org_id` alone does not decide. Null: no rows belong to an organization.
 */
const tableConditions: Readonly<Record<string, string | null>> = {
  organization: 'id::text = $1',
  // People who were invited but never came have an account only for this organization.
  app_user: `email_verified_at is null and password_hash is null
    and exists (select from member m where m.user_id = app_user.id and m.org_id = $1)
    and not exists (select from member m where m.user_id = app_user.id and m.org_id <> $1)`,
  user_identity: `issuer = 'saml:' || $1 or starts_with(issuer, 'saml:' || $1 || ':') or starts_with(issuer, 'oidc:' || $1 || ':')`,
  refresh_token: 'session_id in (select id from session where bound_to = $1)',
  // Other sessions belong to the person and stay.
  session: 'bound_to = $1',
  outbox: `position('.' || $1 || '.' in subject || '.') > 0`,
  inbox: `starts_with(id, $1 || '/')`,
  rate_bucket: 'position($1 in id) > 0',
  // The record of the deletion itself.
  closed_organization: null,
  // Tables of the installation.
  clock_offset: null,
  installation: null,
  lane: null,
  migration: null,
  process: null,
  retention_cut: null,
  saml_key: null,
  shard_position: null,
  signing_key: null,
  // Tables of people, who stay.
  login_failure: null,
  mailed_code: null,
  one_time_password: null,
  person_erasure: null,
  recovery_code: null,
  second_factor: null,
  second_factor_challenge: null,
  throttle: null,
}

/** Their conditions use other tables' rows, so these rows are deleted first. */
const first = ['app_user', 'refresh_token']

/** All tables, and whether each has a column `org_id`. */
export async function allTables(db: Pick<pg.Pool, 'query'>): Promise<{ name: string; isByOrg: boolean }[]> {
  const { rows } = await db.query<{ name: string; isByOrg: boolean }>(
    `select t.table_name as name, exists (select from information_schema.columns c
       where c.table_schema = t.table_schema and c.table_name = t.table_name and c.column_name = 'org_id') as "isByOrg"
     from information_schema.tables t where t.table_schema = current_schema() and t.table_type = 'BASE TABLE' order by 1`,
  )
  return rows
}

/** @throws Error for a table that is neither declared nor has `org_id` */
export async function tenantTables(db: Pick<pg.Pool, 'query'>): Promise<TenantTable[]> {
  const tables = (await allTables(db)).flatMap(({ name, isByOrg }) => {
    const where = name in tableConditions ? tableConditions[name] : isByOrg ? 'org_id = $1' : undefined
    if (where === undefined)
      throw new Error(
        `The table ${name} is not listed in config/tenant/tables.ts, which states the data of organizations in each table`,
      )
    return where === null ? [] : [{ name, where }]
  })
  const rank = ({ name }: TenantTable): number => (first.includes(name) ? first.indexOf(name) : first.length)
  return tables.toSorted((a, b) => rank(a) - rank(b))
}
