import type { Method, RestApi, Stage } from '@aws-sdk/client-api-gateway'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { callsAtOnce, present, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { arnOf, listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

/** The service has one permission for all that it reads. */
export const restStages = listType('api-gateway', {
  type: 'aws-apigw-stage',
  permissions: ['apigateway:GET'],
  list: (m, position) => new m.GetRestApisCommand({ limit: 500, ...(position && { position }) }),
  next: ({ position }) => position,
  items: async ({ items: apis }, place) => {
    const planned = await place.more('apigateway:GET usage plans', () => plannedStages(place))
    const stages = await mapConcurrently(listOf(apis), callsAtOnce, (api) => stagesOf(place, api, planned))
    return stages.flat()
  },
  uid: ({ api, stage }, { region }) =>
    api.id && stage.stageName && arnOf('apigateway', { region, account: '' }, stagePath(api.id, stage.stageName)),
  fields: ({ api, stage }) => ({ name: `${api.name ?? api.id}/${stage.stageName}`, tags: stage.tags }),
  specs: {
    created_at: ({ stage }) => timeOf(stage.createdDate),
    api_id: ({ api }) => api.id,
    api_name: ({ api }) => api.name,
    stage_name: ({ stage }) => stage.stageName,
    cache_enabled: ({ stage }) => stage.cacheClusterEnabled ?? false,
    cache_size_gb: ({ stage }) => (stage.cacheClusterEnabled ? Number(stage.cacheClusterSize) : null),
    uses_rest_only_features: ({ usesRestOnly }) => usesRestOnly,
  },
})

const stagePath = (apiId: string, stage: string): string => `/restapis/${apiId}/stages/${stage}`

async function stagesOf(place: RegionScan, api: RestApi, planned: ReadonlySet<string> | undefined) {
  const restApiId = api.id
  // Refused, it is the whole type that is not seen.
  const answer = await present(place.ask('api-gateway', (m) => new m.GetStagesCommand({ restApiId })))
  const stages = listOf(answer?.item)
  const methods = stages[0] && (await also(place, 'apigateway:GET resources', () => methodsOf(place, restApiId)))
  return stages.map((stage) => {
    const isPlanned = planned?.has(stagePath(restApiId ?? '', stage.stageName ?? ''))
    const uses = [hasRestOnlySettings(api, stage), isPlanned, methods?.some(needsRest)]
    return { api, stage, usesRestOnly: uses.includes(true) || (uses.includes(undefined) ? undefined : false) }
  })
}

/** Besides what rules name, what an HTTP API has no counterpart of: resource policies, client certificates, tracing, canaries. */
const hasRestOnlySettings = (api: RestApi, stage: Stage): boolean =>
  stage.cacheClusterEnabled === true ||
  stage.tracingEnabled === true ||
  Boolean(stage.webAclArn ?? stage.clientCertificateId ?? stage.canarySettings ?? api.policy) ||
  listOf(api.endpointConfiguration?.types).includes('PRIVATE')

function needsRest({ httpMethod, apiKeyRequired, requestValidatorId, methodIntegration }: Method): boolean {
  // The preflight answer of CORS, which an HTTP API gives by itself.
  if (httpMethod === 'OPTIONS' && methodIntegration?.type === 'MOCK') return false
  const { requestTemplates, integrationResponses } = methodIntegration ?? {}
  const templates = [requestTemplates, ...Object.values(integrationResponses ?? {}).map((one) => one.responseTemplates)]
  return (
    apiKeyRequired === true ||
    Boolean(requestValidatorId) ||
    methodIntegration?.type === 'MOCK' ||
    templates.some((one) => Object.keys(one ?? {}).length > 0)
  )
}

async function methodsOf(place: RegionScan, restApiId: string | undefined): Promise<Method[]> {
  const answers = place.pages(
    'api-gateway',
    (m, position) =>
      new m.GetResourcesCommand({ restApiId, limit: 500, embed: ['methods'], ...(position && { position }) }),
    ({ position }) => position,
  )
  const resources = (await Array.fromAsync(answers)).flatMap(({ items }) => listOf(items))
  return resources.flatMap(({ resourceMethods }) => Object.values(resourceMethods ?? {}))
}

/** Paths of the stages that usage plans name. */
async function plannedStages(place: RegionScan): Promise<ReadonlySet<string>> {
  const answers = place.pages(
    'api-gateway',
    (m, position) => new m.GetUsagePlansCommand({ limit: 500, ...(position && { position }) }),
    ({ position }) => position,
  )
  const plans = (await Array.fromAsync(answers)).flatMap(({ items }) => listOf(items))
  const stages = plans.flatMap(({ apiStages }) => listOf(apiStages))
  return new Set(stages.map(({ apiId, stage }) => stagePath(apiId ?? '', stage ?? '')))
}
