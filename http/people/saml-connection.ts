import { X509Certificate } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/fault.ts'
import { t, type Static } from '#engine/schema.ts'
import { Timestamp } from '#http/edge/field.ts'
import { recordEvent } from '#http/identity/audit.ts'
import { checkOnlyProvider, endProviderSessions, setDomains } from '#http/identity/provider-domain.ts'
import { SamlConnection } from '#http/identity/saml-entity.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Client } from '#http/identity/tools.ts'
import type { Caller } from '#http/identity/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { asService } from '#http/store/tenant.ts'
import {
  domainsOf,
  EmailDomains,
  own,
  ShownDomain,
  shownDomains,
  removed,
  verify,
  verifyRefuses,
} from '#http/people/provider-domain.ts'

const fields = {
  entityID: t.String({ minLength: 1, maxLength: 1024, description: 'the name the provider gives itself' }),
  ssoURL: t.String({ pattern: '^https?://', maxLength: 2048, description: 'where sign-ins are sent (HTTP-Redirect)' }),
  certificatePEM: t.String({ minLength: 1, maxLength: 16_384, description: 'X.509, what answers are signed with' }),
  emailDomains: EmailDomains,
  enabled: t.Boolean(),
}
const Given = t.Object(
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
const Shown = t.Object(
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
        domains: [
          {
            domain: 'example.com',
            status: 'verified',
            record: { name: '_tidemark.example.com', type: 'TXT', value: 'tidemark-verification=4f1c0b7a9d3e5f60' },
            verifiedAt: '2026-01-15T10:00:00.000Z',
          },
        ],
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

async function shown(em: EntityManager, orgId: string): Promise<Static<typeof Shown>> {
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

/** @throws Fault `invalid` for what is no certificate */
function certificate(pem: string): string {
  try {
    return new X509Certificate(pem).toString()
  } catch {
    throw badInput({ in: 'body', name: '/certificatePEM', code: 'format', message: 'is no X.509 certificate in PEM' })
  }
}

/** Sets the provider. What began at one that is another now, is switched off, or at a domain that went, ends. */
async function put(
  orgId: string,
  given: Static<typeof Given>,
  caller: Caller,
  { identity }: Services,
  client: Client,
): Promise<void> {
  const now = identity.now()
  const certificatePem = certificate(given.certificatePEM)
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

const fixed = { path: '/organisations/:orgID/saml', permission: 'admin', tags: ['Organizations'] } as const
const params = t.Object({ orgID: t.String() })

export const samlConnections: readonly Route[] = [
  route({
    ...fixed,
    method: 'GET',
    summary: 'The identity provider of the organization',
    description:
      'With its domains and which of them are verified. 404 while there is none. For owners and admins of that organization alone.',
    params,
    reply: Shown,
    handle: async ({ caller, params: { orgID } }, { em }) => shown(em, own(caller, orgID)),
  }),
  route({
    ...fixed,
    method: 'PUT',
    summary: 'Set the identity provider whose people sign in to the organization',
    description:
      'A domain decides nothing until its record stands in the DNS and was looked for; those the connection has had keep their record and their proof. Sessions end that began at a provider of another name, one that is switched off, or by a domain that is left out. The domains are those of an OpenID provider too; one of both is switched on at a time: else 409 `other_provider_enabled`.',
    params,
    body: Given,
    reply: Shown,
    refuses: { 409: ['other_provider_enabled'] },
    handle: async ({ caller, params: { orgID }, body, client }, services) => {
      await asService(() => put(own(caller, orgID), body, caller, services, client))
      return shown(services.em, orgID)
    },
  }),
  route({
    ...fixed,
    method: 'DELETE',
    summary: 'Remove the identity provider and end the sessions that began there; its people keep their accounts',
    description:
      'They sign in by another way then. 404 where there is none. For owners and admins of that organization alone.',
    status: 204,
    params,
    handle: async ({ caller, params: { orgID }, client }, services) => {
      const orgId = own(caller, orgID)
      await shown(services.em, orgId)
      await removed('saml', orgId, caller, services, client)
    },
  }),
  route({
    ...fixed,
    method: 'POST',
    path: '/organisations/:orgID/saml/domains/:domain/verify',
    summary: 'Look for the TXT record that proves a domain of the identity provider',
    description:
      'One organization at a time has proved a domain: another one takes it over only once the record of the first is gone. 422 `domain_not_verified` shows what was looked for and what was found.',
    params: t.Object({ orgID: t.String(), domain: t.String() }),
    reply: ShownDomain,
    refuses: verifyRefuses,
    handle: async ({ caller, params: { orgID, domain }, client }, services) =>
      asService(() => verify(own(caller, orgID), domain, caller, services, client)),
  }),
]
