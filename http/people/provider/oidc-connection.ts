import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { callbackOf } from '#http/identity/provider/oidc.ts'
import { OidcConnection } from '#http/identity/provider/oidc-entity.ts'
import { checkOnlyProvider, endProviderSessions, setDomains } from '#http/identity/provider/domain.ts'
import { oidcSecretSealed } from '#http/identity/sealed-columns.ts'
import type { Client, IdentityTools } from '#http/identity/tools.ts'
import { asService } from '#http/store/tenant.ts'
import {
  domainExample,
  domainsOf,
  EmailDomains,
  own,
  ShownDomain,
  shownDomains,
  removeConnection,
  verifyRoute,
} from './domain.ts'
import { outsideUrl } from '#streams/delivery/outbound.ts'

const Claim = (description: string) => t.String({ pattern: '^[\\w:./-]+$', maxLength: 200, description })

const fields = {
  issuer: t.String({
    pattern: '^https?://[^?#]+$',
    maxLength: 1024,
    description: 'issuer URL of the provider; its document is at `/.well-known/openid-configuration` below it',
  }),
  clientID: t.String({ minLength: 1, maxLength: 255, description: 'client ID at the provider' }),
  scopes: t.Array(t.String({ pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$', maxLength: 100 }), {
    minItems: 1,
    maxItems: 20,
    description: 'requested at each sign-in, including `openid`',
  }),
  emailClaim: Claim('claim with the email address, default `email`'),
  emailVerifiedClaim: Claim(
    'claim that reports the email address as verified, default `email_verified`; `xms_edov` for Microsoft Entra ID',
  ),
  nameClaim: Claim('claim with the name, default `name`'),
  emailDomains: EmailDomains,
  enabled: t.Boolean(),
}
const ConnectionBody = t.Object(
  {
    issuer: fields.issuer,
    clientID: fields.clientID,
    clientSecret: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 2048,
        description: 'client secret: encrypted and never returned; unchanged if omitted',
      }),
    ),
    scopes: t.Optional(fields.scopes),
    emailClaim: t.Optional(fields.emailClaim),
    emailVerifiedClaim: t.Optional(fields.emailVerifiedClaim),
    nameClaim: t.Optional(fields.nameClaim),
    emailDomains: fields.emailDomains,
    enabled: t.Optional(fields.enabled),
  },
  {
    examples: [
      {
        issuer: 'https://idp.example.com',
        clientID: 'tidemark',
        clientSecret: 'what-the-provider-gave-you',
        emailDomains: ['example.com'],
      },
    ],
  },
)
const ConnectionView = t.Object(
  {
    ...fields,
    redirectURI: t.String({ description: 'redirect URI to configure at the provider' }),
    domains: t.Array(ShownDomain),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'OidcConnection',
    examples: [
      {
        issuer: 'https://idp.example.com',
        clientID: 'tidemark',
        scopes: ['openid', 'email', 'profile'],
        emailClaim: 'email',
        emailVerifiedClaim: 'email_verified',
        nameClaim: 'name',
        emailDomains: ['example.com'],
        enabled: true,
        redirectURI: 'https://tidemark.example.com/auth/oidc/2c7e1f5a-7b1d-4a86-9d35-0f6f5e0f6a11/callback',
        domains: [domainExample],
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

const usual = {
  scopes: ['openid', 'email', 'profile'],
  emailClaim: 'email',
  emailVerifiedClaim: 'email_verified',
  nameClaim: 'name',
}

async function loadConnectionView(
  em: EntityManager,
  identity: IdentityTools,
  orgId: string,
): Promise<Static<typeof ConnectionView>> {
  const c = await em.findOne(OidcConnection, { orgId })
  if (!c) throw Fault.missing('OpenID Connect connection', orgId)
  return {
    issuer: c.issuer,
    clientID: c.clientId,
    scopes: c.scopes,
    emailClaim: c.emailClaim,
    emailVerifiedClaim: c.emailVerifiedClaim,
    nameClaim: c.nameClaim,
    enabled: c.enabled,
    redirectURI: callbackOf(identity, orgId),
    ...(await shownDomains(em, orgId)),
    createdAt: c.createdAt.toISOString(),
    updatedAt: c.updatedAt.toISOString(),
  }
}

const wrong = (name: string, code: string, message: string): Fault => badInput({ in: 'body', name, code, message })

/**
 * The given secret, sealed, or the stored one.
 * @throws Fault `invalid` if there is neither, or if the stored one is for another client
 */
function sealedSecret(
  identity: IdentityTools,
  orgId: string,
  { clientSecret, issuer, clientID }: Static<typeof ConnectionBody>,
  before: OidcConnection | null,
): string {
  if (clientSecret !== undefined) return identity.seal(oidcSecretSealed, orgId, clientSecret)
  // A secret for one provider must not be sent to another.
  if (before && before.issuer === issuer && before.clientId === clientID) return before.sealed
  throw wrong(
    '/clientSecret',
    'required',
    'is required, because there is none, or it belongs to another issuer or client',
  )
}

/**
 * Sets the provider. If it changes or is disabled, what started there ends; for a removed domain, what started for its
 * people.
 */
async function put(
  orgId: string,
  given: Static<typeof ConnectionBody>,
  { userId, principal }: Caller,
  { identity }: Services,
  client: Client,
): Promise<void> {
  outsideUrl(given.issuer, identity.allowPrivate)
  const now = identity.now()
  const { issuer, clientID: clientId, enabled = true } = given
  const scopes = [...new Set(given.scopes ?? usual.scopes)]
  if (!scopes.includes('openid')) throw wrong('/scopes', 'required', 'must contain openid')
  const domains = domainsOf(given.emailDomains)
  await identity.em().transactional(async (em) => {
    if (enabled) await checkOnlyProvider(em, orgId, 'oidc')
    const before = await em.findOne(OidcConnection, { orgId })
    const isAnother = !enabled || (before !== null && (before.issuer !== issuer || before.clientId !== clientId))
    const { emailClaim, emailVerifiedClaim, nameClaim } = { ...usual, ...given }
    const claims = { emailClaim, emailVerifiedClaim, nameClaim }
    const sealed = sealedSecret(identity, orgId, given, before)
    const row = { orgId, issuer, clientId, sealed, scopes, ...claims, enabled, updatedAt: now }
    await em.upsert(OidcConnection, { ...row, createdAt: before?.createdAt ?? now })
    const gone = await setDomains(em, orgId, domains)
    if (isAnother) await endProviderSessions(em, orgId, now, { method: 'oidc' })
    for (const domain of gone) await endProviderSessions(em, orgId, now, { domain })
    const detail = { issuer, clientID: clientId, emailDomains: domains.join(' '), enabled: String(enabled) }
    const secret = given.clientSecret !== undefined && { clientSecret: before ? 'replaced' : 'given' }
    const happened = { type: 'oidc_changed', orgId, userId, principal, detail: { ...detail, ...secret } } as const
    await recordEvent(em, happened, client, now)
  })
  identity.changed({ orgId })
}

const routeBase = { path: '/organisations/:orgID/oidc', permission: 'admin', tags: ['Organizations'] } as const
const params = t.Object({ orgID: t.String() })

export const oidcConnections: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    summary: 'Get the OpenID provider of the organization; its client secret is not returned',
    description: 'Includes the redirect URI to configure at the provider, and the domains whose users sign in there.',
    params,
    reply: ConnectionView,
    handle: async ({ caller, params: { orgID } }, { em, identity }) =>
      loadConnectionView(em, identity, own(caller, orgID)),
  }),
  route({
    ...routeBase,
    method: 'PUT',
    summary: 'Set the OpenID provider of the organization',
    description:
      'As with SAML, a domain has no effect until its DNS record exists and has been checked; both providers share the ' +
      'domains. Only one of them can be enabled at a time: otherwise returns 409 `other_provider_enabled`. Ends sessions ' +
      'that started at another issuer or client, at a provider that is disabled, or through a domain that is removed. An ' +
      'issuer in a private network returns 422 `address_refused`.',
    params,
    body: ConnectionBody,
    reply: ConnectionView,
    refuses: { 409: ['other_provider_enabled'], 422: ['address_refused'] },
    handle: async ({ caller, params: { orgID }, body, client }, services) => {
      await asService(() => put(own(caller, orgID), body, caller, services, client))
      return loadConnectionView(services.em, services.identity, orgID)
    },
  }),
  route({
    ...routeBase,
    method: 'DELETE',
    summary: 'Remove the OpenID provider and end its sessions; accounts are kept',
    description:
      'Domains are kept while the organization has a SAML connection; otherwise they are removed with their verification.',
    status: 204,
    params,
    handle: async ({ caller, params: { orgID }, client }, services) => {
      const orgId = own(caller, orgID)
      await loadConnectionView(services.em, services.identity, orgId)
      await removeConnection('oidc', orgId, caller, services, client)
    },
  }),
  verifyRoute('oidc', {
    summary: 'Verify a domain of the OpenID provider by its TXT record',
    description: 'Same as `POST /organisations/{orgID}/saml/domains/{domain}/verify`, with the same domains.',
  }),
]
