/** What all identity providers of organizations have in common. */
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
    /** What the TXT record that proves it holds. */
    token: p.text(),
    /** Null until it is proved: it decides nothing before. Of several organizations that name it one has proved it. */
    verifiedAt: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['domain'], where: '"verified_at" is not null' }],
})

/**
 * A mail domain whose people are to sign in through an organization's provider, whatever that speaks; the table is called after the
 * first that it was of. Written only by `http/identity`.
 */
export class ProviderDomain extends domain.class {}
domain.setClass(ProviderDomain)

/** A code of a provider, good for a minute; or a link, good for as long as it was made for. */
const codePurposes = ['saml', 'link', 'oidc'] as const

const loginCode = defineEntity({
  name: 'LoginCode',
  tableName: 'login_code',
  properties: {
    /** SHA-256 of the code. */
    hash: p.string().length(64).primary(),
    userId: p.uuid().index(),
    /** Where the session begins: of a provider bound to it; of a link one's own choice, which may be empty. */
    orgId: p.text(),
    purpose: p.enum(codePurposes).$type<(typeof codePurposes)[number]>().default('saml'),
    /** SHA-256 of what the page that began the sign-in keeps, and must show; null: it shows nothing. */
    verifierHash: p.string().length(64).nullable(),
    expiresAt: p.datetime(3).index(),
  },
})

/** What a browser carries to be exchanged for a session, once. Written only by `http/identity`. */
export class LoginCode extends loginCode.class {}
loginCode.setClass(LoginCode)
