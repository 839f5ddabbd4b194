/** Reads the inventory of an account page by page, with observations that its audits have not processed. */
import type { EffectCall } from '#engine/run/effect.ts'
import type { Reads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import type { factsGathered, FactValues } from '#streams/recommendation.ts'
import { acceptedEnv } from '#actors/tagging/suggestion/environment.ts'
import type { AuditedResource } from '#actors/recommendation/audit/entity.ts'
import { specsFor } from '#actors/recommendation/audit/audited-resource.ts'
import type { GatherResource } from './gather/context.ts'

/** Rows of one page. */
const pageMax = 2000

export type SweptResource = GatherResource & { found?: Static<typeof factsGathered.schema>['found'] }

/**
 * `behind`: the audit is based on an older observation, or does not exist. As in the sweep of tags, each is looked up
 * by key: `offset 0` prevents a join of all rows, which looks cheap to the planner while statistics of an organization
 * are missing.
 */
const pageSql = `
  select r.uid, r.name, r.type, r.provider, r.region, r.status, r.instance_type as "instanceType", r.size_gb as "sizeGb",
    r.unit_count as "unitCount", r.parent_uid as "parentUid", r.resource_group as "resourceGroup", r.schedulable,
    r.hourly_rate_usd as "hourlyRateUsd", r.tags, r.specs, r.created_at as "createdAt", r.observed_at as "observedAt",
    r.refresh_id as "refreshId", a.uid is null or a.observed_at < coalesce(r.heard_at, r.observed_at) as behind,
    t.accepted, case when t.accepted_at is not null then t.predicted_env else '' end as "acceptedEnv"
  from resource r
  left join lateral (
    select uid, observed_at, facts from resource_audit
    where org_id = r.org_id and cloud_account_id = r.cloud_account_id and uid = r.uid offset 0) a on true
  left join lateral (
    select accepted, accepted_at, predicted_env from resource_tagging
    where org_id = r.org_id and cloud_account_id = r.cloud_account_id and uid = r.uid and deleted_at is null offset 0) t
    on true
  where r.org_id = $1 and r.cloud_account_id = $2 and r.uid > $3 and r.deleted_at is null
    and ($5::text[] is null or r.type = any($5) and $6::jsonb is distinct from (
      select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(a.facts) where key like 'wider.%'))
    and ($7::text[] is null or r.uid = any($7))
  order by r.uid limit $4`

type Row = GatherResource &
  Omit<AuditedResource, 'fed'> & {
    createdAt: Date
    observedAt: Date
    refreshId: string
    behind: boolean
    accepted: Record<string, string> | null
    acceptedEnv: string | null
  }

/** Restricts a sweep to resources of these types that were judged with other account findings than `wider`. */
export interface OutdatedTypes {
  types: readonly string[]
  wider: FactValues
}

export async function* pages(
  reads: Pick<Reads, 'rows'>,
  { orgId, account }: { orgId: string; account: string },
  { signal }: Pick<EffectCall, 'signal'>,
  outdated?: OutdatedTypes,
): AsyncGenerator<SweptResource[]> {
  const only = outdated ? [outdated.types, JSON.stringify(outdated.wider)] : [null, null]
  for (let after = ''; ;) {
    signal.throwIfAborted()
    const rows = await reads.rows<Row>(pageSql, [orgId, account, after, pageMax, ...only, null])
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(swept)
    if (rows.length < pageMax) return
    after = last.uid
  }
}

const swept = (row: Row): SweptResource => (row.behind ? { ...row, found: foundOf(row) } : row)

/** Those of these uids that are in the inventory. */
export async function sweptSome(
  reads: Pick<Reads, 'rows'>,
  { orgId, account }: { orgId: string; account: string },
  uids: readonly string[],
): Promise<SweptResource[]> {
  const rows = await reads.rows<Row>(pageSql, [orgId, account, '', uids.length, null, null, [...uids]])
  return rows.map(swept)
}

function foundOf(row: Row): NonNullable<SweptResource['found']> {
  const { name, type, provider, region, status, instanceType, sizeGb, unitCount, parentUid } = row
  const { resourceGroup, schedulable, hourlyRateUsd, tags, specs, refreshId } = row
  const resource: AuditedResource = {
    name,
    type,
    provider,
    region,
    status,
    instanceType,
    sizeGb,
    unitCount,
    parentUid,
    resourceGroup,
    schedulable,
    hourlyRateUsd,
    tags,
    fed: refreshId === '' ? 'producer' : 'connector',
  }
  return {
    resource: { ...resource },
    specs: specsFor(type, specs),
    observedAt: row.observedAt.toISOString(),
    firstSeenAt: row.createdAt.toISOString(),
    env: acceptedEnv(row.accepted ?? {}, { env: row.acceptedEnv ?? '' }),
  }
}
