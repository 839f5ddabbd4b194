/**
 * What turns of the tagging actor read: policies, teams, and environments of parents and neighbours. None of these
 * reads waits for the batch before.
 */
import { PolicyReads } from '#actors/policy/queries.ts'
import { compileRules, type TaggingRule } from '#actors/tagging/policy/derive.ts'
import { factsOf, neighbourhoodOf } from '#actors/tagging/facts.ts'
import { teamSlug } from '#actors/tagging/suggestion/predict.ts'
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { tagLook } from '#streams/tagging.ts'
import { Neighbours, type NeighbourRow } from '#actors/tagging/suggestion/neighbours.ts'

interface TaggingOrganization {
  /** Version of its tagging policies; 0 if it never had any. */
  policyVersion: number
  rules: readonly TaggingRule[]
  /** Whether rules assign resources to teams. */
  isAllocated: boolean
  /** By `teamSlug`. */
  teamNames: ReadonlyMap<string, string>
  /** Milliseconds since 1970 of the last change of what `isAllocated` and `teamNames` are read from. */
  teamsAt: number
}

export interface TaggingNeeds {
  organization: (orgId: string) => TaggingOrganization
  neighbours: Neighbours
}

const none: TaggingOrganization = { policyVersion: 0, rules: [], isAllocated: false, teamNames: new Map(), teamsAt: 0 }

const policies = new PolicyReads('tagging', compileRules)
/** Always current: a discovery after a change must use it. */
const now = { maxAgeMs: 0 }

const looks: ReadonlySet<string> = new Set([resourceDiscovered.name, tagLook.name])

export async function taggingNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<TaggingNeeds> {
  const orgIds = [...new Set(waiting.map(({ address }) => address.orgId))]
  const looking = waiting.filter(({ subject }) => looks.has(subject.name))
  const [organization, neighbours] = await Promise.all([
    organizationsOf(orgIds, looking.length > 0, reads),
    neighboursOf(looking, reads),
  ])
  return { organization, neighbours }
}

/** Inputs by organization; without policies if these are not needed. */
export async function organizationsOf(
  orgIds: readonly string[],
  isByRule: boolean,
  reads: TurnReads,
): Promise<TaggingNeeds['organization']> {
  const [byRule, clocks] = await Promise.all([
    isByRule ? policies.of(orgIds, reads) : undefined,
    clocksOf(orgIds, reads),
  ])
  const organizations = new Map(
    orgIds.map((orgId): [string, TaggingOrganization] => {
      const { version: policyVersion = 0, of: rules = [] } = byRule?.get(orgId) ?? {}
      return [orgId, { ...none, ...clocks.get(orgId), policyVersion, rules }]
    }),
  )
  return (orgId) => organizations.get(orgId) ?? none
}

const clocksSql = 'select org_id, at, allocated from attribution_clock where org_id = any($1)'
const namesSql = 'select org_id, name from team where org_id = any($1) order by created_at desc, id desc'

type OrganizationClock = Pick<TaggingOrganization, 'isAllocated' | 'teamNames' | 'teamsAt'>

/** Maximum cached team names, by the time of the last change at which they were read; oldest entries are dropped. */
const teamNamesMax = 1000
const teamNamesByOrg = new Map<string, { at: number; teamNames: ReadonlyMap<string, string> }>()

async function clocksOf(orgIds: readonly string[], reads: TurnReads): Promise<Map<string, OrganizationClock>> {
  const clocks = await reads.plain<{ org_id: string; at: Date; allocated: boolean }>(clocksSql, [orgIds], now)
  const moved = clocks.filter(({ org_id, at }) => teamNamesByOrg.get(org_id)?.at !== at.getTime())
  if (moved.length > 0) {
    const names = await reads.plain<{ org_id: string; name: string }>(namesSql, [moved.map((one) => one.org_id)], now)
    const byOrg = Map.groupBy(names, ({ org_id }) => org_id)
    for (const { org_id, at } of moved) {
      // The oldest team comes last, so it wins among several with the same slug.
      const teamNames = new Map((byOrg.get(org_id) ?? []).map(({ name }) => [teamSlug(name), name]))
      teamNamesByOrg.delete(org_id)
      teamNamesByOrg.set(org_id, { at: at.getTime(), teamNames })
    }
  }
  const found = new Map<string, OrganizationClock>()
  for (const { org_id, at, allocated: isAllocated } of clocks) {
    const teamNames = teamNamesByOrg.get(org_id)?.teamNames ?? none.teamNames
    found.set(org_id, { isAllocated, teamNames, teamsAt: at.getTime() })
  }
  while (teamNamesByOrg.size > teamNamesMax) teamNamesByOrg.delete(teamNamesByOrg.keys().next().value!)
  return found
}

