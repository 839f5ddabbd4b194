/** Accepts pending tags of a policy or a key for resources that a selector matches, one by one, as a person would. */
import { compileSelector, resourceAttrs, Selector } from '#actors/policy/selector.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { matches, type Static } from '#engine/value/schema.ts'
import { smartTagDecided, type TagRunWanted } from '#streams/tagging.ts'
import { factsOfRow, selectable, type InventoryRow } from '#actors/tagging/facts.ts'
import { pagesOf, type RunTools } from '#actors/tagging/run/page.ts'
import { pendingOf } from './smart-tag.ts'

const derivedSql = `
  select t.cloud_account_id as account, t.uid, t.id, t.derived, t.accepted, t.derived_by as "derivedBy", r.name, r.type,
    r.provider, r.region, r.instance_type as "instanceType", r.parent_uid as "parentUid",
    r.resource_group as "resourceGroup", r.tags, r.specs
  from resource_tagging t
  join resource r on r.org_id = t.org_id and r.cloud_account_id = t.cloud_account_id and r.uid = t.uid
  where t.org_id = $1 and (t.cloud_account_id, t.uid) > ($2, $3) and t.deleted_at is null and r.deleted_at is null
    and t.derived <> '{}'::jsonb
  order by t.cloud_account_id, t.uid limit $4`

interface DerivedRow extends InventoryRow {
  account: string
  uid: string
  id: string
  derived: Record<string, string>
  accepted: Record<string, string>
  derivedBy: Record<string, string>
}

type AcceptRequest = Extract<Static<typeof TagRunWanted>, { kind: 'accept' }>

/** Returns the number of resources that were sent a decision. */
export async function acceptPending(tools: RunTools, wanted: AcceptRequest, call: EffectCall): Promise<number> {
  const { policyId, key: tagKey, selector, userId } = wanted
  if (selector !== undefined && !matches(Selector, selector))
    throw Fault.invalid('validation_failed', 'The selector is invalid.')
  const isMeant = compileSelector(selector, resourceAttrs)
  const { orgId, key } = call
  let told = 0
  for await (const page of pagesOf<DerivedRow>(tools.reads, derivedSql, call, [])) {
    const decided = page.flatMap(({ account, uid, id, ...row }) => {
      const keys = Object.keys(pendingOf(row)).filter(
        (one) => (tagKey ?? one) === one && (policyId ?? row.derivedBy[one]) === row.derivedBy[one],
      )
      if (keys.length === 0 || !isMeant(selectable(factsOfRow(row), account))) return []
      const data = { cloudAccountId: account, resourceUid: uid, userId, accepted: true, keys, quiet: true }
      return [{ subject: smartTagDecided, orgId, data, id: `${key}/${id}` }]
    })
    await Promise.all(decided.map((event) => tools.publisher.report(event)))
    told += decided.length
  }
  return told
}
