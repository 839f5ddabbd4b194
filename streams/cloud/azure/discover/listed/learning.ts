import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { findInLists, listedBelow, listedType } from '#streams/cloud/azure/discover/listed.ts'
import { numberAt, timeAt } from '#streams/cloud/azure/map/resource.ts'

const [workspaces, accounts] = ['Microsoft.MachineLearningServices/workspaces', 'Microsoft.CognitiveServices/accounts']
const [learningVersion, accountVersion] = ['2024-04-01', '2023-05-01'] as const

const computeCluster = listedType({
  type: 'azure-ml-compute-cluster',
  permissions: [`${workspaces}/read`, `${workspaces}/computes/read`],
  isOwn: (item) => textAt(item, 'properties', 'computeType') === 'AmlCompute',
  fields: ({ of, parent }) => ({
    instanceType: textAt(of, 'properties', 'vmSize'),
    unitCount: numberAt(of, 'properties', 'currentNodeCount'),
    location: textAt(of, 'computeLocation') ?? textAt(parent, 'location'),
  }),
  specs: {
    created_at: ({ of }) => timeAt(of, 'createdOn'),
    min_nodes: ({ of }) => numberAt(of, 'properties', 'scaleSettings', 'minNodeCount'),
    priority: ({ of }) => textAt(of, 'properties', 'vmPriority'),
    current_nodes: ({ of }) => numberAt(of, 'properties', 'currentNodeCount'),
  },
})

const endpoint = listedType({
  type: 'azure-ml-endpoint',
  permissions: [
    `${workspaces}/read`,
    `${workspaces}/onlineEndpoints/read`,
    `${workspaces}/onlineEndpoints/deployments/read`,
  ],
  detail: async (item, place) => place.allBelow(item, 'deployments', learningVersion),
  fields: ({ parent }) => ({ location: textAt(parent, 'location') }),
  specs: {
    created_at: ({ item }) => timeAt(item, 'systemData', 'createdAt'),
    instance_count: ({ detail }) => detail?.reduce((sum, one) => sum + (numberAt(one, 'sku', 'capacity') ?? 0), 0),
  },
})

export const learningParts = listedBelow({
  list: [workspaces!, learningVersion],
  children: [
    [computeCluster, 'computes'],
    [endpoint, 'onlineEndpoints'],
  ],
})

const aiServices = listedType({
  type: 'azure-ai-services',
  permissions: [`${accounts}/read`, `${accounts}/commitmentPlans/read`],
  detail: async (item, place) => place.allBelow(item, 'commitmentPlans', accountVersion),
  fields: ({ item }) => ({ instanceType: textAt(item, 'sku', 'name') }),
  specs: {
    created_at: ({ of }) => timeAt(of, 'dateCreated'),
    kind: ({ item }) => textAt(item, 'kind'),
    commitment_plan: ({ detail }) => detail && detail.length > 0,
  },
})

const modelDeployment = listedType({
  type: 'azure-openai-deployment',
  permissions: [`${accounts}/read`, `${accounts}/deployments/read`],
  fields: ({ item, parent }) => ({
    parentUID: parent?.id,
    location: textAt(parent, 'location'),
    instanceType: textAt(item, 'sku', 'name'),
  }),
  specs: {
    created_at: ({ item }) => timeAt(item, 'systemData', 'createdAt'),
    sku: ({ item }) => textAt(item, 'sku', 'name'),
    capacity: ({ item }) => numberAt(item, 'sku', 'capacity'),
    model: ({ of }) => textAt(of, 'model', 'name'),
  },
})

export const aiAccounts = listedBelow({
  list: [accounts!, accountVersion],
  parent: aiServices,
  children: [[modelDeployment, 'deployments']],
})

export const searchServices = findInLists(
  listedType({
    type: 'azure-ai-search',
    permissions: ['Microsoft.Search/searchServices/read'],
    fields: ({ item }) => ({ instanceType: textAt(item, 'sku', 'name') }),
    specs: {
      sku: ({ item }) => textAt(item, 'sku', 'name'),
      replicas: ({ of }) => numberAt(of, 'replicaCount'),
      partitions: ({ of }) => numberAt(of, 'partitionCount'),
    },
  }),
  ['Microsoft.Search/searchServices', '2023-11-01'],
)
