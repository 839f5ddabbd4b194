import { defineEntity, p } from '@mikro-orm/core'
import { roles, type Role } from '#http/identity/role.ts'

const organization = defineEntity({
  name: 'Organization',
  tableName: 'organization',
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

const personalAccessToken = defineEntity({
  name: 'PersonalAccessToken',
  tableName: 'personal_access_token',
  properties: {
    id: p.uuid().primary(),
    orgId: p.string(),
    userId: p.string(),
    name: p.text(),
    role: p.enum(roles).$type<Role>(),
    /** SHA-256 of the secret, 64 hex digits: the secret itself is kept nowhere. */
    hash: p.string().length(64).unique(),
    /** The end of the secret, by which a person tells tokens apart. */
    lastFour: p.string().length(4),
    createdAt: p.datetime(3),
    /** Null: it does not expire. */
    expiresAt: p.datetime(3).nullable(),
    /** At most a minute old while the token is in use. */
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
  indexes: [{ properties: ['orgId', 'createdAt'] }],
})

/** A token for machines, bound to one organization. Written only by `http/identity`. */
export class PersonalAccessToken extends personalAccessToken.class {}
personalAccessToken.setClass(PersonalAccessToken)
