/** Changes of policies. The one writer of Policy and PolicySet. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { checkedName } from '#streams/text.ts'
import type { PolicyDomain } from '#actors/capability.ts'
import { Policy } from './entity.ts'
import { foundPolicy } from './queries.ts'

/** What a request may set; the spec must be valid. */
export interface PolicyGiven {
  targetType: string
  name: string
  spec: unknown
  enabled: boolean
}

const nextSql = `
  insert into policy_set (org_id, domain, version) values (?, ?, 1)
  on conflict (org_id, domain) do update set version = policy_set.version + 1
  returning version`

/**
 * Starts a change of an organization's policies of a domain; changes run one after another. Returns the version after
 * it.
 */
async function beginChange({ em, orgId }: RecordChange, domain: string): Promise<number> {
  const [row] = await em.execute<{ version: number }[]>(nextSql, [orgId, domain])
  return row!.version
}

const holderSql = 'select id from policy where org_id = ? and domain = ? and lower(name) = lower(?)'

/** @throws Fault `conflict` `already_exists` if another policy of the domain has the name */
async function freeName({ em, orgId }: RecordChange, domain: string, given: string, own?: string): Promise<string> {
  const name = checkedName(given)
  const [holder] = await em.execute<{ id: string }[]>(holderSql, [orgId, domain, name])
  if (holder !== undefined && holder.id !== own)
    throw Fault.conflict('already_exists', 'Another policy in this domain already has this name.')
  return name
}

async function countOf(em: EntityManager, orgId: string, domain: string): Promise<number> {
  return em.count(Policy, { orgId, domain })
}

/** @throws Fault `conflict` `already_exists`, `refused` `limit_reached` */
export async function makePolicy(change: RecordChange, domain: PolicyDomain, given: PolicyGiven): Promise<Policy> {
  const { em, orgId, now } = change
  const setVersion = await beginChange(change, domain.name)
  const name = await freeName(change, domain.name, given.name)
  if ((await countOf(em, orgId, domain.name)) >= domain.max)
    throw Fault.refused(
      'limit_reached',
      `An organization can have at most ${domain.max} policies in the domain ${domain.name}.`,
    )
  const at = now()
  const policy = em.create(Policy, {
    orgId,
    id: randomUUID(),
    domain: domain.name,
    targetId: null,
    ...given,
    name,
    version: 1,
    setVersion,
    createdAt: at,
    updatedAt: at,
  })
  em.persist(policy)
  await em.flush()
  await domain.changed?.(change, policy, false)
  return policy
}

/** @throws Fault `missing`, `conflict` `already_exists` */
export async function changePolicy(
  change: RecordChange,
  domain: PolicyDomain,
  id: string,
  given: PolicyGiven,
): Promise<Policy> {
  const setVersion = await beginChange(change, domain.name)
  const policy = await foundPolicy(change.em, change.orgId, id)
  const name = await freeName(change, domain.name, given.name, id)
  Object.assign(policy, given, { name, version: policy.version + 1, setVersion, updatedAt: change.now() })
  await change.em.flush()
  await domain.changed?.(change, policy, false)
  return policy
}

/** Also for a domain that this version does not know. @throws Fault `missing` */
export async function removePolicy(
  change: RecordChange,
  domain: PolicyDomain | undefined,
  id: string,
): Promise<Policy> {
  const found = await foundPolicy(change.em, change.orgId, id)
  await beginChange(change, found.domain)
  // Until here somebody may have changed or deleted it; from here on nobody can.
  const policy = await foundPolicy(change.em, change.orgId, id)
  await domain?.changed?.(change, policy, true)
  change.em.remove(policy)
  await change.em.flush()
  return policy
}
