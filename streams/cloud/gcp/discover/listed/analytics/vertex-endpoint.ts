import { t, type Static } from '#engine/value/schema.ts'
import { count, list, some, text } from '#streams/cloud/gcp/answer/field.ts'
import { listType, usualMembers, pagesInEach, regionOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { regionNames } from '#streams/cloud/gcp/discover/scoped.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const DeployedModel = t.Object({
  dedicatedResources: some({ minReplicaCount: count, machineSpec: some({ acceleratorCount: count }) }),
  automaticResources: some({ minReplicaCount: count }),
})
const Endpoint = t.Object({ ...usualMembers, displayName: text, deployedModels: list(DeployedModel) })

const minReplicasOf = ({ dedicatedResources, automaticResources }: Static<typeof DeployedModel>): number =>
  dedicatedResources?.minReplicaCount ?? automaticResources?.minReplicaCount ?? 0

/** Each region has an address of its own. */
export const vertexEndpoints = listType(
  pagesInEach(
    regionNames,
    (project, region) => ({
      service: 'aiplatform',
      region,
      path: `/projects/${project}/locations/${region}/endpoints`,
      permission: 'aiplatform.endpoints.list',
    }),
    'endpoints',
    Endpoint,
  ),
  {
    type: 'gcp-vertex-endpoint',
    permissions: ['aiplatform.endpoints.list', 'compute.regions.list'],
    uid: ({ name }, place) => uidIn('aiplatform', name, place),
    fields: ({ name, displayName, labels }) => ({ name: displayName ?? lastOf(name), region: regionOf(name), labels }),
    specs: {
      created_at: ({ createTime }) => timeOf(createTime),
      deployed_models: ({ deployedModels = [] }) => deployedModels.length,
      min_replicas: ({ deployedModels = [] }) => deployedModels.reduce((sum, one) => sum + minReplicasOf(one), 0),
      gpu_count: ({ deployedModels = [] }) =>
        Math.max(0, ...deployedModels.map((one) => one.dedicatedResources?.machineSpec?.acceleratorCount ?? 0)),
    },
  },
)
