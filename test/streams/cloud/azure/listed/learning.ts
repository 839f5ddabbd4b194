import { idOf } from '../world.ts'
import { created, inside, one, uid, type ListedCase } from './case.ts'

export const learning: readonly ListedCase[] = [
  inside({
    type: 'azure-ml-compute-cluster',
    parent: 'Microsoft.MachineLearningServices/workspaces',
    part: 'computes',
    kind: 'computes',
    item: {
      properties: {
        computeType: 'AmlCompute',
        createdOn: '2026-01-01T00:00:00Z',
        properties: {
          vmSize: 'STANDARD_NC6S_V3',
          vmPriority: 'Dedicated',
          scaleSettings: { minNodeCount: 1, maxNodeCount: 4 },
          currentNodeCount: 1,
        },
      },
    },
    fields: { instanceType: 'STANDARD_NC6S_V3', unitCount: 1 },
    specs: { created_at: created, min_nodes: 1, priority: 'Dedicated', current_nodes: 1 },
  }),
  inside({
    type: 'azure-ml-endpoint',
    parent: 'Microsoft.MachineLearningServices/workspaces',
    part: 'onlineEndpoints',
    kind: 'onlineEndpoints',
    item: { systemData: { createdAt: '2026-01-01T00:00:00Z' }, properties: { authMode: 'Key' } },
    lists: {
      deployments: [
        { id: '/d/blue', sku: { name: 'Default', capacity: 2 } },
        { id: '/d/green', sku: { name: 'Default', capacity: 1 } },
      ],
    },
    specs: { created_at: created, instance_count: 3 },
  }),
  one({
    type: 'azure-ai-services',
    kind: 'Microsoft.CognitiveServices/accounts',
    item: { kind: 'SpeechServices', sku: { name: 'S0' }, properties: { dateCreated: '2026-01-01T00:00:00Z' } },
    fields: { instanceType: 'S0' },
    specs: { created_at: created, kind: 'SpeechServices', commitment_plan: false },
  }),
  inside({
    type: 'azure-openai-deployment',
    parent: 'Microsoft.CognitiveServices/accounts',
    part: 'deployments',
    kind: 'deployments',
    item: {
      sku: { name: 'ProvisionedManaged', capacity: 100 },
      systemData: { createdAt: '2026-01-01T00:00:00Z' },
      properties: { model: { format: 'OpenAI', name: 'gpt-4o' } },
    },
    fields: {
      instanceType: 'ProvisionedManaged',
      parentUID: uid(idOf('Microsoft.CognitiveServices/accounts', 'parent')),
    },
    specs: { created_at: created, sku: 'ProvisionedManaged', capacity: 100, model: 'gpt-4o' },
  }),
  one({
    type: 'azure-ai-search',
    kind: 'Microsoft.Search/searchServices',
    item: { sku: { name: 'standard' }, properties: { replicaCount: 3, partitionCount: 1 } },
    fields: { instanceType: 'standard' },
    specs: { sku: 'standard', replicas: 3, partitions: 1 },
  }),
]
