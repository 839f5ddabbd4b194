/** People of an organization as directories see them: its members, and people that its directory has named. */
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { isUuid } from '#engine/value/id.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { isSystemRole } from '#http/identity/organization/role.ts'
import { conditionOf, type Columns } from '#http/scim/filter.ts'
import { urn } from '#http/scim/message.ts'

export const Meta = t.Object({
  resourceType: t.String(),
  created: t.Optional(t.String()),
  lastModified: t.Optional(t.String()),
  location: t.String(),
  version: t.String({ description: 'for `If-Match`' }),
})

/** `$ref` is its location; it is not in the schema, which would read it as a reference itself. */
export const Reference = t.Object({ value: t.String(), display: t.String() }, { additionalProperties: true })

/** Partial, because `attributes` and `excludedAttributes` select what is returned. */
export const ScimUserShown = t.Object(
  {
    schemas: t.Array(t.String()),
    id: t.String({ description: 'the `userID` of GET /members' }),
    externalId: t.Optional(t.String({ description: 'ID of the user in the directory' })),
    userName: t.Optional(t.String({ description: 'the email address, unless the directory sends another name' })),
    name: t.Optional(
      t.Object({
        formatted: t.Optional(t.String()),
        givenName: t.Optional(t.String()),
        familyName: t.Optional(t.String()),
      }),
    ),
    displayName: t.Optional(t.String()),
    emails: t.Optional(t.Array(t.Object({ value: t.String(), type: t.String(), primary: t.Boolean() }))),
    active: t.Optional(t.Boolean({ description: 'whether the user is a member of the organization, or invited' })),
    groups: t.Optional(
      t.Array(Reference, {
        description: "of the roles assigned by the directory, or the user's only one",
      }),
    ),
    meta: t.Optional(Meta),
  },
  {
    title: 'ScimUser',
    examples: [
      {
        schemas: [urn.user],
        id: '2819c223-7f76-453a-919d-413861904646',
        externalId: '00u1a2b3c4',
        userName: 'ana@example.com',
        name: { formatted: 'Ana Silva', givenName: 'Ana', familyName: 'Silva' },
        displayName: 'Ana Silva',
        emails: [{ value: 'ana@example.com', type: 'work', primary: true }],
        active: true,
      },
    ],
  },
)
export type ScimUserShown = Static<typeof ScimUserShown>

export interface PersonRow {
  user_id: string
  account: string
  name: string
  role_id: string | null
  user_name: string | null
  external_id: string | null
  email: string | null
  display_name: string | null
  given_name: string | null
  family_name: string | null
  groups: { value: string; display: string | null }[]
  created_at: string
  updated_at: string
}

/** The name of a person who has not joined yet is the address: the organization knows no more. */
const nameSql = `coalesce(s.display_name, nullif(concat_ws(' ', s.given_name, s.family_name), ''),
  case m.status when 'active' then u.name else u.email end)`
const emailSql = 'coalesce(s.email, u.email)'

/** Members of the group of a role: people that the directory has put there, and members that it has put nowhere. */
export const groupMembersSql = `
  select g.role_id, g.user_id from scim_group_member g where g.org_id = ?
  union all
  select m.role_id, m.user_id from member m where m.org_id = ?
    and not exists (select from scim_group_member g where g.org_id = m.org_id and g.user_id = m.user_id)`

const fromSql = `
  from (select user_id from member where org_id = ? union select user_id from scim_user where org_id = ?) p
  join app_user u on u.id = p.user_id
  left join member m on m.org_id = ? and m.user_id = p.user_id
  left join scim_user s on s.org_id = ? and s.user_id = p.user_id`

const selectSql = `
  select p.user_id, u.email as account, ${nameSql} as name, m.role_id, s.user_name, s.external_id, s.email, s.display_name,
    s.given_name, s.family_name, coalesce(s.created_at, m.created_at) as created_at,
    coalesce(s.updated_at, m.created_at) as updated_at,
    coalesce((select json_agg(json_build_object('value', x.role_id, 'display', r.name) order by x.role_id)
      from (${groupMembersSql}) x left join role r on r.org_id = ? and r.id::text = x.role_id
      where x.user_id = p.user_id), '[]') as groups`

const columns: Columns = {
  id: { sql: 'p.user_id::text', is: 'exact' },
  username: { sql: 'coalesce(s.user_name, u.email)', is: 'folded' },
  externalid: { sql: 's.external_id', is: 'exact' },
  active: { sql: '(m.user_id is not null)', is: 'boolean' },
  displayname: { sql: nameSql, is: 'folded' },
  'name.formatted': { sql: nameSql, is: 'folded' },
  'name.givenname': { sql: 's.given_name', is: 'folded' },
  'name.familyname': { sql: 's.family_name', is: 'folded' },
  emails: { sql: emailSql, is: 'folded' },
  'emails.value': { sql: emailSql, is: 'folded' },
  'emails.type': { sql: `'work'`, is: 'folded' },
  'emails.primary': { sql: 'true', is: 'boolean' },
  'meta.created': { sql: 'coalesce(s.created_at, m.created_at)', is: 'time' },
  'meta.lastmodified': { sql: 'coalesce(s.updated_at, m.created_at)', is: 'time' },
}

/** A page of people who match a filter, by the time they were added, with their total number. */
export async function people(
  em: EntityManager,
  orgId: string,
  filter: string | undefined,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: PersonRow[]; total: number }> {
  const { sql, params } = conditionOf(filter, columns)
  const from = `${fromSql} where ${sql}`
  const [counted] = await em.execute<{ n: number }[]>(`select count(*)::int as n ${from}`, [...four(orgId), ...params])
  const rows =
    limit === 0
      ? []
      : await em.execute<PersonRow[]>(
          `${selectSql} ${from} order by coalesce(s.created_at, m.created_at), p.user_id limit ? offset ?`,
          [...three(orgId), ...four(orgId), ...params, limit, offset],
        )
  return { rows, total: counted!.n }
}

const three = (orgId: string) => [orgId, orgId, orgId]
const four = (orgId: string) => [...three(orgId), orgId]

/** One person; undefined if they are not in the organization. */
export async function personIn(em: EntityManager, orgId: string, userId: string): Promise<PersonRow | undefined> {
  if (!isUuid(userId)) return undefined
  const { rows } = await people(em, orgId, `id eq "${userId}"`, { offset: 0, limit: 1 })
  return rows[0]
}

/** SHA-256 of the representation, as a weak validator. */
export const versionOf = (shown: object): string =>
  `W/"${createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 22)}"`

export function shownPerson(row: PersonRow, base: string): ScimUserShown & { meta: Static<typeof Meta> } {
  const { given_name: givenName, family_name: familyName } = row
  const groups = row.groups
    .filter(({ value, display }) => display !== null || isSystemRole(value))
    .map(({ value, display }) => ({ value, display: display ?? value, $ref: `${base}/Groups/${value}` }))
  const shown = {
    schemas: [urn.user],
    id: row.user_id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    userName: row.user_name ?? row.account,
    name: {
      formatted: row.name,
      ...(givenName !== null && { givenName }),
      ...(familyName !== null && { familyName }),
    },
    displayName: row.name,
    emails: [{ value: row.email ?? row.account, type: 'work', primary: true }],
    active: row.role_id !== null,
    groups,
  }
  const meta = {
    resourceType: 'User',
    created: new Date(row.created_at).toISOString(),
    lastModified: new Date(row.updated_at).toISOString(),
    location: `${base}/Users/${row.user_id}`,
    version: versionOf(shown),
  }
  return { ...shown, meta }
}
