import { X509Certificate } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/fault.ts'
import { t, type Static } from '#engine/schema.ts'
import { Timestamp } from '#http/edge/field.ts'
import { recordEvent } from '#http/identity/audit.ts'
import { SamlConnection, SamlDomain } from '#http/identity/saml-entity.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Caller } from '#http/identity/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { asService } from '#http/store/tenant.ts'

const Domain = t.String({ pattern: '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\\.)+[A-Za-z]{2,63}$', maxLength: 253 })
const fields = {
  entityID: t.String({ minLength: 1, maxLength: 1024, description: 'the name the provider gives itself' }),
  ssoURL: t.String({ pattern: '^https?://', maxLength: 2048, description: 'where sign-ins are sent (HTTP-Redirect)' }),
  certificatePEM: t.String({ minLength: 1, maxLength: 16_384, description: 'X.509, what answers are signed with' }),
  emailDomains: t.Array(Domain, { minItems: 1, maxItems: 100, description: 'addresses that sign in here' }),
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
const Shown = t.Object({ ...fields, createdAt: Timestamp, updatedAt: Timestamp }, { title: 'SamlConnection' })

/** Only the organization one works in is looked at; another's is as if it were not there. */
function own(caller: Caller, orgId: string): string {
  if (caller.orgId !== orgId) throw Fault.missing('organization', orgId)
  return orgId
}

async function shown(em: EntityManager, orgId: string): Promise<Static<typeof Shown>> {
  const c = await em.findOne(SamlConnection, { orgId })
  if (!c) throw Fault.missing('SAML connection', orgId)
  const domains = await em.find(SamlDomain, { orgId }, { orderBy: { domain: 'asc' } })
  return {
    entityID: c.entityId,
    ssoURL: c.ssoUrl,
    certificatePEM: c.certificatePem,
    emailDomains: domains.map(({ domain }) => domain),
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

/** Domains are of one organization alone, so this looks at all of them. @throws Fault `conflict` `already_exists` */
async function put(
  orgId: string,
  given: Static<typeof Given>,
  caller: Caller,
  { identity }: Services,
  client: Parameters<typeof recordEvent>[2],
): Promise<void> {
  const now = identity.now()
  const certificatePem = certificate(given.certificatePEM)
  const domains = [...new Set(given.emailDomains.map((domain) => domain.toLowerCase()))]
  await identity.em().transactional(async (em) => {
    const taken = await em.find(SamlDomain, { domain: { $in: domains }, orgId: { $ne: orgId } })
    if (taken.length > 0) {
      throw Fault.conflict('already_exists', 'Another organization signs in a domain of these.', {
        domains: taken.map(({ domain }) => domain),
      })
    }
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
    Object.assign(connection, { entityId, ssoUrl, certificatePem, enabled, updatedAt: now })
    em.persist(connection)
    await em.nativeDelete(SamlDomain, { orgId })
    for (const domain of domains) em.persist(em.create(SamlDomain, { domain, orgId }))
    const { userId, principal } = caller
    const detail = { entityID: entityId, emailDomains: domains.join(' '), enabled: String(enabled) }
    await recordEvent(em, { type: 'saml_changed', orgId, userId, principal, detail }, client, now)
  })
}

const fixed = { path: '/organisations/:orgID/saml', permission: 'admin', tags: ['Organizations'] } as const
const params = t.Object({ orgID: t.String() })

export const samlConnections: readonly Route[] = [
  route({
    ...fixed,
    method: 'GET',
    summary: 'The identity provider of the organization',
    params,
    reply: Shown,
    handle: async ({ caller, params: { orgID } }, { em }) => shown(em, own(caller, orgID)),
  }),
  route({
    ...fixed,
    method: 'PUT',
    summary: 'Set the identity provider whose people sign in to the organization',
    params,
    body: Given,
    reply: Shown,
    handle: async ({ caller, params: { orgID }, body, client }, services) => {
      await asService(() => put(own(caller, orgID), body, caller, services, client))
      return shown(services.em, orgID)
    },
  }),
  route({
    ...fixed,
    method: 'DELETE',
    summary: 'Remove the identity provider; its people keep their accounts',
    status: 204,
    params,
    handle: async ({ caller, params: { orgID }, client }, { em, identity }) => {
      const orgId = own(caller, orgID)
      await shown(em, orgId)
      await em.transactional(async (tx) => {
        await tx.nativeDelete(SamlDomain, { orgId })
        await tx.nativeDelete(SamlConnection, { orgId })
        const { userId, principal } = caller
        await recordEvent(tx, { type: 'saml_removed', orgId, userId, principal }, client, identity.now())
      })
    },
  }),
]
