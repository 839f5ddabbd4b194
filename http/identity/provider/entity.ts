/** Shared by all identity providers of organizations. */
import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const domain = defineEntity({
  name: 'ProviderDomain',
  tableName: 'saml_domain',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** Lower case. */
    domain: p.text().primary(),
    /** Content of the TXT record that proves it. */
    token: p.text(),
    /**
     * Null until it is proved; before that it has no effect. Of several organizations that name a domain, at most one
     * has proved it.
     */
    verifiedAt: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['domain'], where: '"verified_at" is not null' }],
})

/**
 * A mail domain whose people sign in through an organization's provider, whatever its protocol; the table is named
 * after the first protocol. Written only by `http/identity`.
 */
export class ProviderDomain extends domain.class {}
domain.setClass(ProviderDomain)

/** A code from a provider is valid for a minute; a link for the time it was created with. */
const codePurposes = ['saml', 'link', 'oidc'] as const

const loginCode = defineEntity({
  name: 'LoginCode',
  tableName: 'login_code',
  properties: {
    /** SHA-256 of the code. */
    hash: p.string().length(64).primary(),
    userId: p.uuid().index(),
    /** The organization of the session: for a provider, its organization; for a link optional, empty for none. */
    orgId: p.text(),
    purpose: p.enum(codePurposes).$type<(typeof codePurposes)[number]>().default('saml'),
    /** SHA-256 of the verifier that the page that started the sign-in must present; null: none. */
    verifierHash: p.string().length(64).nullable(),
    expiresAt: p.datetime(3).index(),
  },
})

/** A code that a browser exchanges for a session, once. Written only by `http/identity`. */
export class LoginCode extends loginCode.class {}
loginCode.setClass(LoginCode)
