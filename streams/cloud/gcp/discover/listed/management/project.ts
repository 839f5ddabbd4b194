import { t } from '#engine/value/schema.ts'
import { Labels, list, text, texts } from '#streams/cloud/gcp/answer/field.ts'
import { IamPolicy } from '#streams/cloud/gcp/answer/service.ts'
import { present, type ProjectScan } from '#streams/cloud/gcp/discover/finder.ts'
import { also, listType, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { regionsOf } from '#streams/cloud/gcp/discover/scoped.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { queryLimitOf, serviceIsOn } from './project-service.ts'
import { sinksIn } from './log-sink.ts'

const Project = t.Object({
  name: t.String(),
  projectId: t.String(),
  displayName: text,
  parent: text,
  state: text,
  createTime: text,
  labels: Labels,
})
const Policy = t.Intersect([
  IamPolicy,
  t.Object({
    auditConfigs: list(
      t.Object({ service: text, auditLogConfigs: list(t.Object({ logType: text, exemptedMembers: texts })) }),
    ),
  }),
])

async function* itself(place: ProjectScan) {
  const path = `/projects/${place.project}`
  const call = { service: 'cloudresourcemanager', path, permission: 'resourcemanager.projects.get' } as const
  yield [await place.ask(call, Project)]
}

async function policyOf(place: ProjectScan) {
  const call = {
    service: 'cloudresourcemanager',
    path: `/projects/${place.project}:getIamPolicy`,
    method: 'POST',
    body: {},
    permission: 'resourcemanager.projects.getIamPolicy',
  } as const
  return also(place, call.permission, () => place.ask(call, Policy))
}

async function hasDefaultNetwork(place: ProjectScan): Promise<boolean | undefined> {
  const path = `/projects/${place.project}/global/networks/default`
  const call = { service: 'compute', path, permission: 'compute.networks.get' } as const
  const isThere = async () => (await present(place.ask(call, t.Object({ name: text })))) !== undefined
  return also(place, call.permission, isThere)
}

const Recommendations = t.Object({
  nextPageToken: text,
  recommendations: list(t.Object({ recommenderSubtype: text, stateInfo: t.Optional(t.Object({ state: text })) })),
})

/** Days of the project that Google's recommender for unattended projects looks at. */
const watchedDays = 30

/** At least 30 if Google recommends to clean the project up, because there was no activity for so long. */
async function daysSinceActivity(place: ProjectScan): Promise<number | undefined> {
  const recommender = 'google.resourcemanager.projectUtilization.Recommender'
  const call = {
    service: 'recommender',
    path: `/projects/${place.project}/locations/global/recommenders/${recommender}/recommendations`,
    permission: 'recommender.resourcemanagerProjectUtilizationRecommendations.list',
  } as const
  return also(place, call.permission, async () => {
    const found = (await Array.fromAsync(place.pages(call, Recommendations))).flatMap(
      ({ recommendations = [] }) => recommendations,
    )
    const isUnattended = found.some(
      (one) => one.recommenderSubtype === 'CLEANUP_PROJECT' && one.stateInfo?.state !== 'DISMISSED',
    )
    return isUnattended ? watchedDays : 0
  })
}

/** The quota of which most is used, over all regions. */
async function peakQuota(place: ProjectScan): Promise<{ name: string; percent: number } | undefined> {
  const regions = (await also(place, 'compute.regions.list', () => regionsOf(place))) ?? []
  const shares = regions.flatMap(({ name: region, quotas = [] }) =>
    quotas.flatMap(({ metric, limit = 0, usage = 0 }) =>
      limit > 0 ? [{ name: `${metric} ${region}`, percent: (100 * usage) / limit }] : [],
    ),
  )
  return shares.toSorted((a, b) => b.percent - a.percent)[0]
}

const dataAccess = ['DATA_READ', 'DATA_WRITE']
const basicRoles = ['roles/owner', 'roles/editor']

/** Google makes these two; what they keep stays in the project. */
const builtIn = ['_Default', '_Required']

/**
 * Audit logs and sinks may be set for the folder or the organization above, which the project does not show: where there is one,
 * it is not known that they are missing.
 */
export const projectItself = listType(itself, {
  type: 'gcp-project',
  permissions: [
    'resourcemanager.projects.get',
    'resourcemanager.projects.getIamPolicy',
    'compute.networks.get',
    'compute.regions.list',
    'logging.sinks.list',
    'serviceusage.services.get',
    'serviceusage.quotas.get',
    'recommender.resourcemanagerProjectUtilizationRecommendations.list',
  ],
  detail: async (_, place) => ({
    policy: await policyOf(place),
    hasDefaultNetwork: await hasDefaultNetwork(place),
    peak: await peakQuota(place),
    sinks: await sinksIn(place),
    recommender: await serviceIsOn(place, 'recommender.googleapis.com'),
    queryLimit: await queryLimitOf(place),
    idleDays: await daysSinceActivity(place),
  }),
  uid: ({ projectId }, place) => uidIn('cloudresourcemanager', `projects/${projectId}`, place),
  fields: ({ displayName, projectId, labels }) => ({ name: displayName ?? projectId, region: 'global', labels }),
  specs: {
    created_at: ({ createTime }) => timeOf(createTime),
    lifecycle_state: ({ state }) => state,
    default_network: (_, detail) => detail?.hasDefaultNetwork,
    audit_logs_enabled: ({ parent }, detail) => {
      const policy = detail?.policy
      const all = policy?.auditConfigs?.find(({ service }) => service === 'allServices')?.auditLogConfigs ?? []
      const isOn = dataAccess.every((type) => all.some(({ logType }) => logType === type))
      return policy && (isOn || unknownBelow(parent))
    },
    primitive_role_members: (_, detail) => {
      const bindings = detail?.policy?.bindings?.filter(({ role = '' }) => basicRoles.includes(role))
      return detail?.policy && new Set(bindings?.flatMap(({ members = [] }) => members)).size
    },
    log_sink_count: ({ parent }, detail) => {
      const own = detail?.sinks?.filter(
        ({ name, disabled, filter = '' }) =>
          !builtIn.includes(name) && !disabled && (filter === '' || filter.includes('cloudaudit')),
      )
      return own && (own.length > 0 || unknownBelow(parent) === false ? own.length : undefined)
    },
    recommender_api_enabled: (_, detail) => detail?.recommender,
    days_since_activity: (_, detail) => detail?.idleDays,
    query_cost_limit: (_, detail) => detail?.queryLimit,
    quota_peak_percent: (_, detail) => detail?.peak && Math.round(detail.peak.percent * 10) / 10,
    quota_peak_name: (_, detail) => detail?.peak?.name,
  },
})

/** False for a project that belongs to nothing. */
const unknownBelow = (parent: string | undefined): false | undefined => (parent === undefined ? false : undefined)
