import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import { Policy } from './entity.ts'

/** The current row, even if the entity manager has read it before. @throws Fault `missing` */
export async function foundPolicy(em: EntityManager, orgId: string, id: string): Promise<Policy> {
  const policy = isUuid(id) ? await em.findOne(Policy, { orgId, id }, { refresh: true }) : null
  if (!policy) throw Fault.missing('policy', id)
  return policy
}

/** A page of the policies, by domain, oldest first. */
export async function listPolicies(
  em: EntityManager,
  orgId: string,
  domain: string | undefined,
  page: { limit: number; offset: number },
): Promise<{ items: Policy[]; total: number }> {
  const where = { orgId, ...(domain !== undefined && { domain }) }
  const orderBy = { domain: 'asc', createdAt: 'asc', id: 'asc' } as const
  const [items, total] = await em.findAndCount(Policy, where, { ...page, orderBy })
  return { items, total }
}

/** The columns of a policy that rules evaluate. */
export interface PolicyRow {
  id: string
  name: string
  spec: unknown
  createdAt: Date
}

/** The enabled policies of a domain, oldest first. */
export async function enabledPolicies(em: EntityManager, orgId: string, domain: string): Promise<PolicyRow[]> {
  const where = { orgId, domain, enabled: true }
  const rows = await em.find(Policy, where, { orderBy: { createdAt: 'asc', id: 'asc' }, refresh: true })
  return rows.map(({ id, name, spec, createdAt }) => ({ id, name, spec, createdAt }))
}

/** A policy with another `spec`: that of `policyId` with the spec replaced, or a new one. */
export interface PolicyWanted {
  em: EntityManager
  orgId: string
  domain: string
  now: Date
  spec: unknown
  policyId: string | undefined
}

/** @throws Fault `missing` if the domain has no policy with this id */
export async function policyWanted(wanted: PolicyWanted): Promise<PolicyRow> {
  const { em, orgId, now, spec, policyId } = wanted
  if (policyId === undefined) return { id: randomUUID(), name: '', createdAt: now, spec }
  const { id, domain, name, createdAt } = await foundPolicy(em, orgId, policyId)
  if (domain !== wanted.domain) throw Fault.missing('policy', id)
  return { id, name, createdAt, spec }
}

/** `policies` with `one` replaced or added; oldest first. */
export const policiesWith = (policies: readonly PolicyRow[], one: PolicyRow): PolicyRow[] =>
  [...policies.filter(({ id }) => id !== one.id), one].toSorted(
    (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1),
  )

const setsSql = 'select org_id, version from policy_set where domain = $1 and org_id = any($2)'
const policiesSql = `
  select id, name, spec, created_at from policy
  where domain = $1 and org_id = $2 and enabled order by created_at, id`

/** Compiles the policies of each version once per process, and caches them by organization. */
export class PolicyReads<T> {
  private readonly domain: string
  private readonly compile: (rows: readonly PolicyRow[]) => T
  private readonly held = new Map<string, { version: number; of: T }>()

  constructor(domain: string, compile: (rows: readonly PolicyRow[]) => T) {
    this.domain = domain
    this.compile = compile
  }

  /**
   * The compiled policies of these organizations, at most `maxAgeMs` old. Organizations that never had a policy are
   * left out.
   */
  async of(
    orgIds: readonly string[],
    reads: TurnReads,
    options = { maxAgeMs: 0 },
  ): Promise<Map<string, { version: number; of: T }>> {
    const params = [this.domain, [...orgIds]]
    const sets = await reads.plain<{ org_id: string; version: number }>(setsSql, params, options)
    const found = new Map<string, { version: number; of: T }>()
    for (const { org_id: orgId, version } of sets) found.set(orgId, await this.at(orgId, version, reads))
    return found
  }

  /** The rows may be newer than the version; they are then read again for the newer one. */
  private async at(orgId: string, version: number, reads: TurnReads): Promise<{ version: number; of: T }> {
    const known = this.held.get(orgId)
    if (known?.version === version) return known
    const rows = await reads.plain<{ id: string; name: string; spec: unknown; created_at: Date }>(
      policiesSql,
      [this.domain, orgId],
      { maxAgeMs: 0 },
    )
    const own = {
      version,
      of: this.compile(rows.map(({ id, name, spec, created_at: createdAt }) => ({ id, name, spec, createdAt }))),
    }
    this.held.delete(orgId)
    this.held.set(orgId, own)
    if (this.held.size > heldMax) this.held.delete(this.held.keys().next().value!)
    return own
  }
}

/** Maximum organizations in the cache; the oldest entries are dropped. */
const heldMax = 1000
