/** What allocation by rule is worked out from: rules and teams in PostgreSQL, facts of resources in ClickHouse. */
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

/** Names a resource among those of its organization. */
export const keyText = ({ account, uid }: ResourceKey): string => `${account}\0${uid}`

/** What rules are asked about a resource. */
export interface RuleResource extends ResourceKey {
  readonly facts: Facts
}

/** The rules and teams of an organization. */
export interface RuleState {
  /** Another one with each change of them; they are of this one or of a newer one. */
  readonly version: string
  readonly policies: readonly PolicyRow[]
  readonly teams: TeamList
  /** What rules may ask of accounts; nothing where none does. */
  readonly accounts: readonly ListedAccount[]
}

// A team that is made or renamed is later than all before; one that is deleted is missed in their number.
const versionSql = `
  select concat_ws('|', (select version from policy_set where org_id = ? and domain = ?), count(*), max(updated_at)) as version
  from team where org_id = ?`

export async function versionOf(em: EntityManager, orgId: string): Promise<string> {
  const [row] = await em.execute<{ version: string }[]>(versionSql, [orgId, allocationDomain.name, orgId])
  return row!.version
}

/** `given`: a rule that is asked about besides. */
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

/** Asks ClickHouse row by row. */
export type Streaming = <P extends TObject, R extends TObject>(
  q: Query<P, R>,
  params: Omit<Static<P>, 'org'>,
) => AsyncGenerator<readonly unknown[], void>

/** Resources of the inventory, gone ones included: those of `keys`, or all. */
export async function* inventoryResources(ask: Streaming, keys?: readonly ResourceKey[]): AsyncGenerator<RuleResource> {
  if (keys === undefined) yield* resourcesIn(ask(allocationFacts, { accounts: [], uids: [] }))
  for (const some of portions(keys ?? [], keyText)) {
    const pairs = { accounts: some.map(({ account }) => account), uids: some.map(({ uid }) => uid) }
    yield* resourcesIn(ask(allocationFacts, pairs))
  }
}

/** Sums of a day of an account, as they were worked out last. */
export interface Edition {
  edition: string
  day: string
}

/** More than that are as soon read whole. */
const editionsMax = 2000

/** Resources that bills alone know: those with costs in these sums, or all. */
export async function* billedResources(ask: Streaming, editions?: readonly Edition[]): AsyncGenerator<RuleResource> {
  if (editions?.length === 0) return
  const asked = editions && editions.length <= editionsMax ? editions : []
  const from = asked.reduce<string | undefined>((least, { day }) => (least && least < day ? least : day), undefined)
  const params = { from: from ?? everyDay, editions: asked.map(({ edition }) => edition) }
  yield* resourcesIn(ask(allocationBilledFacts, params))
}

const decodeKey = decoder(resourcesAllocated.schema.properties.resources.items)

/** Bills may name a resource as no message of ours can. */
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
