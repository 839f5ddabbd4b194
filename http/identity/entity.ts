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
    /** argon2id, in PHC form; null for those who come by another way. */
    passwordHash: p.text().nullable(),
    /** Null until its one-time password came back: nobody signs in to it before. */
    emailVerifiedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
})

/** A person, of any number of organizations. Written only by `http/identity`. */
export class User extends user.class {}
user.setClass(User)

const userIdentity = defineEntity({
  name: 'UserIdentity',
  tableName: 'user_identity',
  properties: {
    /** The issuer's address; `saml:<organization>` for the provider of one organization. */
    issuer: p.text().primary(),
    /** What the issuer calls the person, for ever. */
    subject: p.text().primary(),
    userId: p.uuid().index(),
    createdAt: p.datetime(3),
  },
})

/** What another issuer calls a person. Written only by `http/identity`. */
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
    /** One of the system roles, or the id of a role of the organization. */
    roleId: p.text(),
    /** `invited` until the person enters the organization. */
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

/** A role an organization has made; the system roles are no rows. Written only by `http/identity`. */
export class Role extends role.class {}
role.setClass(Role)

/** What a person's token is good for: the API, or the analysts' port of ClickHouse. */
export const personalScopes = ['api', 'analyst'] as const
/** Beside these, that of a directory: of an organization and no person, for SCIM alone. */
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
     * Of a token that an operator made for a machine, or of a directory: the role of who made that, beyond which it gives none. Of a person's:
     * what it is narrowed to. Null: what its user may do at the moment.
     */
    role: p.enum(roles).$type<SystemRole>().nullable(),
    scope: p.enum(tokenScopes).$type<TokenScope>().default('api'),
    /** SHA-256 of the secret, 64 hex digits: the secret itself is kept nowhere. */
    hash: p.string().length(64).unique(),
    /** The end of the secret, by which a person tells tokens apart. */
    lastFour: p.string().length(4),
    createdAt: p.datetime(3),
    /** Null: it does not expire. */
    expiresAt: p.datetime(3).nullable(),
    /** When its person was told that it expires soon. */
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
