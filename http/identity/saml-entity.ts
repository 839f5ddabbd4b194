import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/policy.ts'

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
    /** Lower case; of one organization alone. */
    domain: p.text().primary(),
    orgId: p.text().index(),
  },
})

/** A mail domain whose people sign in through an organization's provider. Written only by `http/identity`. */
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

const loginCode = defineEntity({
  name: 'LoginCode',
  tableName: 'login_code',
  properties: {
    /** SHA-256 of the code. */
    hash: p.string().length(64).primary(),
    userId: p.uuid(),
    orgId: p.text(),
    expiresAt: p.datetime(3).index(),
  },
})

/** What a browser carries from the provider to the application, to be exchanged once. Written only by `http/identity`. */
export class LoginCode extends loginCode.class {}
loginCode.setClass(LoginCode)
