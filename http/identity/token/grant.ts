/** The rights of tokens and sessions, as stored. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Member, TokenScope } from '#http/identity/entity.ts'
import { takeUp } from '#http/identity/organization/invitation.ts'
import {
  customRights,
  isSystemRole,
  intersectRights,
  systemRights,
  type ReportScope,
  type Rights,
} from '#http/identity/organization/role.ts'
import type { Permission, SystemRole } from '#http/identity/organization/role.ts'

/** The rights of a token or session. `rights` is null if the person is not an active member. */
export interface StoredGrant {
  userId: string
  sessionId?: string
  tokenId?: string
  /** Only for a token. */
  scope?: TokenScope
  orgId: string
  rights: Rights | null
  /** Whether the organization requires a second factor that the session lacks. */
  lacksSecondFactor?: boolean
  /** When the organization will be deleted, if it is closed. */
  deletesAt?: Date
}

/** Look-ups of identity for requests without a cached result. */
export interface Grants {
  /**
   * The session, if it is alive, and its user's rights in `orgId` (empty: not requested). With `enters`, the user's
   * invitation is accepted.
   */
  session(id: string, userId: string, orgId: string, enters: boolean): Promise<StoredGrant | null>
  /** The token with this hash, if it is alive; its use is recorded. */
  token(hash: string, now: Date): Promise<(StoredGrant & { expiresAt: Date | null }) | null>
}

interface RightsRow {
  user_id: string
  org_id: string | null
  bound_to?: string | null
  status?: Member['status'] | null
  role_id: string | null
  permissions: Permission[] | null
  report_scope: ReportScope | null
  lacks_second_factor?: boolean
  delete_at?: string | null
}

const toDeletion = ({ delete_at: at }: RightsRow): Pick<StoredGrant, 'deletesAt'> =>
  at ? { deletesAt: new Date(at) } : {}

/** The rights in a member's row; null without a row, or if the role was deleted. */
function rightsOf({ role_id: id, permissions, report_scope: reportScope }: RightsRow): Rights | null {
  if (id === null) return null
  if (isSystemRole(id)) return systemRights(id)
  return permissions && reportScope ? customRights({ id, permissions, reportScope }) : null
}

/** A person's current rights in an organization; null if they are not an active member. */
export async function memberRights(em: EntityManager, orgId: string, userId: string): Promise<Rights | null> {
  const [row] = await em.execute<RightsRow[]>(
    `select m.user_id, m.org_id, m.role_id, r.permissions, r.report_scope
     from member m left join role r on r.org_id = m.org_id and r.id::text = m.role_id
     where m.org_id = ? and m.user_id::text = ? and m.status = 'active'`,
    [orgId, userId],
  )
  return row ? rightsOf(row) : null
}

interface TokenRow extends RightsRow {
  id: string
  fixed: SystemRole | null
  /** Whether it belongs to a person, not to a machine. */
  is_person: boolean
  scope: TokenScope
  expires_at: string | null
  last_used_at: string | null
}

/** A person's token never has more rights than the person, whatever its role. */
function tokenRights(row: TokenRow): Rights | null {
  if (row.fixed === null) return rightsOf(row)
  if (!row.is_person || row.scope === 'scim') return systemRights(row.fixed)
  const own = rightsOf(row)
  return own && intersectRights(own, systemRights(row.fixed))
}

const noteEveryMs = 60_000

/** Look-ups in PostgreSQL, each with one statement. A token's last use is recorded at most once a minute. */
export const grantsIn = (em: () => EntityManager, now: () => Date): Grants => ({
  async session(id, userId, orgId, enters) {
    const [row] = await em().execute<RightsRow[]>(
      `select s.user_id, m.org_id, m.status, m.role_id, r.permissions, r.report_scope,
         c.delete_at, o.require_second_factor and not s.second_factor and s.method not in ('saml', 'oidc') as lacks_second_factor
       from session s
       left join member m on m.user_id = s.user_id and m.org_id = ?
         and (s.bound_to is null or s.bound_to = m.org_id)
       left join role r on r.org_id = m.org_id and r.id::text = m.role_id
       left join organization_setting o on o.org_id = m.org_id
       left join closed_organization c on c.org_id = m.org_id
       where s.id::text = ? and s.user_id::text = ? and s.revoked_at is null and s.expires_at > ?`,
      [orgId, id, userId, now().toISOString()],
    )
    if (!row) return null
    const isInvited = row.status === 'invited'
    if (isInvited && enters) await takeUp(em(), row.user_id, orgId)
    const rights = isInvited && !enters ? null : rightsOf(row)
    const lacksSecondFactor = row.lacks_second_factor === true
    return { userId: row.user_id, sessionId: id, orgId, rights, lacksSecondFactor, ...toDeletion(row) }
  },
  async token(hash, at) {
    const [row] = await em().execute<TokenRow[]>(
      `select t.id, t.user_id, t.org_id, t.role as fixed, t.scope, t.expires_at, t.last_used_at, m.role_id, r.permissions, r.report_scope, c.delete_at,
         case when t.role is not null and t.user_id ~ '^[0-9a-f-]{36}$'
           then exists (select from app_user u where u.id = t.user_id::uuid) else false end as is_person
       from personal_access_token t
       left join member m on m.org_id = t.org_id and m.user_id::text = t.user_id and m.status = 'active'
       left join role r on r.org_id = m.org_id and r.id::text = m.role_id
       left join closed_organization c on c.org_id = t.org_id
       where t.hash = ? and t.revoked_at is null`,
      [hash],
    )
    if (!row) return null
    const used = row.last_used_at === null ? 0 : new Date(row.last_used_at).getTime()
    if (Math.abs(at.getTime() - used) >= noteEveryMs) {
      await em().execute('update personal_access_token set last_used_at = ? where id = ?', [at.toISOString(), row.id])
    }
    return {
      userId: row.user_id,
      tokenId: row.id,
      scope: row.scope,
      orgId: row.org_id!,
      rights: tokenRights(row),
      expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
      ...toDeletion(row),
    }
  },
})
