import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/tenant-policy.ts'

const connection = defineEntity({
  name: 'SamlConnection',
  tableName: 'saml_connection',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** The identity provider's name of itself. */
    entityId: p.text(),
    ssoUrl: p.text(),
    certificatePem: p.text(),
    enabled: p.boolean(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
})

/** The identity provider of an organization. Written only by `http/identity`. */
export class SamlConnection extends connection.class {}
connection.setClass(SamlConnection)

const domain = defineEntity({
  name: 'SamlDomain',
  tableName: 'saml_domain',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** Lower case. */
    domain: p.text().primary(),
    /** What the TXT record that proves it holds. */
    token: p.text(),
    /** Null until it is proved: it decides nothing before. Of several organizations that name it one has proved it. */
    verifiedAt: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['domain'], where: '"verified_at" is not null' }],
})

/** A mail domain whose people are to sign in through an organization's provider. Written only by `http/identity`. */
export class SamlDomain extends domain.class {}
domain.setClass(SamlDomain)

const request = defineEntity({
  name: 'SamlRequest',
  tableName: 'saml_request',
  properties: {
    orgId: p.text().primary(),
    id: p.text().primary(),
    createdAt: p.datetime(3).index(),
  },
})

/** A sign-in that was sent to a provider and has not come back. Written only by `http/identity`. */
export class SamlRequest extends request.class {}
request.setClass(SamlRequest)

const assertion = defineEntity({
  name: 'SamlAssertion',
  tableName: 'saml_assertion',
  properties: {
    orgId: p.text().primary(),
    id: p.text().primary(),
    usedAt: p.datetime(3).index(),
  },
})

/** An assertion that was used: it is good for one use. Written only by `http/identity`. */
export class SamlAssertion extends assertion.class {}
assertion.setClass(SamlAssertion)

const key = defineEntity({
  name: 'SamlKey',
  tableName: 'saml_key',
  properties: {
    /** There is one, `decrypt`. */
    id: p.text().primary(),
    /** The private key, PKCS 8 PEM, sealed. */
    sealed: p.text(),
    /** What providers encrypt for: X.509, signed by itself. */
    certificatePem: p.text(),
    createdAt: p.datetime(3),
  },
})

/** The key that reads encrypted assertions. Written only by `http/identity`. */
export class SamlKey extends key.class {}
key.setClass(SamlKey)

/** A code of SAML, good for a minute in any client; or a link, good for as long as it was made for. */
export const codePurposes = ['saml', 'link'] as const

const loginCode = defineEntity({
  name: 'LoginCode',
  tableName: 'login_code',
  properties: {
    /** SHA-256 of the code. */
    hash: p.string().length(64).primary(),
    userId: p.uuid().index(),
    /** Where the session begins: of SAML bound to it; of a link one's own choice, which may be empty. */
    orgId: p.text(),
    purpose: p.enum(codePurposes).$type<(typeof codePurposes)[number]>().default('saml'),
    expiresAt: p.datetime(3).index(),
  },
})

/** What a browser carries to be exchanged for a session, once. Written only by `http/identity`. */
export class LoginCode extends loginCode.class {}
loginCode.setClass(LoginCode)
