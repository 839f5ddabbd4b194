import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const connection = defineEntity({
  name: 'OidcConnection',
  tableName: 'oidc_connection',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** The provider's name of itself, an address: its document is below it. */
    issuer: p.text(),
    clientId: p.text(),
    /** The client secret, sealed. */
    sealed: p.text(),
    /** Asked for at each sign-in, `openid` among them. */
    scopes: p.json<string[]>(),
    /** Which claim is the address, which says that it is verified, and which is the name. */
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
    /** What the code is exchanged with and the ID token must repeat, sealed: `{ verifier, nonce }`. */
    sealed: p.text(),
    /** SHA-256 of what the page that began it keeps. */
    verifierHash: p.string().length(64),
    createdAt: p.datetime(3).index(),
  },
})

/** A sign-in that was sent to an OpenID provider and has not come back: it does so once. Written only by `http/identity`. */
export class OidcSignIn extends oidcSignIn.class {}
oidcSignIn.setClass(OidcSignIn)
