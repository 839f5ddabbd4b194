import { X509Certificate } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { checkOnlyProvider, endProviderSessions, setDomains } from '#http/identity/provider/domain.ts'
import { SamlConnection } from '#http/identity/provider/saml-entity.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Client } from '#http/identity/tools.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
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
import { hasHidden } from '#streams/text.ts'

const fields = {
  entityID: t.String({ minLength: 1, maxLength: 1024, description: 'entity ID of the provider' }),
  ssoURL: t.String({ pattern: '^https?://', maxLength: 2048, description: 'single sign-on URL (HTTP-Redirect)' }),
  certificatePEM: t.String({
    minLength: 1,
    maxLength: 16_384,
    description: 'X.509 certificate for the signatures of the provider',
  }),
  emailDomains: EmailDomains,
  enabled: t.Boolean(),
}
const ConnectionBody = t.Object(
  { ...fields, enabled: t.Optional(fields.enabled) },
  {
    examples: [
      {
        entityID: 'https://idp.example.com',
        ssoURL: 'https://idp.example.com/sso',
        certificatePEM: '-----BEGIN CERTIFICATE-----\nMIID...\n-----END CERTIFICATE-----\n',
        emailDomains: ['example.com'],
      },
    ],
  },
)
const ConnectionView = t.Object(
  { ...fields, domains: t.Array(ShownDomain), createdAt: Timestamp, updatedAt: Timestamp },
  {
    title: 'SamlConnection',
    examples: [
      {
        entityID: 'https://idp.example.com/metadata',
        ssoURL: 'https://idp.example.com/sso',
        certificatePEM: '-----BEGIN CERTIFICATE-----\nMIIC…\n-----END CERTIFICATE-----\n',
        emailDomains: ['example.com'],
        enabled: true,
        domains: [domainExample],
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

async function loadConnectionView(em: EntityManager, orgId: string): Promise<Static<typeof ConnectionView>> {
  const c = await em.findOne(SamlConnection, { orgId })
  if (!c) throw Fault.missing('SAML connection', orgId)
  return {
    entityID: c.entityId,
    ssoURL: c.ssoUrl,
    certificatePEM: c.certificatePem,
    ...(await shownDomains(em, orgId)),
    enabled: c.enabled,
    createdAt: c.createdAt.toISOString(),
    updatedAt: c.updatedAt.toISOString(),
  }
}

/** @throws Fault `invalid` if it is not a certificate */
function certificate(pem: string): string {
  try {
    return new X509Certificate(pem).toString()
  } catch {
    throw badInput({
      in: 'body',
      name: '/certificatePEM',
      code: 'format',
      message: 'must be an X.509 certificate in PEM format',
    })
  }
}

/** @throws Fault `invalid` if no browser can be sent to it */
function checkPage(url: string): void {
  if (URL.canParse(url) && !hasHidden(url)) return
  throw badInput({ in: 'body', name: '/ssoURL', code: 'format', message: 'must be a URL that starts with https://' })
}

/**
 * Sets the provider. If it changes or is disabled, what started there ends; for a removed domain, what started for its
 * people.
 */
async function put(
  orgId: string,
  given: Static<typeof ConnectionBody>,
  caller: Caller,
  { identity }: Services,
  client: Client,
): Promise<void> {
  const now = identity.now()
  const certificatePem = certificate(given.certificatePEM)
  checkPage(given.ssoURL)
  const domains = domainsOf(given.emailDomains)
  await identity.em().transactional(async (em) => {
    if (given.enabled !== false) await checkOnlyProvider(em, orgId, 'saml')
    const connection =
      (await em.findOne(SamlConnection, { orgId })) ??
      em.create(SamlConnection, {
        orgId,
        entityId: '',
        ssoUrl: '',
        certificatePem: '',
        enabled: false,
        createdAt: now,
        updatedAt: now,
      })
    const { entityID: entityId, ssoURL: ssoUrl, enabled = true } = given
    const isAnother = !enabled || (connection.entityId !== '' && connection.entityId !== entityId)
    Object.assign(connection, { entityId, ssoUrl, certificatePem, enabled, updatedAt: now })
    em.persist(connection)
    const gone = await setDomains(em, orgId, domains)
    if (isAnother) await endProviderSessions(em, orgId, now, { method: 'saml' })
    for (const domain of gone) await endProviderSessions(em, orgId, now, { domain })
    const { userId, principal } = caller
    const detail = { entityID: entityId, emailDomains: domains.join(' '), enabled: String(enabled) }
    await recordEvent(em, { type: 'saml_changed', orgId, userId, principal, detail }, client, now)
  })
  identity.changed({ orgId })
}

const routeBase = { path: '/organisations/:orgID/saml', permission: 'admin', tags: ['Organizations'] } as const
const params = t.Object({ orgID: t.String() })

export const samlConnections: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    summary: 'Get the identity provider of the organization',
    description:
      'Includes its domains and their verification status. Returns 404 if there is none. Only owners and admins of the organization.',
    params,
    reply: ConnectionView,
    handle: async ({ caller, params: { orgID } }, { em }) => loadConnectionView(em, own(caller, orgID)),
  }),
  route({
    ...routeBase,
    method: 'PUT',
    summary: 'Set the identity provider of the organization',
    description:
      'A domain has no effect until its DNS record exists and has been checked; existing domains keep their record and their ' +
      'verification. Ends sessions that started at a provider with another entity ID, at a disabled one, or through a domain ' +
      'that is removed. The domains are shared with an OpenID provider; only one of them can be enabled at a time: otherwise ' +
      'returns 409 `other_provider_enabled`.',
    params,
    body: ConnectionBody,
    reply: ConnectionView,
    refuses: { 409: ['other_provider_enabled'] },
    handle: async ({ caller, params: { orgID }, body, client }, services) => {
      await asService(() => put(own(caller, orgID), body, caller, services, client))
      return loadConnectionView(services.em, orgID)
    },
  }),
  route({
    ...routeBase,
    method: 'DELETE',
    summary: 'Remove the identity provider and end its sessions; accounts are kept',
    description:
      'Users then sign in with another method. Returns 404 if there is none. Only owners and admins of the organization.',
    status: 204,
    params,
    handle: async ({ caller, params: { orgID }, client }, services) => {
      const orgId = own(caller, orgID)
      await loadConnectionView(services.em, orgId)
      await removeConnection('saml', orgId, caller, services, client)
    },
  }),
  verifyRoute('saml', {
    summary: 'Verify a domain of the identity provider by its TXT record',
    description:
      'A domain can be verified by one organization at a time; another one can take it over only after the record of the first is removed. 422 `domain_not_verified` shows the expected and the found records.',
  }),
]
