/**
 * What each table of PostgreSQL holds of an organization. A table with a column `org_id` is its rows by that column, so a new one cannot be
 * forgotten; all others are declared here, and a table that is neither stops a deletion before it begins (and a test).
 */
import type pg from 'pg'

export interface TenantTable {
  name: string
  /** Which rows are the organization's, in SQL with its id as $1. */
  where: string
}

/** Tables without `org_id`, and those of it whose rows are not all by it; null: nothing of any organization. */
const tableConditions: Readonly<Record<string, string | null>> = {
  organization: 'id::text = $1',
  // Somebody who was invited and never came has an account for this alone.
  app_user: `email_verified_at is null and password_hash is null
    and exists (select from member m where m.user_id = app_user.id and m.org_id = $1)
    and not exists (select from member m where m.user_id = app_user.id and m.org_id <> $1)`,
  user_identity: `issuer = 'saml:' || $1 or starts_with(issuer, 'saml:' || $1 || ':') or starts_with(issuer, 'oidc:' || $1 || ':')`,
  refresh_token: 'session_id in (select id from session where bound_to = $1)',
  // Other sessions are a person's own, and stay.
  session: 'bound_to = $1',
  outbox: `position('.' || $1 || '.' in subject || '.') > 0`,
  inbox: `starts_with(id, $1 || '/')`,
  rate_bucket: 'position($1 in id) > 0',
  // What is known of the deletion itself.
  closed_organization: null,
  // Of the installation.
  clock_offset: null,
  installation: null,
  lane: null,
  migration: null,
  process: null,
  saml_key: null,
  signing_key: null,
  // Of people, who stay.
  login_failure: null,
  mailed_code: null,
  one_time_password: null,
  person_erasure: null,
  recovery_code: null,
  second_factor: null,
  second_factor_challenge: null,
  throttle: null,
}

/** Of these others depend: they go first. */
const first = ['app_user', 'refresh_token']

/** All tables, and whether they have a column `org_id`. */
export async function allTables(db: Pick<pg.Pool, 'query'>): Promise<{ name: string; isByOrg: boolean }[]> {
  const { rows } = await db.query<{ name: string; isByOrg: boolean }>(
    `select t.table_name as name, exists (select from information_schema.columns c
       where c.table_schema = t.table_schema and c.table_name = t.table_name and c.column_name = 'org_id') as "isByOrg"
     from information_schema.tables t where t.table_schema = current_schema() and t.table_type = 'BASE TABLE' order by 1`,
  )
  return rows
}

/** @throws Error for a table of which nothing says whose its rows are */
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
