import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

export const bedrockThroughputs = listType('bedrock', {
  type: 'aws-bedrock-throughput',
  permissions: ['bedrock:ListProvisionedModelThroughputs', 'bedrock:ListTagsForResource'],
  list: (m, nextToken) =>
    new m.ListProvisionedModelThroughputsCommand({ maxResults: 100, ...(nextToken && { nextToken }) }),
  next: ({ nextToken }) => nextToken,
  items: ({ provisionedModelSummaries }) => provisionedModelSummaries,
  detail: ({ provisionedModelArn: resourceARN }, place) =>
    also(place, 'tags', () => place.ask('bedrock', (m) => new m.ListTagsForResourceCommand({ resourceARN }))),
  uid: ({ provisionedModelArn }) => provisionedModelArn,
  fields: ({ provisionedModelName, status, modelUnits }, _, tags) => ({
    name: provisionedModelName,
    state: status,
    unitCount: modelUnits,
    tags: tags?.tags,
  }),
  specs: {
    created_at: ({ creationTime }) => timeOf(creationTime),
    model: ({ modelArn }) => modelArn,
    model_units: ({ modelUnits }) => modelUnits,
    commitment: ({ commitmentDuration }) => commitmentDuration ?? 'none',
  },
})
