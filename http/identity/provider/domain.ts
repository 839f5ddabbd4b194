/**
 * Mail domains of organizations with their own identity provider. A domain has no effect until a DNS TXT record proves
 * that it belongs to the organization. An organization keeps a domain until another one proves it while the first one's
 * record is gone.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { OidcConnection, OidcSignIn } from './oidc-entity.ts'
import { LoginCode, ProviderDomain } from './entity.ts'
import { SamlConnection, SamlRequest } from './saml-entity.ts'
import { providerMethods, type ProviderMethod } from '#http/identity/session/session-entity.ts'
import { newSecret } from '#http/identity/token/secret.ts'
import type { Client, IdentityTools } from '#http/identity/tools.ts'

/** The DNS record that proves a domain. */
export const recordOf = ({ domain, token }: Pick<ProviderDomain, 'domain' | 'token'>) => ({
  name: `_tidemark.${domain}`,
  type: 'TXT' as const,
  value: `tidemark-verification=${token}`,
})

/**
 * Sets the domains of the organization's provider, in lower case. Domains it already had keep their record and proof.
 * Returns the removed ones.
 */
export async function setDomains(em: EntityManager, orgId: string, domains: readonly string[]): Promise<string[]> {
  const before = await em.find(ProviderDomain, { orgId })
  const gone = before.filter(({ domain }) => !domains.includes(domain))
  for (const one of gone) em.remove(one)
  for (const domain of domains.filter((name) => before.every((one) => one.domain !== name)))
    em.persist(em.create(ProviderDomain, { orgId, domain, token: newSecret(), verifiedAt: null }))
  await em.flush()
  return gone.map(({ domain }) => domain)
}

/** The requester of a verification. */
export interface ProofRequester {
  userId?: string
  principal: string
  client: Client
}

/**
 * Looks up the record of a domain of the organization. With `isTrusted`, an operator confirms the domain without it.
 * @throws Fault `missing`, `refused` `domain_not_verified`, `conflict` `domain_taken`, `transient` `upstream_failed` if
 * DNS does not answer
 */
export async function verifyDomain<T>(
  tools: IdentityTools,
  { orgId, domain, isTrusted = false }: { orgId: string; domain: string; isTrusted?: boolean },
  by: ProofRequester,
  /** Runs the work in a transaction and converts its result to the response. */
  transacted: (work: (em: EntityManager) => Promise<ProviderDomain>) => Promise<T>,
): Promise<T> {
  const claimed = await tools.em().findOne(ProviderDomain, { orgId, domain })
  if (!claimed) throw Fault.missing('domain of the identity provider', domain)
  const wanted = recordOf(claimed)
  const found = isTrusted ? [] : await tools.txtRecords(wanted.name)
  if (!isTrusted && !found.includes(wanted.value)) {
    const message = `There is no TXT record at ${wanted.name} with the value ${wanted.value}.`
    throw Fault.refused('domain_not_verified', message, {
      members: { record: wanted, found: found.slice(0, foundMax) },
    })
  }
  const lost: string[] = []
  const made = await transacted((em) => prove(em, claimed, { found, now: tools.now(), lost }, by))
  for (const one of lost) tools.changed({ orgId: one })
  return made
}

/** Maximum texts of other records that a refusal shows. */
const foundMax = 10

