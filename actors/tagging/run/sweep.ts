/**
 * A sweep: requests a new evaluation for every resource whose tags may have changed, with its facts from the inventory.
 */
import type { EffectCall } from '#engine/run/effect.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Reads } from '#engine/actor/ports.ts'
import { tagLook, type Environment } from '#streams/tagging.ts'
import { factsOfRow, type InventoryRow } from '#actors/tagging/facts.ts'
import { Neighbours, type NeighbourRow } from '#actors/tagging/suggestion/neighbours.ts'
import { pagesOf, type RunTools } from './page.ts'

const versionSql = `select version from policy_set where org_id = $1 and domain = 'tagging'`

// `offset 0` makes each look-up go by key: for a new organization without statistics, a join of all rows looks cheap.
const presentSql = `
  select r.cloud_account_id as account, r.uid,
    t.uid is null or t.observed_at < coalesce(r.heard_at, r.observed_at) or t.policy_version <> $5::int as behind,
    coalesce(t.neighbourhood, '') as place, coalesce(t.evidence_env, '') as env,
    coalesce(t.topology_env, '') as "topologyEnv", coalesce(t.parent_env, '') as "parentEnv",
    coalesce(p.evidence_env, '') as "parentNow"
  from resource r
  left join lateral (
    select * from resource_tagging
    where org_id = r.org_id and cloud_account_id = r.cloud_account_id and uid = r.uid offset 0) t on true
  left join lateral (
    select evidence_env from resource_tagging
    where org_id = r.org_id and cloud_account_id = r.cloud_account_id and uid = t.parent_uid and t.parent_uid <> ''
      and deleted_at is null offset 0) p on true
  where r.org_id = $1 and (r.cloud_account_id, r.uid) > ($2, $3) and r.deleted_at is null
  order by r.cloud_account_id, r.uid limit $4`

interface Present {
  account: string
  uid: string
  /** Evaluated with older policies or an older observation, or not yet. */
  behind: boolean
  place: string
  env: Environment | ''
  /** Environment of its neighbourhood when it was evaluated. Below: that of its parent then, and now. */
  topologyEnv: Environment | ''
  parentEnv: Environment | ''
  parentNow: Environment | ''
}

/** Returns the number of resources that were sent a message. */
export async function sweep(tools: RunTools, { whole }: { whole: boolean }, call: EffectCall): Promise<number> {
  const { reads } = tools
  const [policies] = await reads.rows<{ version: number }>(versionSql, [call.orgId])
  const places = new Places(reads, call.orgId)
  let told = 0
  for await (const page of pagesOf<Present>(reads, presentSql, call, [policies?.version ?? 0])) {
    const neighbours = whole ? undefined : await places.beside(page)
    const stale = page.filter((one) => !neighbours || isStale(one, neighbours, call.orgId))
    told += await tell(tools, stale, call)
  }
  return told
}

function isStale({ account, uid, place, ...one }: Present, neighbours: Neighbours, orgId: string): boolean {
  if (one.behind || one.parentEnv !== one.parentNow) return true
  return place !== '' && (neighbours.topologyEnv({ orgId, account, uid }, place) ?? '') !== one.topologyEnv
}

const placesSql = `
  select a.account, a.place, t.evidence_env as env, count(*)::int as resources
  from unnest($2::text[], $3::text[]) as a (account, place)
  join resource_tagging t on t.org_id = $1 and t.cloud_account_id = a.account and t.neighbourhood = a.place
  where t.deleted_at is null and t.neighbourhood <> ''
  group by a.account, a.place, t.evidence_env`

/** Environments of neighbourhoods, each read once per run. */
class Places {
  private readonly reads: Pick<Reads, 'rows'>
  private readonly orgId: string
  private readonly known = new Map<string, NeighbourRow[]>()

  constructor(reads: Pick<Reads, 'rows'>, orgId: string) {
    this.reads = reads
    this.orgId = orgId
  }

  async beside(page: readonly Present[]): Promise<Neighbours> {
    const within = new Map(
      page.filter(({ place }) => place !== '').map((one) => [JSON.stringify([one.account, one.place]), one]),
    )
    await this.read([...within].filter(([key]) => !this.known.has(key)))
    const fixed = { org_id: this.orgId, resources: 0, what: 'own' } as const
    const own = page.map(({ account, uid, place, env }): NeighbourRow => ({ ...fixed, account, uid, place, env }))
    return new Neighbours([...within.keys().flatMap((key) => this.known.get(key) ?? []), ...own])
  }

  private async read(missing: readonly (readonly [string, Present])[]): Promise<void> {
    if (missing.length === 0) return
    for (const [key] of missing) this.known.set(key, [])
    const params = [this.orgId, missing.map(([, { account }]) => account), missing.map(([, { place }]) => place)]
    const rows = await this.reads.rows<Pick<NeighbourRow, 'account' | 'place' | 'env' | 'resources'>>(placesSql, params)
    for (const row of rows) {
      const list = this.known.get(JSON.stringify([row.account, row.place]))
      list?.push({ ...row, org_id: this.orgId, what: 'place', uid: '' })
    }
  }
}

const factsSql = `
  select r.cloud_account_id as account, r.uid, r.name, r.type, r.provider, r.region, r.instance_type as "instanceType",
    r.parent_uid as "parentUid", r.resource_group as "resourceGroup", r.tags, r.specs, r.observed_at as "observedAt"
  from unnest($2::text[], $3::text[]) as a (account, uid)
  cross join lateral (
    select * from resource where org_id = $1 and cloud_account_id = a.account and uid = a.uid offset 0) r
  where r.deleted_at is null`

interface FactsRow extends InventoryRow {
  account: string
  uid: string
  observedAt: Date
}

async function tell({ reads, publisher }: RunTools, stale: readonly Present[], { orgId, key }: EffectCall) {
  if (stale.length === 0) return 0
  const params = [orgId, stale.map(({ account }) => account), stale.map(({ uid }) => uid)]
  const rows = await reads.rows<FactsRow>(factsSql, params)
  await Promise.all(
    rows.map(({ account, uid, observedAt: at, ...row }) => {
      const observedAt = at.toISOString()
      const data = { cloudAccountId: account, resourceUid: uid, found: { facts: factsOfRow(row), observedAt } }
      return publisher.report({ subject: tagLook, orgId, data, id: `${key}/${uuidOf(account, uid, observedAt)}` })
    }),
  )
  return rows.length
}
