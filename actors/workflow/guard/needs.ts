/**
 * What turns of the guard read: the policy, and the resource with its tags and groups. None of these reads waits for
 * the batch before.
 */
import { PolicyReads } from '#actors/policy/queries.ts'
import { environmentOf } from '#actors/recommendation/audit/facts.ts'
import { governanceDefaults, governanceOf, type GovernanceSpec } from '#actors/recommendation/policy/governance.ts'
import { effectiveTags } from '#actors/tagging/policy/effective-tags.ts'
import type { ResourceTagging } from '#actors/tagging/entity.ts'
import { acceptedEnv } from '#actors/tagging/suggestion/environment.ts'
import { autoTags } from '#actors/tagging/suggestion/suggestion.ts'
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import { guardAsked } from '#streams/workflow.ts'
import type { GuardRequest, Grounds } from './check.ts'
import { guardrailDefaults, guardrailOf } from './guardrail.ts'

/** The grounds for a question in this batch. */
export type GuardNeeds = (orgId: string, asked: Pick<GuardRequest, 'cloudAccountId' | 'resourceUid'>) => Grounds

const guardrails = new PolicyReads('guardrail', guardrailOf)
const governances = new PolicyReads('governance', governanceOf)
const now = { maxAgeMs: 0 }

export interface ResourceKey {
  orgId: string
  account: string
  uid: string
}

const placeKey = ({ orgId, account, uid }: ResourceKey): string => JSON.stringify([orgId, account, uid])
const uidKey = ({ orgId, uid }: Pick<ResourceKey, 'orgId' | 'uid'>): string => JSON.stringify([orgId, uid])

export const guardNeeds = (waiting: readonly Waiting[], reads: TurnReads): Promise<GuardNeeds> =>
  groundsOf(placesOf(waiting), reads)

/** The current grounds for these resources. */
export async function groundsOf(places: readonly ResourceKey[], reads: TurnReads): Promise<GuardNeeds> {
  const orgIds = [...new Set(places.map(({ orgId }) => orgId))].toSorted()
  const [allowed, governed, resources, groups] =
    places.length === 0
      ? []
      : await Promise.all([
          guardrails.of(orgIds, reads, now),
          governances.of(orgIds, reads, now),
          resourcesOf(places, reads),
          groupsOf(places, reads),
        ])
  return (orgId, { cloudAccountId: account, resourceUid: uid }) => ({
    guardrail: allowed?.get(orgId)?.of ?? guardrailDefaults,
    ...toTagGrounds(resources?.get(placeKey({ orgId, account, uid })), governed?.get(orgId)?.of ?? governanceDefaults),
    groups: groups?.get(uidKey({ orgId, uid })) ?? [],
  })
}

function placesOf(waiting: readonly Waiting[]): ResourceKey[] {
  const asked = waiting.filter(({ subject }) => subject.name === guardAsked.name)
  const places = asked.map(({ address: { orgId }, data }) => {
    const { cloudAccountId: account, resourceUid: uid } = data as GuardRequest
    return { orgId, account, uid }
  })
  return [...new Map(places.map((place) => [placeKey(place), place])).values()]
}

const columns = (places: readonly ResourceKey[]): string[][] => [
  places.map(({ orgId }) => orgId),
  places.map(({ account }) => account),
  places.map(({ uid }) => uid),
]

// A deleted resource keeps its tags, so it stays protected until it is forgotten.
const resourcesSql = `
  select asked.org_id as "orgId", asked.account, asked.uid, r.tags, t.accepted, t.accepted_at as "acceptedAt",
    t.predicted_env as "predictedEnv", t.predicted_no_stop as "predictedNoStop", t.extra_tags as "extraTags"
  from unnest($1::text[], $2::text[], $3::text[]) as asked (org_id, account, uid)
  join resource r on r.org_id = asked.org_id and r.cloud_account_id = asked.account and r.uid = asked.uid
  left join resource_tagging t
    on t.org_id = r.org_id and t.cloud_account_id = r.cloud_account_id and t.uid = r.uid and t.deleted_at is null`

type AcceptedSuggestion = Pick<ResourceTagging, 'acceptedAt' | 'predictedEnv' | 'predictedNoStop' | 'extraTags'>

/** The last five are null if the resource has no row of tags. */
interface Row extends ResourceKey, AcceptedSuggestion {
  tags: Record<string, string>
  accepted: Record<string, string> | null
}

async function resourcesOf(places: readonly ResourceKey[], reads: TurnReads): Promise<Map<string, Row>> {
  const rows = await reads.plain<Row>(resourcesSql, columns(places), now)
  return new Map(rows.map((row) => [placeKey(row), row]))
}

function toTagGrounds(
  row: Row | undefined,
  governance: Required<GovernanceSpec>,
): Pick<Grounds, 'tags' | 'environment'> {
  if (!row) return { tags: {}, environment: 'unknown' }
  const smart = row.accepted ?? {}
  const auto = autoTags(row)
  const environment = environmentOf({ resource: row, env: acceptedEnv(smart, auto) }, governance)
  return { tags: effectiveTags(row.tags, smart, auto), environment }
}

const groupsSql = `
  select asked.org_id as "orgId", asked.uid, g.id, g.name,
    (select count(*)::int from resource_group_member one where one.org_id = g.org_id and one.group_id = g.id) as size
  from unnest($1::text[], $2::text[]) as asked (org_id, uid)
  join resource_group_member m on m.org_id = asked.org_id and m.resource_uid = asked.uid
  join resource_group g on g.org_id = m.org_id and g.id = m.group_id
  order by g.created_at, g.id`

type Group = Grounds['groups'][number]

async function groupsOf(places: readonly ResourceKey[], reads: TurnReads): Promise<Map<string, Group[]>> {
  const uids = [...new Map(places.map((place) => [uidKey(place), place])).values()]
  const [orgIds, , of] = columns(uids)
  const rows = await reads.plain<Group & Pick<ResourceKey, 'orgId' | 'uid'>>(groupsSql, [orgIds, of], now)
  const found = new Map<string, Group[]>()
  for (const { orgId, uid, id, name, size } of rows) {
    const key = uidKey({ orgId, uid })
    found.set(key, [...(found.get(key) ?? []), { id, name, size }])
  }
  return found
}