/** Serialized for each domain: of two organizations that prove it at once, the second one sees the first. */
async function prove(
  em: EntityManager,
  { orgId, domain, token }: ProviderDomain,
  { found, now, lost }: { found: readonly string[]; now: Date; lost: string[] },
  { userId, principal, client }: ProofRequester,
): Promise<ProviderDomain> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`saml domain ${domain}`])
  // Since it was read, the domain may have been removed from the connection, or got another record.
  const own = await em.findOne(ProviderDomain, { orgId, domain, token }, { refresh: true })
  if (!own) throw Fault.missing('domain of the identity provider', domain)
  const holder = await em.findOne(ProviderDomain, { domain, orgId: { $ne: orgId }, verifiedAt: { $ne: null } })
  if (holder) {
    if (found.length === 0 || found.includes(recordOf(holder).value)) throw domainTakenFault()
    holder.verifiedAt = null
    await em.flush()
    await endProviderSessions(em, holder.orgId, now, { domain })
    await recordEvent(em, { type: 'saml_domain_lost', orgId: holder.orgId, detail: { domain } }, client, now)
    lost.push(holder.orgId)
  }
  if (own.verifiedAt) return own
  own.verifiedAt = now
  await em.flush()
  const happened = { orgId, ...(userId !== undefined && { userId }), principal, detail: { domain } }
  await recordEvent(em, { type: 'saml_domain_verified', ...happened }, client, now)
  return own
}

const domainTakenFault = (): Fault =>
  Fault.conflict('domain_taken', 'Another organization has verified this domain, and its record still exists.')

/** Restricts what is ended: to one method, or to the people of one domain. */
interface Began {
  method?: ProviderMethod
  domain?: string
}

/**
 * Ends what started at the organization's providers: sessions, pending codes, waiting requests. Runs in the transaction
 * of `em`; the caller notifies the processes.
 */
export async function endProviderSessions(
  em: EntityManager,
  orgId: string,
  now: Date,
  { method, domain = '' }: Began = {},
): Promise<void> {
  const methods = method === undefined ? [...providerMethods] : [method]
  await em.execute(
    `update session set revoked_at = ? where bound_to = ? and method = any(string_to_array(?, ',')) and revoked_at is null
       and (? = '' or user_id in (select id from app_user where split_part(email, '@', 2) = ?))`,
    [now.toISOString(), orgId, methods.join(), domain, domain],
  )
  await em.nativeDelete(LoginCode, { orgId, purpose: { $in: methods } })
  if (methods.includes('saml')) await em.nativeDelete(SamlRequest, { orgId })
  if (methods.includes('oidc')) await em.nativeDelete(OidcSignIn, { orgId })
}

/** Organizations with an enabled connection whose domains are all unproved: nobody can sign in through it. */
export async function findUnprovedOrganizations(em: EntityManager): Promise<string[]> {
  const rows = await em.execute<{ org_id: string }[]>(
    `select d.org_id from saml_domain d
     where exists (select from saml_connection c where c.org_id = d.org_id and c.enabled)
        or exists (select from oidc_connection c where c.org_id = d.org_id and c.enabled)
     group by d.org_id having count(d.verified_at) = 0 order by d.org_id`,
  )
  return rows.map((row) => row.org_id)
}

const connections = { saml: SamlConnection, oidc: OidcConnection } as const
const otherOf = (method: ProviderMethod): ProviderMethod => (method === 'saml' ? 'oidc' : 'saml')

/**
 * An organization has at most one enabled provider, since a domain cannot decide between two. Locks the organization
 * until the transaction ends: two that are enabled at once would both see the other one disabled.
 * @throws Fault `conflict` `other_provider_enabled`
 */
export async function checkOnlyProvider(em: EntityManager, orgId: string, method: ProviderMethod): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`provider ${orgId}`])
  const other = otherOf(method)
  if ((await em.count(connections[other] as typeof SamlConnection, { orgId, enabled: true })) === 0) return
  const name = other === 'saml' ? 'SAML' : 'OpenID Connect'
  throw Fault.conflict('other_provider_enabled', `The organization uses ${name} for sign-in. Disable it first.`)
}

/** Removes a provider of the organization, with its domains if it was the last one, and ends what started there. */
export async function removeProvider(
  em: EntityManager,
  orgId: string,
  now: Date,
  method: ProviderMethod,
): Promise<void> {
  await em.nativeDelete(connections[method] as typeof SamlConnection, { orgId })
  const isLast = (await em.count(connections[otherOf(method)] as typeof SamlConnection, { orgId })) === 0
  if (isLast) await em.nativeDelete(ProviderDomain, { orgId })
  await endProviderSessions(em, orgId, now, { method })
}
