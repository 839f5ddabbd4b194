/**
 * Mail domains of organizations that bring their own identity provider. One decides nothing until a TXT record in the DNS has
 * proved that it is theirs; whoever proves it holds it until another organization does while the first one's record is gone.
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

/** What proves a domain, as its owner writes it into the DNS. */
export const recordOf = ({ domain, token }: Pick<ProviderDomain, 'domain' | 'token'>) => ({
  name: `_tidemark.${domain}`,
  type: 'TXT' as const,
  value: `tidemark-verification=${token}`,
})

/**
 * Gives the organization's provider these domains, lower case, whichever it is. Those it has had keep their record and their proof. Returns
 * those that went.
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

/** Who asks for a proof. */
export interface ProofRequester {
  userId?: string
  principal: string
  client: Client
}

/**
 * Looks for the record of a domain of the organization. `isTrusted` takes an operator's word for it.
 * @throws Fault `missing`, `refused` `domain_not_verified`, `conflict` `domain_taken`, `transient` `upstream_failed` without an answer of the DNS
 */
export async function verifyDomain<T>(
  tools: IdentityTools,
  { orgId, domain, isTrusted = false }: { orgId: string; domain: string; isTrusted?: boolean },
  by: ProofRequester,
  /** Runs the work in a transaction; what it returns is answered. */
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

/** Texts of other records that a refusal shows. */
const foundMax = 10

/** One at a time a domain: of two organizations that prove it at once the second finds the first. */
async function prove(
  em: EntityManager,
  { orgId, domain, token }: ProviderDomain,
  { found, now, lost }: { found: readonly string[]; now: Date; lost: string[] },
  { userId, principal, client }: ProofRequester,
): Promise<ProviderDomain> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`saml domain ${domain}`])
  // What was read before may have been taken off the connection since, or given another record.
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

/** What began at a provider, by how it did, or of one domain's people alone. */
interface Began {
  method?: ProviderMethod
  domain?: string
}

/**
 * Ends what began at the organization's providers: sessions, codes on their way, requests that wait. In the transaction of `em`; the
 * caller tells the processes.
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

/** Connections that are switched on and have domains, none of which is proved: nobody can sign in by them. */
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
 * An organization signs its people in at one provider: which one is not for a domain to say. Holds the organization until the
 * transaction ends, for two that are switched on at once would both find the other one off.
 * @throws Fault `conflict` `other_provider_enabled`
 */
export async function checkOnlyProvider(em: EntityManager, orgId: string, method: ProviderMethod): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`provider ${orgId}`])
  const other = otherOf(method)
  if ((await em.count(connections[other] as typeof SamlConnection, { orgId, enabled: true })) === 0) return
  const name = other === 'saml' ? 'SAML' : 'OpenID Connect'
  throw Fault.conflict('other_provider_enabled', `The organization uses ${name} for sign-in. Disable it first.`)
}

/** Removes one of the organization's providers, with its domains where it was the last, and ends what began there. */
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
