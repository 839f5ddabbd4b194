import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const connection = defineEntity({
  name: 'SamlConnection',
  tableName: 'saml_connection',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** The entity id of the identity provider. */
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

const request = defineEntity({
  name: 'SamlRequest',
  tableName: 'saml_request',
  properties: {
    orgId: p.text().primary(),
    id: p.text().primary(),
    /**
     * SHA-256 of the verifier that the page that started it must present; null for requests of an earlier version,
     * which cannot be completed.
     */
    verifierHash: p.string().length(64).nullable(),
    createdAt: p.datetime(3).index(),
  },
})

/** A sign-in that was sent to a provider and has not returned. Written only by `http/identity`. */
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

/** A used assertion: each can be used once. Written only by `http/identity`. */
export class SamlAssertion extends assertion.class {}
assertion.setClass(SamlAssertion)

const key = defineEntity({
  name: 'SamlKey',
  tableName: 'saml_key',
  properties: {
    /** Always `decrypt`. */
    id: p.text().primary(),
    /** The private key, PKCS 8 PEM, sealed. */
    sealed: p.text(),
    /** The certificate that providers encrypt for: X.509, self-signed. */
    certificatePem: p.text(),
    createdAt: p.datetime(3),
  },
})

/** The key that decrypts assertions. Written only by `http/identity`. */
export class SamlKey extends key.class {}
key.setClass(SamlKey)
