/** What the evaluation of an unchanged resource also depends on: policies, teams, its parent and its neighbours. */
import type { Leaning } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Environment } from '#streams/tagging.ts'
import type { ResourceTagging } from '#actors/tagging/entity.ts'
import { Neighbours, type NeighbourRow } from './neighbours.ts'
import { organizationsOf, placesOf, type TaggingNeeds } from '#actors/tagging/needs.ts'

interface TagLeaning {
  policyVersion: number
  teamsAt: number
  parentUid: string
  parentEnv: Environment | ''
  /** Empty if it was not read. */
  neighbourhood: string
  topologyEnv: Environment | ''
  /** Its own evidence, which does not count as that of a neighbour. */
  evidenceEnv: Environment | ''
}

export function leansOf(row: ResourceTagging, needs: unknown): TagLeaning {
  const { policyVersion, parentUid, parentEnv, topologyEnv, evidenceEnv, orgId, cloudAccountId: account } = row
  const { organization, neighbours } = needs as TaggingNeeds
  const { teamsAt } = organization(orgId)
  // The neighbours of a resource without a neighbourhood are not read.
  const neighbourhood = neighbours.isAsked({ orgId, account }, row.neighbourhood) ? row.neighbourhood : ''
  return { policyVersion, teamsAt, parentUid, parentEnv, neighbourhood, topologyEnv, evidenceEnv }
}

const parentsSql = `
  select 'parent' as what, a.org_id, a.account, a.uid, '' as place, t.evidence_env as env, 0 as resources
  from unnest($1::text[], $2::text[], $3::text[]) as a (org_id, account, uid)
  join resource_tagging t on t.org_id = a.org_id and t.cloud_account_id = a.account and t.uid = a.uid
  where t.deleted_at is null`

/** For each resource, whether everything is unchanged. Each parent and neighbourhood is read once. */
export async function stands(asked: readonly Leaning<TagLeaning>[], reads: TurnReads): Promise<boolean[]> {
  const orgIds = [...new Set(asked.map(({ address }) => address.orgId))]
  const rows = asked.map(({ address, on }) => rowOf(address.orgId, address.place, address.key, on))
  const parents = distinct(
    asked.map(({ on }, n) => ({ ...rows[n]!, uid: on.parentUid })).filter(({ uid }) => uid !== ''),
    'uid',
  )
  const inPlaces = rows.filter(({ place }) => place !== '')
  const places = distinct(inPlaces, 'place')
  const [organization, ofParents, ofPlaces] = await Promise.all([
    organizationsOf(orgIds, true, reads),
    parents.length > 0 ? reads.plain<NeighbourRow>(parentsSql, columnsOf(parents), { maxAgeMs: 0 }) : [],
    placesOf(places, reads),
  ])
  const neighbours = new Neighbours([...ofParents, ...inPlaces, ...ofPlaces])
  return asked.map(({ address: { orgId, place: account, key: uid }, on }) => {
    const { policyVersion, teamsAt } = organization(orgId)
    if (policyVersion !== on.policyVersion || teamsAt !== on.teamsAt) return false
    const parentEnv = neighbours.parentEnv(orgId, account, on.parentUid) ?? ''
    const topologyEnv = neighbours.topologyEnv({ orgId, account, uid }, on.neighbourhood) ?? on.topologyEnv
    return parentEnv === on.parentEnv && topologyEnv === on.topologyEnv
  })
}

/** Its row as stored, since nothing has changed it. */
const rowOf = (org_id: string, account: string, uid: string, on: TagLeaning): NeighbourRow => ({
  what: 'own',
  org_id,
  account,
  uid,
  place: on.neighbourhood,
  env: on.evidenceEnv,
  resources: 0,
})

const distinct = (rows: readonly NeighbourRow[], by: 'uid' | 'place'): NeighbourRow[] => [
  ...new Map(rows.map((row) => [`${row.org_id}\0${row.account}\0${row[by]}`, row])).values(),
]

const columnsOf = (rows: readonly NeighbourRow[]): string[][] => [
  rows.map(({ org_id }) => org_id),
  rows.map(({ account }) => account),
  rows.map(({ uid }) => uid),
]
