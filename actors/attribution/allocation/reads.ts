/** Inputs of allocation by rule: rules and teams from PostgreSQL, facts of resources from ClickHouse. */
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  allocationBilledFacts,
  allocationFacts,
  everyDay,
  type AllocationFactsRow,
} from '#analytics/attribution/questions.ts'
import { portions, type Query } from '#analytics/store/query.ts'
import { Policy } from '#actors/policy/entity.ts'
import { accountsFor, type ListedAccount } from '#actors/policy/account-condition.ts'
import type { PolicyRow } from '#actors/policy/queries.ts'
import type { Facts } from '#actors/policy/selector.ts'
import { decoder, type Static, type TObject } from '#engine/value/schema.ts'
import { resourcesAllocated } from '#streams/attribution.ts'
import { TeamList } from './allocate-rule.ts'
import { allocationDomain, type AllocationSpec } from './allocation.ts'
import { Team } from '#actors/attribution/team/entity.ts'
import { costProviderOf } from '#streams/names.ts'

export interface ResourceKey {
  readonly account: string
  readonly uid: string
}

/** Identifies a resource within its organization. */
export const keyText = ({ account, uid }: ResourceKey): string => `${account}\0${uid}`

/** The facts of a resource that rules test. */
export interface RuleResource extends ResourceKey {
  readonly facts: Facts
}

export interface RuleState {
  /** Changes with each change of rules or teams. It is read first, so what follows is of this version or newer. */
  readonly version: string
  readonly policies: readonly PolicyRow[]
  readonly teams: TeamList
  /** The accounts that rules refer to; empty if none does. */
  readonly accounts: readonly ListedAccount[]
}

// A team that is created or renamed changes the maximum of `updated_at`; a deleted team changes the count.
const versionSql = `
  select concat_ws('|', (select version from policy_set where org_id = ? and domain = ?), count(*), max(updated_at)) as version
  from team where org_id = ?`

export async function versionOf(em: EntityManager, orgId: string): Promise<string> {
  const [row] = await em.execute<{ version: string }[]>(versionSql, [orgId, allocationDomain.name, orgId])
  return row!.version
}

/** `given`: a further rule to take into account. */
export async function ruleState(em: EntityManager, orgId: string, given?: AllocationSpec): Promise<RuleState> {
  const version = await versionOf(em, orgId)
  const where = { orgId, domain: allocationDomain.name, enabled: true }
  const policies = await em.find(Policy, where, { orderBy: { createdAt: 'asc', id: 'asc' }, refresh: true })
  const teams = await em.find(Team, { orgId }, { fields: ['id', 'name'], orderBy: { id: 'asc' }, refresh: true })
  const specs = [...policies.map(({ spec }) => spec as Partial<AllocationSpec>), ...(given ? [given] : [])]
  const accounts = await accountsFor(
    em,
    orgId,
    specs.map(({ selector }) => selector),
  )
  return { version, policies, teams: new TeamList(teams), accounts }
}

/** Queries ClickHouse and yields row by row. */
export type Streaming = <P extends TObject, R extends TObject>(
  q: Query<P, R>,
  params: Omit<Static<P>, 'org'>,
) => AsyncGenerator<readonly unknown[], void>

/** Resources of the inventory, including deleted ones: those of `keys`, or all. */
export async function* inventoryResources(ask: Streaming, keys?: readonly ResourceKey[]): AsyncGenerator<RuleResource> {
  if (keys === undefined) yield* resourcesIn(ask(allocationFacts, { accounts: [], uids: [] }))
  for (const some of portions(keys ?? [], keyText)) {
    const pairs = { accounts: some.map(({ account }) => account), uids: some.map(({ uid }) => uid) }
    yield* resourcesIn(ask(allocationFacts, pairs))
  }
}

/** The published sums of a day of an account. */
export interface Edition {
  edition: string
  day: string
}

/** With more than this, all are read instead. */
const editionsMax = 2000

/** Resources that occur only in bills: those with costs in these editions, or all. */
export async function* billedResources(ask: Streaming, editions?: readonly Edition[]): AsyncGenerator<RuleResource> {
  if (editions?.length === 0) return
  const asked = editions && editions.length <= editionsMax ? editions : []
  const from = asked.reduce<string | undefined>((least, { day }) => (least && least < day ? least : day), undefined)
  const params = { from: from ?? everyDay, editions: asked.map(({ edition }) => edition) }
  yield* resourcesIn(ask(allocationBilledFacts, params))
}

const decodeKey = decoder(resourcesAllocated.schema.properties.resources.items)

/** Whether a message can name the resource; bills may contain names that it cannot. */
function isTold({ account, uid }: ResourceKey): boolean {
  try {
    decodeKey({ cloudAccountId: account, resourceUid: uid })
    return true
  } catch {
    return false
  }
}

async function* resourcesIn(rows: AsyncGenerator<readonly unknown[], void>): AsyncGenerator<RuleResource> {
  for await (const row of rows) {
    const resource = resourceOf(row as AllocationFactsRow)
    if (isTold(resource)) yield resource
  }
}

const resourceOf = ([account, uid, provider, type, region, name, instance, group, tags]: AllocationFactsRow) => ({
  account,
  uid,
  facts: {
    of: {
      'res.cloud_account_id': account,
      'res.provider': costProviderOf(provider),
      'res.type': type,
      'res.region': region,
      'res.name': name,
      'res.instance_type': instance,
      'res.resource_group': group,
    },
    tags,
  },
})
