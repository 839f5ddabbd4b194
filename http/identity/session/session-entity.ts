import { defineEntity, p } from '@mikro-orm/core'

export const methods = ['email', 'google', 'github', 'saml', 'link', 'oidc'] as const
export type Method = (typeof methods)[number]

/**
 * `fed` is not of RFC 8176, which has no word for it: another provider vouches, which is named beside it. Nor has it one for a
 * link: that somebody was there is all that it proves.
 */
export const amrOf: Readonly<Record<Method, readonly string[]>> = {
  email: ['pwd'],
  google: ['fed', 'google'],
  github: ['fed', 'github'],
  saml: ['fed', 'saml'],
  link: ['user'],
  oidc: ['fed', 'oidc'],
}

/** Those by which an organization's own provider vouches: it alone knows whether it has asked for a second factor. */
export const providerMethods = ['saml', 'oidc'] as const
export type ProviderMethod = (typeof providerMethods)[number]

const session = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid().index(),
    /** The active organization; empty while the person has none. */
    orgId: p.text().default(''),
    /** A session through an organization's own identity provider is good for that organization alone. */
    boundTo: p.text().nullable(),
    method: p.enum(methods).$type<Method>(),
    /** How the person was known (RFC 8176), as tokens tell it; empty where only the method is written down. */
    amr: p.json<string[]>().defaultRaw(`'[]'`),
    /** Where it began. */
    ip: p.text().default(''),
    userAgent: p.text().default(''),
    /** Whether a second factor was shown beside what it began with. */
    secondFactor: p.boolean().default(false),
    createdAt: p.datetime(3),
    /** However often it is refreshed, it ends here. */
    expiresAt: p.datetime(3).index(),
    revokedAt: p.datetime(3).nullable(),
  },
})

/** What one sign-in began: a family of refresh tokens. Written only by `http/identity`. */
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
    /** It is good for one use. */
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
    /** The block of addresses that asked for it. */
    block: p.text().primary(),
    /** HMAC-SHA256 of the code under a key that is not in the database; null where nobody has the address: no code fits. */
    codeHash: p.text().nullable(),
    expiresAt: p.datetime(3).index(),
    /** Codes tried from its block. */
    tries: p.integer().default(0),
    /** Codes tried from other blocks, all together. */
    foreignTries: p.integer().default(0),
    /** Codes sent since `issuedSince`. */
    issued: p.integer().default(0),
    issuedSince: p.datetime(3),
    /** The sign-up that it confirms: the password's hash and the name; null for what confirms none. */
    passwordHash: p.text().nullable(),
    name: p.text().nullable(),
  },
})

/** The newest one-time password that a block asked for an address; gone once used. Written only by `http/identity`. */
export class MailedCode extends mailedCode.class {}
mailedCode.setClass(MailedCode)

const oneTimePassword = defineEntity({
  name: 'OneTimePassword',
  tableName: 'one_time_password',
  properties: {
    email: p.text().primary(),
    purpose: p.enum(purposes).$type<Purpose>().primary(),
    /** HMAC-SHA256 of the code under a key that is not in the database; null where nobody has the address: no code fits. */
    codeHash: p.text().nullable(),
    expiresAt: p.datetime(3).index(),
    /** Codes tried. */
    tries: p.integer().default(0),
    /** Codes sent since `issuedSince`. */
    issued: p.integer().default(0),
    issuedSince: p.datetime(3),
  },
})

/** A one-time password of processes of the version before: nothing else writes it, and it goes with them. */
export class OneTimePassword extends oneTimePassword.class {}
oneTimePassword.setClass(OneTimePassword)

const loginFailure = defineEntity({
  name: 'LoginFailure',
  tableName: 'login_failure',
  properties: {
    id: p.uuid().primary(),
    /** As it was typed, lower case: known or not. */
    email: p.text(),
    at: p.datetime(3),
  },
  indexes: [{ properties: ['email', 'at'] }],
})

/** A wrong password at a process of the version before: nothing else writes it, and it goes with them. */
export class LoginFailure extends loginFailure.class {}
loginFailure.setClass(LoginFailure)

/** A public RSA key as it is published (RFC 7517). */
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