// Look-ups by key must not contain the condition of the index "resource_tagging_place": without statistics that index
// looks as good as the key, and every resource would be read for each.
const neighboursSql = `
  with asked as (
    select org_id, account, uid, parent, place
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) as given (org_id, account, uid, parent, place)
    union
    select t.org_id, t.cloud_account_id, t.uid, t.parent_uid, t.neighbourhood
    from unnest($6::text[], $7::text[], $8::text[]) as given (org_id, account, uid)
    join resource_tagging t on t.org_id = given.org_id and t.cloud_account_id = given.account and t.uid = given.uid
  )
  select 'parent' as what, a.org_id, a.account, a.parent as uid, '' as place, t.evidence_env as env, 0 as resources
  from (select distinct org_id, account, parent from asked where parent <> '') a
  join resource_tagging t on t.org_id = a.org_id and t.cloud_account_id = a.account and t.uid = a.parent
  where t.deleted_at is null
  union all
  select 'own', a.org_id, a.account, a.uid, t.neighbourhood, t.evidence_env, 0
  from (select distinct org_id, account, uid from asked where place <> '') a
  join resource_tagging t on t.org_id = a.org_id and t.cloud_account_id = a.account and t.uid = a.uid
  where t.deleted_at is null and length(t.neighbourhood) > 0
  union all
  select distinct 'asked', org_id, account, '', place, '', 0 from asked where place <> ''`

const placesSql = `
  select 'place' as what, a.org_id, a.account, '' as uid, a.place, t.evidence_env as env, count(*)::int as resources
  from unnest($1::text[], $2::text[], $3::text[]) as a (org_id, account, place)
  join resource_tagging t on t.org_id = a.org_id and t.cloud_account_id = a.account and t.neighbourhood = a.place
  where t.deleted_at is null and t.neighbourhood <> ''
  group by a.org_id, a.account, a.place, t.evidence_env`

/**
 * Neighbourhoods with at least so many resources are counted once per second: single resources hardly change the
 * result.
 */
const crowdMin = 2000
const crowds = { maxAgeMs: 1000 }
/** Neighbourhoods that were found to be that large. */
const crowdedPlaces = new Set<string>()
const crowdedMax = 10_000

const placeKey = ({ org_id, account, place }: NeighbourRow): string => JSON.stringify([org_id, account, place])

/** For each neighbourhood: number of resources by environment. */
export async function placesOf(asked: readonly NeighbourRow[], reads: TurnReads): Promise<NeighbourRow[]> {
  const known = Map.groupBy(asked, (row) => crowdedPlaces.has(placeKey(row)))
  const read = async (some: readonly NeighbourRow[] = [], options = now) => {
    if (some.length === 0) return []
    // Sorted, so that the same neighbourhoods give the same query.
    const keys = some
      .toSorted((a, b) => (placeKey(a) < placeKey(b) ? -1 : 1))
      .map((row) => [row.org_id, row.account, row.place] as const)
    return reads.plain<NeighbourRow>(
      placesSql,
      [0, 1, 2].map((at) => keys.map((one) => one[at]!)),
      options,
    )
  }
  const found = (await Promise.all([read(known.get(false)), read(known.get(true), crowds)])).flat()
  for (const [key, rows] of Map.groupBy(found, placeKey)) {
    const resources = rows.reduce((sum, row) => sum + row.resources, 0)
    if (resources >= crowdMin) crowdedPlaces.add(key)
    else crowdedPlaces.delete(key)
  }
  if (crowdedPlaces.size > crowdedMax) crowdedPlaces.clear()
  return found
}

interface NeighbourQuery {
  orgId: string
  account: string
  uid: string
  parentUid: string
  /** Undefined: use that of the row. */
  neighbourhood: string | undefined
}

async function neighboursOf(looking: readonly Waiting[], reads: TurnReads): Promise<Neighbours> {
  const asked = looking.map(askedOf)
  const given = asked.filter(({ parentUid, neighbourhood = '' }) => parentUid !== '' || neighbourhood !== '')
  const known = asked.filter(({ neighbourhood }) => neighbourhood === undefined)
  if (given.length + known.length === 0) return new Neighbours([])
  const columns = (list: readonly NeighbourQuery[]) => [
    list.map(({ orgId }) => orgId),
    list.map(({ account }) => account),
    list.map(({ uid }) => uid),
  ]
  const params = [
    ...columns(given),
    given.map(({ parentUid }) => parentUid),
    given.map(({ neighbourhood = '' }) => neighbourhood),
    ...columns(known),
  ]
  const rows = await reads.plain<NeighbourRow>(neighboursSql, params, now)
  const places = await placesOf(
    rows.filter(({ what }) => what === 'asked'),
    reads,
  )
  return new Neighbours([...rows, ...places])
}

function askedOf({ subject, address: { orgId, place: account, key: uid }, data }: Waiting): NeighbourQuery {
  return { orgId, account, uid, ...placeOf(subject.name, data) }
}

function placeOf(subject: string, data: unknown): Pick<NeighbourQuery, 'parentUid' | 'neighbourhood'> {
  if (subject === tagLook.name) {
    const { found } = data as Static<typeof tagLook.schema>
    if (!found) return { parentUid: '', neighbourhood: undefined }
    return { parentUid: found.facts.parentUid, neighbourhood: neighbourhoodOf(found.facts) }
  }
  // An observation without a network keeps the environment of its neighbours until a sweep, so its row need not be
  // read.
  const facts = factsOf(data as Static<typeof resourceDiscovered.schema>, '')
  return { parentUid: facts.parentUid, neighbourhood: neighbourhoodOf(facts) }
}
