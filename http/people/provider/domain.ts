/** Shared by the settings of an organization's identity providers, whatever the protocol. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { recordOf, removeProvider, verifyDomain } from '#http/identity/provider/domain.ts'
import type { ProviderMethod } from '#http/identity/session/session-entity.ts'
import { ProviderDomain } from '#http/identity/provider/entity.ts'
import type { Client } from '#http/identity/tools.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'

const Domain = t.String({ pattern: '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\\.)+[A-Za-z]{2,63}$', maxLength: 253 })

export const EmailDomains = t.Array(Domain, {
  minItems: 1,
  maxItems: 100,
  description: 'email domains whose users sign in here; a domain has no effect until it is verified',
})

export const domainExample = {
  domain: 'example.com',
  status: 'verified',
  record: { name: '_tidemark.example.com', type: 'TXT', value: 'tidemark-verification=4f1c0b7a9d3e5f60' },
  verifiedAt: '2026-01-15T10:00:00.000Z',
} as const

export const ShownDomain = t.Object(
  {
    domain: t.String(),
    status: t.Enum(['pending', 'verified'], { description: 'pending: users cannot sign in with it yet' }),
    record: t.Object(
      { name: t.String(), type: t.Enum(['TXT']), value: t.String() },
      { description: 'DNS record that verifies the domain' },
    ),
    verifiedAt: orNull(Timestamp),
  },
  {
    title: 'SamlDomain',
    examples: [domainExample],
  },
)

const shownDomain = (one: ProviderDomain): Static<typeof ShownDomain> => ({
  domain: one.domain,
  status: one.verifiedAt ? 'verified' : 'pending',
  record: recordOf(one),
  verifiedAt: one.verifiedAt?.toISOString() ?? null,
})

/** The domains of the organization, by name; all providers share them. */
export async function shownDomains(em: EntityManager, orgId: string) {
  const found = await em.find(ProviderDomain, { orgId }, { orderBy: { domain: 'asc' } })
  return { emailDomains: found.map(({ domain }) => domain), domains: found.map(shownDomain) }
}

/** Lower case, without repeats. */
export const domainsOf = (given: readonly string[]): string[] => [
  ...new Set(given.map((domain) => domain.toLowerCase())),
]

/** Only the caller's own organization is accessible; any other looks missing. */
export function own(caller: Caller, orgId: string): string {
  if (caller.orgId !== orgId) throw Fault.missing('organization', orgId)
  return orgId
}

/** Removes a provider of an organization, and ends what started there. */
export async function removeConnection(
  method: ProviderMethod,
  orgId: string,
  { userId, principal }: Caller,
  { identity }: Services,
  client: Client,
): Promise<void> {
  const now = identity.now()
  await asService(() =>
    identity.em().transactional(async (em) => {
      await removeProvider(em, orgId, now, method)
      await recordEvent(em, { type: `${method}_removed` as const, orgId, userId, principal }, client, now)
    }),
  )
  identity.changed({ orgId })
}

/** @throws Fault as `verifyDomain` */
const verify = (orgId: string, given: string, { userId, principal }: Caller, { identity }: Services, client: Client) =>
  verifyDomain(identity, { orgId, domain: given.toLowerCase() }, { userId, principal, client }, (work) =>
    transaction(identity.em(), async (em) => reply(shownDomain(await work(em)), {})),
  )

/** The route that looks for the record of a domain; `provider` is that of the path. */
export const verifyRoute = (provider: 'saml' | 'oidc', said: { summary: string; description: string }): Route =>
  route({
    ...said,
    method: 'POST',
    path: `/organisations/:orgID/${provider}/domains/:domain/verify`,
    permission: 'admin',
    tags: ['Organizations'],
    params: t.Object({ orgID: t.String(), domain: t.String() }),
    reply: ShownDomain,
    refuses: { 409: ['domain_taken'], 422: ['domain_not_verified'], 502: ['upstream_failed'] },
    handle: async ({ caller, params: { orgID, domain }, client }, services) =>
      asService(() => verify(own(caller, orgID), domain, caller, services, client)),
  })
