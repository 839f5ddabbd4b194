import { defineEntity, p } from '@mikro-orm/core'

export const methods = ['email', 'google', 'github', 'saml', 'link', 'oidc'] as const
export type Method = (typeof methods)[number]

/**
 * The authentication methods (`amr`) of each sign-in method. RFC 8176 has no value for a sign-in at another provider:
 * `fed` is ours, followed by the provider. It has none for a link either: `user` only says that a person was present.
 */
export const amrOf: Readonly<Record<Method, readonly string[]>> = {
  email: ['pwd'],
  google: ['fed', 'google'],
  github: ['fed', 'github'],
  saml: ['fed', 'saml'],
  link: ['user'],
  oidc: ['fed', 'oidc'],
}

/** Methods with an organization's own provider: only the provider knows whether it required a second factor. */
export const providerMethods = ['saml', 'oidc'] as const
export type ProviderMethod = (typeof providerMethods)[number]

const session = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid().index(),
    /** The active organization; empty if there is none. */
    orgId: p.text().default(''),
    /** Set for a session through an organization's own identity provider: it is valid for that organization only. */
    boundTo: p.text().nullable(),
    method: p.enum(methods).$type<Method>(),
    /** How the person was authenticated (RFC 8176), as in tokens; empty in rows that only have the method. */
    amr: p.json<string[]>().defaultRaw(`'[]'`),
    /** The address where it started. */
    ip: p.text().default(''),
    userAgent: p.text().default(''),
    /** Whether a second factor was used in addition. */
    secondFactor: p.boolean().default(false),
    createdAt: p.datetime(3),
    /** It ends at this time, however often it is refreshed. */
    expiresAt: p.datetime(3).index(),
    revokedAt: p.datetime(3).nullable(),
  },
})

/** The result of one sign-in: a family of refresh tokens. Written only by `http/identity`. */
export class Session extends session.class {}
session.setClass(Session)

const refreshToken = defineEntity({
  name: 'RefreshToken',
  tableName: 'refresh_token',
  properties: {
    /** SHA-256 of the token, 64 hex digits. */
    hash: p.string().length(64).primary(),
    sessionId: p.uuid().index(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).index(),
    /** It is valid for one use. */
    usedAt: p.datetime(3).nullable(),
  },
})

/** A refresh token. Written only by `http/identity`. */
export class RefreshToken extends refreshToken.class {}
refreshToken.setClass(RefreshToken)

const purposes = ['verify', 'reset'] as const
export type Purpose = (typeof purposes)[number]

const mailedCode = defineEntity({
  name: 'MailedCode',
  tableName: 'mailed_code',
  properties: {
    email: p.text().primary(),
    purpose: p.enum(purposes).$type<Purpose>().primary(),
    /** The address block that requested it. */
    block: p.text().primary(),
    /**
     * HMAC-SHA256 of the code under a key that is not in the database; null if the address has no account: no code
     * matches.
     */
    codeHash: p.text().nullable(),
    expiresAt: p.datetime(3).index(),
    /** Number of codes tried from its block. */
    tries: p.integer().default(0),
    /** Number of codes tried from all other blocks. */
    foreignTries: p.integer().default(0),
    /** Number of codes sent since `issuedSince`. */
    issued: p.integer().default(0),
    issuedSince: p.datetime(3),
    /** The sign-up it confirms: hash of the password, below the name; null if it confirms none. */
    passwordHash: p.text().nullable(),
    name: p.text().nullable(),
  },
})

/**
 * The newest one-time password that a block requested for an address; deleted once used. Written only by
 * `http/identity`.
 */
export class MailedCode extends mailedCode.class {}
mailedCode.setClass(MailedCode)

const oneTimePassword = defineEntity({
  name: 'OneTimePassword',
  tableName: 'one_time_password',
  properties: {
    email: p.text().primary(),
    purpose: p.enum(purposes).$type<Purpose>().primary(),
    /**
     * HMAC-SHA256 of the code under a key that is not in the database; null if the address has no account: no code
     * matches.
     */
    codeHash: p.text().nullable(),
    expiresAt: p.datetime(3).index(),
    /** Number of codes tried. */
    tries: p.integer().default(0),
    /** Number of codes sent since `issuedSince`. */
    issued: p.integer().default(0),
    issuedSince: p.datetime(3),
  },
})

/** A one-time password of processes of the previous version, which alone write it. */
export class OneTimePassword extends oneTimePassword.class {}
oneTimePassword.setClass(OneTimePassword)

const loginFailure = defineEntity({
  name: 'LoginFailure',
  tableName: 'login_failure',
  properties: {
    id: p.uuid().primary(),
    /** As entered, in lower case, with or without an account. */
    email: p.text(),
    at: p.datetime(3),
  },
  indexes: [{ properties: ['email', 'at'] }],
})

/** A wrong password at a process of the previous version, which alone writes it. */
export class LoginFailure extends loginFailure.class {}
loginFailure.setClass(LoginFailure)

/** A published public RSA key (RFC 7517). */
export interface Jwk {
  kty: string
  n: string
  e: string
  kid: string
  use: string
  alg: string
}

const signingKey = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_key',
  properties: {
    kid: p.text().primary(),
    /** The private key, PKCS 8 PEM, sealed with AES-256-GCM. */
    sealed: p.text(),
    publicJwk: p.json<Jwk>(),
    createdAt: p.datetime(3),
  },
})

/** A key that signs access tokens. Written only by `http/identity`. */
export class SigningKey extends signingKey.class {}
signingKey.setClass(SigningKey)
