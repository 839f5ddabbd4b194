import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const connection = defineEntity({
  name: 'OidcConnection',
  tableName: 'oidc_connection',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** The issuer's URL, below which its document is. */
    issuer: p.text(),
    clientId: p.text(),
    /** The client secret, sealed. */
    sealed: p.text(),
    /** Requested at each sign-in; include `openid`. */
    scopes: p.json<string[]>(),
    /** Claims with the address, with whether it is verified, and with the name. */
    emailClaim: p.text(),
    emailVerifiedClaim: p.text(),
    nameClaim: p.text(),
    enabled: p.boolean(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
})

/** The OpenID provider of an organization. Written only by `http/identity`. */
export class OidcConnection extends connection.class {}
connection.setClass(OidcConnection)

const oidcSignIn = defineEntity({
  name: 'OidcSignIn',
  tableName: 'oidc_sign_in',
  properties: {
    /** SHA-256 of the state. */
    hash: p.string().length(64).primary(),
    orgId: p.text().index(),
    /**
     * The PKCE verifier for exchanging the code, and the nonce that the ID token must repeat, sealed: `{ verifier,
     * nonce }`.
     */
    sealed: p.text(),
    /** SHA-256 of the verifier of the page that started it. */
    verifierHash: p.string().length(64),
    createdAt: p.datetime(3).index(),
  },
})

/**
 * A sign-in that was sent to an OpenID provider and has not returned; each can return once. Written only by
 * `http/identity`.
 */
export class OidcSignIn extends oidcSignIn.class {}
oidcSignIn.setClass(OidcSignIn)
