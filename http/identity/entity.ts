import { defineEntity, p } from '@mikro-orm/core'
import { policy, tenant, tenantPolicy } from '#engine/actor/tenant-policy.ts'
import { roles, type Permission, type ReportScope, type SystemRole } from '#http/identity/organization/role.ts'

const organization = defineEntity({
  name: 'Organization',
  tableName: 'organization',
  policies: [policy(`(id)::text = ${tenant}`)],
  properties: {
    id: p.uuid().primary(),
    /** 1 to 100 characters. */
    name: p.text(),
    createdAt: p.datetime(3),
  },
})

/** A tenant. Written only by `http/identity`. */
export class Organization extends organization.class {}
organization.setClass(Organization)

const user = defineEntity({
  name: 'User',
  tableName: 'app_user',
  policies: [policy(`exists (select from member m where m.user_id = app_user.id and m.org_id = ${tenant})`)],
  properties: {
    id: p.uuid().primary(),
    /** Lower case. */
    email: p.text().unique(),
    name: p.text(),
    /** argon2id, in PHC format; null for people who sign in another way. */
    passwordHash: p.text().nullable(),
    /** Null until a one-time password confirmed it; before that nobody can sign in. */
    emailVerifiedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
})

/** A person, in any number of organizations. Written only by `http/identity`. */
export class User extends user.class {}
user.setClass(User)

const userIdentity = defineEntity({
  name: 'UserIdentity',
  tableName: 'user_identity',
  properties: {
    /** The issuer's URL; `saml:<organization>` for the provider of one organization. */
    issuer: p.text().primary(),
    /** The issuer's permanent id for the person. */
    subject: p.text().primary(),
    userId: p.uuid().index(),
    createdAt: p.datetime(3),
  },
})

/** The identity of a person at another issuer. Written only by `http/identity`. */
export class UserIdentity extends userIdentity.class {}
userIdentity.setClass(UserIdentity)

export const memberStatuses = ['invited', 'active'] as const

const member = defineEntity({
  name: 'Member',
  tableName: 'member',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    userId: p.uuid().primary().index(),
    /** A system role, or the id of a role of the organization. */
    roleId: p.text(),
    /** `invited` until the person joins the organization. */
    status: p.enum(memberStatuses).$type<(typeof memberStatuses)[number]>(),
    createdAt: p.datetime(3),
  },
})

/** A person in an organization. Written only by `http/identity`. */
export class Member extends member.class {}
member.setClass(Member)

const role = defineEntity({
  name: 'Role',
  tableName: 'role',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    permissions: p.json<Permission[]>(),
    reportScope: p.json<ReportScope>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ properties: ['orgId', 'name'] }],
})

/** A custom role of an organization; system roles have no rows. Written only by `http/identity`. */
export class Role extends role.class {}
role.setClass(Role)

/** What a person's token gives access to: the API, or the analysts' port of ClickHouse. */
export const personalScopes = ['api', 'analyst'] as const
/** Also the token of a directory, which belongs to an organization and no person, for SCIM only. */
const tokenScopes = [...personalScopes, 'scim'] as const
export type TokenScope = (typeof tokenScopes)[number]

const personalAccessToken = defineEntity({
  name: 'PersonalAccessToken',
  tableName: 'personal_access_token',
  policies: [tenantPolicy],
  properties: {
    id: p.uuid().primary(),
    orgId: p.string(),
    userId: p.string(),
    name: p.text(),
    /**
     * For a machine token created by an operator, its role. For a directory's token, the role of its creator, which
     * limits the roles it can assign. For a person's token, a restriction; null: whatever the person may do at the
     * time.
     */
    role: p.enum(roles).$type<SystemRole>().nullable(),
    scope: p.enum(tokenScopes).$type<TokenScope>().default('api'),
    /** SHA-256 of the secret, 64 hex digits. The secret itself is not stored. */
    hash: p.string().length(64).unique(),
    /** The end of the secret, by which people recognize the token. */
    lastFour: p.string().length(4),
    createdAt: p.datetime(3),
    /** Null: it does not expire. */
    expiresAt: p.datetime(3).nullable(),
    /** For the token of an agent with refresh tokens: how often it was refreshed, when last, and until when it can be. */
    refreshCount: p.integer().nullable(),
    refreshedAt: p.datetime(3).nullable(),
    refreshEndsAt: p.datetime(3).nullable(),
    /** When its owner was notified that it expires soon. */
    endToldAt: p.datetime(3).nullable(),
    /** At most a minute old while the token is in use. */
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
  indexes: [{ properties: ['orgId', 'createdAt'] }],
})

/** A token for machines, bound to one organization. Written only by `http/identity`. */
export class PersonalAccessToken extends personalAccessToken.class {}
personalAccessToken.setClass(PersonalAccessToken)
