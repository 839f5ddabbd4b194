/** What the values of dimensions are called that have names of their own. */
import { accountNames } from '#actors/account/queries.ts'
import { clusterNames } from '#actors/kubernetes/queries.ts'
import { subAccountNames } from '#analytics/cost/questions.ts'
import { resourceNames } from '#analytics/resource/questions.ts'
import { portions } from '#analytics/store/query.ts'
import type { Services } from '#http/edge/services.ts'
import { namesOfTeams } from '#http/report/team/team.ts'

export const namedDimensions = [
  'cloud_account_id',
  'billing_account',
  'sub_account',
  'team_id',
  'cluster',
  'resource_uid',
] as const

/** Names by dimension and value. Nothing is asked about dimensions that have no values here. */
export async function namesOf(
  values: Partial<Record<(typeof namedDimensions)[number], readonly string[]>>,
  orgId: string,
  services: Services,
): Promise<Record<(typeof namedDimensions)[number], ReadonlyMap<string, string>>> {
  const {
    cloud_account_id: accounts = [],
    billing_account: billers = [],
    sub_account: subs = [],
    team_id: teams = [],
    cluster: clusters = [],
    resource_uid: resources = [],
  } = values
  const places = [...accounts, ...billers]
  const [ofAccounts, ofSubs, ofTeams, ofClusters, ofResources] = await Promise.all([
    places.length > 0 ? accountNames(services.em, orgId, places) : new Map<string, string>(),
    namesOfSubAccounts(subs, services),
    teams.length > 0 ? namesOfTeams(services) : new Map<string, string>(),
    clusters.length > 0 ? clusterNames(services.em, orgId) : new Map<string, string>(),
    namesOfResources(resources, services),
  ])
  return {
    cloud_account_id: ofAccounts,
    billing_account: ofAccounts,
    sub_account: ofSubs,
    team_id: ofTeams,
    cluster: ofClusters,
    resource_uid: ofResources,
  }
}

/** What the newest bill that names them calls them. */
async function namesOfSubAccounts(
  asked: readonly string[],
  { analytics }: Pick<Services, 'analytics'>,
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const ids of portions(asked, (id) => id))
    for (const row of await analytics(subAccountNames, { ids })) names.set(row.sub_account_id, row.name)
  return names
}

async function namesOfResources(
  asked: readonly string[],
  { analytics }: Pick<Services, 'analytics'>,
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const uids of portions(asked, (uid) => uid))
    for (const row of await analytics(resourceNames, { uids })) names.set(row.resource_uid, row.name)
  return names
}
